"""Options of the commands on games: which tree search, how long, from which position."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.algorithms import known_tree_algorithms, tree_algorithm_named
from solver.algorithms.run import OF_GAMES
from solver.algorithms.tree import PRIOR_IN, TreeAlgorithm, game_default, game_options
from solver.commands.options import add_field, refuse_idle, shown_default
from solver.commands.problem_files import without_folder
from solver.errors import InputError, option_word
from solver.system.fields import Field, fields_of
from solver.system.files import read_standard_input, read_text
from solver.system.letters import printable_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from solver.contract.domain import Game, Problem
    from solver.priors.priors import Prior

#: The search that moves are chosen by if none is named, of games that name no other.
DEFAULT_ALGORITHM = "mcps"
#: Megabytes that a tree may have.
MEMORY = 1024
MOST_MEMORY = 1 << 20


def add_tree_options(group: argparse._ActionsContainer) -> None:
    """Add the parameters of all tree searches to an argument group, see `tree_parameters`."""
    found: dict[str, tuple[Field, dict[str, str]]] = {}
    for cls in known_tree_algorithms().values():
        for option in game_options(cls):
            field, value = fields_of(cls)[option.name], _default(option)
            shown = f"{value:g}" if isinstance(value, float) else shown_default(value)
            found.setdefault(field.name, (field, {}))[1][cls.name] = shown
    for field, defaults in found.values():
        default = ", ".join(f"{shown} of {of}" for of, shown in defaults.items())
        if len(set(defaults.values())) == 1:
            default = next(iter(defaults.values()))
        text = f"of {', '.join(defaults)}: {field.text} (default: {default})"
        add_field(group, field, text, default=argparse.SUPPRESS)


def usual_search(game: Game | None, *, misere: bool = False) -> tuple[str, Mapping[str, Any]]:
    """Return the search of a game if none is named, with those of its parameters that are its own.

    What suits a game to be won need not where that loses, with `misere`.
    """
    if game is None or game.search is None or misere:
        return DEFAULT_ALGORITHM, {}
    return game.search, game.search_parameters


def asked_search(game: Game, arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the search that a command line asks for, and the parameters given or usual."""
    name, parameters = usual_search(game, misere=_is_misere(arguments))
    if arguments.algorithm not in (None, name):
        name, parameters = arguments.algorithm, {}
    return name, {**parameters, **tree_parameters(arguments)}


def _is_misere(arguments: argparse.Namespace) -> bool:
    return bool(vars(arguments).get("misere"))


def tree_algorithm(name: str, given: Mapping[str, Any]) -> TreeAlgorithm:
    """Return the tree search called `name` with those of its parameters that are `given`.

    Proofs and decisive moves are on, unlike in matches, which play what papers have.

    Raises
    ------
    InputError
        If there is none, or one is given that it does not have, or a value does not fit.
    """
    cls = tree_algorithm_named(name)
    fields = {field.name: field for field in game_options(cls)}
    for option in given:
        if option not in fields:
            raise InputError(f"{name} has no parameter {option}")
    of_games = {
        option: _default(field) for option, field in fields.items() if OF_GAMES in field.metadata
    }
    return cls(**(of_games | dict(given)))


def _default(option: Any) -> Any:
    """Value of a field where a person asks for a move."""
    return option.metadata.get(OF_GAMES, game_default(option))


def tree_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of tree searches that were given."""
    names = dict.fromkeys(
        field.name for cls in known_tree_algorithms().values() for field in game_options(cls)
    )
    given = vars(arguments)
    return {name: given[name] for name in names if name in given}


def add_prior_options(group: argparse._ActionsContainer) -> None:
    """Add the options for the prior of a search and for its scope."""
    group.add_argument(
        "--prior",
        metavar="NAME",
        help="none, a table that ships, by its name, or the file of one made by `learn` "
        "(default: with the default algorithm the game's own, else none)",
    )
    group.add_argument(
        "--prior-in",
        choices=PRIOR_IN,
        help="where it acts: on the moves of the tree, on those of playouts, or on both "
        f"(default: {PRIOR_IN[0]}; where none is named, where the game's own is best)",
    )
    group.add_argument(
        "--prior-temperature",
        type=float,
        metavar="T",
        help="factor of its bias (default: the one that it recommends)",
    )


def takes_shipped_prior(game: Game, arguments: argparse.Namespace) -> bool:
    """Return whether a search takes the prior that its game ships where none is named.

    Tables are of games of two that are won by what loses them with `misere`.
    """
    usual = arguments.algorithm in (None, usual_search(game)[0]) and arguments.prior is None
    as_learned = not _is_misere(arguments) and vars(arguments).get("players", 2) == 2
    return usual and as_learned and game.shipped_prior is not None


def prior_in(game: Game, arguments: argparse.Namespace) -> str:
    """Return where the prior of a search acts."""
    if arguments.prior_in is not None:
        return str(arguments.prior_in)
    return game.prior_in if takes_shipped_prior(game, arguments) else PRIOR_IN[0]


def prior_of(game: Game, arguments: argparse.Namespace) -> Prior:
    """Return the prior that the command line names, or the usual one of the search.

    Raises
    ------
    InputError
        As `named_prior`, or if a temperature has no table that it is for.
    """
    from solver.priors.priors import NO_PRIOR, default_prior, named_prior

    temperature = arguments.prior_temperature
    if arguments.prior is not None:
        prior = named_prior(arguments.prior, game, temperature)
    elif takes_shipped_prior(game, arguments):
        usual = game.prior_temperature if temperature is None else temperature
        prior = default_prior(game, usual)
    else:
        prior = NO_PRIOR
    if temperature is not None and prior.path is None:
        raise InputError("--prior-temperature needs a --prior from a file")
    return prior


def memory_bytes(arguments: argparse.Namespace) -> int:
    """Return the bytes that `--memory` allows.

    Raises
    ------
    InputError
        If it is none or more than any machine has.
    """
    if not 1 <= arguments.memory <= MOST_MEMORY:
        raise InputError(f"--memory is {arguments.memory}, expected 1 ... {MOST_MEMORY:,}")
    return int(arguments.memory) << 20


def read_position(game: Game, source: str | None, options: DataclassInstance) -> Problem:
    """Return the position of a file, of standard input where it is -, or the start.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    if source is None:
        return game.start(options)
    if source == "-":
        return _only(game.parse(read_standard_input(), "standard input"), "standard input")
    text, source = read_text(Path(source)), printable_name(source)
    problem = _only(game.parse(text, source), source)
    return dataclasses.replace(problem, name=without_folder(problem.name, source))


def _only(problems: Sequence[Problem], source: str) -> Problem:
    if len(problems) != 1:
        raise InputError(f"{source}: {len(problems)} positions, expected one")
    return problems[0]


def refuse_start_options(game: Game, source: str | None, argv: Sequence[str]) -> None:
    """Raise an `InputError` for an option of the start where a position is given."""
    if source is not None:
        refuse_idle(argv, map(option_word, game.start_options), "on a position that is given")
