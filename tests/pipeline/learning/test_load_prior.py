"""Loading a bias table: what a search gets, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.learning.bias import compile_bias
from pipeline.learning.counts import Counts, counts_to_table
from pipeline.tables.checks import write_table
from solver.contract.identity import rules_digest
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError
from solver.kernels.policy import MAX_EXPONENT
from solver.priors.priors import NO_PRIOR, load_prior, odds_table
from tests.pipeline.small_tables import metadata_of, saved, with_column, with_metadata

DOMAIN = LatinSquareDomain()
DUAL = DOMAIN.priors["dual"]
NAMES = ", ".join(DOMAIN.priors)
Change = Callable[[pa.Table], pa.Table]


@pytest.fixture(scope="module")
def counts() -> Counts:
    """Three codes: (2, 2), (2, 3) and (3, 2)."""
    count, nb = np.zeros(DUAL.rows, np.int64), np.zeros(DUAL.rows, np.int64)
    rows = [2 * 32 + 2, 2 * 32 + 3, 3 * 32 + 2]
    count[rows], nb[rows] = [6, 3, 1], [10, 10, 10]
    rules = rules_digest(DOMAIN, DUAL)
    return Counts(DOMAIN.name, DUAL, {}, {}, count, nb, instances=4, rules=rules)


@pytest.fixture(scope="module")
def bias(counts: Counts) -> pa.Table:
    return compile_bias(counts, smoothing=0.0, temperature=1.5)


def test_odds_are_the_exponential_of_the_bias(bias: pa.Table, tmp_path: Path) -> None:
    """The kernel's table holds exp(T * bias) for rows of the file, the default elsewhere."""
    path = saved(bias, tmp_path / "my-prior.parquet")
    prior = load_prior(path, DOMAIN)
    assert (prior.name, prior.temperature, prior.path) == ("my-prior", 1.5, path)
    assert prior.metadata == metadata_of(bias)
    assert type(prior.table) is DUAL.table_class
    table = prior.table.table
    assert (table.shape, table.dtype, table.flags.c_contiguous) == ((1024,), np.float64, True)
    columns = bias.to_pydict()
    rows = [a * 32 + b for a, b in zip(columns["in_column"], columns["in_row"], strict=True)]
    assert sorted(rows) == [2 * 32 + 2, 2 * 32 + 3, 3 * 32 + 2, 3 * 32 + 3]
    expected = np.full(1024, (10 / 30) ** 1.5)
    expected[rows] = np.array(columns["frequency"]) ** 1.5
    np.testing.assert_allclose(table, expected, rtol=1e-12)


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
def test_a_temperature_of_ones_own(bias: pa.Table, tmp_path: Path, temperature: float) -> None:
    """The temperature given replaces the recommended one."""
    prior = load_prior(saved(bias, tmp_path / "p.parquet"), DOMAIN, temperature)
    assert prior.temperature == temperature
    assert prior.table.table[2 * 32 + 2] == pytest.approx(0.6**temperature, rel=1e-12)


def test_odds_are_kept_within_bounds() -> None:
    """A bias beyond what exp can take is clipped on both sides, infinity included."""
    bias = np.array([-np.inf, -1e9, -1.0, 0.0, 1e9, np.inf])
    least, most = np.exp(-MAX_EXPONENT), np.exp(MAX_EXPONENT)
    assert odds_table(bias, 2.0).tolist() == [least, least, np.exp(-2.0), 1.0, most, most]
    assert least > 0
    assert np.isfinite(most)


def test_the_prior_without_a_preference() -> None:
    """No prior is called none, comes from no file and has no table."""
    assert (NO_PRIOR.name, NO_PRIOR.temperature, NO_PRIOR.path) == ("none", 0.0, None)


def not_a_number(table: pa.Table) -> pa.Table:
    return with_column(table, "bias", [float("nan"), *table["bias"].to_pylist()[1:]])


def out_of_range(table: pa.Table) -> pa.Table:
    return with_column(table, "in_row", [*table["in_row"].to_pylist()[:-1], 32])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace_schema_metadata(None), "not a table made by `learn`, its metadata is "
         "missing"),
        (lambda t: with_metadata(t, kind="counts"), "a table of counts, expected one of bias"),
        (lambda t: with_metadata(t, schema_version=7), "schema version 7, expected 1"),
        (lambda t: with_metadata(t, domain="kakuro"), "a prior for kakuro, expected latin-square"),
        (lambda t: with_metadata(t, prior="sums"),
         f"prior code 'sums' is unknown, latin-square has: {NAMES}"),
        (lambda t: with_metadata(t, components={"in_row": 3}),
         "code 'dual' has components {'in_row': 3}, expected {'in_column': 32, 'in_row': 32}"),
        (lambda t: t.drop_columns(["in_row"]), "column 'in_row' is missing"),
        (lambda t: t.drop_columns(["bias"]), "column 'bias' is missing"),
        (out_of_range, "row 3: in_row is 32, expected 0 ... 31"),
        (not_a_number, "row 0: bias is nan, expected a finite number"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit(
    bias: pa.Table, tmp_path: Path, change: Change, message: str
) -> None:
    """A doctored table is refused in one line that begins with the file."""
    path = saved(change(bias), tmp_path / "p.parquet")
    with pytest.raises(InputError) as error:
        load_prior(path, DOMAIN)
    assert str(error.value) == f"{path}: {message}"


def test_counts_are_no_prior(counts: Counts, tmp_path: Path) -> None:
    """The count table that `learn` writes beside the prior is not taken for it."""
    path = saved(counts_to_table(counts), tmp_path / "p.counts.parquet")
    with pytest.raises(InputError, match=r"a table of counts, expected one of bias$"):
        load_prior(path, DOMAIN)


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.inf, np.nan])
def test_bad_temperatures(bias: pa.Table, tmp_path: Path, temperature: float) -> None:
    """Given or stored, a temperature is a positive number."""
    message = f"^prior_temperature is {temperature}, expected more than 0$"
    path = saved(bias, tmp_path / "p.parquet")
    with pytest.raises(InputError, match=message):
        load_prior(path, DOMAIN, temperature)
    stored = saved(with_metadata(bias, temperature=temperature), path)
    with pytest.raises(InputError, match=f"'temperature' in its metadata is {temperature}, expec"):
        load_prior(stored, DOMAIN)


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    path = tmp_path / "missing.parquet"
    with pytest.raises(InputError) as error:
        load_prior(path, DOMAIN)
    assert str(error.value) == f"cannot read {path}: no such file"


def contents(bias: pa.Table, folder: Path) -> dict[str, bytes]:
    whole = saved(bias, folder / "whole.parquet").read_bytes()
    return {
        "empty": b"",
        "text": b"in_row,in_column,bias\n1,1,0\n",
        "truncated": whole[: len(whole) // 2],
    }


@pytest.mark.parametrize("content", ["empty", "text", "truncated"])
def test_files_that_are_not_parquet(bias: pa.Table, tmp_path: Path, content: str) -> None:
    """A text file, an empty one and half of a table are refused in one line."""
    path = tmp_path / "p.parquet"
    path.write_bytes(contents(bias, tmp_path)[content])
    with pytest.raises(InputError) as error:
        load_prior(path, DOMAIN)
    message = str(error.value)
    assert message.startswith(f"{path}: not a readable parquet file (")
    assert "\n" not in message


def test_loading_leaves_the_file_alone(bias: pa.Table, tmp_path: Path) -> None:
    """Reading a prior writes nothing."""
    path = saved(bias, tmp_path / "p.parquet")
    before: Any = path.stat().st_mtime_ns, path.read_bytes()
    load_prior(path, DOMAIN)
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    assert pq.read_table(path).num_rows == 4


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    """A folder, which pyarrow would read as a table of many files, is refused."""
    with pytest.raises(InputError) as error:
        load_prior(tmp_path, LatinSquareDomain())
    assert str(error.value) == f"{tmp_path}: a folder, expected a file made by `learn`"


def test_damaged_numbers_are_told(counts: Counts, tmp_path: Path) -> None:
    """Each bit of what a search reads, by the checksums that tables are written with."""
    path = tmp_path / "p.parquet"
    write_table(compile_bias(counts, smoothing=0.0, temperature=1.5), path)
    sound, wanted = path.read_bytes(), load_prior(path, DOMAIN).table.table
    with pq.ParquetFile(path) as file:
        group = file.metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    told = list[str]()
    for column in (one for one in columns if one.path_in_schema in ("in_row", "bias")):
        begin = min(filter(None, [column.dictionary_page_offset, column.data_page_offset]))
        for place in range(begin, begin + column.total_compressed_size):
            damaged = bytearray(sound)
            damaged[place] ^= 1 << place % 8
            path.write_bytes(damaged)
            try:
                assert np.array_equal(load_prior(path, DOMAIN).table.table, wanted)
            except InputError as error:
                told.append(str(error))
    assert len(told) > 50
    assert all(message.startswith(f"{path}: ") for message in told)
