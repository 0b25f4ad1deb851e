"""Selection of the move of a node with which a playout goes on."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from solver.compiling.generic import generic_with_default
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_place
from solver.contract.rules import Floats
from solver.kernels.arguments import Off
from solver.kernels.tree.arrays import (
    FLAT,
    GRAVE,
    MCPS,
    PLAYED,
    PUCT,
    UCT,
    Scratch,
    Tree,
    TreeParameters,
)
from solver.kernels.tree.node import Node, move_values
from solver.kernels.tree.proofs import leave_out_proved, proves

#: More than any value of a move that has statistics.
UNSEEN = 1e100
#: Beyond it a move would be tried for its prior alone.
MOST_LIKELIER = 10.0


class Visit(NamedTuple):
    """Node that a playout has come to."""

    node: int
    table: int
    """Row of its all-moves-as-first statistics, NONE without."""
    depth: int
    """Moves between the root and the node."""


@inlined
def grave_value(n: float, total: float, amaf: float, amaf_total: float, bias: float) -> float:
    """(1 - β) Q + β Q~ with β = n~ / (n~ + n + bias n~ n), over one denominator."""
    return (total * (1.0 + bias * amaf) + amaf_total) / (amaf + n + bias * amaf * n)


@inlined
def mcps_value(
    n: float, total: float, amaf: float, amaf_total: float, permuted: float, permuted_total: float
) -> float:
    """α Q + β Q~ + γ Q^ with weights c₁ n, n~ and n^, c₁ = (n~ + n^) / n~, or 1 where n~ is 0.

    All times n~, over one denominator.
    """
    both = amaf + permuted
    own, rest = (both, amaf) if amaf > 0.0 else (1.0, 1.0)
    return (own * total + rest * (amaf_total + permuted_total)) / (own * n + rest * both)


@generic_with_default
def own_values(own: Any, tree: Tree, scratch: Scratch, visit: Visit, worth: Floats) -> None:
    """Write the value of each move of a node by `move_values` for the class of `own`."""
    node, edges = visit.node, tree.edges
    begin = tree.nodes.first[node]
    end = begin + tree.nodes.size[node]
    known = worth[1] >= worth[0]  # else there was no playout yet
    seen = Node(
        visits=int(tree.nodes.visits[node]),
        depth=visit.depth,
        played=tree.counters[PLAYED],
        least=worth[0] if known else 0.0,
        span=worth[1] - worth[0] if known else 0.0,
        size=end - begin,
        n=edges.n[begin:end],
        total=edges.total[begin:end],
        code=edges.code[begin:end],
        sums=tree.tables.sums[max(visit.table, 0)],
        permuted=edges.permuted[:, begin:end],
        prior=edges.prior[begin:end],
    )
    move_values(own, seen, scratch.values[: end - begin])


@own_values.register(Off)
def _no_values(own: Off, tree: Tree, scratch: Scratch, visit: Visit, worth: Floats) -> None:
    return


@inlined
def _values(
    tree: Tree, scratch: Scratch, parameters: TreeParameters, node: int, table: int, span: float
) -> None:
    """Write the value of each move of a node by a rule that ships: a loop for each, no branches.

    Slices begin at 0, which spares the compiler indices that might be negative.
    """
    values, rule = scratch.values, parameters.rule
    begin = tree.nodes.first[node]
    end = begin + tree.nodes.size[node]
    visits, totals = tree.edges.n[begin:end], tree.edges.total[begin:end]
    codes, size = tree.edges.code[begin:end], end - begin
    if rule == FLAT:
        for place in range(size):
            values[place] = -float(visits[place])
    elif rule == UCT:
        wide = parameters.exploration * span
        wide *= math.sqrt(math.log(max(tree.nodes.visits[node], 1)))
        for place in range(size):
            n, total = float(visits[place]), totals[place]
            values[place] = total / n + wide / math.sqrt(n) if n > 0.0 else np.inf
    elif rule == GRAVE:
        bias, sums = parameters.bias, tree.tables.sums[table]
        for place in range(size):
            n, total, code = float(visits[place]), totals[place], np.uint32(codes[place])
            amaf, amaf_total = sums[code, 0], sums[code, 1]
            value = grave_value(n, total, amaf, amaf_total, bias)
            values[place] = value if n + amaf > 0.0 else np.inf
    elif rule == MCPS:
        sums, permuted = tree.tables.sums[table], tree.edges.permuted[:, begin:end]
        permuted_n, permuted_total = permuted[0], permuted[1]
        for place in range(size):
            n, total, code = float(visits[place]), totals[place], np.uint32(codes[place])
            amaf, amaf_total = sums[code, 0], sums[code, 1]
            having, having_total = permuted_n[place], permuted_total[place]
            value = mcps_value(n, total, amaf, amaf_total, having, having_total)
            values[place] = value if n + amaf + having > 0.0 else np.inf
    elif rule == PUCT:
        seen, summed = 0.0, 0.0
        for place in range(size):
            seen += visits[place]
            summed += totals[place]
        first = summed / max(seen, 1.0)
        wide = parameters.exploration * span * math.sqrt(max(seen, 1.0))
        prior = tree.edges.prior[begin:end]
        for place in range(size):
            n, total = float(visits[place]), totals[place]
            value = total / n if n > 0.0 else first
            values[place] = value + wide * prior[place] / (1.0 + n)
    if rule < PUCT and len(tree.edges.prior) > 0:  # those before it have a progressive bias
        add_prior(tree, scratch, parameters, node, span)


@inlined
def add_prior(
    tree: Tree, scratch: Scratch, parameters: TreeParameters, node: int, span: float
) -> None:
    """Add w H(s, a) / (n + 1) and g P(s, a) sqrt(N(s)) / (n + 1).

    H is how many times likelier than one drawn at random a move is, `MOST_LIKELIER` at most. Moves
    without statistics come first, the likeliest before others.
    """
    edges, values = tree.edges, scratch.values
    begin, size = tree.nodes.first[node], tree.nodes.size[node]
    wide = parameters.guidance * span * math.sqrt(tree.nodes.visits[node])
    for place in range(size):
        prior = edges.prior[begin + place]
        if values[place] == np.inf:
            values[place] = UNSEEN * (1.0 + prior)
        else:
            likelier = min(prior * size, MOST_LIKELIER)
            added = parameters.weight * span * likelier + wide * prior
            values[place] += added / (edges.n[begin + place] + 1.0)


@inlined
def _highest(values: Floats) -> float:
    """Return the highest value: four at a time, which wait for no other."""
    a = b = c = d = -np.inf
    size = len(values)
    whole = size - size % 4
    for place in range(0, whole, 4):
        a, b = max(a, values[place]), max(b, values[place + 1])
        c, d = max(c, values[place + 2]), max(d, values[place + 3])
    for place in range(whole, size):
        a = max(a, values[place])
    return max(max(a, b), max(c, d))


@inlined
def select(
    tree: Tree,
    scratch: Scratch,
    parameters: TreeParameters,
    stream: Stream,
    visit: Visit,
    worth: Floats,
) -> int:
    """Return the edge of the node with the highest value; one without any statistics comes first.

    Equal ones are drawn from `stream`.

    Parameters
    ----------
    worth : float64[2]
        Least and highest reward.
    """
    node = visit.node
    _values(tree, scratch, parameters, node, visit.table, worth[1] - worth[0])
    own_values(parameters.own, tree, scratch, visit, worth)
    values = scratch.values[: tree.nodes.size[node]]
    if proves(tree, parameters):
        leave_out_proved(tree, values, node)
    best, n_ties = _highest(values), 0
    for place in range(len(values)):
        n_ties += values[place] == best
    drawn = next_place(stream, n_ties)
    for place in range(len(values)):
        if values[place] == best:
            if drawn == 0:
                return tree.nodes.first[node] + place
            drawn -= 1
    return tree.nodes.first[node]  # no value is a number
