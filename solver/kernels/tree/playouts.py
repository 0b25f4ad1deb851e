"""The part of a playout that is below the tree."""

from __future__ import annotations

from solver.compiling.jit import called, inlined
from solver.compiling.random import Stream
from solver.contract.rules import code, play, player, urgent_move
from solver.kernels.bounds import MOVES, STEPS, Broken, note_broken
from solver.kernels.tree.arrays import Scratch, Searched
from solver.kernels.tree.policies.draws import begin_playout, draw_move_by, pass_step
from solver.kernels.tree.puzzles import note_move


@called
def note_beyond(broken: Broken, n: int, moves: int, step: int, steps: int) -> None:
    """Note that `n` moves, or a move at `step`, are more than there may be."""
    if not 0 <= n <= moves:
        note_broken(broken, MOVES, n, moves)
    else:
        note_broken(broken, STEPS, step + 1, steps)


@inlined
def play_out(
    searched: Searched, scratch: Scratch, stream: Stream, step: int, noted: bool, decisive: bool
) -> int:
    """Play to an end, by urgent moves if `decisive`; returns the steps made in all.

    Codes are written into `scratch` if `noted`.
    """
    instance, state = searched.instance, searched.state
    begin_playout(scratch.learner, step)
    while True:
        n, urgent = 1, -1
        if decisive:
            urgent = urgent_move(instance, state)
        if urgent >= 0:
            scratch.moves[0] = urgent
            pass_step(scratch.learner, step)
        else:
            n = draw_move_by(scratch.learner, searched, scratch, stream, step)
        if not 0 < n <= len(scratch.moves) or step >= len(scratch.code):
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
