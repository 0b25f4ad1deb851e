"""Connect Four: stones fall down a column; four in a row win, a full board is a draw.

`solve docs/examples/connect_four.py --play`. A game in one file, as docs/add-a-game.md makes one.
"""

from typing import NamedTuple

import numpy as np

from solver.extend import Game, InputError, Limits, Problem, inlined, rules

ROWS, COLUMNS, FOUR = 6, 7, 4
WIDTH = COLUMNS + 1  # a column of rim on the right, rows of rim above and below
FREE, RIM = 0, 3
STEPS = (1, WIDTH - 1, WIDTH, WIDTH + 1)
TURN, WINNER = 0, 1


class Position(NamedTuple):
    cells: np.ndarray  # int64[ROWS, COLUMNS], from above: 0 where free, 1 for x, 2 for o


class Board(NamedTuple):
    cells: np.ndarray  # int64[(ROWS + 2) * WIDTH + 2]: the same inside the rim, from below
    height: np.ndarray  # int64[COLUMNS]: stones in a column
    numbers: np.ndarray  # int64[2]: who moves, and 1 + the winner, 0 without one


@inlined
def cell_of(state, column):
    """Where a stone comes to lie."""
    return (state.height[column] + 1) * WIDTH + column + 1


@inlined
def makes_four(state, cell, mark):
    for step in STEPS:
        n = 1
        for way in (-step, step):
            place = cell + way
            while state.cells[place] == mark:
                n += 1
                place += way
        if n >= FOUR:
            return True
    return False


@inlined
def set_stone(state, column, mark):
    cell = cell_of(state, column)
    if makes_four(state, cell, mark):
        state.numbers[WINNER] = mark
    state.cells[cell] = mark
    state.height[column] += 1


@rules.reset.register(Position)
def reset(instance, state):
    state.cells[:] = RIM
    state.height[:] = 0
    state.numbers[:] = 0
    for column in range(COLUMNS):
        for row in range(ROWS):
            state.cells[(row + 1) * WIDTH + column + 1] = FREE
    for row in range(ROWS - 1, -1, -1):
        for column in range(COLUMNS):
            if instance.cells[row, column] != FREE:
                set_stone(state, column, instance.cells[row, column])
                state.numbers[TURN] = 1 - state.numbers[TURN]


@rules.legal_moves.register(Position)
def legal_moves(instance, state, stream, moves):
    n = 0
    if state.numbers[WINNER] == 0:
        for column in range(COLUMNS):
            if state.height[column] < ROWS:
                moves[n] = column
                n += 1
    return n


@rules.player.register(Position)
def player(instance, state):
    return state.numbers[TURN]


@rules.play.register(Position)
def play(instance, state, move):
    set_stone(state, move, 1 + state.numbers[TURN])
    state.numbers[TURN] = 1 - state.numbers[TURN]


@rules.rewards.register(Position)
def rewards(instance, state, rewards):
    winner = state.numbers[WINNER]
    for number in range(2):
        rewards[number] = 1.0 * (winner == number + 1) if winner > 0 else 0.5


@rules.code.register(Position)
def code(instance, state, move):
    return ROWS * (COLUMNS * state.numbers[TURN] + move) + state.height[move]


@inlined
def winning_move(state, mark):
    if state.numbers[WINNER] == 0:
        for column in range(COLUMNS):
            if state.height[column] < ROWS and makes_four(state, cell_of(state, column), mark):
                return column
    return -1


@rules.decisive_move.register(Position)
def decisive_move(instance, state):
    return winning_move(state, 1 + state.numbers[TURN])


@rules.saving_move.register(Position)
def saving_move(instance, state):
    return winning_move(state, 2 - state.numbers[TURN])


class ConnectFour(Game):
    """Positions as lines of `.`, `x` and `o`; moves as letters of columns."""

    name = "connect-four"
    instance_class = Position
    player_names = "xo"

    def start(self, options):
        return Problem("start", np.zeros((ROWS, COLUMNS), np.int64))

    def parse(self, text, source):
        lines = text.split()
        if len(lines) != ROWS or any(
            len(line) != COLUMNS or set(line) - set(".xo") for line in lines
        ):
            raise InputError(f"{source}: expected {ROWS} lines of {COLUMNS}, each of . x o")
        cells = np.array([[".xo".index(mark) for mark in line] for line in lines], np.int64)
        if (np.diff((cells > 0).astype(int), axis=0) < 0).any():
            raise InputError(f"{source}: a stone hangs in the air")
        if not 0 <= (cells == 1).sum() - (cells == 2).sum() <= 1:
            raise InputError(f"{source}: x begins, and stones are set in turns")
        return [Problem(source, cells)]

    def format_problem(self, problem):
        return "".join("".join(".xo"[mark] for mark in row) + "\n" for row in problem.data)

    def format_move(self, instance, state, move):
        return "abcdefg"[move]

    def position(self, instance, state):
        inner = state.cells[: (ROWS + 2) * WIDTH].reshape(ROWS + 2, WIDTH)
        return inner[1:-1, 1:][::-1].copy()

    def instance(self, problem, options):
        return Position(np.array(problem.data, np.int64))

    def new_state(self, instance):
        area = (ROWS + 2) * WIDTH + 2
        return Board(np.zeros(area, np.int64), np.zeros(COLUMNS, np.int64), np.zeros(2, np.int64))

    def limits(self, instance):
        cells = ROWS * COLUMNS
        return Limits(steps=cells, moves=COLUMNS, choices=cells * COLUMNS, codes=2 * cells)
