"""`compare` for games: matches between tree searches."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.tables.names import MARKS
from solver.algorithms import known_tree_algorithms
from solver.commands.games.options import (
    MEMORY,
    memory_bytes,
    read_position,
    refuse_start_options,
)
from solver.commands.options import (
    INTERRUPTED,
    add_dataclass,
    check_counts,
    comma_list,
    file_name,
    from_arguments,
    new_parser,
)
from solver.commands.output import print_answer
from solver.commands.progress import progress_bar, say
from solver.commands.subjects import find_game
from solver.errors import InputError
from solver.system.files import refuse_foreign
from solver.system.interrupt import stop_on_interrupt

if TYPE_CHECKING:
    from pipeline.matches.journal import Journal
    from pipeline.matches.play import Tournament
    from solver.contract.domain import Game

DESCRIPTION = """\
Let tree searches play each other, each against each, seats in turn. Games are
kept, a line each: the same command goes on after an interruption, and more games
or methods with the same --out are added. report.html there has games to click
through. Of three players one method has one
seat and the other two. Exit status: 0 all was played, 2 bad input, 130
interrupted."""

EPILOG = """\
examples:
  compare hex --algorithm mcps,grave,uct --playouts 1000 --games 800
  compare gomoku --algorithm mcps,mcps:ref=400 --playouts 1000,5000 --size 15
  compare wargame --algorithm mcps,grave:codes=exact --threads 2
  compare hex --algorithm mcps,grave --seconds 0.1
  compare hex --algorithm mcps --prior none,hex --seconds 0.1"""

DEFAULT_PLAYOUTS, DEFAULT_GAMES = 1000, 100
MOST_GAMES = 1_000_000


def build_parser(game: Game | None) -> argparse.ArgumentParser:
    """Return the parser for matches of `game`; without one, with the options of all games."""
    parser = new_parser("compare", DESCRIPTION, EPILOG)
    parser.add_argument("subject", metavar="GAME", help=game.name if game else None)
    parser.add_argument(
        "source", nargs="?", metavar="FILE", help="a position to begin with; without it the start"
    )
    methods = parser.add_argument_group("methods")
    methods.add_argument(
        "--algorithm",
        type=comma_list(str),
        default=["mcps", "grave"],
        metavar="NAME,...",
        help=f"{', '.join(known_tree_algorithms())}, or a file with a tree search of your own, "
        "my_search.py; with parameters behind colons, mcps:ref=100, "
        "grave:codes=exact where the game has codes to choose, and "
        "mcps:prior=hex:in=playouts:temperature=2 (default: mcps,grave)",
    )
    methods.add_argument(
        "--prior",
        type=comma_list(str),
        default=[],
        metavar="NAME,...",
        help="each of these with every search: none, the name of a table that ships, or a file",
    )
    work = parser.add_argument_group("games, and budgets of a move")
    work.add_argument("--playouts", type=comma_list(int), default=[], metavar="N,...")
    work.add_argument("--seconds", type=comma_list(float), default=[], metavar="T,...")
    work.add_argument(
        "--games",
        type=int,
        default=DEFAULT_GAMES,
        metavar="N",
        help="of each two methods at each budget (default: %(default)s)",
    )
    work.add_argument("--seed", type=int, default=0, metavar="S", help="(default: 0)")
    work.add_argument("--threads", type=int, default=1, metavar="N", help="games at a time")
    work.add_argument(
        "--memory", type=int, default=MEMORY, metavar="MB", help="of a tree (default: %(default)s)"
    )
    work.add_argument(
        "--out", type=file_name, metavar="FOLDER", help="(default: build/compare/GAME)"
    )
    if game is not None:
        add_dataclass(parser.add_argument_group(f"{game.name} options"), game.options)
    return parser


def method_words(arguments: argparse.Namespace) -> list[str]:
    """Every search with every prior.

    Raises
    ------
    InputError
        If a search has one of its own besides.
    """
    for word in arguments.algorithm if arguments.prior else ():
        if ":prior=" in word:
            raise InputError(f"{word}: prior is given twice, expected once: here or by --prior")
    priors = [f":prior={name}" * (name != "none") for name in arguments.prior] or [""]
    return [word + prior for word in arguments.algorithm for prior in priors]


def read_tournament(game: Game, arguments: argparse.Namespace) -> Tournament:
    """Return the tournament to play."""
    from pipeline.matches.methods import Method, matches_of
    from pipeline.matches.play import Tournament

    check_counts(arguments, "threads")
    if not 1 <= arguments.games <= MOST_GAMES:
        raise InputError(f"--games is {arguments.games}, expected 1 ... {MOST_GAMES:,}")
    if arguments.seed < 0:
        raise InputError(f"--seed is {arguments.seed}, expected 0 or more")
    options = from_arguments(game.options, arguments)
    problem = read_position(game, arguments.source, options)
    methods = [Method.parse(word).checked(game) for word in method_words(arguments)]
    for method in methods:
        game.instance(problem, method.options_of(options))  # what does not fit is said now
    players = game.players(game.instance(problem, options))
    playouts = arguments.playouts or ([] if arguments.seconds else [DEFAULT_PLAYOUTS])
    matches = matches_of(methods, playouts, arguments.seconds, players)
    memory = memory_bytes(arguments)
    return Tournament(game, problem, options, matches, arguments.games, arguments.seed, memory)


def run_matches(word: str, argv: Sequence[str]) -> int:
    """Run `compare` for the game that `word` names; returns the exit status."""
    from pipeline.matches.journal import open_journal

    game = find_game(word)
    arguments = build_parser(game).parse_intermixed_args(argv)
    refuse_start_options(game, arguments.source, argv)
    tournament = read_tournament(game, arguments)
    out: Path = arguments.out or Path("build") / "compare" / game.name
    refuse_foreign(out, "--out", *MARKS)
    with open_journal(out) as journal:
        complete = _play(tournament, journal, arguments.threads)
        if journal.rows:
            _report(tournament, journal, out)
    say(f"{len(journal.rows):,} games, kept in {out}")
    if not complete:
        say("compare: interrupted; the same command goes on from there")
        return INTERRUPTED
    return 0


def _play(tournament: Tournament, journal: Journal, threads: int) -> bool:
    """Play the games missing from `journal`; returns whether all were played."""
    from pipeline.matches.play import Seats, play_tournament
    from solver.commands.announce import compilation_of

    name = tournament.game.name
    with compilation_of(name):
        Seats(tournament).compile()
    total, stop = len(tournament.matches) * tournament.games, threading.Event()
    with stop_on_interrupt(stop), progress_bar(f"playing {name}", total) as update:
        return play_tournament(
            tournament,
            journal,
            threads=threads,
            stop=stop,
            progress=lambda done: update(done, f"{done:,} of {total:,} games"),
        )


def _report(tournament: Tournament, journal: Journal, out: Path) -> None:
    """Print the results of all games, and write them beside the games."""
    from pipeline.matches.replay import replays
    from pipeline.matches.report import results, summary
    from pipeline.reports.replays import write_replays
    from solver.system.files import replacing

    rows, title = journal.rows.values(), f"Matches of {tournament.game.name}"
    shown, text = replays(tournament, journal), summary(rows)
    with replacing(out / "summary.md") as partial:
        partial.write_text(text, encoding="utf-8")
    write_replays(out / "report.html", title, results(rows), shown)
    print_answer(text)
