"""Travelling salesman problems with time windows as text, and tours in plain Python.

The format of the collections: the number n of nodes, n lines of n travel costs, n
lines with the start and the end of a window. Node 0 is the depot. A tour is the nodes in the
order of their visits, separated by blanks, from the depot to the depot.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import InputError, VerificationError

MAX_NODES = 1000

Floats = npt.NDArray[np.float64]


class Visits(NamedTuple):
    """What a tour comes to."""

    cost: float
    """Travel cost, the way back to the depot included; waiting costs nothing."""
    violations: int
    """Windows that were closed before the arrival, the depot's on the way back included."""
    end: float
    """When the tour is back at the depot."""


def parse_tsptw(text: str, source: str) -> Floats:
    """Read an instance, float64[n, n + 2]: costs to every node, then start and end of the window.

    Raises
    ------
    InputError
        For missing or superfluous entries and lines, what is no number, negative costs
        and windows that end before they start; the message names `source` and line.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, words) for number, words in lines if words and not words[0].startswith("#")]
    if not lines:
        raise InputError(f"{source}: no instance found, expected the number of nodes")
    number, words = lines[0]
    if len(words) != 1 or not words[0].isdecimal() or not 1 <= int(words[0]) <= MAX_NODES:
        raise InputError(
            f"{source}: line {number}: {' '.join(words)!r}, expected the number of nodes, "
            f"1 ... {MAX_NODES}"
        )
    n = int(words[0])
    if len(lines) != 2 * n + 1:
        raise InputError(
            f"{source}: {len(lines) - 1} lines after the number of nodes, expected {2 * n}: "
            f"{n} of the matrix and {n} windows"
        )
    costs = [_numbers(words, n, f"{source}: line {number}") for number, words in lines[1 : n + 1]]
    windows = [_numbers(words, 2, f"{source}: line {number}") for number, words in lines[n + 1 :]]
    data = np.hstack([np.array(costs), np.array(windows)])
    check_tsptw(data, source, [number for number, _ in lines[1:]])
    return data


def _numbers(words: list[str], n: int, where: str) -> list[float]:
    if len(words) != n:
        raise InputError(f"{where}: {len(words)} numbers, expected {n}")
    numbers = []
    for position, word in enumerate(words, start=1):
        try:
            numbers.append(float(word))
        except ValueError:
            raise InputError(f"{where}, entry {position}: {word!r}, expected a number") from None
        if not np.isfinite(numbers[-1]):
            raise InputError(f"{where}, entry {position}: {word!r}, expected a finite number")
    return numbers


def check_tsptw(data: Floats, source: str, numbers: list[int] | None = None) -> None:
    """Raise `InputError` unless `data` has the shape of an instance, costs and windows that fit."""
    n = len(data)
    if not 1 <= n <= MAX_NODES or data.shape != (n, n + 2):
        raise InputError(f"{source}: an array of shape {data.shape}, expected n x (n + 2)")
    lines = numbers or list(range(1, 2 * n + 1))
    word = "line" if numbers else "row"
    negative = np.argwhere(data[:, :n] < 0)
    if len(negative):
        row, column = negative[0]
        raise InputError(f"{source}: {word} {lines[row]}, entry {column + 1}: a negative cost")
    early = np.flatnonzero(data[:, n] > data[:, n + 1])
    if len(early):
        raise InputError(
            f"{source}: {word} {lines[n + early[0]]}: the window of node {early[0]} ends before "
            "it starts"
        )


def format_tsptw(data: Floats) -> str:
    """Write an instance so that the same numbers are read back."""
    n = len(data)
    rows = [str(n)]
    rows += [" ".join(map(_number, row)) for row in data[:, :n].tolist()]
    rows += [" ".join(map(_number, row)) for row in data[:, n:].tolist()]
    return "\n".join(rows) + "\n"


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def format_tour(tour: npt.NDArray[np.int64]) -> str:
    """Write the nodes of a tour on a line."""
    return " ".join(map(str, tour.tolist())) + "\n"


def parse_tour(text: str, source: str) -> npt.NDArray[np.int64]:
    """Read what `format_tour` wrote."""
    for position, word in enumerate(text.split(), start=1):
        if not word.isdecimal():
            raise InputError(f"{source}: entry {position}: {word!r}, expected a node")
    return np.array(text.split(), np.int64)


def check_tour(tour: npt.NDArray[np.int64], n: int) -> None:
    """Raise `VerificationError` unless `tour` goes from 0 once through all other nodes to 0."""
    nodes = tour.tolist()
    if len(nodes) != n + 1:
        raise VerificationError(f"{len(nodes)} nodes in the tour, expected {n + 1}")
    if nodes[0] != 0 or nodes[-1] != 0:
        raise VerificationError("the tour does not begin and end at the depot, 0")
    for node in range(n):
        if nodes[:-1].count(node) != 1:
            times = nodes[:-1].count(node)
            raise VerificationError(f"node {node} is visited {times} times, expected once")


def follow_tour(data: Floats, tour: npt.NDArray[np.int64]) -> Visits:
    """Travel along a tour that `check_tour` accepts."""
    n = len(data)
    rows = data.tolist()
    nodes = tour.tolist()
    cost, violations = 0.0, 0
    time = rows[0][n]
    for here, there in itertools.pairwise(nodes):
        leg = rows[here][there]
        start, end = rows[there][n:]
        cost += leg
        time += leg
        violations += time > end
        if there:
            time = max(time, start)
    return Visits(cost, violations, time)
