"""OpenSpiel's C++ MCTS and the tree searches: Hex 7x7, Breakthrough, Connect Four, Othello.

`python -m benchmarks.open_spiel speed` prints playouts per second of processor time of one core
in interleaved rounds, from the start and from two positions of a game, and the medians of the
ratios within rounds; its exit status is 1 if one is below the floor.
`python -m benchmarks.open_spiel match hex --seconds 0.1 --games 200` lets a search play against it,
both with as many seconds of wall time a move, in turn on the same core, and seats in turn; where
our move took longer, so may OpenSpiel's next one. Games differ, as both draw playouts at random.
They are kept in `--out`, with seconds of processor time; the same command goes on where it was
interrupted, or plays more. `--algorithm` is a method as in `compare`; by default it is the search
of `solve GAME`, which keeps its tree from move to move: with proofs, decisive moves, and the
prior that the game has.

OpenSpiel has UCT without transpositions, here with one random playout from each new state. Its
rewards are -1 and 1, so its c is twice ours: 1, as good as others in `measured.md`. In matches it
has its solver, which proves wins, to its advantage; its speed, which depends on neither, is
measured without, as proofs end searches early.

Rules are those of both: all moves possible are compared at every move of every game, and so is who
wins; where they differ the command fails. Hex begins with our first stone, c3, and nobody swaps;
OpenSpiel's Breakthrough begins at the top, so its rows are counted the other way. A pass of
Othello is a move of OpenSpiel's alone. Connect Four and Othello are the games of `docs/examples`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tree_speed import pace
from pipeline.matches.methods import Method
from pipeline.matches.report import summary
from pipeline.matches.rows import GameRow
from pipeline.matches.tournament import game_journal
from solver.algorithms.trees.listed import TREE_ALGORITHMS
from solver.commands.games.options import usual_search
from solver.compiling.random import new_stream
from solver.contract.domain import Game
from solver.contract.rules import play, player, reset, rewards
from solver.domains.from_file import load_game_file
from solver.errors import InputError, VerificationError
from solver.games import load_game
from solver.games.moves import moves_by_text
from solver.kernels.tree.run import TreeRun
from solver.searching.analysis import Analyst, guides_by
from solver.searching.driver import Budget
from solver.system.interrupt import stop_on_interrupt

#: What OpenSpiel calls the games, and the moves that bring it to our start.
THEIRS = {
    "hex": ("hex(board_size=7)", ["c3"]),
    "breakthrough": ("breakthrough", []),
    "connect-four": ("connect_four", []),
    "othello": ("othello", []),
}
PASS = "pass"
EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"
FILES = {"connect-four": EXAMPLES / "connect_four.py", "othello": EXAMPLES / "othello.py"}
#: Games whose speed is measured.
SPEEDS = ("hex", "breakthrough")
SEARCHES = ("uct", "grave", "mcps")
#: Ours over theirs, in playouts per second.
FLOOR = 5.0
EXPLORATION = 1.0
#: As the journal names it: with other settings it plays other games.
PEER = f"OpenSpiel:c={EXPLORATION:g}:solve"
#: Nodes that do not fit are freed, which no search here comes to.
MEGABYTES = 2000
#: Positions that speed is measured from: how far a game of so many playouts a move has come.
SHARES, GAME_PLAYOUTS = (0.0, 0.25, 0.5), 200
FOREVER = 1 << 30  # playouts


def game_named(name: str) -> Game:
    """Return one of `THEIRS` as it is here."""
    return load_game_file(FILES[name]) if name in FILES else load_game(name)


def default_word(name: str) -> str:
    """Words of the default search of `solve GAME`."""
    game = game_named(name)
    search, parameters = usual_search(game)
    asked = {"proofs": True, "decisive": True, "keep": True, **parameters}
    if game.shipped_prior is not None:
        in_file = name in FILES
        asked["prior"] = f"docs/examples/{game.shipped_prior}" if in_file else game.shipped_prior
        if game.prior_in != "tree":
            asked["in"] = game.prior_in
        if game.prior_temperature is not None:
            asked["temperature"] = f"{game.prior_temperature:g}"
    return ":".join([search, *(f"{key}={value}".lower() for key, value in asked.items())])


def their_word(name: str, word: str, mover: int = 0) -> str:
    """Return what OpenSpiel writes for one of our moves."""
    if name in ("hex", "othello"):
        return word
    if name == "connect-four":
        return f"{'xo'[mover]}{'abcdefg'.index(word)}"
    start, kind, end = re.split("([-x])", word)
    turned = (f"{cell[0]}{9 - int(cell[1])}" for cell in (start, end))
    return "".join(turned) + ("*" if kind == "x" else "")


class Both:
    """A game under both rules, which are compared at every move."""

    def __init__(self, name: str) -> None:
        import pyspiel

        self.name, self.game, self.words = name, game_named(name), list[str]()
        self.options = self.game.options()
        self.instance = self.game.instance(self.game.start(self.options), self.options)
        self.ours = self.game.new_state(self.instance)
        text, self._first = THEIRS[name]
        self.their_game = pyspiel.load_game(text)
        self.theirs: Any = None
        self.begin()

    def begin(self, words: Iterable[str] = ()) -> None:
        """Go back to the start, and make moves."""
        reset(self.instance, self.ours)
        self.theirs, self.words = self.their_game.new_initial_state(), []
        for word in self._first:
            self.theirs.apply_action(self.theirs.string_to_action(word))
        self._find_moves()
        for word in words:
            self.play(word)

    def _find_moves(self) -> None:
        state = self.theirs
        self.moves = moves_by_text(self.game, self.instance, self.ours)
        known = self._their_moves()
        if known.keys() == {PASS} and self.moves:
            state.apply_action(known[PASS])
            known = self._their_moves()
        words = {their_word(self.name, word, self.mover): word for word in self.moves}
        if words.keys() != known.keys():
            raise self._error(f"moves of one only: {sorted(words.keys() ^ known.keys())}")
        if not state.is_terminal() and state.current_player() != self.mover:
            raise self._error("both do not have the same player move")
        self.actions = {word: known[theirs] for theirs, word in words.items()}
        self.word_of = {action: word for word, action in self.actions.items()}

    def _their_moves(self) -> dict[str, int]:
        state = self.theirs
        return {state.action_to_string(action): action for action in state.legal_actions()}

    def _error(self, what: str) -> VerificationError:
        return VerificationError(f"{self.game.name} after '{' '.join(self.words)}': {what}")

    @property
    def mover(self) -> int:
        """Player to move."""
        return int(player(self.instance, self.ours))

    def play(self, word: str) -> None:
        """Make one of our moves."""
        if word not in self.moves:
            raise self._error(f"no move {word}")
        self.theirs.apply_action(self.actions[word])
        play(self.instance, self.ours, self.moves[word])
        self.words.append(word)
        self._find_moves()

    def score(self, seat: int) -> float:
        """Reward of a player at the end."""
        worth = np.zeros(2)
        rewards(self.instance, self.ours, worth)
        if not self.theirs.is_terminal() or list(2 * worth - 1) != self.theirs.returns():
            raise self._error(f"rewards {worth}, those of OpenSpiel {self.theirs.returns()}")
        return float(worth[seat])

    def bot(self, seed: int, playouts: int, seconds: float | None = None) -> Any:
        """Return their search; with `seconds` it has its solver."""
        import pyspiel

        evaluator, solve = pyspiel.RandomRolloutEvaluator(1, seed), seconds is not None
        select, limit = pyspiel.ChildSelectionPolicy.UCT, seconds if solve else -1.0
        budget = playouts, MEGABYTES, solve, seed, False, select, limit
        return pyspiel.MCTSBot(self.their_game, evaluator, EXPLORATION, *budget)


def measure_speed(names: list[str], playouts: int, rounds: int) -> int:
    """Print a table of playouts per second and ratios; returns 1 if one is below the floor."""
    header = ["game", "moves made", "OpenSpiel", *(f"{name} | ratio" for name in SEARCHES)]
    sys.stdout.write(f"| {' | '.join(header)} |\n|---|{'--:|' * (2 + 2 * len(SEARCHES))}\n")
    failed = False
    for name in names:
        both = Both(name)
        analyst = Analyst(both.game, both.instance, TREE_ALGORITHMS["uct"]())
        while both.moves:
            move = analyst.choose(both.ours, Budget(GAME_PLAYOUTS), 0, len(both.words))
            both.play(both.game.format_move(both.instance, both.ours, move))
        words = both.words
        for share in SHARES:
            both.begin(words[: round(share * len(words))])
            works: dict[str, Callable[[], int]] = {"": partial(_search_theirs, both, playouts)}
            for kind in SEARCHES:
                parameters = TREE_ALGORITHMS[kind]().parameters
                run = TreeRun(both.game, both.instance, parameters, 1 << 30)
                works[kind] = partial(_search_ours, run, both.ours, playouts)
            paces: dict[str, list[float]] = {kind: [] for kind in works}
            for number in range(rounds):
                for kind in list(works)[:: -1 if number % 2 else 1]:
                    paces[kind].append(pace(works[kind], 1))
            cells = [name, str(len(both.words)), f"{max(paces['']):,.0f}"]
            for kind in SEARCHES:
                pairs = zip(paces[kind], paces[""], strict=True)
                ratio = statistics.median(one / other for one, other in pairs)
                failed |= ratio < FLOOR
                verdict = "pass" if ratio >= FLOOR else "fail"
                cells += [f"{max(paces[kind]):,.0f}", f"{ratio:.1f} {verdict}"]
            sys.stdout.write(f"| {' | '.join(cells)} |\n")
            sys.stdout.flush()
    return int(failed)


def _search_ours(run: TreeRun, state: Any, playouts: int) -> int:
    run.begin(new_stream(1), state)
    run.advance(playouts)
    return playouts


def _search_theirs(both: Both, playouts: int) -> int:
    return int(both.bot(1, playouts).mcts_search(both.theirs).explore_count)


def play_game(both: Both, analyst: Analyst, method: Method, seconds: float, number: int) -> GameRow:
    """Play a game; its number decides the seats."""
    both.begin()
    seat, spent = number % 2, {True: [0, 0.0], False: [0, 0.0]}
    lasted, begun = seconds, False
    while both.moves:
        ours = both.mover == seat
        begin, begin_process = time.perf_counter(), time.process_time()
        if ours:
            keep, begun = method.means.keep and begun, True
            budget, key = Budget(None, seconds), len(both.words)
            move = analyst.choose(both.ours, budget, number, key, keep=keep)
            made = analyst.run.played
            word = both.game.format_move(both.instance, both.ours, move)
            lasted = max(seconds, time.perf_counter() - begin)
        else:
            bot = both.bot(1000 * number + len(both.words), FOREVER, lasted)
            root = bot.mcts_search(both.theirs)
            if root.explore_count == 0:  # time was over before the first playout
                root = both.bot(1000 * number + len(both.words), 1).mcts_search(both.theirs)
            made, word = root.explore_count, both.word_of[root.best_child().action]
        spent[ours][0] += made
        spent[ours][1] += time.process_time() - begin_process
        both.play(word)
    options = json.dumps({"position": "start", **dataclasses.asdict(both.options)})
    return GameRow(
        game=both.game.name, options=options, match=match_name(method, seconds), one=method.name,
        other=PEER, playouts=None, seconds=seconds, number=number, seed=0, seat=seat, players=2,
        score=both.score(seat), moves=" ".join(both.words), length=len(both.words),
        playouts_one=int(spent[True][0]), seconds_one=round(spent[True][1], 6),
        playouts_other=int(spent[False][0]), seconds_other=round(spent[False][1], 6),
    )  # fmt: skip


def match_name(method: Method, seconds: float) -> str:
    """Name of a match in the journal."""
    return f"{method.name}{method.digest} {PEER} {seconds:g}s"


def play_match(name: str, words: str, seconds: float, games: int, out: Path) -> int:
    """Play what is missing, and print what all games of the match came to; the exit status."""
    both, journal, stop = Both(name), game_journal(out), threading.Event()
    method = Method.parse(words).checked(both.game)
    guides = guides_by(method.guide.load(both.game), method.guide.within)
    analyst = Analyst(both.game, both.instance, method.algorithm, guides=guides)
    analyst.choose(both.ours, Budget(None, seconds), 0)  # compiles, and makes room for the tree
    analyst.compile(keep=method.means.keep)
    match = match_name(method, seconds)
    rows = {
        r.number: r for r in journal.rows.values() if (r.game, r.match) == (both.game.name, match)
    }
    with stop_on_interrupt(stop):
        for number in range(games):
            if number not in rows and not stop.is_set():
                rows[number] = play_game(both, analyst, method, seconds, number)
                journal.append(rows[number])
    for row in rows.values():
        both.begin(row.moves.split())
        if both.score(row.seat) != row.score:
            raise VerificationError(f"{name}, game {row.number}: the score is not {row.score}")
    sys.stdout.write(summary(rows.values()))
    ours = sum(row.seconds_one for row in rows.values())
    theirs = sum(row.seconds_other for row in rows.values())
    differ = len({row.moves for row in rows.values()})
    words = f"{differ} different games, all replayed under both rules; processor seconds"
    sys.stdout.write(f"\n{words} {ours:.1f} / {theirs:.1f}\n")
    return 130 if stop.is_set() else 0


def main() -> int:
    """Measure or play; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    speed = commands.add_parser("speed", help="playouts per second")
    speed.add_argument("--playouts", type=int, default=1000, metavar="N", help="of a search")
    speed.add_argument("--rounds", type=int, default=7, metavar="N")
    speed.add_argument("--game", choices=SPEEDS, action="append", help="only this one")
    match = commands.add_parser("match", help="games at equal seconds")
    match.add_argument("game", choices=THEIRS)
    match.add_argument("--algorithm", metavar="METHOD", help="as in compare")
    match.add_argument("--seconds", type=float, default=0.1, metavar="T", help="of a move")
    match.add_argument("--games", type=int, default=200, metavar="N")
    match.add_argument("--out", type=Path, default=Path("build/open-spiel"), metavar="FOLDER")
    given = parser.parse_args()
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        sys.exit("benchmarks.open_spiel needs the package open_spiel (pip install open_spiel)")
    if given.command == "speed":
        return measure_speed(given.game or list(SPEEDS), given.playouts, given.rounds)
    try:
        words = given.algorithm or default_word(given.game)
        return play_match(given.game, words, given.seconds, given.games, given.out)
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(main())
