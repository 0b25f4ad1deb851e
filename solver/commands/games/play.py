"""`solve GAME --play`: a person types moves, and a search answers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from solver.commands.games.endings import result_text
from solver.commands.games.settings import Settings, new_analyst
from solver.commands.options import INTERRUPTED
from solver.commands.output import print_answer
from solver.commands.progress import say
from solver.errors import InputError, quoted
from solver.system.files import standard_input_lines
from solver.system.interrupt import stop_on_interrupt

if TYPE_CHECKING:
    from solver.searching.analysis import Analyst, Candidate

HELP = "type a move, `undo` for your last one, `moves` for those possible, or `quit`"


class Table:
    """A game between a person and a search: the position, and the moves that led to it."""

    def __init__(self, settings: Settings, analyst: Analyst, seat: int) -> None:
        from solver.contract.rules import reset

        self.settings, self.analyst, self.seat = settings, analyst, seat
        self.instance = analyst.instance
        self.state: object = settings.game.new_state(self.instance)
        self.played: list[int] = []
        reset(self.instance, self.state)

    def moves(self) -> dict[str, int]:
        """Moves possible, as they are written."""
        from solver.games.moves import moves_by_text

        return moves_by_text(self.settings.game, self.instance, self.state)

    def mover(self) -> int:
        """Return the player to move."""
        from solver.contract.rules import player

        return int(player(self.instance, self.state))

    def make(self, move: int) -> None:
        """Make a move."""
        from solver.contract.rules import play

        play(self.instance, self.state, move)
        self.played.append(move)

    def undo(self) -> None:
        """Go back to before the last move of the person; to the start where there is none."""
        from solver.contract.rules import play, reset

        played, self.played = self.played, []
        reset(self.instance, self.state)
        own = 0
        for number, move in enumerate(played):
            if self.mover() == self.seat:
                own = number
            play(self.instance, self.state, move)
        reset(self.instance, self.state)
        for move in played[:own]:
            self.make(move)

    def shown(self) -> str:
        """The position as text."""
        from solver.contract.domain import Problem

        game = self.settings.game
        return game.format_problem(Problem("", game.position(self.instance, self.state)))

    def result(self) -> str:
        """Return the rewards of the final state, in words."""
        from solver.contract.checks import rewards_of

        game = self.settings.game
        return result_text(game, rewards_of(game, self.instance, self.state))


def play_in_terminal(settings: Settings, seat: str) -> int:
    """Play a game; returns the exit status.

    Raises
    ------
    InputError
        If nobody is called `seat`.
    """
    analyst = new_analyst(settings, keep=True)
    names = settings.game.player_names[: settings.game.players(analyst.instance)]
    if len(seat) != 1 or seat not in names:
        raise InputError(f"--seat is {quoted(seat)}, expected one of: {', '.join(names)}")
    table = Table(settings, analyst, names.index(seat))
    typed = (" ".join(line.split()) for line in standard_input_lines())
    print_answer(table.shown())
    say(HELP)
    while moves := table.moves():
        if table.mover() != table.seat:
            if _answer(table):
                return INTERRUPTED
            continue
        word = _read_word(typed, f"{seat}> ")
        if word in ("", "quit"):
            return 0
        if word == "undo":
            table.undo()
            print_answer(table.shown())
        elif word in moves:
            table.make(moves[word])
            print_answer(table.shown())
        else:
            known = "" if word == "moves" else f"no move {quoted(word)} here, "
            _reply(f"{known}possible: {' '.join(moves)}")
    print_answer(f"the game is over: {table.result()}\n")
    return 0


def _read_word(typed: Iterator[str], prompt: str) -> str:
    """Read a line that is not empty; "" at the end."""
    if sys.stdin is not None and sys.stdin.isatty():
        print(prompt, end="", file=sys.stderr, flush=True)
    return next(filter(None, typed), "")


def _reply(text: str) -> None:
    """Print a line on stderr for the person, with --quiet, too."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


def _answer(table: Table) -> bool:
    """Search, and make the move; returns whether Ctrl-C ended it."""
    stop = threading.Event()
    settings = table.settings
    with stop_on_interrupt(stop):
        analysis = table.analyst.analyse(
            settings.budget, state=table.state, seed=settings.seed, stop=stop, keep=True
        )
    if analysis.chosen is None:
        return True
    best = analysis.candidates[0]
    if analysis.interrupted:
        _reply(f"interrupted, best so far: {_move_and_value(best)}")
        return True
    name = settings.game.player_names[analysis.player]
    table.make(analysis.chosen)
    print_answer(f"{name} plays {_move_and_value(best)}\n{table.shown()}")
    return False


def _move_and_value(best: Candidate) -> str:
    """Return a move with its value: that which is proved where no playout was made."""
    value = best.proved if best.value is None else best.value
    return best.move if value is None else f"{best.move} ({value:.2f})"
