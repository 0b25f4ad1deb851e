"""Rules of Morpion Solitaire: the legal lines, the effect of a line, and the score."""

from __future__ import annotations

from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.rules import Moves
from solver.domains.morpion.board import (
    N_LISTED,
    PLY,
    Morpion,
    MorpionState,
    copy_sheet,
    draw_line,
    missing_dot,
)


@rules.reset.register(Morpion)
def reset(instance: Morpion, state: MorpionState) -> None:
    copy_sheet(instance.start, state)
    _copy_moves(instance.start, state)


@rules.copy_state.register(Morpion)
def copy_state(instance: Morpion, source: MorpionState, target: MorpionState) -> None:
    copy_sheet(source, target)
    _copy_moves(source, target)


@inlined
def _copy_moves(source: MorpionState, target: MorpionState) -> None:
    for ply in range(source.scalars[PLY]):
        target.line[ply] = source.line[ply]
        target.place[ply] = source.place[ply]


@rules.legal_moves.register(Morpion)
def legal_moves(instance: Morpion, state: MorpionState, stream: Stream, moves: Moves) -> int:
    n = state.scalars[N_LISTED]
    for index in range(n):
        moves[index] = state.listed[index]
    return n


@rules.play.register(Morpion)
def play(instance: Morpion, state: MorpionState, move: int) -> None:
    scalars = state.scalars
    place = missing_dot(state.dot, move)
    ply = scalars[PLY]
    state.line[ply] = move
    state.place[ply] = place
    scalars[PLY] = ply + 1
    scalars[N_LISTED] = draw_line(
        state.on_line, state.dot, state.listed, scalars[N_LISTED], move, place, instance.reach
    )


@rules.score.register(Morpion)
def score(instance: Morpion, state: MorpionState) -> float:
    return float(state.scalars[PLY])


@rules.code.register(Morpion)
def code(instance: Morpion, state: MorpionState, move: int) -> int:
    return move


@rules.is_solution_move.register(Morpion)
def is_solution_move(
    instance: Morpion, state: MorpionState, solution: Moves, step: int, move: int
) -> bool:
    return bool(step < len(solution) and solution[step] == move)
