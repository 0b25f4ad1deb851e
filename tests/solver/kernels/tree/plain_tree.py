"""Algorithms 1 and 2 of 'Monte Carlo Permutation Search', from the definitions of its section 2.1.

Every statistic is computed anew from the list of all playouts, whenever it is asked for. Only the
formulas of values are the kernel's; `test_values.py` holds them against the paper's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solver.compiling.random import Stream, next_below, next_uniform
from solver.contract.domain import Game
from solver.contract.rules import (
    code,
    copy_state,
    key,
    legal_moves,
    odds,
    play,
    player,
    reset,
    rewards,
)
from solver.kernels.arguments import Off
from solver.kernels.tree.arrays import FLAT, GRAVE, PUCT, UCT, Guides, TreeParameters
from solver.kernels.tree.select import grave_value, mcps_value

#: In place of a state that is no longer in the tree.
NOWHERE = -1


@dataclass
class Playout:
    """Codes and players of all moves, the states in the tree on the way, and the rewards."""

    codes: list[int]
    players: list[int]
    edges: list[tuple[int, int]]
    """Key of a state in the tree, and move that was made there."""
    states: list[int]
    rewards: list[float]
    choices: list[list[int]] = field(default_factory=list)
    """Codes of the moves that there were at each step."""


@dataclass
class Node:
    """A state in the tree."""

    way: list[int]
    """Codes of the moves that first led to it."""
    moves: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    mover: int = 0
    priors: list[float] = field(default_factory=list)
    """P(s, a)."""


@dataclass
class PlainTree:
    """The search."""

    game: Game
    instance: Any
    parameters: TreeParameters
    stream: Stream
    guides: Guides = field(default_factory=Guides)
    playouts: list[Playout] = field(default_factory=list)
    nodes: dict[int, Node] = field(default_factory=dict)
    root: int = 0
    policy: Any = None
    """Of playouts: has `weight(playouts, codes before, code)`."""
    due: int = 0
    """Playouts still to be made in a second tree."""
    held: list[tuple[int, int]] = field(default_factory=list)
    """Edges on the way to its root."""
    added: set[int] = field(default_factory=set)
    """States that it added."""

    def listed(self, state: Any) -> list[int]:
        buffer = np.zeros(max(self.game.limits(self.instance).moves, 1), np.int64)
        n = legal_moves(self.instance, state, self.stream, buffer)
        return [int(move) for move in buffer[:n]]

    def own(self, state: int, move: int, mover: int) -> tuple[int, float]:
        """N(s, a) and the sum of rewards."""
        worth = [p.rewards[mover] for p in self.playouts if (state, move) in p.edges]
        return len(worth), sum(worth)

    def amaf(self, state: int, a: int, mover: int) -> tuple[int, float]:
        """N~(s, a) and the sum of rewards."""
        worth = [
            p.rewards[mover]
            for p in self.playouts
            if state in p.states and a in p.codes[p.states.index(state) :]
        ]
        return len(worth), sum(worth)

    def permuted(self, way: list[int], a: int, mover: int) -> tuple[int, float]:
        """N^(s, a) and the sum of rewards."""
        worth = [p.rewards[mover] for p in self.playouts if {a, *way} <= {*p.codes}]
        return len(worth), sum(worth)

    def visits(self, state: int) -> int:
        return sum(state in p.states for p in self.playouts)

    def value(self, state: int, place: int, ref: int) -> float:
        """Return the selection value of a move; moves without statistics first, by likelihood.

        All rewards of the games here are 0 ... 1.
        """
        node, parameters = self.nodes[state], self.parameters
        n, total = self.own(state, node.moves[place], node.mover)
        if parameters.rule == PUCT:
            tried = [self.own(state, move, node.mover) for move in node.moves]
            seen = max(sum(n for n, _ in tried), 1)
            mean = total / n if n else sum(total for _, total in tried) / seen
            wide = parameters.exploration * node.priors[place] * math.sqrt(seen)
            return mean + wide / (1 + n)
        found = self.unguided(state, place, ref)
        if isinstance(self.guides.tree, Off):
            return found
        if found == math.inf:
            return 1e100 * (1 + node.priors[place])
        likelier = node.priors[place] * len(node.moves)
        wide = parameters.guidance * math.sqrt(self.visits(state)) * node.priors[place]
        return found + (parameters.weight * min(likelier, 10) + wide) / (n + 1)

    def unguided(self, state: int, place: int, ref: int) -> float:
        """The value without a prior."""
        node, parameters = self.nodes[state], self.parameters
        n, total = self.own(state, node.moves[place], node.mover)
        if parameters.rule == FLAT:
            return -n
        if parameters.rule == UCT:
            if n == 0:
                return math.inf
            wide = parameters.exploration * 1.0 * math.sqrt(math.log(max(self.visits(state), 1)))
            return total / n + wide / math.sqrt(n)
        amaf, amaf_total = self.amaf(ref, node.codes[place], node.mover)
        if parameters.rule == GRAVE:
            if n + amaf == 0:
                return math.inf
            return grave_value(n, total, amaf, amaf_total, parameters.bias)
        permuted = self.permuted(node.way, node.codes[place], node.mover)
        if n + amaf + permuted[0] == 0:
            return math.inf
        return mcps_value(n, total, amaf, amaf_total, *permuted)

    def expand(self, at: int, state: Any) -> Node:
        node = self.nodes[at]
        if not node.moves:
            node.moves = self.listed(state)
            node.codes = [int(code(self.instance, state, move)) for move in node.moves]
            node.mover = int(player(self.instance, state))
            weights = self.weights(self.guides.tree, state, node.moves)
            node.priors = [weight / sum(weights) for weight in weights]
        return node

    def weights(self, prior: Any, state: Any, moves: list[int]) -> list[float]:
        """Odds of the moves just listed."""
        return [float(odds(prior, self.instance, state, move)) for move in moves]

    def draw(self, playout: Playout, state: Any, moves: list[int]) -> int:
        """Draw a move of a playout."""
        codes = [int(code(self.instance, state, move)) for move in moves]
        playout.choices.append(codes)
        if len(moves) == 1:
            return moves[0]
        prior = self.guides.playouts
        if isinstance(prior, Off) and self.policy is None:
            return moves[next_below(self.stream, len(moves))]
        weights = np.array(self.weights(prior, state, moves))
        if self.policy is not None:
            weights *= [self.policy.weight(self.playouts, playout.codes, one) for one in codes]
        drawn = np.searchsorted(weights.cumsum(), next_uniform(self.stream) * weights.sum())
        return moves[min(int(drawn), len(moves) - 1)]

    def select(self, at: int, ref: int) -> int:
        values = [self.value(at, place, ref) for place in range(len(self.nodes[at].moves))]
        ties = [place for place, value in enumerate(values) if value == max(values)]
        return ties[next_below(self.stream, len(ties))] if len(ties) > 1 else ties[0]

    def step(self, playout: Playout, state: Any, move: int) -> None:
        """Note a move and make it."""
        playout.codes.append(int(code(self.instance, state, move)))
        playout.players.append(int(player(self.instance, state)))
        play(self.instance, state, move)

    def descend(self, playout: Playout, state: Any) -> None:
        """Go down the tree, and add a state."""
        at = ref = self.root
        while True:
            playout.states.append(at)
            new, depth = at != self.root and self.visits(at) == 0, len(playout.edges)
            met = self.due > 0 and depth > len(self.held) and at not in self.added
            if new or (met and not self.nodes[at].moves) or not self.expand(at, state).moves:
                return
            if self.visits(at) > self.parameters.ref and at not in self.added:
                ref = at
            node = self.nodes[at]
            if self.due > 0 and depth < len(self.held):
                place = node.moves.index(self.held[depth][1])
            else:
                place = self.select(at, ref)
            self.listed(state)
            playout.edges.append((at, node.moves[place]))
            playout.choices.append(node.codes)
            self.step(playout, state, node.moves[place])
            if self.parameters.rule == FLAT:
                return
            way = [*node.way, node.codes[place]]
            at = int(key(self.instance, state))
            if self.due > 0 and at not in self.nodes:
                self.added.add(at)
            self.nodes.setdefault(at, Node(way))

    def go_on(self, playout: Playout) -> None:
        """Begin a second tree at the state that a playout has added, or end one."""
        self.due -= self.due > 0
        if self.due == 0 and self.held:
            for state in self.added:
                del self.nodes[state]
            for one in self.playouts:
                one.states = [NOWHERE if at in self.added else at for at in one.states]
                one.edges = [(NOWHERE if at in self.added else at, a) for at, a in one.edges]
            self.held, self.added = [], set()
        elif self.due == 0 and len(playout.codes) > len(playout.edges) < len(playout.states):
            self.due = self.parameters.leaf_playouts - 1
            self.held = list(playout.edges) if self.due else []

    def search(self, playouts: int) -> None:
        """Make playouts from the start of the game."""
        start, state = (self.game.new_state(self.instance) for _ in range(2))
        reset(self.instance, start)
        self.root = int(key(self.instance, start))
        self.nodes = {self.root: Node([])}
        for _ in range(playouts):
            copy_state(self.instance, start, state)
            playout = Playout([], [], [], [], [])
            self.descend(playout, state)
            while moves := self.listed(state):
                self.step(playout, state, self.draw(playout, state, moves))
            worth = np.zeros(self.game.players(self.instance))
            rewards(self.instance, state, worth)
            playout.rewards = worth.tolist()
            self.playouts.append(playout)
            self.go_on(playout)
