"""Othello, with passes: who cannot turn a disc is passed over, and most discs win.

`solve docs/examples/othello.py --seconds 2`. A game in one file, as docs/add-a-game.md makes one: a
pass is no move, `play` goes on to the next player who has one.
"""

from typing import NamedTuple

import numpy as np

from solver.extend import Game, InputError, Limits, Problem, inlined, rules

SIZE, WIDTH = 8, 10  # a rim around the board
AREA = WIDTH * WIDTH
FREE, RIM = 0, 3
STEPS = (-WIDTH - 1, -WIDTH, -WIDTH + 1, -1, 1, WIDTH - 1, WIDTH, WIDTH + 1)
NOBODY = 2  # in the place of who moves, once the game is over


class Position(NamedTuple):
    cells: np.ndarray  # int64[8, 8], from above: 0 where free, 1 for x, 2 for o
    turn: int


class Board(NamedTuple):
    cells: np.ndarray  # int64[AREA]
    turn: np.ndarray  # int64[1]: 0 for x, 1 for o, NOBODY


@inlined
def turned(state, cell, mark, step):
    """How many discs a disc on `cell` turns in a direction."""
    n, place = 0, cell + step
    while state.cells[place] == 3 - mark:
        n += 1
        place += step
    return n if state.cells[place] == mark else 0


@inlined
def is_possible(state, cell, mark):
    if state.cells[cell] != FREE:
        return False
    for step in STEPS:
        if turned(state, cell, mark, step) > 0:
            return True
    return False


@inlined
def can_move(state, mark):
    for cell in range(WIDTH + 1, AREA - WIDTH - 1):
        if is_possible(state, cell, mark):
            return True
    return False


@inlined
def find_mover(state, first):
    """Let `first` move if he can, else the other, else nobody."""
    state.turn[0] = NOBODY
    if can_move(state, 1 + first):
        state.turn[0] = first
    elif can_move(state, 2 - first):
        state.turn[0] = 1 - first


@rules.reset.register(Position)
def reset(instance, state):
    state.cells[:] = RIM
    for row in range(SIZE):
        for column in range(SIZE):
            state.cells[(row + 1) * WIDTH + column + 1] = instance.cells[row, column]
    find_mover(state, instance.turn)


@rules.legal_moves.register(Position)
def legal_moves(instance, state, stream, moves):
    n = 0
    if state.turn[0] != NOBODY:
        for cell in range(WIDTH + 1, AREA - WIDTH - 1):
            if is_possible(state, cell, 1 + state.turn[0]):
                moves[n] = cell
                n += 1
    return n


@rules.player.register(Position)
def player(instance, state):
    return state.turn[0] % 2


@rules.play.register(Position)
def play(instance, state, move):
    mark = 1 + state.turn[0]
    for step in STEPS:
        n = turned(state, move, mark, step)
        for number in range(1, n + 1):
            state.cells[move + number * step] = mark
    state.cells[move] = mark
    find_mover(state, 2 - mark)


@rules.rewards.register(Position)
def rewards(instance, state, rewards):
    ahead = 0
    for cell in range(AREA):
        ahead += 1 * (state.cells[cell] == 1) - 1 * (state.cells[cell] == 2)
    rewards[0] = 0.5 if ahead == 0 else 1.0 * (ahead > 0)
    rewards[1] = 1.0 - rewards[0]


@rules.code.register(Position)
def code(instance, state, move):
    return AREA * state.turn[0] + move


class Othello(Game):
    """Positions as lines of `.`, `x` and `o`, and who moves; moves as cells, d3."""

    name = "othello"
    instance_class = Position
    player_names = "xo"

    def start(self, options):
        cells = np.zeros((SIZE, SIZE), np.int64)
        cells[3, 4] = cells[4, 3] = 1
        cells[3, 3] = cells[4, 4] = 2
        return Problem("start", Position(cells, 0))

    def parse(self, text, source):
        *lines, last = text.strip().splitlines() or [""]
        fits = [len(line) == SIZE and set(line) <= set(".xo") for line in lines]
        if len(lines) != SIZE or not all(fits):
            raise InputError(f"{source}: expected {SIZE} lines of {SIZE}, each of . x o")
        if last not in ("x to move", "o to move"):
            raise InputError(f"{source}: expected a last line, 'x to move' or 'o to move'")
        cells = [[".xo".index(mark) for mark in line] for line in lines]
        return [Problem(source, Position(np.array(cells, np.int64), "xo".index(last[0])))]

    def format_problem(self, problem):
        lines = ["".join(".xo"[mark] for mark in row) for row in problem.data.cells]
        return "\n".join([*lines, f"{'xo'[problem.data.turn]} to move"]) + "\n"

    def format_move(self, instance, state, move):
        row, column = divmod(move, WIDTH)
        return "abcdefgh"[column - 1] + str(row)

    def position(self, instance, state):
        cells = state.cells.reshape(WIDTH, WIDTH)[1:-1, 1:-1].copy()
        return Position(cells, int(state.turn[0]) % 2)

    def instance(self, problem, options):
        return Position(np.array(problem.data.cells, np.int64), int(problem.data.turn))

    def new_state(self, instance):
        return Board(np.zeros(AREA, np.int64), np.zeros(1, np.int64))

    def limits(self, instance):
        free = int((instance.cells == FREE).sum())
        return Limits(steps=free, moves=free, choices=free * (free + 1) // 2, codes=2 * AREA)
