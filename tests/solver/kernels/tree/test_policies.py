"""Policies of playouts, against plain ones that are computed anew from all playouts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import TreeAlgorithm, Uct
from solver.compiling.random import new_stream
from solver.errors import InputError
from solver.games import load_game
from solver.kernels.tree.run import UNGUIDED, TreeRun
from solver.priors.priors import Prior
from solver.searching.analysis import guides_by
from tests.solver.kernels.tree.plain_tree import PlainTree, Playout

PLAYOUTS = 60


def _mean(playouts: list[Playout], row: list[int], least: int) -> float | None:
    """Mean reward of who ends a row of moves, None where it was in fewer playouts."""
    n, worth = len(row), []
    for playout in playouts:
        for end in range(n, len(playout.codes) + 1):
            if playout.codes[end - n : end] == row:
                worth.append(playout.rewards[playout.players[end - 1]])
    return sum(worth) / len(worth) if len(worth) >= least else None


class PlainMast:
    def __init__(self, rate: float, longest: int = 1) -> None:
        self.rate, self.longest = rate, longest

    def weight(self, playouts: list[Playout], before: list[int], code: int) -> float:
        means = [_mean(playouts, [code], 1)]
        means[0] = 1.0 if means[0] is None else means[0]
        for back in range(1, min(self.longest - 1, len(before)) + 1):
            means.append(_mean(playouts, [*before[-back:], code], 7))
        known = [mean for mean in means if mean is not None]
        return math.exp(sum(known) / len(known) / self.rate)


class PlainPpa:
    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.weights: dict[int, float] = {}
        self.seen = 0

    def weight(self, playouts: list[Playout], before: list[int], code: int) -> float:
        for playout in playouts[self.seen :]:
            self._adapt(playout)
        self.seen = len(playouts)
        return math.exp(self.weights.get(code, 0.0))

    def _adapt(self, playout: Playout) -> None:
        old = dict(self.weights)
        for code, player, choices in zip(
            playout.codes, playout.players, playout.choices, strict=True
        ):
            others = [r for number, r in enumerate(playout.rewards) if number != player]
            if playout.rewards[player] <= max(others):
                continue
            total = sum(math.exp(old.get(one, 0.0)) for one in choices)
            self.weights[code] = self.weights.get(code, 0.0) + self.rate
            for one in choices:
                share = math.exp(old.get(one, 0.0)) / total
                self.weights[one] = self.weights.get(one, 0.0) - self.rate * share


PLAIN: dict[str, Callable[[], Any]] = {
    "mast": lambda: PlainMast(0.3),
    "nst": lambda: PlainMast(0.3, longest=3),
    "ppa": lambda: PlainPpa(0.3),
}
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("hex", {"size": 3, "first": "none"}),
    ("investment", {"units": 2, "players": 3, "codes": "exact"}),
]


def new_run(name: str, options: dict[str, Any], algorithm: TreeAlgorithm, guided: bool) -> TreeRun:
    game = load_game(name)
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    guides = UNGUIDED
    if guided:
        code = next(iter(game.priors.values()))
        table = code.table_class(np.random.default_rng(1).gamma(0.5, size=code.rows))
        guides = guides_by(Prior("random", table, 1.0), "playouts")
    policy = algorithm.new_policy
    return TreeRun(game, instance, algorithm.parameters, 1 << 28, guides, policy=policy)


@pytest.mark.parametrize(
    ("policy", "game", "guided"),
    [("mast", 0, True), ("nst", 0, False), ("ppa", 0, False), ("ppa", 1, False)],
)
def test_playouts_are_those_of_a_plain_policy(policy: str, game: int, guided: bool) -> None:
    """The same tree after as many playouts, with a prior in the playouts and without."""
    name, options = GAMES[game]
    run = new_run(name, options, Uct(policy=policy, policy_rate=0.3), guided)
    run.begin(new_stream(5))
    run.advance(PLAYOUTS)
    plain = PlainTree(
        load_game(name), run.searched.instance, run.parameters, new_stream(5),
        run.searched.guides, policy=PLAIN[policy](),
    )  # fmt: skip
    with np.errstate(over="ignore"):
        plain.search(PLAYOUTS)
    assert run.nodes == len(plain.nodes)
    for number in range(run.nodes):
        node = plain.nodes[int(run.tree.nodes.key[number])]
        found = [plain.own(int(run.tree.nodes.key[number]), m, node.mover) for m in node.moves]
        moves = run.moves_of(number)
        assert moves.visits.tolist() == [n for n, _ in found]


def test_what_was_learned_is_forgotten() -> None:
    """A second search with the same stream is the first, after pauses, too."""
    run = new_run(*GAMES[0], Uct(policy="ppa"), False)
    answers = []
    for pauses in ([400], [400], [150, 151, 400]):
        run.begin(new_stream(1))
        for playouts in pauses:
            run.advance(playouts)
        answers.append([*run.moves_of().visits.tolist(), run.nodes, *run.stream.tolist()])
    assert answers[0] == answers[1] == answers[2]


def test_a_wrong_policy_is_refused() -> None:
    """By name, and a rate without one."""
    with pytest.raises(InputError, match="policy is 'most', expected one of: uniform, mast"):
        Uct(policy="most")
    with pytest.raises(InputError, match="policy_rate has no effect on uniform playouts"):
        Uct(policy_rate=0.5)
