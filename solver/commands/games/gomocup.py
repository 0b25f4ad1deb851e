"""`solve gomoku --gomocup`: the protocol of programs that play Gomoku in tournaments [1]_.

Cells are X,Y from the upper left corner, counted from 0.

References
----------
.. [1] P. Laštovička, Gomoku AI protocol, plastovicka.github.io/protocl2en.htm.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from solver.commands.games.clock import Clock, for_search
from solver.commands.games.gtp import Engine, Place
from solver.commands.games.settings import Settings
from solver.commands.options import INTERRUPTED, version
from solver.commands.output import print_answer
from solver.errors import InputError, quoted
from solver.system.files import standard_input_lines
from solver.system.text_blocks import whole_number

if TYPE_CHECKING:
    from solver.games.boards.gomoku import GomokuOptions
    from solver.games.boards.grid import GridPosition
    from solver.searching.analysis import Analysis

#: Numbers of a size or a cell, as a word may be longer than any number.
MOST_NUMBER = 10**9
#: Bit of `INFO rule` for exactly five stones in a row, and bits that are refused.
EXACTLY_FIVE = 1
OTHER_RULES = {4: "Renju", 8: "Caro"}
#: Stones of a `BOARD`: whose they are.
OURS, THEIRS = 1, 2


class Player:
    """Answers commands: a board, and a search."""

    def __init__(self, settings: Settings) -> None:
        self.engine = Engine(settings)
        self._match: float | None = None

    def place(self) -> Place:
        """The position, with all moves by their X,Y."""
        found, game = self.engine.place(), self.engine.game
        moves = {}
        for move in found.moves.values():
            row, column = game.cell(found.instance, move)
            moves[f"{column},{row}"] = move
        return found._replace(moves=moves)

    def begin(self, size: str) -> str:
        """Begin a game on an empty board."""
        number = whole_number(size, 0, MOST_NUMBER)
        if number is None:
            raise InputError(f"{quoted(size)} is no size, expected a whole number")
        self.engine.set_size(number)
        self._tell(self._match)
        return "OK"

    def restart(self) -> str:
        """Take all stones off."""
        self.engine.positions = [self._empty()]
        self._tell(self._match)
        return "OK"

    def _empty(self) -> GridPosition:
        """Return the board without a stone: the first of the positions may be that of a `BOARD`."""
        size = len(self.engine.positions[0].cells)
        return cast("GridPosition", self.engine.game.empty(size, size).data)

    def set_stone(self, cell: str) -> None:
        """Set a stone of who moves."""
        place, word = self.place(), ",".join(part.strip() for part in cell.split(","))
        if word not in place.moves:
            raise InputError(f"no free cell {quoted(cell)}, expected X,Y from 0, such as 7,7")
        self.engine.make(place, place.moves[word])

    def turn(self, cell: str) -> str:
        """Set a stone of the other player, and one of our own."""
        self.set_stone(cell)
        return self.move()

    def move(self) -> str:
        """Search, and set a stone; returns its cell."""
        place = self.place()
        if not place.moves:
            raise InputError("the game is over")
        found: Analysis = self.engine.search(place, self.engine.positions[-1].turn)
        move = cast(int, found.chosen)
        self.engine.make(place, move)
        return place.vertex_of(move)

    def board(self, lines: Iterator[str]) -> str:
        """Set the stones of all lines up to DONE, and one of our own; we have as many, or less."""
        given = self._stones(lines)
        size, stones = len(self.engine.positions[0].cells), {OURS: 0, THEIRS: 0}
        read: dict[tuple[int, int], int] = {}
        for line in filter(None, given):
            parts = line.replace(",", " ").split()
            numbers = [whole_number(part, 0, MOST_NUMBER) for part in parts]
            known = [number for number in numbers if number is not None]
            if len(parts) != 3 or len(known) != 3:
                raise InputError(f"{quoted(line)}, expected X,Y,1 or X,Y,2, or DONE")
            column, row, whose = known
            if max(column, row) >= size or whose not in stones:
                raise InputError(f"{quoted(line)}, expected a cell of the board, and 1 or 2")
            if (row, column) in read:
                raise InputError(f"{quoted(line)}, expected a cell without a stone")
            read[row, column] = whose
            stones[whose] += 1
        if stones[OURS] > stones[THEIRS]:
            raise InputError(
                f"a board with {stones[OURS]} stones of ours and {stones[THEIRS]} of theirs, "
                "expected no more of ours"
            )
        before = self.engine.positions
        first = stones[OURS] == stones[THEIRS]  # we began, and are to move
        positions, in_turn = [self._empty()], True
        for number, (cell, whose) in enumerate(read.items()):
            mover = int((whose == OURS) != first)
            in_turn = in_turn and mover == number % 2
            cells = positions[-1].cells.copy()
            cells[cell] = 1 + mover
            positions.append(positions[0]._replace(cells=cells, turn=(number + 1) % 2))
        if not in_turn:  # nothing tells which stone was the last one
            positions = [positions[-1]._replace(turn=0 if first else 1)]
        self.engine.positions = positions
        try:
            return self.move()
        except InputError:
            self.engine.positions = before
            raise

    def _stones(self, lines: Iterator[str]) -> list[str]:
        """Read the lines of a board, as far as DONE."""
        given = list[str]()
        for line in map(str.strip, lines):
            if line.upper() == "DONE":
                return given
            given.append(line)
        raise InputError("the input ends within a board, expected DONE")

    def take_back(self, cell: str) -> str:
        """Take back the last stone, which lies at `cell`."""
        import numpy as np

        *_, before, after = (None, *self.engine.positions)
        if before is not None and cell:
            ((row, column),) = np.argwhere(before.cells != after.cells).tolist()
            if cell.replace(" ", "") != f"{column},{row}":
                raise InputError(f"{quoted(cell)}, expected the last stone, {column},{row}")
        self.engine.undo()
        return "OK"

    def info(self, key: str, value: str) -> str:
        """Note a limit; what is not known is ignored, as the protocol says."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            return ""
        if key == "timeout_turn":
            self._set_longest(for_search(number / 1000.0))
        elif key == "timeout_match":
            self._match = number / 1000.0 if number > 0 else None
            self.engine.clock = Clock()
            self._tell(self._match)
        elif key == "time_left" and self._match is not None:
            self._tell(number / 1000.0)
        elif key == "rule":
            return self._set_rule(int(number))
        return ""

    def _set_longest(self, seconds: float) -> None:
        """Limit each search, with a clock or without."""
        settings = self.engine.settings
        budget = dataclasses.replace(settings.budget, seconds=seconds)
        self.engine.settings = dataclasses.replace(settings, budget=budget)
        self.engine.longest = seconds

    def _set_rule(self, rule: int) -> str:
        """Set how many stones in a row win; rules that are unknown are named."""
        asked = [name for bit, name in OTHER_RULES.items() if rule & bit]
        if asked:
            return f"ERROR rule {rule} is {' and '.join(asked)}, expected 0 or 1: exactly five"
        engine, exactly = self.engine, bool(rule & EXACTLY_FIVE)
        options = cast("GomokuOptions", engine.settings.options)
        if options.exactly_five != exactly:
            options = dataclasses.replace(options, exactly_five=exactly)
            engine.settings = dataclasses.replace(engine.settings, options=options)
            positions = engine.positions
            engine.set_size(len(positions[0].cells))
            engine.positions = positions
        return ""

    def _tell(self, seconds: float | None) -> None:
        if seconds is not None:
            for player in range(2):
                self.engine.clock.tell(player, max(seconds, 0.0), 0)

    def answer(self, line: str, lines: Iterator[str]) -> str:
        """Execute a command and return its answer, "" for none."""
        name, _, rest = line.strip().partition(" ")
        words = rest.split()
        match name.upper():
            case "START":
                return self.begin(rest.strip())
            case "RESTART":
                return self.restart()
            case "BEGIN":
                return self.move()
            case "TURN":
                return self.turn(rest)
            case "BOARD":
                return self.board(lines)
            case "TAKEBACK":
                return self.take_back(rest.strip())
            case "INFO":
                return self.info(words[0], words[1]) if len(words) == 2 else ""
            case "SWAP2BOARD":
                self._stones(lines)  # no commands, though such games are not played
                return f"UNKNOWN command {quoted(name)}"
            case "ABOUT":
                return f'name="Nestor", version="{version()}"'
        return f"UNKNOWN command {quoted(name)}"


def play_tournament(settings: Settings) -> int:
    """Answer the commands on standard input until END or its end; returns the exit status."""
    player, lines = Player(settings), standard_input_lines()
    for line in lines:
        if not line.strip():
            continue
        if line.strip().upper() == "END":
            return 0
        try:
            text = player.answer(line, lines)
        except InputError as error:
            text = f"ERROR {error}"
        if text:
            print_answer(f"{text}\n")
        if player.engine.stop.is_set():
            return INTERRUPTED
    return 0
