"""Rules of the games as their texts have them, in plain Python, without any bookkeeping.

A function for each game takes a position as `Game.position` returns it, and returns the moves as
players write them, and what an end is worth, None where the game goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Cell = tuple[int, int]
Outcome = tuple[set[str], list[float] | None]


def _board(position: Any) -> dict[Cell, int]:
    rows, columns = position.cells.shape
    return {(r, c): int(position.cells[r, c]) for r in range(rows) for c in range(columns)}


def _won(winner: int, players: int = 2) -> list[float]:
    return [float(player == winner) for player in range(players)]


def _group(board: dict[Cell, int], cell: Cell, steps: list[Cell]) -> set[Cell]:
    """All stones of a colour that hang together with the one on `cell`."""
    group, new = {cell}, [cell]
    while new:
        row, column = new.pop()
        for down, right in steps:
            near = (row + down, column + right)
            if near not in group and board.get(near) == board[cell]:
                group.add(near)
                new.append(near)
    return group


CROSS = [(-1, 0), (0, -1), (0, 1), (1, 0)]


def _breathes(board: dict[Cell, int], cell: Cell) -> bool:
    group = _group(board, cell, CROSS)
    return any(board.get((r + d, c + e)) == 0 for r, c in group for d, e in CROSS)


def _dead(board: dict[Cell, int]) -> set[int]:
    """Colours that have a group without liberties."""
    return {mark for cell, mark in board.items() if mark and not _breathes(board, cell)}


def _free(board: dict[Cell, int]) -> list[Cell]:
    return [cell for cell, mark in board.items() if mark == 0]


def _chess_name(cell: Cell, rows: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> str:
    return f"{letters[cell[1]]}{rows - cell[0]}"


def hex_rules(position: Any) -> Outcome:
    board, size = _board(position), len(position.cells)
    steps = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]
    for player, axis in ((0, 0), (1, 1)):
        for cell, mark in board.items():
            if mark == 1 + player and cell[axis] == 0:
                group = _group(board, cell, steps)
                if any(other[axis] == size - 1 for other in group):
                    return set(), _won(player)
    return {f"{'abcdefghijklmnopqrstuvwxyz'[c]}{r + 1}" for r, c in _free(board)}, None


def swap_rules(position: Any) -> Outcome:
    """Hex, where o may take the only stone over if it is of x."""
    moves, ends = hex_rules(position)
    stones = [mark for mark in _board(position).values() if mark]
    if stones == [1] and position.turn == 1:
        moves.add("swap")
    return moves, ends


def misere(rules: Callable[[Any], Outcome]) -> Callable[[Any], Outcome]:
    """Rules of the same game, of two, whose winner loses."""

    def reversed_rules(position: Any) -> Outcome:
        moves, ends = rules(position)
        return moves, None if ends is None else ends[::-1]

    return reversed_rules


def gomoku_rules(position: Any, exactly: bool = False) -> Outcome:
    board, rows = _board(position), len(position.cells)
    for (row, column), mark in board.items():
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [board.get((row + k * down, column + k * right)) for k in range(-1, 6)]
            longer = exactly and mark in (line[0], line[-1])
            if mark and line[1:-1] == [mark] * 5 and not longer:
                return set(), _won(mark - 1)
    moves = {_chess_name(cell, rows) for cell in _free(board)}
    return moves, None if moves else [0.5, 0.5]


GO = "abcdefghjklmnopqrst"


def atarigo_rules(position: Any) -> Outcome:
    board, rows = _board(position), len(position.cells)
    if _dead(board):
        return set(), _won(1 - position.turn)
    moves = set()
    for cell in _free(board):
        dead = _dead({**board, cell: 1 + position.turn})
        if dead != {1 + position.turn}:  # suicide without a capture
            moves.add(_chess_name(cell, rows, GO))
    return moves, None if moves else _won(1 - position.turn)


def nogo_rules(players: int) -> Callable[[Any], Outcome]:
    def rules(position: Any) -> Outcome:
        board, rows = _board(position), len(position.cells)
        if len(position.lost) == players - 1:
            (winner,) = {*range(players)} - {*position.lost}
            return set(), _won(winner, players)
        return {
            _chess_name(cell, rows, GO)
            for cell in _free(board)
            if not _dead({**board, cell: 1 + position.turn})
        }, None

    return rules


def runner_rules(kind: str) -> Callable[[Any], Outcome]:
    pawn = [(1, 0, False), (1, 1, True), (1, -1, True)]
    knight = [(1, 2, True), (1, -2, True), (2, 1, True), (2, -1, True)]
    steps = pawn if kind == "breakthrough" else knight

    def rules(position: Any) -> Outcome:
        board, (rows, columns) = _board(position), position.cells.shape
        for player, goal in ((0, 0), (1, rows - 1)):
            if any(board[goal, column] == 1 + player for column in range(columns)):
                return set(), _won(player)
        mover, moves = position.turn, set()
        for (row, column), mark in board.items():
            for forward, right, takes in steps if mark == 1 + mover else []:
                target = (row - forward if mover == 0 else row + forward, column + right)
                there = board.get(target)
                if there == 0 or (takes and there == 2 - mover):
                    sign = "x" if there else "-"
                    names = _chess_name((row, column), rows), _chess_name(target, rows)
                    moves.add(sign.join(names))
        return moves, None if moves else _won(1 - mover)

    return rules


def _order(teams: int, units: int, turn: int) -> Iterator[tuple[int, int]]:
    """Team and unit, from the one at place `turn` on, once round."""
    for place in range(turn, turn + teams * units):
        yield place % teams, place // teams % units


def wargame_rules(position: Any) -> Outcome:
    health = position.points.tolist()
    alive = [team for team, units in enumerate(health) if any(units)]
    if len(alive) == 1:
        return set(), _won(alive[0], len(health))
    mover = next(t for t, u in _order(len(health), len(health[0]), position.turn) if health[t][u])
    return {
        f"{'ABC'[team]}{unit + 1}"
        for team, units in enumerate(health)
        for unit, points in enumerate(units)
        if team != mover and points
    }, None


def investment_rules(position: Any) -> Outcome:
    wealth = position.points.tolist()
    teams, units = len(wealth), len(wealth[0])
    winner = [next((t for t in range(teams) if wealth[t][u] == 3), None) for u in range(units)]
    if None not in winner:
        pairs = [winner.count(team) for team in range(teams)]
        best = [team for team in range(teams) if pairs[team] == max(pairs)]
        return set(), [1 / len(best) if team in best else 0.0 for team in range(teams)]
    order = _order(teams, units, position.turn)
    mover = next(t for t, u in order if winner[u] in (None, t))
    return {f"{'ABC'[mover]}{unit + 1}" for unit in range(units) if winner[unit] is None}, None


def video_rules(position: Any) -> Outcome:
    rows, columns = position.units.shape
    where = {}
    for row in range(rows):
        for column in range(columns):
            if position.units[row, column]:
                where[int(position.units[row, column]) - 1] = (row, column)
    teams = {unit % 2 for unit in where}
    if len(teams) == 1:
        return set(), _won(teams.pop())
    mover = next(t for t in range(position.turn, position.turn + 2 * position.of) if t in where)
    row, column = where[mover]
    shots, others = set(), set()
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(column - 1, 0), min(column + 2, columns)):
            if (r, c) != (row, column) and (r, c) in where.values():
                continue
            others.add(_chess_name((r, c), rows))
            for unit, (y, x) in where.items():
                if unit % 2 != mover % 2 and max(abs(y - r), abs(x - c)) <= 2:
                    shots.add(f"{_chess_name((r, c), rows)}:{'AB'[unit % 2]}{unit // 2 + 1}")
    return shots or others, None
