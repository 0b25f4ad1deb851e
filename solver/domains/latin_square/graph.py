"""Latin squares as graphs to be coloured: the DIMACS files (`.col`) of the quasigroup benchmarks.

    c a comment
    p edge 25 100
    e 1 2
    f 1 1
    f 3 1 2 3 4 5

Cell (row, column) of a square of order n, counted from 0, is node row * n + column + 1; an edge
joins cells of one row or column; a colour is a value, from 1. `p` may also say `edges` or
`col`. `f` lists the colours that a node may have, as the files of the COLOR symposia have it:
one is a given, all n are a hole, other lists are no Latin square. `n` gives a node its colour,
too. A node without such a line is a hole.
"""

from __future__ import annotations

import functools
import math

from solver.errors import InputError, quoted
from solver.system.text_blocks import NumberedLine, whole_number

PROBLEM_WORDS = ("edge", "edges", "col")


def is_graph(line: str) -> bool:
    """Return whether a file whose first line is `line` is a graph."""
    return line.split()[0] in ("c", "p")


def parse_graph(content: list[NumberedLine], source: str, max_order: int) -> list[list[int]]:
    """Read the square whose graph is given: rows of values from 0, -1 in holes.

    Parameters
    ----------
    content : list of (int, str)
        Numbers and texts of the lines that are not blank.

    Raises
    ------
    InputError
        If it is the graph of no Latin square; the message names the line.
    """
    # Large files have millions of lines: they are split as they come, each number is looked up.
    lines = ((n, line.split()) for n, line in content if line.split(None, 1)[0] != "c")
    first, problem = next(lines, (0, []))
    if not problem:
        raise InputError(f"{source}: no graph found, expected a line `p edge NODES EDGES`")
    order, n_edges = _sizes(problem, max_order, f"{source}: line {first}")
    cells = [-1] * order**2
    nodes = {str(node + 1): node for node in range(order**2)}
    given_at: dict[tuple[str, int, int], int] = {}
    edges: set[int] = set()
    fixed: set[int] = set()
    edge_lines = 0
    for number, words in lines:
        if words[0] == "e":
            edge = _edge(words, nodes, order)
            if edge is None:
                raise InputError(f"{source}: line {number}: {_edge_error(words, nodes, order)}")
            edges.add(edge)
            edge_lines += 1
            continue
        where = f"{source}: line {number}"
        if words[0] in ("f", "n"):
            node, colours = _colours(words, order, where)
            if node in fixed:
                raise InputError(f"{where}: node {node + 1} has its colours already")
            fixed.add(node)
            if len(colours) == 1:
                cells[node] = colours[0] - 1
                for line in (("row", node // order), ("column", node % order)):
                    before = given_at.setdefault((*line, colours[0]), number)
                    if before != number:
                        raise InputError(
                            f"{where}: {line[0]} {line[1] + 1} has that given in line {before}"
                        )
        else:
            raise InputError(f"{where}: {quoted(words[0])}, expected a line of c, e, f or n")
    if n_edges not in (edge_lines, len(edges)):
        raise InputError(f"{source}: {edge_lines} edges, expected {n_edges} as line {first} says")
    _check_complete(edges, order, source)
    return [cells[row * order : (row + 1) * order] for row in range(order)]


def _sizes(words: list[str], max_order: int, where: str) -> tuple[int, int]:
    """Order of the square and number of edges in the line `p`."""
    nodes = edges = None
    if len(words) == 4 and words[0] == "p" and words[1] in PROBLEM_WORDS:
        nodes, edges = (whole_number(word, 0, 10**8) for word in words[2:])
    if nodes is None or edges is None:
        found = quoted(" ".join(words))
        raise InputError(f"{where}: expected `p edge NODES EDGES`, found {found}")
    order = math.isqrt(nodes)
    if order**2 != nodes or not 1 <= order <= max_order:
        raise InputError(
            f"{where}: {nodes} nodes, expected those of a square of order 1 ... {max_order}"
        )
    return order, edges


def _edge(words: list[str], nodes: dict[str, int], order: int) -> int | None:
    """Number of an edge, smaller node * nodes + larger node; None if a square has no such edge."""
    if len(words) != 3:
        return None
    one, other = nodes.get(words[1], -1), nodes.get(words[2], -1)
    if one > other:
        one, other = other, one
    joined = one // order == other // order or one % order == other % order
    return one * order**2 + other if 0 <= one < other and joined else None


def _edge_error(words: list[str], nodes: dict[str, int], order: int) -> str:
    """Return the error of an edge, as a message."""
    if len(words) != 3 or not {*words[1:]} <= nodes.keys():
        return f"{quoted(' '.join(words))}, expected `e` and two nodes 1 ... {order**2}"
    one, other = sorted(words[1:], key=int)
    return (
        f"{one} and {other}, expected two cells of one row or column of a square of order {order}: "
        f"the nodes are row * {order} + column + 1"
    )


def _colours(words: list[str], order: int, where: str) -> tuple[int, list[int]]:
    """Node, from 0, and the colours that it may have: one or all."""
    if len(words) < 3 or (words[0] == "n" and len(words) > 3):
        found = quoted(" ".join(words))
        expected = "a node and its colour" if words[0] == "n" else "a node and its colours"
        raise InputError(f"{where}: {found}, expected `{words[0]}`, {expected}")
    node = whole_number(words[1], 1, order**2)
    if node is None:
        found = quoted(words[1])
        raise InputError(f"{where}, entry 2: no node {found}, expected 1 ... {order**2}")
    meaning = _colours_by_text(order)
    for place, word in enumerate(words[2:], start=3):
        if word not in meaning:
            raise InputError(
                f"{where}, entry {place}: {quoted(word)}, expected a colour 1 ... {order}"
            )
    distinct = sorted({meaning[word] for word in words[2:]})
    if len(distinct) not in (1, order):
        raise InputError(
            f"{where}: {len(distinct)} colours, expected one for a given or all {order} for a hole"
        )
    return node - 1, distinct


@functools.cache
def _colours_by_text(order: int) -> dict[str, int]:
    return {str(colour): colour for colour in range(1, order + 1)}


def _check_complete(edges: set[int], order: int, source: str) -> None:
    """Raise `InputError` if two cells of a row or column are not joined."""
    if len(edges) == order**2 * (order - 1):
        return
    for one in range(order**2):
        row_end = (one // order + 1) * order
        for other in [*range(one + 1, row_end), *range(one + order, order**2, order)]:
            if one * order**2 + other not in edges:
                raise InputError(
                    f"{source}: no edge between nodes {one + 1} and {other + 1}, expected one "
                    "between any two cells of a row or column"
                )
