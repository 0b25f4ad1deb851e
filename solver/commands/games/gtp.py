"""`solve GAME --gtp`: the Go Text Protocol, version 2 [1]_, for games of two who set stones.

Black is the first player, x, and white the second, o. As in Go nobody has to wait for his turn:
`play` and `genmove` are told whose move it is.

References
----------
.. [1] G. Farnebäck, Specification of the Go Text Protocol, version 2, draft 2, 2002.
"""

from __future__ import annotations

import dataclasses
import math
import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, cast

from solver.commands.games.clock import Clock, moves_expected
from solver.commands.games.settings import Settings, new_analyst
from solver.commands.options import INTERRUPTED, version
from solver.commands.output import print_answer
from solver.errors import InputError, quoted
from solver.system.files import standard_input_lines
from solver.system.interrupt import stop_on_interrupt

if TYPE_CHECKING:
    from solver.games.boards.grid import GridPosition
    from solver.games.boards.placement import PlacementGame
    from solver.searching.analysis import Analysis

#: Players by the names of their colours.
COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}
#: Control characters, which no terminal shows; tabs are blanks.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_ID = re.compile(r"([0-9]+)(?:\s+|$)(.*)")


class Place(NamedTuple):
    """A position with all that can be done there."""

    instance: object
    state: object
    moves: dict[str, int]
    """Moves by vertex."""

    def vertex_of(self, move: int) -> str:
        """Return the vertex of a move."""
        return next(vertex for vertex, other in self.moves.items() if other == move)


class PlayedState(NamedTuple):
    """A position and the state that the moves of the game led to, its last stones included."""

    position: GridPosition
    instance: object
    state: object


class Engine:
    """Answers commands: a board, the positions before, and a search.

    `settings` are those of a game of stones for two.
    """

    def __init__(self, settings: Settings) -> None:
        self.game = cast("PlacementGame", settings.game)
        self.settings, self.clock = settings, Clock()
        self.longest = math.inf
        """Seconds of a search at most, whatever the clock has left."""
        self.stop = threading.Event()
        self.set_size(len(settings.problem.data.cells))

    def set_size(self, size: int) -> None:
        """Begin with an empty board."""
        options = dataclasses.replace(self.settings.options, size=size)
        from solver.commands.announce import compilation_of

        empty = self.game.empty(size, size)
        self.settings = dataclasses.replace(self.settings, options=options, problem=empty)
        self.analyst = new_analyst(self.settings, keep=True)
        self.positions: list[GridPosition] = [empty.data]
        self._played: list[PlayedState] = []
        self.resigned: tuple[int, int] | None = None
        place = self.place()
        with compilation_of(self.game.name):
            moves_expected(self.game, place.instance, place.state, len(place.moves))

    def place(self, player: int | None = None) -> Place:
        """The position, with `player` to move if one is named."""
        from solver.games.moves import moves_by_text

        instance, state = self._state(player)
        words = self.game.vertex_words
        return Place(
            instance,
            state,
            {
                words.get(text) or self.vertex(instance, move): move
                for text, move in moves_by_text(self.game, instance, state).items()
            },
        )

    def _state(self, player: int | None) -> tuple[object, object]:
        """Return an instance, and a state of it: of the moves so far, where they took turns."""
        from solver.contract.domain import Problem
        from solver.contract.rules import copy_state, reset

        position = self.positions[-1]
        known = next((one for one in self._played if one.position is position), None)
        if known is not None and player in (None, position.turn):
            state = self.game.new_state(known.instance)
            copy_state(known.instance, known.state, state)
            return known.instance, state
        if player is not None:
            position = position._replace(turn=player, lost=())
        instance = self.game.instance(Problem("board", position), self.settings.options)
        state = self.game.new_state(instance)
        reset(instance, state)
        return instance, state

    def vertex(self, instance: object, move: int) -> str:
        """Return the name of a cell."""
        rows, _ = self.game.shape(instance)
        row, column = self.game.cell(instance, move)
        return f"{self.game.vertex_letters[column]}{self._row_name(row, rows)}"

    def _row_name(self, row: int, rows: int) -> int:
        return row + 1 if self.game.from_above else rows - row

    def winner(self) -> int | None:
        """Return the winner, -1 if nobody has won; None while the game goes on."""
        if self.resigned is not None:
            return 1 - self.resigned[0]
        from solver.contract.checks import rewards_of

        place = self.place()
        if place.moves:
            return None
        black, white = rewards_of(self.game, place.instance, place.state)
        return -1 if black == white else int(white > black)

    def make(self, place: Place, move: int) -> None:
        """Set a stone."""
        from solver.contract.rules import play

        play(place.instance, place.state, move)
        self.positions.append(self.game.position(place.instance, place.state))
        kept = {id(position) for position in self.positions}
        self._played = [one for one in self._played if id(one.position) in kept]
        self._played.append(PlayedState(self.positions[-1], place.instance, place.state))

    def stay(self) -> None:
        """Pass: a move for viewers, which can be taken back."""
        self.positions.append(self.positions[-1])

    def search(self, place: Place, player: int) -> Analysis:
        """Search a position; Ctrl-C cuts that short."""
        begin, seconds = time.perf_counter(), None
        if self.clock.runs:
            possible = -(-len(place.moves) // 2)
            moves = moves_expected(self.game, place.instance, place.state, possible)
            seconds = self.clock.share(player, moves)
        budget = self.settings.budget
        if seconds is not None:
            budget = dataclasses.replace(budget, seconds=min(seconds, self.longest))
        with stop_on_interrupt(self.stop):
            found = self.analyst.analyse(
                budget, state=place.state, seed=self.settings.seed, stop=self.stop, keep=True
            )
        self.clock.spend(player, time.perf_counter() - begin)
        return found

    def choose(self, color: str, make: bool) -> str:
        """The vertex of the best move, which is made if `make`."""
        player = _player(color)
        if (winner := self.winner()) is not None:
            if winner == 1 - player:
                return "resign"
            if make:
                self.stay()
            return "pass"
        place = self.place(player)
        if not place.moves:
            return "resign"
        move = cast(int, self.search(place, player).chosen)
        if make:
            self.make(place, move)
        return place.vertex_of(move)

    # Commands, in the order of the specification: each returns what is behind its =.

    def boardsize(self, size: str, columns: str | None = None) -> str:
        """Change the size; viewers of Hex tell rows and columns."""
        if columns not in (None, size):
            raise InputError("unacceptable size")
        number = _number(size)
        if not number.is_integer():
            raise InputError(f"syntax error: {quoted(size)} is no whole number")
        try:
            self.set_size(int(number))
            self.clock.restart()
        except InputError:
            raise InputError("unacceptable size") from None
        return ""

    def clear_board(self) -> str:
        """Take all stones off, and begin with all the time."""
        self.positions, self.resigned = self.positions[:1], None
        self.clock.restart()
        return ""

    def komi(self, komi: str) -> str:
        """Ignore komi: these games do not count points."""
        _number(komi)
        return ""

    def play(self, color: str, vertex: str) -> str:
        """Set a stone, whoever's turn it is, or resign."""
        player, word = _player(color), vertex.lower()
        if word == "resign" and self.winner() is None:
            self.stay()
            self.resigned = player, len(self.positions)
            return ""
        if word == "pass" and self.winner() is not None:
            self.stay()
            return ""
        place = self.place(player)
        if self.winner() is not None or word not in place.moves:
            raise InputError(f"illegal move: {quoted(vertex)}")
        self.make(place, place.moves[word])
        return ""

    def genmove(self, color: str) -> str:
        """Search, and set a stone; pass or resign once the game is over."""
        return self.choose(color, make=True)

    def reg_genmove(self, color: str) -> str:
        """Search, and leave the board as it is."""
        return self.choose(color, make=False)

    def undo(self) -> str:
        """Take the last stone, or pass, back."""
        if len(self.positions) == 1:
            raise InputError("cannot undo")
        self.positions.pop()
        if self.resigned is not None and len(self.positions) < self.resigned[1]:
            self.resigned = None
        return ""

    def time_settings(self, main: str, period: str, stones: str) -> str:
        """Set the time for all moves, in place of `--seconds`."""
        numbers = [_number(word) for word in (main, period, stones)]
        if min(numbers) < 0:
            raise InputError("syntax error: a time is negative")
        self.clock.set(numbers[0], numbers[1], int(numbers[2]))
        return ""

    def time_left(self, color: str, seconds: str, stones: str) -> str:
        """Set the time left to a player; a negative time counts as 0."""
        player, left, moves = _player(color), _number(seconds), _number(stones)
        self.clock.tell(player, max(left, 0.0), max(int(moves), 0))
        return ""

    def final_score(self) -> str:
        """Return the winner, with a margin of one point."""
        winner = self.winner()
        if winner is None:
            raise InputError("cannot score: the game is not over")
        return ("B+1", "W+1", "0")[winner]

    def showboard(self) -> str:
        """The board with the names of its rows and columns."""
        position = self.positions[-1]
        rows, columns = position.cells.shape
        head = "   " + " ".join(self.game.vertex_letters[:columns])
        lines = [
            f"{self._row_name(row, rows):2} {' '.join(self.game.marks[mark] for mark in marks)}"
            for row, marks in enumerate(position.cells.tolist())
        ]
        turn = ("black (x)", "white (o)")[position.turn]
        return "\n".join(["", head, *lines, head, f"{turn} to move"])

    def rows_of_stones(self) -> str:
        """The board, as viewers draw it."""
        rows = self.positions[-1].cells.tolist()
        return "\n".join(" ".join(".XO"[mark] for mark in row) for row in rows)

    def legal_moves(self) -> str:
        """All moves of who moves."""
        return "" if self.winner() is not None else " ".join(self.place().moves)

    def side_to_move(self) -> str:
        """The color of who moves."""
        return ("black", "white")[self.positions[-1].turn]

    def final_result(self) -> str:
        """The result in words."""
        winner = self.winner()
        if winner is None:
            return "the game is not over"
        return ("black wins", "white wins", "draw")[winner]

    def known_command(self, name: str) -> str:
        """Return whether a command exists."""
        return "true" if name in COMMANDS else "false"


class Command(NamedTuple):
    """GTP command: its function and its arguments, optional ones in brackets."""

    run: Callable[..., str]
    arguments: tuple[str, ...] = ()


COMMANDS: dict[str, Command] = {
    "protocol_version": Command(lambda engine: "2"),
    "name": Command(lambda engine: f"Nestor {engine.game.name} {engine.settings.algorithm.name}"),
    "version": Command(lambda engine: version()),
    "known_command": Command(Engine.known_command, ("NAME",)),
    "list_commands": Command(lambda engine: "\n".join(COMMANDS)),
    "quit": Command(lambda engine: ""),
    "boardsize": Command(Engine.boardsize, ("ROWS", "[COLUMNS]")),
    "clear_board": Command(Engine.clear_board),
    "komi": Command(Engine.komi, ("KOMI",)),
    "play": Command(Engine.play, ("COLOR", "VERTEX")),
    "genmove": Command(Engine.genmove, ("COLOR",)),
    "reg_genmove": Command(Engine.reg_genmove, ("COLOR",)),
    "undo": Command(Engine.undo),
    "time_settings": Command(Engine.time_settings, ("MAIN", "PERIOD", "STONES")),
    "time_left": Command(Engine.time_left, ("COLOR", "SECONDS", "STONES")),
    "final_score": Command(Engine.final_score),
    "showboard": Command(Engine.showboard),
    # Rules for viewers of GoGui.
    "gogui-rules_game_id": Command(lambda engine: engine.game.name.capitalize()),
    "gogui-rules_board": Command(Engine.rows_of_stones),
    "gogui-rules_board_size": Command(lambda engine: str(len(engine.positions[-1].cells))),
    "gogui-rules_legal_moves": Command(Engine.legal_moves),
    "gogui-rules_side_to_move": Command(Engine.side_to_move),
    "gogui-rules_final_result": Command(Engine.final_result),
}


def _player(color: str) -> int:
    if color.lower() not in COLORS:
        raise InputError(f"syntax error: color {quoted(color)}, expected black or white")
    return COLORS[color.lower()]


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"syntax error: {quoted(word)} is no number")
    return number


def answer(engine: Engine, words: list[str]) -> str:
    """Execute a command and return its answer.

    Raises
    ------
    InputError
        If it cannot be: what the protocol says behind its ?.
    """
    name, *arguments = words
    command = COMMANDS.get(name)
    if command is None:
        raise InputError(f"unknown command: {quoted(name)}")
    needed = [word for word in command.arguments if not word.startswith("[")]
    if not len(needed) <= len(arguments) <= len(command.arguments):
        raise InputError(f"syntax error, expected {' '.join((name, *command.arguments))}")
    return command.run(engine, *arguments)


def speak(settings: Settings) -> int:
    """Answer the commands on standard input until `quit` or its end; returns the exit status."""
    engine = Engine(settings)
    for line in standard_input_lines():
        words = _CONTROL.sub("", line.partition("#")[0]).strip()
        found = _ID.fullmatch(words)
        number, words = found.groups() if found is not None else ("", words)
        if not words and not number:
            continue
        ends = words.split() == ["quit"]
        try:
            text = f"={number} {answer(engine, words.split() or [''])}"
        except InputError as error:
            text = f"?{number} {error}"
        print_answer(f"{text.rstrip(' ')}\n\n")
        if engine.stop.is_set():
            return INTERRUPTED
        if ends:
            return 0
    return 0
