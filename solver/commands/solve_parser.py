"""Command line of `solve` on puzzles."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from solver.algorithms import known_algorithms
from solver.commands.games import solve as games
from solver.commands.method import add_algorithm_options
from solver.commands.options import Parser, add_budget, add_dataclass, file_name, new_parser
from solver.commands.output import answers_file
from solver.commands.solutions.options import add_solutions
from solver.commands.subjects import HELP, Subject, find_game, find_subject
from solver.contract.designer import designer_class
from solver.contract.references import resolve
from solver.domains import BENCHMARKS, domain_names
from solver.games import game_names

DESCRIPTION = """\
Find answers by Monte Carlo search. Every answer is checked from the rules of its
problem before it is called solved. Exit status: 0 everything solved and verified,
1 not all solved within the budget (the best found is printed), 2 bad input, or a
problem that could not be searched, 3 what is not solved is proved infeasible,
130 interrupted by Ctrl-C, SIGTERM or SIGHUP (the best found is printed).
Where a score is to be raised, every feasible answer counts as solved."""

EPILOG = """\
examples:
  solve latin-square square.txt
  solve latin-square --instances 20 --seed 7 --playouts 100000 --json
  solve kakuro board.txt --unique
  solve latin-square square.txt --solutions all --json
  solve latin-square - --algorithm nrpa --level 3 --seconds 60 < square.txt
  solve --prior models/ngram.parquet eterna100 --seconds 5 --threads 2
  solve rna "((((....))))" --prior nemo
  solve rna --page
  solve rna targets.txt --designs 10 --min-distance 5 --gc 45-55 --forbid G-run,EcoRI
  solve samegame-board1 --seconds 60
  solve tsptw tours.txt --prior none --no-local-search
  solve hex position.txt --seconds 5
  solve gomoku --play

all problems, sets and games: solve list
options of a problem or a game: solve rna --help, solve hex --help"""

DEFAULT_SECONDS = 10.0
PAGE = "--page"


def build_parser(subject: str | None) -> argparse.ArgumentParser:
    """Return the parser for problems of `subject`; without one, of the options of all domains."""
    parser = new_parser("solve", DESCRIPTION, EPILOG)
    parser.of_problems = parsers_by_name
    parser.add_argument(
        "subject",
        metavar="PROBLEM",
        help=f"one of: {', '.join(domain_names())}; or a benchmark set: {', '.join(BENCHMARKS)}; "
        f"{HELP}; or a game: {', '.join(game_names())}",
    )
    parser.add_argument(
        "source",
        nargs="?",
        metavar="FILE",
        help="file of problems, - for standard input, or for some domains the problem itself; "
        "without it generated instances",
    )
    generated = parser.add_argument_group("generated instances, or the first of a benchmark set")
    generated.add_argument(
        "--instances", type=int, metavar="N", help="(default: 1, or the whole set)"
    )
    _add_search(parser)
    output = _add_output(parser)
    if subject is not None:
        _add_subject(parser, output, subject)
    return parser


def _add_search(parser: Parser) -> None:
    """Add the options for the search of each problem."""
    search = parser.add_argument_group("search")
    search.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"one of: {', '.join(known_algorithms())}; or a file with an algorithm of your own, "
        "my_search.py (default: cegls for rna, ils for tours, relay for samegame, "
        "nrpa for morpion; gnrpa with its options)",
    )
    search.add_argument(
        "--prior",
        metavar="NAME",
        help="a bias table that ships, by its name, or the file of one made by `learn`; a prior "
        "made by hand; or none (default: the problem's own that ships, with nrpa none)",
    )
    search.add_argument(
        "--prior-temperature",
        type=float,
        metavar="T",
        help="factor of the bias (default: the one stored with the table)",
    )
    search.add_argument("--seed", type=int, default=0, metavar="S", help="(default: 0)")
    add_algorithm_options(parser)
    budget = parser.add_argument_group("budget of each problem, whichever ends first")
    add_budget(budget, seconds=DEFAULT_SECONDS)
    budget.add_argument(
        "--threads",
        "-t",
        type=int,
        default=1,
        metavar="N",
        help="problems, or parts of one problem's search, at the same time (default: 1)",
    )
    add_solutions(parser)


def _add_output(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options for what is written, and return their group."""
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object per problem")
    form.add_argument("--csv", action="store_true", help="a table with one row per problem")
    form.add_argument("--tsv", action="store_true", help="the same with tabs between the columns")
    output.add_argument(
        "--out", "-o", type=answers_file, metavar="FILE", help="write answers to FILE"
    )
    return output


def _add_subject(
    parser: argparse.ArgumentParser, output: argparse._ArgumentGroup, subject: str
) -> None:
    """Add the options of a problem and of its designer."""
    found = find_subject(subject)
    designer = designer_class(found.domain)
    group = add_problem(parser, found, None if found.benchmark else designer.defaults)
    if designer.page is not None:
        group.add_argument(
            PAGE, action="store_true", help="serve a local web page that does all this"
        )
    if designer.order is not None:
        output.add_argument(
            "--order",
            type=file_name,
            metavar="FILE",
            help="write a table to FILE to order the DNA of solved designs by",
        )
    if designer.pictures is not None:
        drawn = parser.add_argument_group("pictures")
        drawn.add_argument(
            "--draw", type=file_name, metavar="FOLDER", help="write SVGs of answers to FOLDER"
        )
        add_dataclass(drawn, resolve(designer.pictures))


def add_problem(
    parser: argparse.ArgumentParser, found: Subject, defaults: Mapping[str, Any] | None = None
) -> Any:
    """Add the options and the requests of a problem; return the group of its options.

    Parameters
    ----------
    defaults : mapping, optional
        Values of requests that are not given, where they are not those of their class.
    """
    domain = found.domain
    usual = domain.benchmarks[found.benchmark].defaults if found.benchmark else {}
    group = parser.add_argument_group(f"{domain.name} options")
    add_dataclass(group, domain.options, defaults=usual)
    requests = designer_class(domain).requests_class
    if fields(requests):
        asked = parser.add_argument_group(f"{domain.name} requests")
        add_dataclass(asked, requests, defaults=defaults)
    return group


def shared_parsers() -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of the options that all puzzles have, and all games."""
    yield build_parser(None)
    yield games.build_parser(None)


def parsers_by_name() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every problem, set of problems and game that is listed."""
    puzzles = {name: build_parser(name) for name in (*domain_names(), *BENCHMARKS)}
    return puzzles | {name: games.build_parser(find_game(name)) for name in game_names()}


def all_parsers() -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of all problems and games that are listed."""
    yield from map(build_parser, domain_names())
    yield from (games.build_parser(find_game(name)) for name in game_names())
