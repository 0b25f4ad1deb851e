"""The part of a playout that is below the tree."""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic_with_default
from solver.compiling.jit import called, inlined
from solver.compiling.random import Stream, next_uniform
from solver.contract.rules import code, draw_move, legal_moves, odds, play, player, urgent_move
from solver.kernels.arguments import Off
from solver.kernels.bounds import MOVES, STEPS, Broken, note_broken
from solver.kernels.tree.arrays import Scratch, Searched
from solver.kernels.tree.puzzles import note_move


@called
def note_beyond(broken: Broken, n: int, moves: int, step: int, steps: int) -> None:
    """Note that `n` moves, or a move at `step`, are more than there may be."""
    if not 0 <= n <= moves:
        note_broken(broken, MOVES, n, moves)
    else:
        note_broken(broken, STEPS, step + 1, steps)


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
    rest, drawn = next_uniform(stream) * total, 0
    while drawn < n - 1:
        rest -= scratch.values[drawn]
        if rest < 0.0:
            break
        drawn += 1
    moves[0] = moves[drawn]
    return n


@draw.register(Off)
def _draw_any(prior: Off, searched: Searched, scratch: Scratch, stream: Stream) -> int:
    return draw_move(searched.instance, searched.state, stream, scratch.moves)


@inlined
def play_out(
    searched: Searched, scratch: Scratch, stream: Stream, step: int, noted: bool, decisive: bool
) -> int:
    """Play to an end, by urgent moves if `decisive`; returns the steps made in all.

    Codes are written into `scratch` if `noted`.
    """
    instance, state = searched.instance, searched.state
    while True:
        n, urgent = 1, -1
        if decisive:
            urgent = urgent_move(instance, state)
        if urgent >= 0:
            scratch.moves[0] = urgent
        else:
            n = draw(searched.guides.playouts, searched, scratch, stream)
        if not 0 < n <= len(scratch.moves) or (noted and step >= len(scratch.code)):
            break
        move = scratch.moves[0]
        if noted:
            scratch.code[step] = code(instance, state, move) & searched.mask
            scratch.player[step] = player(instance, state)
        note_move(searched.kept, step, move)
        play(instance, state, move)
        step += 1
    if n != 0:
        note_beyond(searched.broken, n, len(scratch.moves), step, len(scratch.code))
    return step
