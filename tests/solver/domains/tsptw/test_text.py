"""Instances with time windows and tours as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain
from solver.domains.tsptw.text import format_tour, format_tsptw, parse_tour, parse_tsptw
from solver.errors import InputError

DOMAIN = TsptwDomain()
FIRST = (
    "expected the number of nodes, 1 ... 5000, or a table of coordinates below a line "
    "CUST NO. XCOORD. ..."
)
#: Ten, in digits that Python reads as well.
ARABIC = "\u0661\u0660"
TWO = "2\n0 3.25\n4 0\n0 100\n5 9\n"


def test_instances_are_read_back() -> None:
    """Blanks and blank lines do not matter; every digit is kept."""
    expected = [[0, 3.25, 0, 100], [4, 0, 5, 9]]
    commented = "\ufeff# a comment\n2\n\n 0\t3.25 # the way there\n4 0.0\n0 100\n\n5.0  9\n #\n"
    for text in (TWO, "\ufeff" + TWO, TWO.replace("\n", "\r\n"), commented):
        assert parse_tsptw(text, "f").tolist() == expected
    assert format_tsptw(parse_tsptw(TWO, "f")) == TWO
    data = np.random.default_rng(1).random((5, 7))
    data[:, -1] += 1
    assert parse_tsptw(format_tsptw(data), "f").tolist() == data.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: no instance found, expected the number of nodes or a table of coordinates"),
        ("x\n", f"f: line 1: 'x', {FIRST}"),
        ("\n2 3\n", f"f: line 2: '2 3', {FIRST}"),
        ("0\n", f"f: line 1: '0', {FIRST}"),
        ("9" * 5000, f"f: line 1: '{'9' * 80}..., {FIRST}"),
        ("2\n0 1\n1 0\n", "f: 2 lines after the number of nodes, expected 4: 2 of the matrix and "
         "2 windows, and perhaps one of service times"),
        ("2\n0 1\n\n1 0 2\n0 9\n0 9\n", "f: line 4: 3 numbers, expected 2"),
        ("2\n0 1\n1 0\n0 9\n0 2 5\n", "f: line 5: 3 numbers, expected 4"),
        ("2\n0 1\n1 0\n0 9\n0 2 5 4\n", "f: line 5: the window of node 1 ends before it starts"),
        ("2\n0 1\n1 0\n0 2 5 9\n0 9\n", "f: line 4: 2 windows of the depot, expected 1"),
        ("2\n0 1\n1 0\n0 9\n0 9\n1\n", "f: line 6, service times: 1 numbers, expected 2"),
        ("2\n0 1\n1 0\n0 9\n0 9\n0 -1\n", "f: line 6, entry 2: service time -1, expected 0 or "
         "more"),
        ("2\n0 1\n1 0\n0 9\n0\n", "f: line 5: 1 numbers, expected 2"),
        ("2\n0 a\n1 0\n0 9\n0 9\n", "f: line 2, entry 2: 'a', expected a number"),
        ("2\n0 1_0\n1 0\n0 9\n0 9\n", "f: line 2, entry 2: '1_0', expected a number"),
        (f"2\n0 {ARABIC}\n1 0\n0 9\n0 9\n", f"f: line 2, entry 2: '{ARABIC}', expected a number"),
        ("2\n0 1\n1 0\n0 inf\n0 9\n", "f: line 4, entry 2: 'inf', expected a finite number"),
        ("2\n0 -1\n1 0\n0 9\n0 9\n", "f: line 2, entry 2: a negative cost"),
        ("2\n0 1\n1 0\n0 9\n8 7\n", "f: line 5: the window of node 1 ends before it starts"),
    ],
)  # fmt: skip
def test_bad_instances(text: str, message: str) -> None:
    """The error names line and entry and what was expected."""
    with pytest.raises(InputError) as error:
        DOMAIN.parse(text, "f")
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros((2, 3)), "p: an array of shape (2, 3), expected n x (n + 2)"),
        (np.array([[-1, 0, 9]]), "p: row 1, entry 1: a negative cost"),
        (np.array([[0, 9, 1]]), "p: row 2: the window of node 0 ends before it starts"),
    ],
)
def test_bad_arrays(data: Any, message: str) -> None:
    """Problems made in Python are checked too."""
    with pytest.raises(InputError) as error:
        DOMAIN.instance(Problem("p", data), DOMAIN.options())
    assert str(error.value) == message


def test_tours() -> None:
    """A tour is its nodes on a line, or on several, with comments."""
    assert format_tour(np.array([0, 2, 1, 0])) == "0 2 1 0\n"
    assert parse_tour("\ufeff# found\n0 2\n1 0 # back\n", "f").tolist() == [0, 2, 1, 0]


def test_nodes_of_an_answer_are_those_of_the_instance() -> None:
    """A node beyond them is named with its line and entry, and what was expected."""
    problem = Problem("p", parse_tsptw("3\n0 1 2\n1 0 1\n2 1 0\n0 9\n0 9\n0 9\n", "f"))
    assert DOMAIN.parse_answer(problem, "0 2\n1 0", "a").tolist() == [0, 2, 1, 0]
    with pytest.raises(InputError, match=r"^a: line 2, entry 1: '3', expected a node, 0 \.\.\. 2$"):
        DOMAIN.parse_answer(problem, "0 2\n3 0", "a")


def test_to_stay_at_the_depot_takes_no_time() -> None:
    """A matrix of one node, whatever its entry, has the tour that costs nothing."""
    (problem,) = DOMAIN.parse("1\n7\n5 10\n", "f")
    assert DOMAIN.objective(problem, np.array([0, 0])) == 0.0


@pytest.mark.parametrize("word", ["b", "-1", "5000", "1.0", "9" * 5000])
def test_bad_tours(word: str) -> None:
    """The error names line and entry, and cuts long words."""
    with pytest.raises(InputError) as error:
        parse_tour(f"# a tour\n0\n2 {word} 0", "f")
    shown = repr(word) if len(word) < 80 else f"'{word[:80]}..."
    assert str(error.value) == f"f: line 3, entry 2: {shown}, expected a node, 0 ... 4999"
