"""Exact covers in one file that show how: all their solutions against brute force."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver import solutions
from solver.commands.subjects import find_domain
from solver.contract.domain import Problem
from solver.errors import InputError
from solver.testing import check_domain

EXAMPLES = Path(__file__).parents[2] / "docs/examples"


def latin_squares(order: int) -> list[Any]:
    """All Latin squares, row by row."""
    rows = list(itertools.permutations(range(order)))
    found: list[list[tuple[int, ...]]] = [[]]
    for _ in range(order):
        found = [
            [*square, row]
            for square in found
            for row in rows
            if all(a != b for other in square for a, b in zip(row, other, strict=True))
        ]
    return [np.array(square) for square in found]


def found_by(domain: Any, problem: Problem) -> list[bytes]:
    search = solutions(domain, problem)
    answers = sorted(np.asarray(answer, np.int64).tobytes() for answer in search)
    assert search.exact
    return answers


def test_futoshiki_has_the_solutions_of_brute_force() -> None:
    """Squares of order 4 with givens and random signs, some of them impossible."""
    domain = find_domain(str(EXAMPLES / "futoshiki.py"))
    squares, chance = latin_squares(4), np.random.default_rng(1)
    counts, possible = set(), []
    for signs in (1, 3, 5, 7, 9, 11):
        pairs = [(c, c + 1) for c in range(16) if c % 4 < 3] + [(c, c + 4) for c in range(12)]
        less = [pairs[n][:: chance.choice([1, -1])] for n in chance.permutation(24)[:signs]]
        given = {int(chance.integers(16)): int(chance.integers(4))} if signs % 4 == 3 else {}
        grid = "".join(
            " ".join(str(given[c] + 1) if c in given else "." for c in range(r, r + 4)) + "\n"
            for r in range(0, 16, 4)
        )
        lines = [" < ".join(f"r{c // 4 + 1}c{c % 4 + 1}" for c in pair) for pair in less]
        (problem,) = domain.parse(grid + "\n".join(lines) + "\n", "signs")
        expected = [
            np.asarray(one, np.int64).tobytes()
            for one in squares
            if all(one.flat[a] < one.flat[b] for a, b in less)
            and all(one.flat[c] == v for c, v in given.items())
        ]
        assert found_by(domain, problem) == sorted(expected)
        counts.add(len(expected))
        possible += [problem] * bool(expected)
    assert len(counts) > 3
    check_domain(domain, possible[:1])
    with pytest.raises(InputError, match=r"^f: line 2: 'r1c1 < r9c1', expected values, or r1c1 < "):
        domain.parse(".\nr1c1 < r9c1\n", "f")


@pytest.mark.parametrize("order", [2, 3])
def test_orthogonal_squares_are_those_of_brute_force(order: int) -> None:
    """All pairs of squares, of order 2 none."""
    domain = find_domain(str(EXAMPLES / "orthogonal_squares.py"))
    squares = latin_squares(order)
    pairs = [order * one + other for one, other in itertools.product(squares, squares)]
    expected = [
        np.asarray(one, np.int64).tobytes() for one in pairs if len(np.unique(one)) == order**2
    ]
    (problem,) = domain.parse((" ".join([".."] * order) + "\n") * order, "empty")
    assert found_by(domain, problem) == sorted(expected)
    assert len(expected) == {2: 0, 3: 72}[order]
    with pytest.raises(InputError, match=r"^o: row 2: expected 2 pairs 11 ... 22, or .., found"):
        domain.parse(".. ..\n.. 13\n", "o")
