"""Travelling salesman problems with time windows in the format of TSPLIB, as LKH extends it.

A head of `KEYWORD : value`, then sections: `EDGE_WEIGHT_SECTION` with a full matrix (`EXPLICIT`),
or `NODE_COORD_SECTION`, whose Euclidean distances are rounded as `EDGE_WEIGHT_TYPE` says;
`TIME_WINDOW_SECTION`; and, where there are any, `SERVICE_TIME_SECTION` and `DEPOT_SECTION`. Nodes
count from 1, the depot; in tours they count from 0.

References
----------
G. Reinelt, TSPLIB 95; K. Helsgaun, An Extension of the Lin-Kernighan-Helsgaun TSP Solver for
Constrained Traveling Salesman and Vehicle Routing Problems, 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from solver.domains.tsptw.coordinates import (
    COLUMNS,
    MAX_NODES,
    ROUTING,
    SERVICE,
    Floats,
    Line,
    Table,
    X,
    Y,
    euclidean,
    matrix_of,
    parse_number,
)
from solver.domains.tsptw.windows import pack_windows
from solver.errors import InputError, quoted
from solver.system.text_blocks import whole_number

COSTS, COORDINATES, WINDOWS = "EDGE_WEIGHT_SECTION", "NODE_COORD_SECTION", "TIME_WINDOW_SECTION"
SERVICES, DEPOT = "SERVICE_TIME_SECTION", "DEPOT_SECTION"
SECTIONS = (COSTS, COORDINATES, WINDOWS, SERVICES, DEPOT, "DISPLAY_DATA_SECTION")
VEHICLES = ("VEHICLES", "SALESMEN", "TRUCKS")
HEADS = (
    "NAME", "COMMENT", "TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE", "SERVICE_TIME", *VEHICLES,
)  # fmt: skip
#: A file that has one of them is in this format.
MARKS = {"DIMENSION", "EDGE_WEIGHT_TYPE", COSTS, COORDINATES, WINDOWS}

EXPLICIT = "EXPLICIT"
ROUNDINGS: dict[str, Callable[[Floats], Floats]] = {
    "EUC_2D": lambda lengths: np.floor(lengths + 0.5),
    "CEIL_2D": np.ceil,
    "FLOOR_2D": np.floor,
    "EXACT_2D": np.positive,
}


class _Part(NamedTuple):
    """A keyword of the file."""

    number: int
    """Number of its line."""
    value: str
    """Text behind the keyword, without the colon."""
    lines: list[Line]
    """Lines below it; none below a keyword of the head."""


def is_tsplib(lines: list[Line]) -> bool:
    """Return whether a line begins with a keyword that such a file needs."""
    return any(_keyword(words[0]) in MARKS for _, words in lines)


def _keyword(word: str) -> str:
    return word.partition(":")[0].upper()


@np.errstate(over="ignore")
def read_tsplib(lines: list[Line], source: str, distances: str) -> tuple[Floats, list[int]]:
    """Read costs and windows, float64[n, n + 2 + 2 g], and the numbers of their lines.

    `distances`, one of `Distances`, replaces the rounding of the file unless it is `auto`. The
    costs of a node to itself are 0, whatever a matrix has there.

    Returns
    -------
    tuple
        The array, and int[2 n]: the lines of the rows of costs, then those of the windows.

    Raises
    ------
    InputError
        For keywords and values that are not read, several vehicles, depots or windows of a node, a
        depot other than node 1, and missing or superfluous nodes and numbers.
    """
    parts = _parts_of(lines, source)
    _check_head(parts, source)
    number, value, _ = _needed(parts, "DIMENSION", source)
    n = whole_number(value, 1, MAX_NODES)
    if n is None:
        raise InputError(
            f"{source}: line {number}: DIMENSION {quoted(value)}, expected 1 ... {MAX_NODES}"
        )
    _check_depot(parts, source)
    windows, window_lines = _windows(parts, n, source)
    service = _service(parts, n, source)
    number, value, _ = _needed(parts, "EDGE_WEIGHT_TYPE", source)
    if value.upper() == EXPLICIT:
        if distances != "auto":
            raise InputError(
                f"{source}: a matrix of costs, distances {distances} is for coordinates"
            )
        cost, cost_lines = _matrix(parts, n, source)
        cost += service[:, None]
    elif value.upper() in ROUNDINGS:
        found, cost_lines = _by_node(parts, COORDINATES, n, ("x", "y"), source)
        rows = np.zeros((n, len(COLUMNS)))
        rows[:, [X, Y]], rows[:, SERVICE] = found, service
        if distances == "auto":
            cost = ROUNDINGS[value.upper()](euclidean(rows)) + service[:, None]
        else:
            cost = matrix_of(Table(rows, cost_lines, is_closed=False), distances)[:, :n]
    else:
        raise InputError(
            f"{source}: line {number}: EDGE_WEIGHT_TYPE {quoted(value)}, expected "
            f"{', '.join((EXPLICIT, *ROUNDINGS))}"
        )
    np.fill_diagonal(cost, 0.0)
    return np.hstack([cost, windows]), [*cost_lines, *window_lines]


def _parts_of(lines: list[Line], source: str) -> dict[str, _Part]:
    """Split the file at its keywords."""
    parts: dict[str, _Part] = {}
    section: list[Line] | None = None
    for number, words in lines:
        name = _keyword(words[0])
        if name == "EOF":
            break
        if name in HEADS or name.endswith("_SECTION"):
            if name in parts and name != "COMMENT":
                raise InputError(f"{source}: line {number}: {name} a second time")
            if name not in HEADS and name not in SECTIONS:
                raise InputError(
                    f"{source}: line {number}: {quoted(name, SECTIONS)}, a section that is not "
                    f"read, expected {', '.join(SECTIONS[:-1])}"
                )
            value = " ".join(words)[len(name) :].lstrip(" :")
            section = [] if name in SECTIONS else None
            parts[name] = _Part(number, value, [] if section is None else section)
        elif section is not None:
            section.append((number, words))
        else:
            raise InputError(
                f"{source}: line {number}: {quoted(words[0], HEADS)}, expected a keyword of TSPLIB "
                "that tours with time windows have"
            )
    return parts


def _check_head(parts: dict[str, _Part], source: str) -> None:
    """Refuse other problems, several vehicles, and matrices that are not full."""
    for name, expected in (
        ("TYPE", "TSPTW"),
        ("EDGE_WEIGHT_FORMAT", "FULL_MATRIX"),
        ("NODE_COORD_TYPE", "TWOD_COORDS"),
    ):
        number, value, _ = parts.get(name, _Part(0, expected, []))
        coordinates = name == "EDGE_WEIGHT_FORMAT" and value.upper() == "FUNCTION"
        if value.upper() != expected and not coordinates:
            routing = f", {ROUTING}" if name == "TYPE" and "VRP" in value.upper() else ""
            raise InputError(
                f"{source}: line {number}: {name} {quoted(value)}{routing}: expected {expected}"
            )
    for name in VEHICLES:
        number, value, _ = parts.get(name, _Part(0, "1", []))
        if value != "1":
            raise InputError(
                f"{source}: line {number}: {name} {quoted(value)}, {ROUTING}: expected 1, whose "
                "tour visits all"
            )


def _needed(parts: dict[str, _Part], name: str, source: str) -> _Part:
    if name not in parts:
        raise InputError(f"{source}: no {name}, which a file of TSPLIB with time windows needs")
    return parts[name]


def _check_depot(parts: dict[str, _Part], source: str) -> None:
    """Refuse several depots, and one that is not node 1."""
    if DEPOT not in parts:
        return
    number, _, lines = parts[DEPOT]
    depots = [word for _, words in lines for word in words]
    depots = depots[: depots.index("-1")] if "-1" in depots else depots
    where = f"{source}: line {lines[0][0] if lines else number}"
    if len(depots) > 1:
        raise InputError(f"{where}: {len(depots)} depots, {ROUTING}: expected 1 and -1 behind it")
    if depots != ["1"]:
        found = f"depot {quoted(depots[0])}" if depots else "no depot"
        raise InputError(f"{where}: {found}, expected node 1")


def _by_node(
    parts: dict[str, _Part], name: str, n: int, columns: tuple[str, ...], source: str
) -> tuple[Floats, list[int]]:
    """Numbers of a section that has a line for each node, float64[n, columns], and these lines."""
    above, lines = _lines_below(parts, name, source)
    found: dict[int, tuple[int, list[float]]] = {}
    for number, words in lines:
        where = f"{source}: line {number}"
        node = whole_number(words[0], 1, n)
        if node is None:
            raise InputError(f"{where}: {quoted(words[0])}, expected a node, 1 ... {n}")
        if node in found:
            raise InputError(f"{where}: node {node} a second time in {name}")
        if len(words) != len(columns) + 1:
            raise InputError(
                f"{where}: {len(words)} entries, expected {len(columns) + 1}: node, "
                f"{', '.join(columns)}"
            )
        pairs = zip(words[1:], columns, strict=True)
        found[node] = number, [parse_number(word, f"{where}, {title}") for word, title in pairs]
    for node in range(1, n + 1):
        if node not in found:
            raise InputError(f"{source}: line {above}: {name} has no line for node {node}")
    rows = [found[node] for node in range(1, n + 1)]
    return np.array([numbers for _, numbers in rows]), [number for number, _ in rows]


def _lines_below(parts: dict[str, _Part], name: str, source: str) -> tuple[int, list[Line]]:
    """Number of the line of a section's name, and the lines below it without a closing -1."""
    above, _, lines = _needed(parts, name, source)
    return above, lines[:-1] if lines and lines[-1][1] == ["-1"] else lines


def _windows(parts: dict[str, _Part], n: int, source: str) -> tuple[Floats, list[int]]:
    """Windows, float64[n, 2 + 2 g], and the line of each node: several on one, or on several."""
    above, lines = _lines_below(parts, WINDOWS, source)
    found: dict[int, list[tuple[float, float]]] = {}
    numbers: dict[int, int] = {}
    for number, words in lines:
        where = f"{source}: line {number}"
        node = whole_number(words[0], 1, n)
        if node is None:
            raise InputError(f"{where}: {quoted(words[0])}, expected a node, 1 ... {n}")
        if len(words) < 3 or len(words) % 2 == 0:
            raise InputError(f"{where}: {len(words)} entries, expected 3: node, start, end")
        titles = ("start", "end") * (len(words) // 2)
        pairs = zip(words[1:], titles, strict=True)
        bounds = [parse_number(word, f"{where}, {title}") for word, title in pairs]
        found.setdefault(node, []).extend(zip(bounds[::2], bounds[1::2], strict=True))
        numbers.setdefault(node, number)
    for node in range(1, n + 1):
        if node not in found:
            raise InputError(f"{source}: line {above}: {WINDOWS} has no line for node {node}")
    of_nodes = [numbers[node] for node in range(1, n + 1)]
    wheres = [f"{source}: line {number}" for number in of_nodes]
    return pack_windows([found[node] for node in range(1, n + 1)], wheres), of_nodes


def _service(parts: dict[str, _Part], n: int, source: str) -> Floats:
    """Service times, float64[n]: of the section, else those of all customers, else 0."""
    if SERVICES in parts:
        found, lines = _by_node(parts, SERVICES, n, ("service time",), source)
        service = found[:, 0]
    else:
        number, value, _ = parts.get("SERVICE_TIME", _Part(0, "0", []))
        time = parse_number(value, f"{source}: line {number}, service time")
        service, lines = np.full(n, time), [number] * n
        service[0] = min(time, 0.0)  # customers alone are served
    for number, time in zip(lines, service.tolist(), strict=True):
        if time < 0:
            raise InputError(f"{source}: line {number}: service time {time:g}, expected 0 or more")
    return service


def _matrix(parts: dict[str, _Part], n: int, source: str) -> tuple[Floats, list[int]]:
    """Costs, float64[n, n], wherever lines are broken, and the line where each row begins."""
    above, _, lines = _needed(parts, COSTS, source)
    words = [(number, word) for number, found in lines for word in found]
    if len(words) != n * n:
        raise InputError(
            f"{source}: line {above}: {len(words)} numbers below {COSTS}, expected {n * n}: {n} "
            f"from each of {n} nodes"
        )
    costs = np.array([parse_number(word, f"{source}: line {number}") for number, word in words])
    return costs.reshape(n, n), [number for number, _ in words[::n]]
