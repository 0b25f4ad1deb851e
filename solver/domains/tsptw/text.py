"""Travelling salesman problems with time windows as text, and tours in plain Python.

The format of the collections: the number n of nodes, n lines of n travel costs, n
lines with the start and the end of a window, or of several, and perhaps a line of n service
times. Or a table of coordinates, with a header or without,
see `solver.domains.tsptw.coordinates`, or a file that `solver.domains.tsptw.layouts` reads. Node 0
is the depot. A tour is the nodes in the order of their visits, separated by blanks, from the depot
to the depot. `#` begins a comment.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.domains.tsptw.coordinates import (
    MAX_NODES,
    Line,
    Table,
    Words,
    check_vehicle,
    is_header,
    is_row,
    matrix_of,
    parse_number,
    read_table,
)
from solver.domains.tsptw.layouts.columns import header_of, read_columns
from solver.domains.tsptw.layouts.tsplib import is_tsplib, read_tsplib
from solver.domains.tsptw.layouts.vroom import is_vroom, read_vroom
from solver.domains.tsptw.windows import opening, pack_windows, times_of, windows_of
from solver.errors import InputError, VerificationError, quoted
from solver.system.text_blocks import whole_number

#: Costs and times beyond it could add up to more than a number holds.
LARGEST = 1e100

Floats = npt.NDArray[np.float64]


class Visits(NamedTuple):
    """Cost, violated windows and duration of a tour."""

    cost: float
    """Travel cost, the way back to the depot included; waiting costs nothing."""
    violations: int
    """Windows that were closed before the arrival, the depot's on the way back included."""
    taken: float
    """Time from the start of the depot's window to the arrival back."""


def parse_tsptw(text: str, source: str, distances: str = "auto") -> Floats:
    """Read an instance, float64[n, n + 2 + 2 g]: costs to every node, then its windows.

    A row's windows are start, end and gaps, see `solver.domains.tsptw.windows`.
    `distances` is one of `Distances`, `auto` for a matrix.

    Raises
    ------
    InputError
        For missing or superfluous entries and lines, what is no number, negative costs
        and windows that end before they start; the message names `source` and line.
    """
    if is_vroom(text):
        data = read_vroom(text, source, distances)
        check_tsptw(data, source)
        return data
    lines = _lines_of(text)
    if not lines:
        raise InputError(
            f"{source}: no instance found, expected the number of nodes or a table of coordinates"
        )
    if is_tsplib(lines):
        data, numbers = read_tsplib(lines, source, distances)
        check_tsptw(data, source, numbers)
        return data
    table = _table_of(text, lines, source)
    if table is not None:
        data = matrix_of(table, distances)
        check_tsptw(data, source, [*table.lines, *table.lines])
        return data
    if distances != "auto":
        raise InputError(f"{source}: a matrix of costs, distances {distances} is for coordinates")
    return _parse_matrix(lines, source)


def _table_of(text: str, lines: list[Line], source: str) -> Table | None:
    """Table of coordinates below a header, below names of columns, or alone; None for a matrix."""
    place = next((place for place, (_, words) in enumerate(lines) if is_header(words)), None)
    if place is not None:
        below = f" below line {lines[place][0]}"
        table = read_table(lines[place + 1 :], source)
    elif (header := header_of(text)) is not None:
        below = f" below line {header.number}"
        table = read_columns(text, header, source)
    elif is_row(lines[0][1]):
        below = ""
        table = read_table(lines, source)
    else:
        return None
    if not 1 <= len(table.rows) <= MAX_NODES:
        raise InputError(f"{source}: {len(table.rows)} nodes{below}, expected 1 ... {MAX_NODES}")
    check_vehicle(lines[: place or 0], table, source)
    return table


def _lines_of(text: str) -> list[Line]:
    """Words of the lines that have any before a comment, and the numbers of the lines."""
    lines = text.removeprefix("\ufeff").splitlines()
    words = ((number, line.partition("#")[0].split()) for number, line in enumerate(lines, 1))
    return [(number, found) for number, found in words if found]


def _parse_matrix(lines: list[Line], source: str) -> Floats:
    number, words = lines[0]
    n = whole_number(words[0], 0, MAX_NODES) if len(words) == 1 else 0
    if not n:
        raise InputError(
            f"{source}: line {number}: {quoted(' '.join(words))}, expected the number of nodes, "
            f"1 ... {MAX_NODES}, or a table of coordinates below a line CUST NO. XCOORD. ..."
        )
    if len(lines) not in (2 * n + 1, 2 * n + 2):
        raise InputError(
            f"{source}: {len(lines) - 1} lines after the number of nodes, expected {2 * n}: "
            f"{n} of the matrix and {n} windows, and perhaps one of service times"
        )
    costs = [_numbers(words, n, f"{source}: line {number}") for number, words in lines[1 : n + 1]]
    windows, wheres = [], []
    for number, words in lines[n + 1 : 2 * n + 1]:
        wheres.append(f"{source}: line {number}")
        bounds = _numbers(words, len(words) + len(words) % 2, wheres[-1])
        windows.append(list(zip(bounds[::2], bounds[1::2], strict=True)))
    for number, words in lines[2 * n + 1 :]:
        service = _numbers(words, n, f"{source}: line {number}, service times")
        for node, (row, time) in enumerate(zip(costs, service, strict=True)):
            if time < 0:
                raise InputError(
                    f"{source}: line {number}, entry {node + 1}: service time {time:g}, expected 0 "
                    "or more"
                )
            row[:] = [cost + time * (other != node) for other, cost in enumerate(row)]
    data = np.hstack([np.array(costs), pack_windows(windows, wheres)])
    check_tsptw(data, source, [number for number, _ in lines[1:]])
    return data


def _numbers(words: Words, n: int, where: str) -> list[float]:
    if len(words) != n:
        raise InputError(f"{where}: {len(words)} numbers, expected {n}")
    return [
        parse_number(word, f"{where}, entry {position}")
        for position, word in enumerate(words, start=1)
    ]


def check_tsptw(data: Floats, source: str, numbers: list[int] | None = None) -> None:
    """Raise `InputError` unless `data` has the shape of an instance, costs and windows that fit."""
    n = len(data)
    width = data.shape[1] - n if data.ndim == 2 else 0
    if not 1 <= n <= MAX_NODES or width < 2 or width % 2:
        raise InputError(f"{source}: an array of shape {data.shape}, expected n x (n + 2)")
    lines = numbers or list(range(1, 2 * n + 1))
    word = "line" if numbers else "row"
    large = np.argwhere(np.abs(data) > LARGEST)
    if len(large):
        row, column = large[0]
        line, entry = (row, column + 1) if column < n else (n + row, column + 1 - n)
        raise InputError(
            f"{source}: {word} {lines[line]}, entry {entry}: {data[row, column]:g}, expected at "
            f"most {LARGEST:g}"
        )
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
    bounds = np.hstack([data[:, n : n + 1], data[:, n + 2 :], data[:, n + 1 : n + 2]])
    if (np.diff(bounds, axis=1) < 0).any() or (data[0, n + 2 :] != data[0, n + 1]).any():
        raise InputError(f"{source}: gaps between windows that are not in order")


def format_tsptw(data: Floats) -> str:
    """Write an instance so that the same numbers are read back."""
    n = len(data)
    rows = [str(n)]
    rows += [" ".join(map(_number, row)) for row in data[:, :n].tolist()]
    for row in data[:, n:]:
        rows.append(" ".join(_number(bound) for window in windows_of(row) for bound in window))
    return "\n".join(rows) + "\n"


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def format_tour(tour: npt.NDArray[np.int64]) -> str:
    """Write the nodes of a tour on a line."""
    return " ".join(map(str, tour.tolist())) + "\n"


def parse_tour(text: str, source: str, n: int = MAX_NODES) -> npt.NDArray[np.int64]:
    """Read the text of `format_tour`, on any number of lines: nodes of an instance of `n`."""
    nodes = []
    for number, words in _lines_of(text):
        for position, word in enumerate(words, start=1):
            node = whole_number(word, 0, n - 1)
            if node is None:
                raise InputError(
                    f"{source}: line {number}, entry {position}: {quoted(word)}, expected a node, "
                    f"0 ... {n - 1}"
                )
            nodes.append(node)
    return np.array(nodes, np.int64)


def read_start(text: str, source: str, n: int) -> npt.NDArray[np.int64]:
    """Read a tour of n nodes to begin with, without the depot, int64[n - 1].

    The depot at its end may be left out.

    Raises
    ------
    InputError
        For a node that is none, or visited twice or not at all; the message names `source`, and
        line and entry.
    """
    seen: dict[int, None] = {}
    places = [
        (f"{source}: line {number}, entry {position}", word)
        for number, words in _lines_of(text)
        for position, word in enumerate(words, start=1)
    ]
    for place, (where, word) in enumerate(places):
        node = whole_number(word, 0, n - 1)
        if node is None:
            raise InputError(f"{where}: {quoted(word)}, expected a node, 0 ... {n - 1}")
        if place == 0 and node != 0:
            raise InputError(f"{where}: node {node} first, expected the depot, 0")
        if place == len(places) - 1 and node == 0 and place:
            break
        if node in seen:
            raise InputError(f"{where}: node {node} a second time")
        seen[node] = None
    for node in range(n):
        if node not in seen:
            raise InputError(f"{source}: node {node} is not visited")
    return np.array(list(seen)[1:], np.int64)


def check_tour(tour: npt.NDArray[np.int64], n: int) -> None:
    """Raise `VerificationError` unless `tour` goes from 0 once through all other nodes to 0."""
    nodes = tour.tolist()
    if len(nodes) != n + 1:
        raise VerificationError(f"{len(nodes)} nodes in the tour, expected {n + 1}")
    if nodes[0] != 0 or nodes[-1] != 0:
        raise VerificationError("the tour does not begin and end at the depot, 0")
    times = [0] * n
    for node in nodes[:-1]:
        if 0 <= node < n:
            times[node] += 1
    for node, visits in enumerate(times):
        if visits != 1:
            raise VerificationError(f"node {node} is visited {visits} times, expected once")


def follow_tour(data: Floats, tour: npt.NDArray[np.int64]) -> Visits:
    """Travel along a tour that `check_tour` accepts.

    Times count from the start of the depot's window: those of a calendar are large.
    """
    return _follow(data, tour)[0]


def describe_lateness(data: Floats, tour: npt.NDArray[np.int64]) -> str:
    """Name the first node that a tour reaches late, and count the others; "" if none is late."""
    visits, late = _follow(data, tour)
    if not late:
        return ""
    node, arrival = late[0]
    due = f"{arrival:.10g}, due at {data[node, len(data) + 1]:.10g}"
    others = visits.violations - 1
    more = f", and {others} other window{'s' * (others > 1)} violated" if others else ""
    return f"{f'node {node}' if node else 'the depot'} is reached at {due}{more}"


def _follow(data: Floats, tour: npt.NDArray[np.int64]) -> tuple[Visits, list[tuple[int, float]]]:
    """Travel along a tour; returns also the nodes reached late and the times of these arrivals."""
    n = len(data)
    legs, windows = data[:, :n].tolist(), times_of(data).tolist()
    nodes = tour.tolist()
    cost, time = 0.0, 0.0
    late = []
    begin = float(data[0, n])
    for here, there in itertools.pairwise(nodes):
        leg, bounds = legs[here][there], windows[there]
        cost += leg
        time += leg
        if time > bounds[1]:
            late.append((there, begin + time))
        if there:
            time = opening(bounds, time)
    return Visits(cost, len(late), time), late
