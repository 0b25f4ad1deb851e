"""Counting: what is counted, that parts add up, and that wrong solutions count nothing."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generators.latin_square import LatinSquareGenerator
from generators.solved import solved_table
from pipeline.learning.counts import (
    MAX_NAMED,
    count_solved,
    counts_from_table,
    counts_to_table,
    merge_counts,
)
from pipeline.tables.checks import rows_digest, write_table
from solver.domains import load_domain
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.errors import InputError
from solver.kernels.replay import count_solution
from solver.priors.layout import dense_rows, key_columns
from solver.priors.tables import read_metadata
from tests.pipeline.learning.naive_replay import replay
from tests.pipeline.small_tables import (
    SMALL,
    SMALL_METADATA,
    fields,
    metadata_of,
    small_counts,
    with_column,
    with_metadata,
)
from tests.toys.sequence import WIDTH, SequenceDomain, SequenceOptions

DOMAIN = LatinSquareDomain()
DUAL = DOMAIN.priors["dual"]
CODES = ", ".join(DOMAIN.priors)
GENERATOR = LatinSquareGenerator(order=5, holes=0.8)
SEARCHES = [("forward", "cells"), ("channeling", "cells"), ("channeling", "sets")]


@pytest.fixture(scope="module")
def solved() -> pa.Table:
    """Twelve squares of order 5 with 20 holes."""
    return solved_table(DOMAIN, GENERATOR, 11, range(12))


@pytest.fixture(scope="module")
def whole(solved: pa.Table) -> Any:
    """Counts of all of them under the dual code, ties broken at random."""
    return count_solved(DOMAIN, LatinSquareOptions(), DUAL, solved)


def by_components(values: Any, code: Any) -> dict[tuple[int, ...], int]:
    """Rows that are not 0, by their components."""
    cardinalities = tuple(code.components.values())
    rows = np.argwhere(values.reshape(cardinalities))
    return {tuple(row.tolist()): int(values.reshape(cardinalities)[tuple(row)]) for row in rows}


def naive_counts(solved: pa.Table, code: str, propagation: str, kinds: str) -> list[Any]:
    """The plain Python replay of every instance of `solved`."""
    parts = []
    for row in solved.to_pylist():
        (problem,) = DOMAIN.parse(row["problem"], "test")
        answer = DOMAIN.parse_answer(problem, row["answer"], "test")
        parts.append(replay(problem.data, answer, code, propagation, kinds))
    return [dict(sum(counters[1:], counters[0])) for counters in zip(*parts, strict=True)]


@pytest.mark.parametrize(("propagation", "variables"), SEARCHES)
@pytest.mark.parametrize("code", ["dual", "triple"])
def test_counts_equal_a_recount_from_the_rules(
    solved: pa.Table, code: str, propagation: Any, variables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel counts what a replay with grids, sets and dictionaries counts."""
    if code == "triple":  # the other code runs compiled; a kernel takes long to compile
        monkeypatch.setattr("pipeline.learning.replays.count_solution", interpreted(count_solution))
    options = LatinSquareOptions(propagation, variables, "first")
    counts = count_solved(DOMAIN, options, DOMAIN.priors[code], solved)
    count, nb = naive_counts(solved, code, propagation, variables)
    assert by_components(counts.count, counts.prior) == count
    assert by_components(counts.nb, counts.prior) == nb
    assert sum(count.values()) >= solved.num_rows
    assert sum(nb.values()) >= 2 * sum(count.values())


def interpreted(kernel: Any) -> Any:
    return getattr(kernel, "py_func", kernel)


def test_empty_squares_are_counted_too() -> None:
    """Without givens every code up to the order itself comes up."""
    empty = solved_table(DOMAIN, LatinSquareGenerator(order=4, holes=1.0), 2, range(5))
    options = LatinSquareOptions("forward", "cells", "first")
    counts = count_solved(DOMAIN, options, DUAL, empty)
    count, nb = naive_counts(empty, "dual", "forward", "cells")
    assert by_components(counts.count, DUAL) == count
    assert by_components(counts.nb, DUAL) == nb
    assert nb[4, 4] == 4 * 5


def test_single_moves_are_no_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state with one possible move adds nothing, the states around it do."""
    monkeypatch.setattr("pipeline.learning.replays.count_solution", interpreted(count_solution))
    toy = SequenceDomain()
    code = toy.priors["pair"]
    rows = {"name": ["toy"], "problem": [".3."], "answer": ["135"]}
    counts = count_solved(toy, SequenceOptions(), code, pa.table(rows))
    count, nb = (by_components(values, code) for values in (counts.count, counts.nb))
    none = WIDTH
    assert count == {(none, 1): 1, (3, 5): 1}
    after_three = {(3, value): 1 for value in range(WIDTH) if value != 3}
    assert nb == {(none, value): 1 for value in range(WIDTH)} | after_three


def test_facts_of_a_count(solved: pa.Table, whole: Any) -> None:
    """Counts say what they were counted from and how."""
    assert whole.domain == "latin-square"
    assert whole.prior is DUAL
    assert whole.options == {"propagation": "channeling", "variables": "sets", "ties": "random"}
    assert whole.source == metadata_of(solved)
    assert (whole.instances, whole.n_rejected, whole.rejected) == (12, 0, [])


@pytest.mark.parametrize("seed", range(5))
def test_shards_add_up_to_the_bytes_of_one_run(
    solved: pa.Table, whole: Any, tmp_path: Path, seed: int
) -> None:
    """However the instances are cut and in whatever order, the merged file is the same."""
    rng = random.Random(seed)
    cuts = [0, *sorted(rng.sample(range(1, 12), rng.randint(1, 6))), 12]
    shards = [solved.slice(a, b - a) for a, b in itertools.pairwise(cuts)]
    rng.shuffle(shards)
    parts = [count_solved(DOMAIN, LatinSquareOptions(), DUAL, shard) for shard in shards]
    paths = tmp_path / "one.parquet", tmp_path / "merged.parquet"
    for counts, path in zip((whole, merge_counts(parts)), paths, strict=True):
        write_table(counts_to_table(counts), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_digest_tells_instances_apart(solved: pa.Table, whole: Any) -> None:
    """Counts of other instances have another digest, those of the same the same."""
    others = count_solved(DOMAIN, LatinSquareOptions(), DUAL, solved.slice(1))
    assert others.digest != whole.digest
    triple = with_column(solved, "name", [f"other {i}" for i in range(12)])
    assert count_solved(DOMAIN, LatinSquareOptions(), DUAL, triple).digest == whole.digest


def spoiled(solved: pa.Table, numbers: list[int]) -> pa.Table:
    """`solved` with the first two rows of the answers `numbers` exchanged."""
    answers = solved["answer"].to_pylist()
    for number in numbers:
        first, second, *rest = answers[number].splitlines(keepends=True)
        answers[number] = "".join([second, first, *rest])
    return with_column(solved, "answer", answers)


def test_wrong_solutions_add_nothing(solved: pa.Table) -> None:
    """A solution that cannot be replayed is counted and named, the others stay as they were."""
    counts = count_solved(DOMAIN, LatinSquareOptions(), DUAL, spoiled(solved, [7, 2]))
    right = solved.take([i for i in range(12) if i not in (2, 7)])
    expected = count_solved(DOMAIN, LatinSquareOptions(), DUAL, right)
    assert counts.count.tolist() == expected.count.tolist()
    assert counts.nb.tolist() == expected.nb.tolist()
    assert counts.instances == 10
    assert counts.n_rejected == 2
    assert counts.rejected == sorted(solved["name"][i].as_py() for i in (2, 7))


def test_contradictory_problems_are_rejected() -> None:
    """Solutions of problems whose givens lead to a dead end are rejected."""
    rows = {
        "name": ["contradiction"],
        "problem": ["1 2 .\n. . 3\n. . .\n"],
        "answer": ["1 2 3\n2 1 3\n3 3 1\n".replace("2 1 3", "2 3 1").replace("3 3 1", "3 1 2")],
    }
    counts = count_solved(DOMAIN, LatinSquareOptions(), DUAL, pa.table(rows))
    assert (counts.instances, counts.n_rejected, counts.rejected) == (0, 1, ["contradiction"])
    assert not counts.nb.any()


def test_problems_without_an_answer_are_rejected() -> None:
    """A target that no engine folds is rejected where one folds; the others are counted."""
    domain = load_domain("rna")
    large = f"(((({'.' * 31}((((....))))))))"
    folds = {"((((....))))": "GGGGAAAACCCC", large: large.translate(str.maketrans("(.)", "GAC"))}
    solved = pa.table(
        {
            "name": ["small", "large"],
            "problem": list(folds),
            "answer": [f">p engine=none\n{sequence}\n" for sequence in folds.values()],
        }
    )
    code = domain.priors["ngram"]
    counts = count_solved(domain, domain.options(engine="vienna2"), code, solved)
    assert (counts.instances, counts.rejected) == (1, ["large"])
    assert count_solved(domain, domain.options(engine="none"), code, solved).instances == 2


def test_only_some_rejected_solutions_are_named(solved: pa.Table) -> None:
    """Names are the first in alphabetical order, however the counts were cut."""
    many = pa.concat_tables([spoiled(solved, list(range(12)))] * 2)
    names = [f"wrong {i:02d}" for i in range(24)]
    random.Random(1).shuffle(names)
    many = with_column(many, "name", names)
    whole = count_solved(DOMAIN, LatinSquareOptions(), DUAL, many)
    assert whole.n_rejected == 24
    assert whole.rejected == sorted(names)[:MAX_NAMED]
    halves = [many.slice(0, 13), many.slice(13)]
    merged = merge_counts([count_solved(DOMAIN, LatinSquareOptions(), DUAL, h) for h in halves])
    assert fields(merged) == fields(whole)


def test_tables_round_trip(solved: pa.Table, tmp_path: Path) -> None:
    """A table holds everything there is in counts, also after it was a file."""
    counts = count_solved(DOMAIN, LatinSquareOptions(), DUAL, spoiled(solved, [4]))
    path = tmp_path / "folder" / "counts.parquet"
    write_table(counts_to_table(counts), path)
    read = counts_from_table(pq.read_table(path), DOMAIN, "counts.parquet")
    assert fields(read) == fields(counts)
    assert [found.name for found in path.parent.iterdir()] == ["counts.parquet"]


def test_tables_hold_what_was_possible() -> None:
    """One row per code that was possible, in order, with its components."""
    table = counts_to_table(small_counts([0, 0, 2, 0, 0, 5], [0, 3, 4, 0, 0, 7]))
    assert table.to_pydict() == {
        "a": [0, 1, 2],
        "b": [1, 0, 1],
        "count": [0, 2, 5],
        "nb": [3, 4, 7],
    }
    assert [field.type for field in table.schema] == [pa.int64()] * 4
    assert metadata_of(table) == SMALL_METADATA | {
        "kind": "counts",
        "instances": 9,
        "instances_digest": "0" * 64,
        "rejected": 0,
        "rejected_names": [],
        "rows_digest": rows_digest(table),
    }


def test_nothing_to_merge() -> None:
    """No counts have no sum."""
    with pytest.raises(InputError, match=r"^no counts to merge$"):
        merge_counts([])


@pytest.mark.parametrize(
    "change",
    [
        {"domain": "other"},
        {"prior": DUAL},
        {"options": {"option": 2}},
        {"source": {"seed": 3}},
    ],
)
def test_different_counts_are_not_added(change: dict[str, Any]) -> None:
    """Counts of another domain, code, way of searching or source do not fit."""
    one, other = (small_counts([0] * 6, [1] * 6) for _ in range(2))
    for name, value in change.items():
        setattr(other, name, value)
    with pytest.raises(InputError) as error:
        merge_counts([one, other])
    assert str(error.value) == f"counts of {other.key()} cannot be added to those of {one.key()}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"domain": "kakuro"},
            f"f: counts of kakuro dual, expected latin-square and one of: {CODES}",
        ),
        (
            {"prior": "sums"},
            f"f: counts of latin-square sums, expected latin-square and one of: {CODES}",
        ),
        (
            {"components": {"in_row": 32, "in_column": 9}},
            "f: components {'in_row': 32, 'in_column': 9}, "
            "expected {'in_column': 32, 'in_row': 32}",
        ),
        ({"kind": "bias"}, "f: a table of bias, expected one of counts"),
        ({"schema_version": 2}, "f: schema version 2, expected 1"),
    ],
)
def test_tables_that_do_not_fit(whole: Any, change: dict[str, Any], message: str) -> None:
    """A table of something else is refused with what was expected."""
    table = with_metadata(counts_to_table(whole), **change)
    with pytest.raises(InputError) as error:
        counts_from_table(table, DOMAIN, "f")
    assert str(error.value) == message


@pytest.mark.parametrize("metadata", [None, {}, {b"other": b"{}"}])
def test_tables_without_metadata(metadata: dict[bytes, bytes] | None) -> None:
    """A table that `learn` did not make is recognised by what it lacks."""
    message = "^f: not a table made by `learn`, its metadata is missing$"
    with pytest.raises(InputError, match=message):
        read_metadata(metadata, "f", "counts")


def test_played_more_often_than_possible(whole: Any) -> None:
    """Counts that cannot be are refused, with the row of the code."""
    table = counts_to_table(whole)
    row = int(np.flatnonzero(whole.nb)[1])
    message = f"^f: code {row} was played more often than it was possible$"
    for impossible in (table["nb"][1].as_py() + 1, -1):
        count = table["count"].to_pylist()
        count[1] = impossible
        with pytest.raises(InputError, match=message):
            counts_from_table(with_column(table, "count", count), DOMAIN, "f")


@pytest.mark.parametrize(("b", "found"), [([0, 2], 2), ([0, -1], -1)])
def test_components_out_of_range(b: list[int], found: int) -> None:
    """A component beyond its cardinality is named with its row."""
    with pytest.raises(InputError) as error:
        dense_rows(pa.table({"a": [0, 1], "b": b}), SMALL.components, "f")
    assert str(error.value) == f"f: row 1: b is {found}, expected 0 ... 1"


def test_row_numbers_and_components_are_inverse() -> None:
    """The first component is the most significant digit."""
    rows = np.arange(6)
    columns = pa.table(key_columns(rows, SMALL))
    assert columns.to_pydict() == {
        "a": [0, 0, 1, 1, 2, 2],
        "b": [0, 1, 0, 1, 0, 1],
    }
    assert dense_rows(columns, SMALL.components, "f").tolist() == rows.tolist()
