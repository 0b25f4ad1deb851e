"""Connect Four: stones fall down a column; four in a row win, a full board is a draw.

`solve docs/examples/connect_four.py --play`. A game in one file, as docs/add-a-game.md makes one.
The stones of a player are the bits of a word, column after column from below, so that shifts look
at all cells together.
"""

from typing import NamedTuple

import numpy as np

from solver.extend import Game, InputError, Limits, Problem, inlined, lowest_one, rules

ROWS, COLUMNS = 6, 7
HEIGHT = ROWS + 1  # of a column of bits; the highest stays free
NONE, ONE, TWO, THREE = (np.uint64(n) for n in range(4))
BOTTOM = np.uint64(sum(1 << HEIGHT * column for column in range(COLUMNS)))
BOARD = np.uint64(int(BOTTOM) * ((1 << ROWS) - 1))
STEPS = tuple(np.uint64(step) for step in (1, HEIGHT - 1, HEIGHT, HEIGHT + 1))
TURN, WINNER = 0, 1


class Position(NamedTuple):
    cells: np.ndarray  # int64[ROWS, COLUMNS], from above: 0 where free, 1 for x, 2 for o


class Board(NamedTuple):
    stones: np.ndarray  # uint64[2]: those of x and of o
    numbers: np.ndarray  # int64[2]: who moves, and 1 + the winner, 0 without one


@inlined
def possible_cells(state):
    """Cells where the next stone of each column comes to lie."""
    return ((state.stones[0] | state.stones[1]) + BOTTOM) & BOARD


@inlined
def has_four(stones):
    for step in STEPS:
        pairs = stones & (stones >> step)
        if pairs & (pairs >> TWO * step) != NONE:
            return True
    return False


@inlined
def fourth_cells(stones):
    """Cells that make four with three of the stones, free or not."""
    found = NONE
    for step in STEPS:
        below, above = stones << step, stones >> step
        pairs = below & (stones << TWO * step)
        found |= pairs & (above | (stones << THREE * step))
        pairs = above & (stones >> TWO * step)
        found |= pairs & (below | (stones >> THREE * step))
    return found


@inlined
def set_stone(state, column, mover):
    of_column = np.uint64((1 << ROWS) - 1) << np.uint64(HEIGHT * column)
    state.stones[mover] |= possible_cells(state) & of_column
    if has_four(state.stones[mover]):
        state.numbers[WINNER] = 1 + mover


@rules.reset.register(Position)
def reset(instance, state):
    state.stones[:] = NONE
    state.numbers[:] = 0
    for row in range(ROWS - 1, -1, -1):
        for column in range(COLUMNS):
            if instance.cells[row, column] > 0:
                set_stone(state, column, instance.cells[row, column] - 1)
                state.numbers[TURN] = 1 - state.numbers[TURN]


@rules.legal_moves.register(Position)
def legal_moves(instance, state, stream, moves):
    n = 0
    if state.numbers[WINNER] == 0:
        cells = possible_cells(state)
        while cells != NONE:
            moves[n] = lowest_one(cells) // HEIGHT
            cells &= cells - ONE
            n += 1
    return n


@rules.player.register(Position)
def player(instance, state):
    return state.numbers[TURN]


@rules.play.register(Position)
def play(instance, state, move):
    set_stone(state, move, state.numbers[TURN])
    state.numbers[TURN] = 1 - state.numbers[TURN]


@rules.rewards.register(Position)
def rewards(instance, state, rewards):
    winner = state.numbers[WINNER]
    for number in range(2):
        rewards[number] = 1.0 * (winner == number + 1) if winner > 0 else 0.5


@rules.code.register(Position)
def code(instance, state, move):
    above = (possible_cells(state) >> np.uint64(HEIGHT * move)) & BOARD
    return ROWS * (COLUMNS * state.numbers[TURN] + move) + lowest_one(above)


@inlined
def winning_move(state, mover):
    cells = possible_cells(state) & fourth_cells(state.stones[mover])
    if state.numbers[WINNER] > 0 or cells == NONE:
        return -1
    return lowest_one(cells) // HEIGHT


@rules.decisive_move.register(Position)
def decisive_move(instance, state):
    return winning_move(state, state.numbers[TURN])


@rules.saving_move.register(Position)
def saving_move(instance, state):
    return winning_move(state, 1 - state.numbers[TURN])


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
        cells = np.zeros((ROWS, COLUMNS), np.int64)
        for mark, stones in enumerate(state.stones, 1):
            for column in range(COLUMNS):
                for row in range(ROWS):
                    cells[ROWS - 1 - row, column] += mark * (
                        int(stones) >> HEIGHT * column + row & 1
                    )
        return cells

    def instance(self, problem, options):
        return Position(np.array(problem.data, np.int64))

    def new_state(self, instance):
        return Board(np.zeros(2, np.uint64), np.zeros(2, np.int64))

    def limits(self, instance):
        cells = ROWS * COLUMNS
        return Limits(steps=cells, moves=COLUMNS, choices=cells * COLUMNS, codes=2 * cells)
