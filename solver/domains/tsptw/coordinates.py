"""Travelling salesman problems with time windows as tables of coordinates.

The layout of Solomon, and of Dumas et al. and who followed them: a row per node, the depot first,
with its number, coordinates, demand, ready time, due date and service time. Demands matter where
the file has vehicles: all must fit into one.

Collections read such a table differently. `floor` is how the collections make the matrices that the
optima of Dumas et al., Gendreau et al., Ohlmann and Thomas, and da Silva and Urrutia are of:
integer parts of Euclidean distances, then no longer than over another node, in one pass over all
pairs in order. `truncate` keeps one decimal, as exact methods do on Solomon's instances; `exact`
keeps all. The service time at a node is part of the costs of leaving it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import allocating_kernel
from solver.errors import InputError, quoted

Floats = npt.NDArray[np.float64]
Words = list[str]
Line = tuple[int, Words]
"""Number of a line of the file, and its words."""

Distances = Literal["auto", "floor", "truncate", "exact"]
MAX_NODES = 5000
COLUMNS = ("number", "x", "y", "demand", "ready time", "due date", "service time")
NUMBER, X, Y, DEMAND, READY, DUE, SERVICE = range(len(COLUMNS))
#: An integer that is computed as a little less than it is rounded down to itself.
ROUNDING = 1e-6
#: Dumas' tables end with a node of this number and zeros.
CLOSING_NUMBER = 999
#: Refusal of problems of several vehicles.
ROUTING = "a vehicle routing problem, which is not solved here (PyVRP does)"


class Table(NamedTuple):
    """The rows of a table."""

    rows: Floats
    """float64[n, 7]: the columns of `COLUMNS`; demands are for `check_vehicle` alone."""
    lines: list[int]
    """int[n]: number of each row's line in the file."""
    is_closed: bool
    """True if a row of Dumas' kind, which is no node, came last."""
    windows: Floats | None = None
    """float64[n, 2 + 2 g]: see `solver.domains.tsptw.windows`; None: the columns of `rows`."""


def is_header(words: Words) -> bool:
    """Return whether a line is the header of the table: `CUST NO. XCOORD. ...`."""
    return words[0].upper().startswith("CUST") and any("COORD" in word.upper() for word in words)


def is_row(words: Words) -> bool:
    """Return whether a line looks like a row of the table, below no header: seven entries."""
    if len(words) != len(COLUMNS):
        return False
    try:
        float(words[NUMBER])
    except ValueError:
        return False
    return True


def check_vehicle(above: list[Line], table: Table, source: str) -> None:
    """Refuse problems of several vehicles, or of one that must come back to reload.

    Solomon's files have a line `NUMBER CAPACITY` above the table, and both numbers below that; what
    has no such line is a tour.

    Raises
    ------
    InputError
        For more than one vehicle, demands of more than its capacity, and other than two numbers.
    """
    titles = [place for place, (_, words) in enumerate(above) if "CAPACITY" in _capitals(words)]
    if not titles:
        return
    number, _ = above[titles[0]]
    following = above[titles[0] + 1 : titles[0] + 2]
    if _capitals(above[titles[0]][1])[-2:] != ["NUMBER", "CAPACITY"] or not following:
        raise InputError(
            f"{source}: line {number}: expected NUMBER CAPACITY and two numbers on the line below"
        )
    number, words = following[0]
    where = f"{source}: line {number}"
    if len(words) != 2:
        raise InputError(
            f"{where}: {quoted(' '.join(words))}, expected number and capacity of the vehicles"
        )
    vehicles, capacity = (parse_number(word, where) for word in words)
    demand = float(table.rows[:, DEMAND].sum())
    if vehicles != 1:
        raise InputError(
            f"{where}: {vehicles:g} vehicles, {ROUTING}: expected 1, whose tour visits all"
        )
    if demand > capacity:
        raise InputError(
            f"{where}: capacity {capacity:g}, but all demands are {demand:g}, so that one tour "
            f"cannot visit all: {ROUTING}"
        )


def _capitals(words: Words) -> Words:
    return [word.upper() for word in words]


def read_table(lines: list[Line], source: str) -> Table:
    """Read the rows of a table, each a number of its line and its words.

    Raises
    ------
    InputError
        For other than seven finite numbers in a row, numbers of nodes that do not rise, negative
        service times, and what follows the closing row.
    """
    rows: list[list[float]] = []
    for number, words in lines:
        where = f"{source}: line {number}"
        row = _row(words, where)
        if row[NUMBER] == CLOSING_NUMBER and not any(row[X:]):
            if number != lines[-1][0]:
                raise InputError(f"{where}: {CLOSING_NUMBER} closes the table, but more follows")
            return Table(np.array(rows).reshape(-1, len(COLUMNS)), _numbers_of(lines[:-1]), True)
        if rows and row[NUMBER] <= rows[-1][NUMBER]:
            raise InputError(
                f"{where}: node {row[NUMBER]:g} after node {rows[-1][NUMBER]:g}, expected "
                "numbers that rise"
            )
        if row[SERVICE] < 0:
            raise InputError(f"{where}: service time {row[SERVICE]:g}, expected 0 or more")
        rows.append(row)
    return Table(np.array(rows).reshape(-1, len(COLUMNS)), _numbers_of(lines), False)


def _numbers_of(lines: list[Line]) -> list[int]:
    return [number for number, _ in lines]


def _row(words: Words, where: str) -> list[float]:
    if len(words) != len(COLUMNS):
        raise InputError(
            f"{where}: {len(words)} entries, expected {len(COLUMNS)}: {', '.join(COLUMNS)}"
        )
    return [
        parse_number(word, f"{where}, {column}")
        for column, word in zip(COLUMNS, words, strict=True)
    ]


def parse_number(word: str, where: str) -> float:
    """Read a finite number; `where` it is begins the message of the `InputError` raised."""
    try:
        if "_" in word or not word.isascii():  # which Python takes
            raise ValueError
        number = float(word)
    except ValueError:
        raise InputError(f"{where}: {quoted(word)}, expected a number") from None
    if not np.isfinite(number):
        raise InputError(f"{where}: {quoted(word)}, expected a finite number")
    return number


@np.errstate(over="ignore")
def matrix_of(table: Table, distances: str) -> Floats:
    """Costs and windows, float64[n, n + 2 + 2 g].

    `auto` is `floor` for a table with a closing row, else `exact`.
    """
    rows = table.rows
    cost = euclidean(rows)
    if distances == "auto":
        distances = "floor" if table.is_closed else "exact"
    if distances == "truncate":
        cost = np.floor(cost * 10 + ROUNDING) / 10
    elif distances == "floor":
        cost = np.floor(cost + ROUNDING)
    cost += rows[:, SERVICE, None]
    np.fill_diagonal(cost, 0.0)
    if distances == "floor":
        _shorten(cost)
    return np.hstack([cost, rows[:, [READY, DUE]] if table.windows is None else table.windows])


def euclidean(rows: Floats) -> Floats:
    """Distances between the nodes, float64[n, n]; infinite where they are beyond all numbers."""
    x, y = (rows[:, column, None] - rows[:, column] for column in (X, Y))
    return np.asarray(np.hypot(x, y))


@allocating_kernel
def _shorten(cost: Floats) -> None:
    """Make no cost more than that over another node, in one pass over all pairs in order.

    Costs shortened later may leave a few that are. With all shortest paths the costs would be
    less than in the collections.
    """
    n, there_first = len(cost), cost.T.copy()
    for here in range(n):
        for there in range(n):
            if here != there:
                least = cost[here, there]
                for over in range(n):
                    least = min(least, cost[here, over] + there_first[there, over])
                cost[here, there] = there_first[there, here] = least
