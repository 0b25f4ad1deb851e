"""Search options that every command shares, made from the fields of the algorithms."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import typing
from collections.abc import Sequence
from typing import TYPE_CHECKING

from solver.algorithms import algorithm_named, known_algorithms, options_of, suited
from solver.commands.options import kind_of_argument, option_word, parameter_help
from solver.commands.targets import is_file_name
from solver.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from solver.algorithms import ListedAlgorithm
    from solver.domain import Puzzle


def _all_options() -> dict[str, tuple[type[ListedAlgorithm], dataclasses.Field[object]]]:
    """Options of all algorithms by name, each with the first algorithm that has it.

    Derived ones have no texts of their own for what they inherit.
    """
    found: dict[str, tuple[type[ListedAlgorithm], dataclasses.Field[object]]] = {}
    for algorithm in sorted(known_algorithms().values(), key=lambda known: len(known.__mro__)):
        for option in options_of(algorithm):
            found.setdefault(option.name, (algorithm, option))
    return found


def algorithm_words(argv: Sequence[str]) -> list[str]:
    """Words for algorithms in the arguments of a command; files among them are read.

    That comes before the arguments are: the fields of an algorithm are options.

    Raises
    ------
    InputError
        If a file does not define an algorithm.
    """
    found = []
    for word, following in itertools.zip_longest(argv, argv[1:], fillvalue=""):
        option, equals, value = word.partition("=")
        if option == "--algorithm":
            found += (value if equals else following).split(",")
    for word in found:
        if is_file_name(word):
            algorithm_named(word)
    return found


def add_algorithm_options(group: argparse._ActionsContainer) -> None:
    """Add the options of all algorithms to an argument group; what is not given is None."""
    for name, (algorithm, option) in _all_options().items():
        kind = typing.get_type_hints(algorithm)[name]
        text = parameter_help(algorithm).get(name, "")
        default = option.metadata.get("default", option.default)
        group.add_argument(
            option_word(name),
            **kind_of_argument(kind),
            default=None,
            help=f"{text} (default: {default})".replace("%", "%%"),
        )


def default_algorithm(name: str, domain: Puzzle) -> ListedAlgorithm:
    """Return the algorithm called `name` as it suits `domain`."""
    return suited(algorithm_named(name)(), domain)


def usual_algorithm(
    arguments: argparse.Namespace, domain: Puzzle, options: DataclassInstance
) -> str:
    """Name of the algorithm where nobody says: the domain's, unless what is asked is not for it."""
    from solver.priors import NO_PRIOR

    best = domain.best_algorithm(options)
    algorithm = algorithm_named(best)
    its_own = {option.name for option in options_of(algorithm)}
    given = {option for option in _all_options() if getattr(arguments, option) is not None}
    fits = given <= its_own and (algorithm.takes_prior or arguments.prior in (None, NO_PRIOR.name))
    return best if fits else "gnrpa"


def best_algorithm(name: str, arguments: argparse.Namespace, domain: Puzzle) -> ListedAlgorithm:
    """Return `new_algorithm`, where nothing else is asked for with what is best for `domain`.

    That is `Puzzle.best_parameters`, where they are meant for the algorithm; they belong
    together, so without the local search that is among them they are left out.
    """
    algorithm = new_algorithm(name, arguments, domain)
    best = domain.best_parameters
    refused = best.get("local_search", False) and arguments.local_search is False
    if not algorithm.takes_best or refused:
        return algorithm
    chosen = {option: value for option, value in best.items() if getattr(arguments, option) is None}
    return dataclasses.replace(algorithm, **chosen)


def new_algorithm(
    name: str, arguments: argparse.Namespace, domain: Puzzle, *, strict: bool = True
) -> ListedAlgorithm:
    """Return the algorithm called `name` with the options that were given.

    Unless `strict`, options that do not fit the algorithm are left out.

    Raises
    ------
    InputError
        If there is no such algorithm or an option does not fit it.
    """
    cls = algorithm_named(name)
    # A fixed parameter that is asked for is the algorithm's to refuse.
    fields = dataclasses.fields(cls) if strict else options_of(cls)
    fitting = {field.name for field in fields}
    given: dict[str, object] = {}
    for option, (owner, _) in _all_options().items():
        value = getattr(arguments, option)
        if value is None:
            continue
        if option in fitting:
            given[option] = value
        elif strict:
            raise InputError(f"{option_word(option)} is for {owner.kind}, not for {name}")
    return suited(cls(**given), domain)
