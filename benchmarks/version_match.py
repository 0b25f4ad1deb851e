"""Games against the default search of another checkout: `python -m benchmarks.version_match`.

    python -m benchmarks.version_match CHECKOUT --game hex --seconds 0.02 --games 400 --out FOLDER

Both sides search as `solve GAME` does, with the prior and the options that it takes, each in a
process of its own, with as many seconds of wall time a move, in turn; seats are exchanged from game
to game. Kernels are compiled before a clock runs. CHECKOUT may be as old as 26 November 2026, when
that search was MCPS without prior or proofs; with `--table` it takes its table of the game in the
tree, as was recommended then. Rules are those of this checkout, and the other one must know the
same moves. Games are kept in `--out`; the same command goes on where it was
interrupted, or plays more. Scores are in per cent, with 95 % Wilson intervals. With `--show`
nothing is played.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.matches.report import summary
from pipeline.matches.rows import GameJournal, GameRow
from pipeline.matches.tournament import game_journal
from solver.commands.options import new_parser, run_command
from solver.contract.rules import play, player, reset, rewards
from solver.errors import InputError, VerificationError
from solver.games import GAMES, load_game
from solver.games.moves import moves_by_text
from solver.system.interrupt import stop_on_interrupt

ENDED = "the search of a checkout ended, see above"
NOW, THEN = "now", "26 November"
#: Names of a search and what it is guided by, as they are now and as they were.
LAYOUTS = {
    NOW: """
from solver.commands.games.options import tree_algorithm, usual_search
from solver.contract.rules import play, reset
from solver.searching.analysis import Analyst, usual_guides
from solver.searching.driver import Budget
game = load_game(sys.argv[1])
search, guides, keep = tree_algorithm(*usual_search(game)), usual_guides(game), {{"keep": True}}
""",
    THEN: """
from solver.algorithms.tree import Mcps
from solver.analysis import Analyst
from solver.domain import play, reset
from solver.driver import Budget
from solver.analysis import guides_by
from solver.kernels.tree.run import UNGUIDED
from solver.priors import named_prior
game = load_game(sys.argv[1])
guides = guides_by(named_prior(game.name, game), "tree") if {table} else UNGUIDED
search, keep = Mcps(), {{}}
""",
}
#: Makes moves that it is told, and its own for so many seconds: says the move and the playouts.
SERVER = """
import json, sys, time
from solver.games import load_game
{layout}
from solver.games.moves import moves_by_text
options = game.options(**json.loads(sys.argv[2]))
instance = game.instance(game.start(options), options)
state = game.new_state(instance)
reset(instance, state)
analyst = Analyst(game, instance, search, guides=guides)
analyst.compile(**keep)
print("ready", flush=True)
made = number = 0
for line in sys.stdin:
    word, given = line.split()
    moves = moves_by_text(game, instance, state)
    if word == "begin":
        number, made, begun = int(given), 0, False
        reset(instance, state)
    elif word == "play":
        play(instance, state, moves[given])
        made += 1
    else:
        kept = {{"keep": begun}} if keep else {{}}
        begin, begun = time.perf_counter(), True
        move = analyst.choose(state, Budget(None, float(given)), number, made, **kept)
        spent = time.perf_counter() - begin
        print(game.format_move(instance, state, move), analyst.run.played, spent, flush=True)
"""


class Made(NamedTuple):
    """A move that a side made."""

    word: str
    playouts: int
    seconds: float


class Side:
    """Process that plays by the default search of a checkout."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._read()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise InputError(ENDED)
        return line

    def tell(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise InputError(ENDED) from None

    def move(self, seconds: float) -> Made:
        """Let it choose a move."""
        self.tell(f"go {seconds}")
        word, playouts, spent = self._read().split()
        return Made(word, int(playouts), float(spent))


class Match(NamedTuple):
    """A pairing: game, board and seconds of a move."""

    game: str
    seconds: float
    """Of a move."""
    board: dict[str, int] = {}  # noqa: RUF012 - read only
    """Options of the start."""
    table: bool = False
    """Whether the other side takes its table of the game."""

    @property
    def setting(self) -> str:
        """The options, as rows of games have them."""
        return json.dumps({"position": "start"} | self.board)


def board_of(game: str, size: int | None) -> dict[str, int]:
    """Return the options of a board of `size` rows and columns, none for the usual one.

    Raises
    ------
    InputError
        If the game has no such boards.
    """
    if size is None:
        return {}
    options = load_game(game).options
    known = {field.name for field in dataclasses.fields(options)}
    names = ("size",) if "size" in known else ("rows", "columns")
    if not known.issuperset(names):
        raise InputError(f"--size: {game} has no rows and columns")
    board = dict.fromkeys(names, size)
    options(**board)
    return board


@contextmanager
def opened(root: Path, match: Match, table: bool) -> Iterator[Side]:
    """Start the search of the checkout at `root`, which ends with the block."""
    layout = NOW if (root / "solver" / "searching" / "analysis.py").exists() else THEN
    if table and layout == NOW:
        raise InputError(f"{root}: --table expects a checkout of 26 November 2026")
    server = SERVER.format(layout=LAYOUTS[layout].format(table=table))
    process = subprocess.Popen(
        [sys.executable, "-c", server, match.game, json.dumps(match.board)],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root.resolve())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C ends the match, after the game
    )
    with process:
        yield Side(process)


def match_name(names: tuple[str, str], match: Match) -> str:
    """Name of a match in the journal."""
    return f"{' '.join(names)} {match.seconds:g}s"


def commit_of(root: Path) -> str:
    """Return the commit of a checkout."""
    command = ["git", "-C", str(root), "rev-parse", "--short=10", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        raise InputError(f"{root}: expected a checkout of the project")
    return found.stdout.strip()


def play_game(
    match: Match, sides: tuple[Side, Side], names: tuple[str, str], number: int
) -> GameRow:
    """Play a game from the start; its number decides the seats."""
    game = load_game(match.game)
    options = game.options(**match.board)
    instance = game.instance(game.start(options), options)
    state, seat, words = game.new_state(instance), number % 2, list[str]()
    spent = ([0, 0.0], [0, 0.0])
    reset(instance, state)
    for side in sides:
        side.tell(f"begin {number}")
    while moves := moves_by_text(game, instance, state):
        who = int(player(instance, state)) != seat
        made = sides[who].move(match.seconds)
        spent[who][0] += made.playouts
        spent[who][1] += made.seconds
        if made.word not in moves:
            raise VerificationError(f"{game.name} after '{' '.join(words)}': no move {made.word}")
        for side in sides:
            side.tell(f"play {made.word}")
        play(instance, state, moves[made.word])
        words.append(made.word)
    worth = np.zeros(2)
    rewards(instance, state, worth)
    return GameRow(
        game=game.name, options=match.setting, match=match_name(names, match), one=names[0],
        other=names[1], playouts=None, seconds=match.seconds, number=number, seed=0, seat=seat,
        players=2,
        score=0.5 if worth[0] == worth[1] else float(worth[seat] > worth[1 - seat]),
        moves=" ".join(words), length=len(words),
        playouts_one=int(spent[0][0]), seconds_one=round(spent[0][1], 6),
        playouts_other=int(spent[1][0]), seconds_other=round(spent[1][1], 6),
    )  # fmt: skip


def play_match(match: Match, other: Path, games: int, journal: GameJournal) -> bool:
    """Play the games that are missing; returns whether all were played."""
    roots, stop = (Path(__file__).parents[1], other), threading.Event()
    kinds = "default search", "mcps with the table" if match.table else "default search"
    one, two = (f"{kind} at {commit_of(root)}" for kind, root in zip(kinds, roots, strict=True))
    name = match_name((one, two), match)
    key = match.game, match.setting, name
    missing = [n for n in range(games) if (*key, n, 0) not in journal.rows]
    with ExitStack() as stack:
        stack.enter_context(stop_on_interrupt(stop))
        tables = False, match.table
        sides = [
            stack.enter_context(opened(root, match, table))
            for root, table in zip(roots, tables, strict=True)
            if missing
        ]
        for number in missing:
            journal.append(play_game(match, (sides[0], sides[1]), (one, two), number))
            if stop.is_set():
                return False
    return True


def run(argv: Sequence[str]) -> int:
    """Play, and print the scores."""
    parser = new_parser("python -m benchmarks.version_match", __doc__ or "", "")
    parser.add_argument("checkout", type=Path, nargs="?", metavar="CHECKOUT")
    parser.add_argument("--game", choices=GAMES, default="hex", help="(default: hex)")
    parser.add_argument(
        "--seconds", type=float, default=0.02, metavar="T", help="of a move (default: 0.02)"
    )
    parser.add_argument("--games", type=int, default=400, metavar="N", help="(default: 400)")
    parser.add_argument("--size", type=int, metavar="N", help="rows and columns (default: usual)")
    parser.add_argument(
        "--table", action="store_true", help="the other side takes its table, in the tree"
    )
    parser.add_argument("--out", type=Path, default=Path("build/versions"), metavar="FOLDER")
    parser.add_argument("--show", action="store_true", help="print the scores of the games kept")
    given = parser.parse_args(argv)
    if not given.seconds > 0.0:
        raise InputError(f"--seconds is {given.seconds:g}, expected more than 0")
    if not given.show and given.checkout is None:
        raise InputError("expected a CHECKOUT, or --show")
    journal, whole = game_journal(given.out), True
    if not given.show:
        board = board_of(given.game, given.size)
        match = Match(given.game, given.seconds, board, given.table)
        whole = play_match(match, given.checkout, given.games, journal)
    sys.stdout.write(summary(journal.rows.values()))
    return 0 if whole else 130


if __name__ == "__main__":
    run_command("version_match", run)
