"""Which move of a node a playout goes on with."""

from __future__ import annotations

import math

import numpy as np

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.kernels.tree.arrays import FLAT, GRAVE, MCPS, PUCT, UCT, Scratch, Tree, TreeParameters

#: More than any value of a move that has statistics.
UNSEEN = 1e100
#: Beyond it a move would be tried for its prior alone.
MOST_LIKELIER = 10.0


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


@inlined
def _values(
    tree: Tree, scratch: Scratch, parameters: TreeParameters, node: int, table: int, span: float
) -> None:
    """Put down the value of each move of a node: a loop for each rule, without branches."""
    edges, sums, values = tree.edges, tree.tables.sums, scratch.values
    begin, size, rule = tree.nodes.first[node], tree.nodes.size[node], parameters.rule
    if rule == FLAT:
        for place in range(size):
            values[place] = -float(edges.n[begin + place])
    elif rule == UCT:
        wide = parameters.exploration * span
        wide *= math.sqrt(math.log(max(tree.nodes.visits[node], 1)))
        for place in range(size):
            n, total = float(edges.n[begin + place]), edges.total[begin + place]
            values[place] = total / n + wide / math.sqrt(n) if n > 0.0 else np.inf
    elif rule == GRAVE:
        bias = parameters.bias
        for place in range(size):
            n, total = float(edges.n[begin + place]), edges.total[begin + place]
            code = edges.code[begin + place]
            amaf, amaf_total = sums[table, code, 0], sums[table, code, 1]
            value = grave_value(n, total, amaf, amaf_total, bias)
            values[place] = value if n + amaf > 0.0 else np.inf
    elif rule == MCPS:
        for place in range(size):
            n, total = float(edges.n[begin + place]), edges.total[begin + place]
            code = edges.code[begin + place]
            amaf, amaf_total = sums[table, code, 0], sums[table, code, 1]
            permuted = edges.permuted[begin + place, 0]
            permuted_total = edges.permuted[begin + place, 1]
            value = mcps_value(n, total, amaf, amaf_total, permuted, permuted_total)
            values[place] = value if n + amaf + permuted > 0.0 else np.inf
    else:
        seen, worth = 0.0, 0.0
        for place in range(size):
            seen += edges.n[begin + place]
            worth += edges.total[begin + place]
        first = worth / max(seen, 1.0)
        wide = parameters.exploration * span * math.sqrt(max(seen, 1.0))
        for place in range(size):
            n, total = float(edges.n[begin + place]), edges.total[begin + place]
            value = total / n if n > 0.0 else first
            values[place] = value + wide * edges.prior[begin + place] / (1.0 + n)
    if rule != PUCT and len(edges.prior) > 0:
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
def select(
    tree: Tree,
    scratch: Scratch,
    parameters: TreeParameters,
    stream: Stream,
    node: int,
    table: int,
    span: float,
) -> int:
    """Return the edge of `node` with the highest value; one without any statistics comes first.

    Equal ones are drawn from `stream`. `table` is the row of all-moves-as-first statistics, `span`
    the difference between the highest and the least reward.
    """
    _values(tree, scratch, parameters, node, table, span)
    values, ties = scratch.values, scratch.ties
    best, n_ties = -np.inf, 0
    for place in range(tree.nodes.size[node]):
        best = max(best, values[place])
    for place in range(tree.nodes.size[node]):
        if values[place] == best:
            ties[n_ties] = place
            n_ties += 1
    return tree.nodes.first[node] + (ties[next_below(stream, n_ties)] if n_ties > 1 else ties[0])
