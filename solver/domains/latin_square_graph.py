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

import math

from solver.errors import InputError, quoted
from solver.text_blocks import NumberedLine, whole_number

PROBLEM_WORDS = ("edge", "edges", "col")


def is_graph(line: str) -> bool:
    """Whether a file whose first line is `line` is a graph."""
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
    lines = [(number, line.split()) for number, line in content]
    lines = [(number, words) for number, words in lines if words[0] != "c"]
    if not lines:
        raise InputError(f"{source}: no graph found, expected a line `p edge NODES EDGES`")
    first, problem = lines[0]
    order, n_edges = _sizes(problem, max_order, f"{source}: line {first}")
    cells = [-1] * order**2
    given_at: dict[tuple[str, int, int], int] = {}
    edges: set[tuple[int, int]] = set()
    fixed: set[int] = set()
    edge_lines = 0
    for number, words in lines[1:]:
        where = f"{source}: line {number}"
        if words[0] == "e":
            edges.add(_edge(words, order, where))
            edge_lines += 1
        elif words[0] in ("f", "n"):
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


def _edge(words: list[str], order: int, where: str) -> tuple[int, int]:
    """Nodes of an edge from 0, the smaller first."""
    nodes = [whole_number(word, 1, order**2) for word in words[1:]]
    if len(nodes) != 2 or nodes[0] is None or nodes[1] is None:
        found = quoted(" ".join(words))
        raise InputError(f"{where}: {found}, expected `e` and two nodes 1 ... {order**2}")
    one, other = sorted((nodes[0] - 1, nodes[1] - 1))
    if one == other or (one // order != other // order and one % order != other % order):
        raise InputError(
            f"{where}: {one + 1} and {other + 1}, expected two cells of one row or column of a "
            f"square of order {order}: the nodes are row * {order} + column + 1"
        )
    return one, other


def _colours(words: list[str], order: int, where: str) -> tuple[int, list[int]]:
    """Node, from 0, and the colours that it may have: one or all."""
    node = whole_number(words[1], 1, order**2) if len(words) > 1 else None
    if node is None or len(words) < 3 or (words[0] == "n" and len(words) > 3):
        found = quoted(" ".join(words))
        expected = "a node and its colour" if words[0] == "n" else "a node and its colours"
        raise InputError(f"{where}: {found}, expected `{words[0]}`, {expected}")
    colours = []
    for place, word in enumerate(words[2:], start=3):
        colour = whole_number(word, 1, order)
        if colour is None:
            raise InputError(
                f"{where}, entry {place}: {quoted(word)}, expected a colour 1 ... {order}"
            )
        colours.append(colour)
    distinct = sorted(set(colours))
    if len(distinct) not in (1, order):
        raise InputError(
            f"{where}: {len(distinct)} colours, expected one for a given or all {order} for a hole"
        )
    return node - 1, distinct


def _check_complete(edges: set[tuple[int, int]], order: int, source: str) -> None:
    """Raise `InputError` if two cells of a row or column are not joined."""
    if len(edges) == order**2 * (order - 1):
        return
    for one in range(order**2):
        row_end = (one // order + 1) * order
        for other in [*range(one + 1, row_end), *range(one + order, order**2, order)]:
            if (one, other) not in edges:
                raise InputError(
                    f"{source}: no edge between nodes {one + 1} and {other + 1}, expected one "
                    "between any two cells of a row or column"
                )
