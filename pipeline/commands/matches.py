"""`compare` for games: matches between tree searches."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.commands.comparing import combinations
from pipeline.commands.flow_options import add_flow_options
from solver.algorithms import known_tree_algorithms, tree_algorithm_named
from solver.algorithms.words import name_in, words_in
from solver.commands.games.options import (
    MEMORY,
    memory_bytes,
    read_position,
    refuse_start_options,
)
from solver.commands.options import (
    add_dataclass,
    check_counts,
    comma_list,
    file_name,
    new_parser,
)
from solver.commands.subjects import find_game
from solver.errors import InputError

if TYPE_CHECKING:
    from pipeline.requests.matches import MatchRequest
    from solver.contract.domain import Game

DESCRIPTION = """\
Let tree searches play each other, each against each, seats in turn. Games are
kept, a line each: the same command goes on after an interruption, and more games
or methods with the same --out are added. report.html there has games to click
through. Of three players one method has one seat and the other two. Options of
the game that take lists make one tournament per value. Exit status: 0 all was
played, 2 bad input, 130 interrupted."""

EPILOG = """\
examples:
  compare hex --algorithm mcps,grave,uct --playouts 1000 --games 800
  compare gomoku --algorithm mcps,mcps:ref=400 --playouts 1000,5000 --size 15
  compare wargame --algorithm mcps,grave:codes=exact --threads 2
  compare hex --algorithm mcps,grave --seconds 0.1
  compare hex --algorithm uct:exploration=0.2,uct:exploration=0.4 --size 7,9,11
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
        type=words_in,
        default=["mcps", "grave"],
        metavar="NAME,...",
        help=f"{', '.join(known_tree_algorithms())}, or a file with a tree search of your own, "
        "my_search.py; with parameters behind colons, mcps:ref=50,100, "
        "grave:codes=exact where the game has codes to choose, and "
        "mcps:prior=hex:in=playouts:temperature=2 (default: mcps,grave)",
    )
    methods.add_argument(
        "--prior",
        type=comma_list(str),
        default=[],
        metavar="NAME,...",
        help="priors, each with every search: none, a table that ships, by its name, or a file",
    )
    work = parser.add_argument_group("games, and budgets of a move")
    work.add_argument("--playouts", type=comma_list(int), default=[], metavar="N,...")
    work.add_argument("--seconds", type=comma_list(float), default=[], metavar="T,...")
    work.add_argument(
        "--games",
        type=int,
        default=DEFAULT_GAMES,
        metavar="N",
        help="games of each two methods at each budget (default: %(default)s)",
    )
    work.add_argument("--seed", type=int, default=0, metavar="S", help="(default: 0)")
    work.add_argument("--threads", "-t", type=int, default=1, metavar="N", help="games at a time")
    work.add_argument(
        "--memory",
        type=int,
        default=MEMORY,
        metavar="MB",
        help="memory of a tree (default: %(default)s)",
    )
    work.add_argument(
        "--out", "-o", type=file_name, metavar="FOLDER", help="(default: build/compare/GAME)"
    )
    add_flow_options(work)
    if game is not None:
        add_dataclass(parser.add_argument_group(f"{game.name} options"), game.options, many=True)
    return parser


def method_words(arguments: argparse.Namespace) -> list[str]:
    """Every search with every prior; with none alone the searches that no prior in a tree guides.

    Raises
    ------
    InputError
        If a search has one of its own besides.
    """
    for word in arguments.algorithm if arguments.prior else ():
        if ":prior=" in word:
            raise InputError(f"{word}: prior is given twice, expected once: here or by --prior")
    priors = [f":prior={name}" * (name != "none") for name in arguments.prior] or [""]
    return [
        word + prior
        for word in arguments.algorithm
        for prior in (priors if "" not in priors or _is_guided(word) else [""])
    ]


def _is_guided(word: str) -> bool:
    return tree_algorithm_named(name_in(word)).is_guided


def read_match_request(word: str, argv: Sequence[str]) -> tuple[argparse.Namespace, MatchRequest]:
    """Read the arguments of `compare` for the game that `word` names.

    Raises
    ------
    InputError
        If something is missing or does not fit.
    """
    game = find_game(word)
    arguments = build_parser(game).parse_intermixed_args(argv)
    from pipeline.matches.methods import Method
    from pipeline.requests.matches import MatchRequest

    refuse_start_options(game, arguments.source, argv)
    check_counts(arguments, "threads")
    if not 1 <= arguments.games <= MOST_GAMES:
        raise InputError(f"--games is {arguments.games}, expected 1 ... {MOST_GAMES:,}")
    if arguments.seed < 0:
        raise InputError(f"--seed is {arguments.seed}, expected 0 or more")
    options = combinations(game.options, arguments)
    position = None
    if arguments.source is not None:
        problem = read_position(game, arguments.source, game.options(**options[0]))
        position = problem.name, game.format_problem(problem)
    return arguments, MatchRequest(
        subject=word,
        position=position,
        options=options,
        methods=[Method.parse(name).request for name in method_words(arguments)],
        playouts=arguments.playouts or ([] if arguments.seconds else [DEFAULT_PLAYOUTS]),
        seconds=arguments.seconds,
        games=arguments.games,
        seed=arguments.seed,
        threads=arguments.threads,
        memory=memory_bytes(arguments),
        out=str(arguments.out or Path("build") / "compare" / game.name),
    )
