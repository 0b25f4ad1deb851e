"""Alpha-beta for Gomoku with threats: a peer that knows nothing of the rest.

Windows of five cells in a row are counted for each player. A cell's worth to a player is the sum
over windows without stones of the other, by how many the window has already; so moves are ordered,
and threats are seen: a cell in a window of four makes five, one in two windows of three an open
four or two fours. Positions in which somebody has such a cell are searched deeper, with the moves
alone that answer. The rest is usual: null windows, late moves searched less deep, a table of
positions, iterative deepening until a number of positions is searched.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

FIVE = 5
#: Worth of a window by its stones; sums of the smaller ones stay below the next larger.
THREE_BITS, FOUR_BITS = 12, 20
WORTH = np.array([1, 8, 60, 1 << THREE_BITS, 1 << FOUR_BITS, 0], np.int64)
#: Value of a window in the evaluation.
VALUE = np.array([0, 1, 6, 24, 60, 0], np.int64)
#: Value of a move in the evaluation: who moves is ahead by that.
TEMPO = 20
WIN = 1_000_000
#: Of a node that was not searched to its end.
STOPPED = 10 * WIN
#: Most moves of a quiet position, plies of a line, and deepest search of the start.
WIDTH, LONGEST, DEEPEST = 14, 60, 30
#: Plies beyond the depth in which answers to threats are searched.
BEYOND = 10
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
TABLE_BITS = 20
#: Of `Position.numbers`: who moves, nodes, the limit of them, stones; then windows of four stones
#: of both players, and sums of the values of all windows.
MOVER, NODES, LIMIT, STONES, FOURS, SUMS = 0, 1, 2, 3, 4, 6

Longs = npt.NDArray[np.int64]


class Position(NamedTuple):
    """Board with counts of windows, and the memory of a search."""

    owner: Longs
    """int64[cells]: 0 or 1, -1 where free."""
    windows: Longs
    """int64[windows, 5]: their cells."""
    through: Longs
    """int64[cells, 20]: windows through a cell, -1 beyond them."""
    counts: Longs
    """int64[2, windows]: stones in a window."""
    worth: Longs
    """int64[2, cells]: worth of a free cell to a player."""
    numbers: Longs
    """int64[8]."""
    hashes: npt.NDArray[np.uint64]
    """uint64[2, cells]."""
    key: npt.NDArray[np.uint64]
    """uint64[1]."""
    table_key: npt.NDArray[np.uint64]
    """uint64[2**TABLE_BITS]."""
    table: Longs
    """int64[2**TABLE_BITS, 4]: depth, kind of value, value, best move."""
    moves: Longs
    """int64[plies, cells]: scratch."""
    scores: Longs
    """int64[plies, cells]: scratch."""


def new_position(size: int) -> Position:
    """Return an empty board of `size` rows and columns."""
    cells = size * size
    windows = [
        [(row + k * down) * size + column + k * right for k in range(FIVE)]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        for row in range(size)
        for column in range(size)
        if row + 4 * down < size and 0 <= column + 4 * right < size
    ]
    through = np.full((cells, 4 * FIVE), -1, np.int64)
    for number, window in enumerate(windows):
        for cell in window:
            through[cell, np.argmin(through[cell])] = number
    random = np.random.default_rng(5)
    position = Position(
        np.full(cells, -1, np.int64),
        np.array(windows, np.int64),
        through,
        np.zeros((2, len(windows)), np.int64),
        np.tile((through >= 0).sum(axis=1), (2, 1)).astype(np.int64),
        np.zeros(8, np.int64),
        random.integers(1, 2**63, (2, cells)).astype(np.uint64),
        np.zeros(1, np.uint64),
        np.zeros(1 << TABLE_BITS, np.uint64),
        np.zeros((1 << TABLE_BITS, 4), np.int64),
        np.zeros((LONGEST + 2, cells), np.int64),
        np.zeros((LONGEST + 2, cells), np.int64),
    )
    return position


@numba.njit(inline="always")
def _recount(at: Any, window: int, sign: int) -> None:
    """Add a window to the sums of its cells and of the evaluation, or take it away."""
    for player in range(2):
        if at.counts[1 - player, window] == 0:
            n = at.counts[player, window]
            at.numbers[SUMS + player] += sign * VALUE[n]
            at.numbers[FOURS + player] += sign * (n == FIVE - 1)
            worth = sign * WORTH[n]
            for k in range(FIVE):
                at.worth[player, at.windows[window, k]] += worth


@numba.njit
def change(at: Any, cell: int, player: int, by: int) -> None:
    """Set a stone (`by` 1), or take it back (-1); the other player moves."""
    for k in range(4 * FIVE):
        window = at.through[cell, k]
        if window < 0:
            break
        _recount(at, window, -1)
        at.counts[player, window] += by
        _recount(at, window, 1)
    at.owner[cell] = player if by > 0 else -1
    at.numbers[STONES] += by
    at.numbers[MOVER] = 1 - at.numbers[MOVER]
    at.key[0] ^= at.hashes[player, cell]


@numba.njit(inline="always")
def _threes(worth: int) -> int:
    return (worth >> THREE_BITS) & ((1 << (FOUR_BITS - THREE_BITS)) - 1)


@numba.njit
def _list_moves(at: Any, ply: int, first: int, answers: bool) -> Any:
    """List moves, the best first: answers to a threat and fours alone, or the best of all."""
    mover, n = at.numbers[MOVER], 0
    moves, scores = at.moves[ply], at.scores[ply]
    for cell in range(len(at.owner)):
        if at.owner[cell] >= 0:
            continue
        mine, other = at.worth[mover, cell], at.worth[1 - mover, cell]
        if answers and _threes(mine) == 0 and _threes(other) == 0:
            continue
        score = 2 * mine + other + (STOPPED << 10) * (cell == first)
        if n == WIDTH and score <= scores[n - 1]:
            continue
        place = min(n, WIDTH - 1)
        while place > 0 and scores[place - 1] < score:
            moves[place], scores[place] = moves[place - 1], scores[place - 1]
            place -= 1
        moves[place], scores[place] = cell, score
        n = min(n + 1, WIDTH)
    return n


@numba.njit
def _search(at: Any, depth: int, alpha: int, beta: int, ply: int) -> Any:
    """Value of the position to who moves; the best move is in the table."""
    numbers = at.numbers
    numbers[NODES] += 1
    if numbers[NODES] > numbers[LIMIT]:
        return STOPPED
    mover, cells = numbers[MOVER], len(at.owner)
    if numbers[FOURS + mover] > 0:
        return WIN - ply - 1
    if numbers[STONES] == cells:
        return 0
    forced, doubles, threatened = -1, False, False
    if numbers[FOURS + 1 - mover] > 0:
        for cell in range(cells):
            if at.owner[cell] < 0 and at.worth[1 - mover, cell] >> FOUR_BITS > 0:
                if forced >= 0:
                    return -WIN + ply + 2
                forced = cell
    else:
        for cell in range(cells):
            if at.owner[cell] < 0:
                doubles |= _threes(at.worth[mover, cell]) >= 2
                threatened |= _threes(at.worth[1 - mover, cell]) >= 2
        if doubles:
            return WIN - ply - 3
    quiet = forced < 0 and not threatened
    if ply >= LONGEST or depth <= -BEYOND or (depth <= 0 and quiet):
        value = numbers[SUMS + mover] - numbers[SUMS + 1 - mover] + TEMPO
        return value - 4 * TEMPO * (not quiet)
    slot, first = int(at.key[0] & np.uint64((1 << TABLE_BITS) - 1)), -1
    if at.table_key[slot] == at.key[0]:
        known, kind, value, first = at.table[slot]
        if known >= depth and ply > 0:
            exact = kind == EXACT or (kind == AT_LEAST and value >= beta)
            if exact or (kind == AT_MOST and value <= alpha):
                return value
    n = 1
    if forced >= 0:
        at.moves[ply, 0] = forced
    else:
        n = _list_moves(at, ply, first, threatened)
    best, best_move, floor = -WIN, at.moves[ply, 0], alpha
    for place in range(n):
        move = at.moves[ply, place]
        below = depth if forced >= 0 else depth - 1
        late = place > 4 and depth > 2 and quiet
        change(at, move, mover, 1)
        if place == 0:
            value = -_search(at, below, -beta, -alpha, ply + 1)
        else:
            value = -_search(at, below - late, -alpha - 1, -alpha, ply + 1)
            if late and alpha < value < STOPPED:
                value = -_search(at, below, -alpha - 1, -alpha, ply + 1)
            if alpha < value < beta:
                value = -_search(at, below, -beta, -alpha, ply + 1)
        change(at, move, mover, -1)
        if numbers[NODES] > numbers[LIMIT]:
            return STOPPED
        if value > best:
            best, best_move = value, move
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    kind = EXACT
    if best >= beta:
        kind = AT_LEAST
    elif best <= floor:
        kind = AT_MOST
    if abs(best) < WIN - 2 * LONGEST or ply == 0:  # wins depend on the way
        at.table_key[slot] = at.key[0]
        at.table[slot] = depth, kind, best, best_move
    return best


@numba.njit
def _urgent(at: Any) -> Any:
    """Five or an open four of who moves, else the only answer to a four, -1 without one."""
    mover = at.numbers[MOVER]
    for player in (mover, 1 - mover):
        for cell in range(len(at.owner)):
            if at.owner[cell] < 0 and at.worth[player, cell] >> FOUR_BITS > 0:
                return cell
    for cell in range(len(at.owner)):
        if at.owner[cell] < 0 and _threes(at.worth[mover, cell]) >= 2:
            return cell
    return -1


class AlphaBeta:
    """A player, which searches for so many seconds of processor time."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.nodes_per_second = 200_000.0
        self.depth = self.nodes = 0
        self.position = new_position(size)
        self.choose([size * size // 2], 0.01)  # compiles
        self.nodes_per_second = 200_000.0

    def choose(self, moves: list[int], seconds: float) -> int:
        """Return a move after `moves`, cells counted row by row."""
        begin = time.process_time()
        at = self.position
        for before in np.flatnonzero(at.owner >= 0):
            change(at, before, at.owner[before], -1)
        at.numbers[MOVER] = 0
        for number, cell in enumerate(moves):
            change(at, cell, number % 2, 1)
        at.numbers[NODES] = 0
        self.depth, self.nodes = 0, 0
        if not moves:
            return self.size * self.size // 2
        if (move := int(_urgent(at))) >= 0:
            return move
        best = -1
        for depth in range(1, DEEPEST):
            spent = time.process_time() - begin
            more = int(max(seconds - spent, 0) * self.nodes_per_second)
            at.numbers[LIMIT] = at.numbers[NODES] + more
            value = _search(at, depth, -WIN, WIN, 0)
            slot = int(at.key[0] & np.uint64((1 << TABLE_BITS) - 1))
            if value != STOPPED and at.table_key[slot] == at.key[0]:
                best, self.depth = int(at.table[slot, 3]), depth
            spent = time.process_time() - begin
            if value == STOPPED or spent >= seconds or abs(value) > WIN - 2 * LONGEST:
                break
        self.nodes = int(at.numbers[NODES])
        if self.nodes > 2000:
            self.nodes_per_second = self.nodes / max(time.process_time() - begin, 1e-6)
        if best < 0:
            _list_moves(at, 0, -1, False)
            best = int(at.moves[0, 0])
        return best
