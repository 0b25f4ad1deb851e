"""Decisions: rows of what was possible, whose sums are the counts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generators.latin_square import LatinSquareGenerator
from generators.self_play import SelfPlay
from generators.solved import solved_table
from pipeline.learning.counts import count_solved, counts_to_table
from pipeline.learning.decisions import counts_of_decisions, decide_solved
from pipeline.results import read_decisions
from pipeline.tables.checks import check_decisions, read_checked, write_checked
from pipeline.tables.decisions import whole_decisions
from solver.contract.codes import code_named
from solver.domains import load_rules
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError
from solver.priors.tables import DECISIONS

DOMAIN = LatinSquareDomain()
BOTH = code_named(DOMAIN.priors, "dual+triple")


@pytest.fixture(scope="module")
def solved() -> pa.Table:
    """Twelve squares of order 5 with 20 holes."""
    return solved_table(DOMAIN, LatinSquareGenerator(order=5, holes=0.8), 11, range(12))


@pytest.fixture(scope="module")
def decided(solved: pa.Table) -> pa.Table:
    return decide_solved(DOMAIN, DOMAIN.options(), BOTH, solved)


@pytest.mark.parametrize("name", ["dual", "triple"])
def test_counts_are_sums_over_decisions(solved: pa.Table, name: str) -> None:
    """A count table from decisions has the rows and metadata, so the bytes, of one counted."""
    code = DOMAIN.priors[name]
    counted = counts_to_table(count_solved(DOMAIN, DOMAIN.options(), code, solved))
    decided = decide_solved(DOMAIN, DOMAIN.options(), code, solved)
    summed = counts_to_table(counts_of_decisions(decided, DOMAIN, "f"))
    assert summed.equals(counted, check_metadata=True)


def test_several_codes_are_counted_as_each_alone(decided: pa.Table, solved: pa.Table) -> None:
    """The rows of each code are those of a table of that code."""
    both = counts_of_decisions(decided, DOMAIN, "f")
    for part, first in zip(BOTH.parts, BOTH.first_rows, strict=True):
        alone = count_solved(DOMAIN, DOMAIN.options(), part, solved)
        span = slice(first, first + part.rows)
        assert both.nb[span].tolist() == alone.nb.tolist()
        assert both.count[span].tolist() == alone.count.tolist()


def test_each_decision_has_one_move_played(decided: pa.Table, solved: pa.Table) -> None:
    """Decisions are numbered through, with the digests of their instances and two moves or more."""
    rows = decided.to_pandas()
    assert rows["decision"].drop_duplicates().tolist() == list(range(rows["decision"].max() + 1))
    assert (rows.groupby("decision")["played"].sum() == 1).all()
    assert (rows.groupby("decision")["group"].count() > 1).all()
    assert not rows.duplicated(["decision", "group"]).any()
    digests = {
        int.from_bytes(hashlib.sha256(f"{problem}\n{answer}".encode()).digest()[:8])
        for problem, answer in zip(
            solved["problem"].to_pylist(), solved["answer"].to_pylist(), strict=True
        )
    }
    assert set(decided["instance"].to_pylist()) == digests


def test_columns_say_what_they_mean(decided: pa.Table, tmp_path: Path) -> None:
    """The descriptions are in the file, where other programs find them."""
    path = tmp_path / "d.parquet"
    write_checked(decided, path, DECISIONS, DOMAIN)
    schema = pq.read_schema(path)
    assert schema.names == ["decision", "instance", "group", "played", "code_dual", "code_triple"]
    said = {field.name: field.metadata[b"description"].decode() for field in schema}
    assert said["code_dual"] == (
        "row of the move in the dense table of the code 'dual': in_column (32) x in_row (32), "
        "in mixed radix"
    )
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"


def test_decisions_of_a_game() -> None:
    """Decisions of a game are the winner's moves, as many as are counted."""
    game: Any = load_rules("hex")
    code = next(iter(game.priors.values()))
    options = game.options(size=4)
    generator = SelfPlay(game="hex", options={**vars(options)}, playouts=20)
    played = solved_table(game, generator, 1, range(3))
    decided = decide_solved(game, options, code, played)
    counted = count_solved(game, options, code, played)
    assert counts_of_decisions(decided, game, "f").nb.tolist() == counted.nb.tolist()
    moves = Counter(decided["decision"].to_pylist())
    assert 0 < max(moves.values()) <= 16


def turned(table: pa.Table) -> pa.Table:
    return table.take(pa.array(np.arange(table.num_rows)[::-1]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: with_typed(t, "played", False),
            "decision 0 has 0 moves that were played, expec",
        ),
        (
            lambda t: with_typed(t, "code_dual", 1024),
            "row 0: code_dual is 1024, expected 0 ... 1023",
        ),
        (lambda t: with_typed(t, "group", 5), "its rows are others than those that were counted"),
        (turned, "its decisions are not numbered in order, from 0"),
        (lambda t: t.drop_columns(["code_triple"]), "column 'code_triple' is missing"),
    ],
)
def test_damaged_files(
    decided: pa.Table,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Any,
    message: str,
) -> None:
    """A file that is not what was written is refused in one line."""
    path = tmp_path / "d.parquet"
    pq.write_table(change(decided), path)
    for batch in (1 << 18, 5):  # whole, and piece by piece
        monkeypatch.setattr("pipeline.tables.decisions.BATCH", batch)
        for check in (lambda: read_checked(path, DECISIONS, DOMAIN), check_in_pieces(path)):
            with pytest.raises(InputError) as error:
                check()
            assert str(error.value).startswith(f"{path}: {message}")
            assert "\n" not in str(error.value)


def check_in_pieces(path: Path) -> Callable[[], None]:
    return lambda: check_decisions(path, DOMAIN)


def test_numbers_in_messages_are_those_of_the_file(decided: pa.Table, tmp_path: Path) -> None:
    """A wrong row is named alike, whether it is in the first piece that is read or a later one."""
    path, column = tmp_path / "d.parquet", decided["code_dual"].to_pylist()
    last = decided.num_rows - 1
    column[last] = -1
    field = decided.schema.field("code_dual")
    place = decided.column_names.index("code_dual")
    pq.write_table(decided.set_column(place, field, pa.array(column, field.type)), path)
    with pytest.raises(InputError, match=f"row {last}: code_dual is -1"):
        check_decisions(path, DOMAIN)


def test_pieces_are_whole_decisions(
    decided: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read some rows at a time, no decision is cut, and none is lost."""
    path = tmp_path / "d.parquet"
    pq.write_table(decided, path, row_group_size=7)
    for batch in (1, 5, 1 << 18):
        monkeypatch.setattr("pipeline.tables.decisions.BATCH", batch)
        pieces = list(whole_decisions(path))
        assert pa.concat_tables(pieces).equals(decided)
        numbers = [set(piece["decision"].to_pylist()) for piece in pieces]
        assert sum(map(len, numbers)) == len(set.union(*numbers))
        assert len(pieces) > 1 or batch > 5
    assert list(whole_decisions(write_empty(decided, tmp_path / "e.parquet"))) == []


def write_empty(table: pa.Table, path: Path) -> Path:
    pq.write_table(table.slice(0, 0), path)
    return path


def with_typed(table: pa.Table, name: str, value: Any) -> pa.Table:
    """`table` with one value in a column, of the same type."""
    column = pa.array([value] * table.num_rows, table.schema.field(name).type)
    return table.set_column(table.column_names.index(name), table.schema.field(name), column)


def test_a_folder_of_decisions_as_a_frame(decided: pa.Table, tmp_path: Path) -> None:
    """Decisions are numbered through; components are those of the rows of the codes."""
    for name in ("a", "b"):
        write_checked(decided, tmp_path / f"{name}.parquet", DECISIONS, DOMAIN)
    one, both = read_decisions(tmp_path / "a.parquet"), read_decisions(str(tmp_path))
    assert len(both) == 2 * len(one) == 2 * decided.num_rows
    numbers = both["decision"].to_numpy()
    assert set(np.diff(numbers).tolist()) == {0, 1}
    assert both["played"].sum() == numbers[-1] + 1
    for part in BOTH.parts:
        places = [one[f"{part.name}.{component}"] for component in part.components]
        rows = np.ravel_multi_index(places, tuple(part.components.values()))
        assert rows.tolist() == one[f"code_{part.name}"].tolist()


def test_no_decisions(decided: pa.Table, solved: pa.Table, tmp_path: Path) -> None:
    """An empty folder, and files of different codes, are named."""
    with pytest.raises(InputError, match="has no files of decisions"):
        read_decisions(tmp_path)
    write_checked(decided, tmp_path / "a.parquet", DECISIONS, DOMAIN)
    single = decide_solved(DOMAIN, DOMAIN.options(), DOMAIN.priors["dual"], solved)
    write_checked(single, tmp_path / "b.parquet", DECISIONS, DOMAIN)
    with pytest.raises(InputError, match=r"b\.parquet: its codes differ from those of a\.parquet"):
        read_decisions(tmp_path)


def test_instances_in_two_files_are_read_once(decided: pa.Table, tmp_path: Path) -> None:
    """The last file of fewer instances is part of one of more."""
    for name in (
        "00000000-00000500",
        "00000500-00000700",
        "00000500-00001000",
        "00000000-00000300",
    ):
        write_checked(decided, tmp_path / f"{name}.parquet", DECISIONS, DOMAIN)
    assert len(read_decisions(tmp_path)) == 2 * decided.num_rows
    write_checked(decided, tmp_path / "mine.parquet", DECISIONS, DOMAIN)
    assert len(read_decisions(tmp_path)) == 3 * decided.num_rows
