"""Merging count files as streams gives the bytes of the sum, in any blocks and rounds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline.learning.merge
from pipeline.learning.counts import Counts, counts_to_table, merge_counts
from pipeline.learning.merge import merge_count_files
from pipeline.tables.checks import write_table
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError
from tests.pipeline.small_tables import saved, with_column, with_metadata

DOMAIN = LatinSquareDomain()
DUAL = DOMAIN.priors["dual"]


def random_counts(seed: int, share: float, **values: Any) -> Counts:
    """Counts of the dual code, so many of its rows possible."""
    rng = np.random.default_rng(seed)
    nb = rng.integers(1, 50, DUAL.rows) * (rng.random(DUAL.rows) < share)
    count = rng.integers(0, nb + 1)
    given: dict[str, Any] = {
        "instances": seed,
        "digest": seed * 2**250,
        "rejected": [f"name-{seed}"],
    }
    given |= {"options": {"option": 1}, "source": {"seed": 2}, "n_rejected": 1}
    return Counts(domain=DOMAIN.name, prior=DUAL, count=count, nb=nb, **given | values)


def written(parts: list[Counts], folder: Path) -> list[Path]:
    paths = [folder / f"{number}.parquet" for number in range(len(parts))]
    for part, path in zip(parts, paths, strict=True):
        write_table(counts_to_table(part), path)
    return paths


@given(
    shares=st.lists(st.sampled_from([0.001, 0.1, 0.9]), min_size=1, max_size=7),
    batch=st.integers(1, 200),
    fan_in=st.integers(2, 8),
)
def test_streams_give_the_bytes_of_the_sum(
    tmp_path_factory: pytest.TempPathFactory, shares: list[float], batch: int, fan_in: int
) -> None:
    """Whatever is read at a time and however many files are merged in a round."""
    folder = tmp_path_factory.mktemp("merge")
    parts = [random_counts(seed + 1, share) for seed, share in enumerate(shares)]
    paths = written(parts, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.learning.merge, "BATCH_ROWS", batch)
        total = merge_count_files(paths, DOMAIN, folder / "merged.parquet", fan_in=fan_in)
    whole = merge_counts(parts)
    write_table(counts_to_table(whole), folder / "whole.parquet")
    assert (folder / "merged.parquet").read_bytes() == (folder / "whole.parquet").read_bytes()
    assert (total.instances, total.digest, total.rejected) == (
        whole.instances, whole.digest, whole.rejected,
    )  # fmt: skip
    assert not list(folder.glob("*.merging"))


def test_row_groups_are_those_of_a_table_written_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are held back until a row group is full."""
    monkeypatch.setattr(pipeline.learning.merge, "GROUP_ROWS", 100)
    monkeypatch.setattr(pipeline.learning.merge, "BATCH_ROWS", 30)
    parts = [random_counts(seed, 0.4) for seed in (1, 2, 3)]
    merge_count_files(written(parts, tmp_path), DOMAIN, tmp_path / "merged.parquet")
    table = counts_to_table(merge_counts(parts))
    pq.write_table(table, tmp_path / "whole.parquet", compression="zstd", row_group_size=100)
    assert pq.ParquetFile(tmp_path / "merged.parquet").num_row_groups > 3
    assert (tmp_path / "merged.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_a_round_that_was_cut_short_goes_on(tmp_path: Path) -> None:
    """Merged groups that a killed merge left are used, not made again."""
    parts = [random_counts(seed, 0.2) for seed in (1, 2, 3, 4)]
    paths = written(parts, tmp_path)
    out = tmp_path / "merged.parquet"
    group = pipeline.learning.merge._partial_merge(out, paths[:2])
    merge_count_files(paths[:2], DOMAIN, group)
    before = group.stat().st_ino
    used: list[int] = []
    real = pipeline.learning.merge._merge_open

    def merging(paths: Any, domain: Any, out: Path) -> Counts:
        used.extend(path.stat().st_ino for path in paths)
        return real(paths, domain, out)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.learning.merge, "_merge_open", merging)
        merge_count_files(paths, DOMAIN, out, fan_in=2)
    assert before in used
    assert pq.read_table(out).equals(counts_to_table(merge_counts(parts)))


def test_other_counts_are_refused(tmp_path: Path) -> None:
    """Counts of other instances do not add up, nor does nothing."""
    paths = written([random_counts(1, 0.1), random_counts(2, 0.1, source={"seed": 3})], tmp_path)
    with pytest.raises(InputError, match="cannot be added to"):
        merge_count_files(paths, DOMAIN, tmp_path / "merged.parquet")
    with pytest.raises(InputError, match="no counts to merge"):
        merge_count_files([], DOMAIN, tmp_path / "merged.parquet")
    assert not (tmp_path / "merged.parquet").exists()


def test_damaged_files_are_named(tmp_path: Path) -> None:
    """A file that is cut off, unsorted, out of range or of another code: one line, no output."""
    counts = random_counts(1, 0.1)
    table = counts_to_table(counts)
    (good,) = written([counts], tmp_path)
    bad = tmp_path / "bad.parquet"
    rows = table.num_rows
    cases: dict[str, Callable[[], Any]] = {
        "not a readable parquet file": lambda: bad.write_bytes(good.read_bytes()[:-100]),
        "not in order": lambda: saved(table.take(list(range(rows))[::-1]), bad),
        "more often than": lambda: saved(with_column(table, "count", [999] * rows), bad),
        "expected 0 ...": lambda: saved(with_column(table, "in_row", [99] * rows), bad),
        "expected latin-square and one of": lambda: saved(with_metadata(table, prior="x"), bad),
        "is missing": lambda: saved(table.drop_columns(["nb"]), bad),
        "no such file": bad.unlink,
    }
    for message, damage in cases.items():
        damage()
        with pytest.raises(InputError, match=message) as error:
            merge_count_files([good, bad], DOMAIN, tmp_path / "merged.parquet")
        assert "bad.parquet" in str(error.value)
        assert "\n" not in str(error.value)
        assert not (tmp_path / "merged.parquet").exists()
