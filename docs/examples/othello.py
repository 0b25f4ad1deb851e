"""Othello, with passes: who cannot turn a disc is passed over, and most discs win.

`solve docs/examples/othello.py --seconds 2`. A game in one file, as docs/add-a-game.md makes one: a
pass is no move, `play` goes on to the next player who has one. The discs of a player are the bits
of a word, cell a1 the lowest, so that all cells are looked at together.
"""

import math
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from solver.extend import (
    Game,
    InputError,
    Limits,
    PriorCode,
    Problem,
    count_ones,
    inlined,
    lowest_one,
    next_place,
    rules,
    table_odds,
)

SIZE = 8
AREA = SIZE * SIZE
NOBODY = 2  # in the place of who moves, once the game is over
NONE, ONE = np.uint64(0), np.uint64(1)
INNER = np.uint64(0x7E7E7E7E7E7E7E7E)  # all columns but a and h, where a row of discs must end
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
# How many bits it is to the next cell, and which cells may lie between.
WAYS = (
    (np.uint64(1), INNER),
    (np.uint64(SIZE - 1), INNER),
    (np.uint64(SIZE), ALL),
    (np.uint64(SIZE + 1), INNER),
)
# What the prior sees of a cell: its kind, which turns and mirrors leave; the nearest corner; on an
# edge the next two cells there, that towards the corner first; elsewhere all cells around it.
KINDS = 10
KIND, CORNER = np.zeros((2, AREA), np.int64)
TOWARDS, AWAY = np.full((2, AREA), -1)
AROUND = np.zeros(AREA, np.uint64)
for cell in range(AREA):
    row, column = divmod(cell, SIZE)
    near, far = sorted(min(at, SIZE - 1 - at) for at in (row, column))
    KIND[cell] = near + far * (far + 1) // 2
    lower, right = 2 * row // SIZE, 2 * column // SIZE
    CORNER[cell] = (SIZE - 1) * (SIZE * lower + right)
    to_row, to_column = SIZE - 2 * SIZE * lower, 1 - 2 * right
    if far == 0:
        TOWARDS[cell], AWAY[cell] = cell + to_column, cell + to_row
    elif near == 0:
        step = to_column if row in (0, SIZE - 1) else to_row
        TOWARDS[cell], AWAY[cell] = cell - step, cell + step
    else:
        for other in (0, 1, SIZE + 1, SIZE, SIZE - 1):
            AROUND[cell] |= ONE << np.uint64(cell + other) | ONE << np.uint64(cell - other)
# The chance of who moves, set by hand: its logit for each move, each corner, and each disc beside a
# free corner that he has more than the other. These are steps from corners, and cells there.
MOVE, CORNER_DISC = 0.12, 1.0
CORNERS = np.uint64(0x8100000000000081)
BESIDE = (
    (np.uint64(1), np.uint64(0x4200000000000042), -0.2),
    (np.uint64(SIZE), np.uint64(0x0081000000008100), -0.2),
    (np.uint64(SIZE - 1), np.uint64(0x0042000000004200), -0.6),
    (np.uint64(SIZE + 1), np.uint64(0x0042000000004200), -0.6),
)
FEW = 12  # free cells from which on playouts tell more


class Position(NamedTuple):
    cells: np.ndarray  # int64[8, 8], from above: 0 where free, 1 for x, 2 for o
    turn: int


class Board(NamedTuple):
    discs: np.ndarray  # uint64[2]: those of x and of o
    possible: np.ndarray  # uint64[1]: where who moves can set a disc
    turn: np.ndarray  # int64[1]: 0 for x, 1 for o, NOBODY


class PlaceTable(NamedTuple):
    """Place of the cell, the holder of the corner, and those beside."""

    table: np.ndarray


PLACE = PriorCode("place", {"cell": KINDS, "corner": 3, "beside": 9}, PlaceTable)


@inlined
def rows_from(discs, between, step):
    """Discs of `between` in rows that begin beside one of `discs`, upwards and downwards."""
    up, down = (discs << step) & between, (discs >> step) & between
    for _ in range(SIZE - 3):
        up |= (up << step) & between
        down |= (down >> step) & between
    return up, down


@inlined
def possible_cells(own, other):
    """Cells where a disc turns others: behind a row of the other's that begins at an own one."""
    found = NONE
    for step, inside in WAYS:
        up, down = rows_from(own, other & inside, step)
        found |= (up << step) | (down >> step)
    return found & ~(own | other)


@inlined
def turned_discs(own, other, disc):
    """Discs of the other that a new disc turns."""
    found = NONE
    for step, inside in WAYS:
        up, down = rows_from(disc, other & inside, step)
        if (up << step) & own != NONE:
            found |= up
        if (down >> step) & own != NONE:
            found |= down
    return found


@inlined
def find_mover(state, first):
    """Let `first` move if he can, else the other, else nobody."""
    state.turn[0], second = first, 1 - first
    state.possible[0] = possible_cells(state.discs[first], state.discs[second])
    if state.possible[0] == NONE:
        state.turn[0] = second
        state.possible[0] = possible_cells(state.discs[second], state.discs[first])
        if state.possible[0] == NONE:
            state.turn[0] = NOBODY


@rules.reset.register(Position)
def reset(instance, state):
    state.discs[:] = NONE
    for cell in range(AREA):
        mark = instance.cells[cell // SIZE, cell % SIZE]
        if mark > 0:
            state.discs[mark - 1] |= ONE << np.uint64(cell)
    find_mover(state, instance.turn)


@rules.legal_moves.register(Position)
def legal_moves(instance, state, stream, moves):
    n, rest = 0, state.possible[0]
    while rest != NONE:
        moves[n] = lowest_one(rest)
        rest &= rest - ONE
        n += 1
    return n


@rules.draw_move.register(Position)
def draw_move(instance, state, stream, moves):
    rest = state.possible[0]
    n = count_ones(rest)
    if n > 0:
        for _ in range(next_place(stream, n)):
            rest &= rest - ONE
        moves[0] = lowest_one(rest)
    return n


@rules.player.register(Position)
def player(instance, state):
    return state.turn[0] % 2


@rules.play.register(Position)
def play(instance, state, move):
    own, disc = state.turn[0], ONE << np.uint64(move)
    turned = turned_discs(state.discs[own], state.discs[1 - own], disc)
    state.discs[own] |= turned | disc
    state.discs[1 - own] ^= turned
    find_mover(state, 1 - own)


@rules.rewards.register(Position)
def rewards(instance, state, rewards):
    ahead = count_ones(state.discs[0]) - count_ones(state.discs[1])
    rewards[0] = 0.5 if ahead == 0 else 1.0 * (ahead > 0)
    rewards[1] = 1.0 - rewards[0]


@inlined
def more_discs(own, other, cells):
    """Difference of the numbers of some cells that the players have."""
    return count_ones(own & cells) - count_ones(other & cells)


@rules.estimate.register(Position)
def estimate(instance, state, rewards):
    mover = state.turn[0]
    own, other = state.discs[mover % 2], state.discs[1 - mover % 2]
    free = ~(own | other)
    if mover == NOBODY or count_ones(free) <= FEW:
        return False
    corners = free & CORNERS
    logit = MOVE * (count_ones(state.possible[0]) - count_ones(possible_cells(other, own)))
    logit += CORNER_DISC * more_discs(own, other, CORNERS)
    for step, cells, weight in BESIDE:
        beside = (corners << step | corners >> step) & cells
        logit += weight * more_discs(own, other, beside)
    rewards[mover] = 1.0 / (1.0 + math.exp(-logit))
    rewards[1 - mover] = 1.0 - rewards[mover]
    return True


@rules.code.register(Position)
def code(instance, state, move):
    return AREA * state.turn[0] + move


@inlined
def holder(own, other, cell):
    """0 where a cell is free, 1 for a disc of who moves, 2 for one of the other's."""
    place = np.uint64(cell)
    return int((own >> place & ONE) + np.uint64(2) * (other >> place & ONE))


@rules.prior_code.register(PlaceTable)
def place_code(prior, instance, state, move):
    own, other = state.discs[state.turn[0]], state.discs[1 - state.turn[0]]
    if TOWARDS[move] >= 0:
        towards, away = holder(own, other, TOWARDS[move]), holder(own, other, AWAY[move])
        beside = 3 * towards + away
        if KIND[move] == 0:
            beside = max(beside, 3 * away + towards)
    else:
        beside = count_ones(AROUND[move] & ~(own | other))
    return (KIND[move] * 3 + holder(own, other, CORNER[move])) * 9 + beside


rules.odds.register(PlaceTable)(table_odds)


class Othello(Game):
    """Positions as lines of `.`, `x` and `o`, and who moves; moves as cells, d3."""

    name = "othello"
    instance_class = Position
    player_names = "xo"
    priors = MappingProxyType({"place": PLACE})
    shipped_prior = "othello.parquet"  # a file beside this one
    search, search_parameters = "puct", MappingProxyType({"exploration": 0.4, "estimates": True})

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
        row, column = divmod(move, SIZE)
        return "abcdefgh"[column] + str(row + 1)

    def position(self, instance, state):
        cells = [[int(discs) >> cell & 1 for cell in range(AREA)] for discs in state.discs]
        marks = np.array(cells[0]) + 2 * np.array(cells[1])
        return Position(marks.reshape(SIZE, SIZE), int(state.turn[0]) % 2)

    def instance(self, problem, options):
        return Position(np.array(problem.data.cells, np.int64), int(problem.data.turn))

    def new_state(self, instance):
        return Board(np.zeros(2, np.uint64), np.zeros(1, np.uint64), np.zeros(1, np.int64))

    def limits(self, instance):
        free = int((instance.cells == 0).sum())
        return Limits(steps=free, moves=free, choices=free * (free + 1) // 2, codes=2 * AREA)
