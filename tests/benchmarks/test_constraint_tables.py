"""The table of squares in the documentation is that of the kept rows."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from benchmarks.constraint_problems import (
    FAMILIES,
    METHODS,
    SECONDS,
    lines_of_table,
    penalised,
    squares,
)
from solver.domains.latin_square.text import check_givens

ROOT = Path(__file__).parents[2]
ROWS = ROOT / "docs/results/constraints/squares.csv"


def rows() -> list[dict[str, str]]:
    with ROWS.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_page_has_the_table_of_its_rows() -> None:
    """`python -m benchmarks.constraint_problems FILE --table` prints what the page shows."""
    assert lines_of_table(rows(), SECONDS) in (ROOT / "docs/results/latin-square.md").read_text()


def test_every_square_was_searched_by_all_methods() -> None:
    """Once each: nothing that did badly was left out."""
    kept = rows()
    instances = {(row["family"], row["order"], row["instance"]) for row in kept}
    made = [(*key, method) for key in sorted(instances) for method in METHODS]
    names = ("family", "order", "instance", "method")
    assert sorted(tuple(row[name] for name in names) for row in kept) == sorted(made)
    assert {row["family"] for row in kept} == set(FAMILIES)


def test_what_is_not_decided_counts_twice_the_limit() -> None:
    """PAR-2 of a row that was solved, one that was refuted and one that was given up."""
    statuses = ("solved", "infeasible", "budget")
    made = [{"status": status, "seconds": "0.5"} for status in statuses]
    assert penalised(made, 3.0).tolist() == [0.5, 0.5, 6.0]


def test_squares_are_those_of_their_family() -> None:
    """Holes as many as said, givens that contradict none, the same again."""
    made, again = (list(squares("qcp", 2)) for _ in range(2))
    assert len({(order, number) for order, _, number, _ in made}) == len(made) == 8
    for (order, holes, number, problem), other in zip(made, again, strict=True):
        check_givens(problem.data, problem.name)
        assert int((problem.data < 0).sum()) == holes
        assert len(problem.data) == order
        assert other[:3] == (order, holes, number)
        assert np.array_equal(other[3].data, problem.data)
