"""Draws of the moves of a playout: uniform, by a prior, by a policy that learns, or by both."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.generic import generic_with_default
from solver.compiling.jit import inlined
from solver.compiling.memory import unshared_zeros
from solver.compiling.random import Stream, next_uniform
from solver.contract.domain import Limits
from solver.contract.rules import code, draw_move, legal_moves, odds
from solver.kernels.arguments import Off
from solver.kernels.bounds import CHOICES, CODES, note_broken
from solver.kernels.tree.arrays import Ints, Scratch, Searched, Tree
from solver.kernels.tree.policies.policy import Made, learn_playout, move_weight


class Learner(NamedTuple):
    """A policy, and the moves that there were below the tree."""

    policy: Any
    choices: Ints
    """int32[choices]: their codes."""
    begin: Ints
    """int32[steps + 2]: where those of a step begin."""
    codes: int
    """Number of codes."""


@inlined
def _drawn(scratch: Scratch, n: int, total: float, stream: Stream) -> int:
    """Draw one of the first `n` values of `scratch`, which add up to `total`, in proportion."""
    rest, drawn = next_uniform(stream) * total, 0
    while drawn < n - 1:
        rest -= scratch.values[drawn]
        if rest < 0.0:
            break
        drawn += 1
    return drawn


@generic_with_default
def draw(prior: Any, searched: Searched, scratch: Scratch, stream: Stream) -> int:
    """Draw a move by the odds of `prior` into `scratch.moves[0]`, return how many are possible."""
    instance, state, moves = searched.instance, searched.state, scratch.moves
    n = legal_moves(instance, state, stream, moves)
    if n < 2 or n > len(moves):
        return n
    total = 0.0
    for place in range(n):
        scratch.values[place] = odds(prior, instance, state, moves[place])
        total += scratch.values[place]
    moves[0] = moves[_drawn(scratch, n, total, stream)]
    return n


@draw.register(Off)
def _draw_any(prior: Off, searched: Searched, scratch: Scratch, stream: Stream) -> int:
    return draw_move(searched.instance, searched.state, stream, scratch.moves)


def new_learner(policy: Any, limits: Limits, codes: int) -> Learner:
    """Allocate what a policy of so many codes is told."""
    choices = unshared_zeros((limits.choices + 1,), np.int32)
    return Learner(policy, choices, unshared_zeros((limits.steps + 2,), np.int32), codes)


def forget(learner: Learner | Off) -> None:
    """Make a policy one that has learned nothing."""
    if not isinstance(learner, Off):
        for array in learner.policy:
            if isinstance(array, np.ndarray):
                array[:] = 0


@generic_with_default
def begin_playout(learner: Any, step: int) -> None:
    """Note that a playout leaves the tree at a step."""
    learner.begin[step] = 0


@begin_playout.register(Off)
def _begin_nothing(learner: Off, step: int) -> None:
    return


@generic_with_default
def pass_step(learner: Any, step: int) -> None:
    """Note that the move of a step was not chosen."""
    learner.begin[step + 1] = learner.begin[step]


@pass_step.register(Off)
def _pass_nothing(learner: Off, step: int) -> None:
    return


@generic_with_default
def draw_move_by(
    learner: Any, searched: Searched, scratch: Scratch, stream: Stream, step: int
) -> int:
    """Draw a move into `scratch.moves[0]`, return how many are possible."""
    instance, state, moves = searched.instance, searched.state, scratch.moves
    n = legal_moves(instance, state, stream, moves)
    first = learner.begin[step]
    learner.begin[step + 1] = first
    if n < 1 or n > len(moves):
        return n
    if first + n > len(learner.choices):
        note_broken(searched.broken, CHOICES, first + n, len(learner.choices) - 1)
        return 0
    total = 0.0
    for place in range(n):
        of_move = np.int32(code(instance, state, moves[place]) & searched.mask)
        if not 0 <= of_move < learner.codes:
            note_broken(searched.broken, CODES, int(of_move), learner.codes)
            return 0
        learner.choices[first + place] = of_move
        weight = move_weight(learner.policy, scratch.code, step, of_move)
        weight *= odds(searched.guides.playouts, instance, state, moves[place])
        scratch.values[place] = weight
        total += weight
    learner.begin[step + 1] = first + n
    if n > 1:
        moves[0] = moves[_drawn(scratch, n, total, stream)]
    return n


@draw_move_by.register(Off)
def _draw_by_prior(
    learner: Off, searched: Searched, scratch: Scratch, stream: Stream, step: int
) -> int:
    return draw(searched.guides.playouts, searched, scratch, stream)


@generic_with_default
def tell_playout(
    learner: Any, searched: Searched, tree: Tree, scratch: Scratch, depth: int, steps: int
) -> None:
    """Tell the policy of a playout."""
    worth = searched.worth
    made = Made(
        steps,
        scratch.code,
        scratch.player,
        scratch.rewards,
        worth[0],
        worth[1] - worth[0],
        depth,
        tree,
        scratch.nodes,
        learner.choices,
        learner.begin,
    )
    learn_playout(learner.policy, made)


@tell_playout.register(Off)
def _learn_nothing(
    learner: Off, searched: Searched, tree: Tree, scratch: Scratch, depth: int, steps: int
) -> None:
    return


@generic_with_default
def learns(learner: Any) -> bool:
    """Return whether codes are to be noted for a policy."""
    return True


@learns.register(Off)
def _learns_not(learner: Off) -> bool:
    return False
