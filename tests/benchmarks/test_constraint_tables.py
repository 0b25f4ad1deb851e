"""Squares that are kept, their families, and the table that is made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.constraint_problems import (
    FAMILIES,
    HEADER,
    METHODS,
    penalised,
    read_rows,
    squares,
    table,
)
from solver.domains.latin_square.text import check_givens

ROOT = Path(__file__).parents[2]
ROWS = ROOT / "docs/results/constraints/squares.csv"


def test_a_family_without_rows_is_an_empty_cell() -> None:
    """A file that is not complete has the columns of all families."""
    cells = table([row for row in read_rows(ROWS) if row["family"] == "loose"])
    assert [row[0] for row in cells] == list(METHODS)
    assert all(len(row) == len(HEADER) and row[1:4] == [""] * 3 for row in cells)


def test_every_square_was_searched_by_all_methods() -> None:
    """Once each: nothing that did badly was left out."""
    kept = read_rows(ROWS)
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
