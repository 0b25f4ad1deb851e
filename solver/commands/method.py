"""Search options that every command shares, made from the fields of the algorithms."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from solver.algorithms import algorithm_named, known_algorithms, options_of, suited
from solver.algorithms.run import REPRODUCTION
from solver.algorithms.words import name_in, parsed_settings, settings_in, words_in
from solver.commands.options import Parser, add_field, shown_default
from solver.commands.subjects import is_file_name
from solver.errors import InputError, option_word, quoted
from solver.system.fields import Field, fields_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from solver.algorithms import ListedAlgorithm
    from solver.contract.domain import Puzzle


def _all_options() -> dict[str, tuple[type[ListedAlgorithm], Field]]:
    """Options of all algorithms by name, each with the first algorithm that has it.

    Derived ones have no texts of their own for what they inherit.
    """
    found: dict[str, tuple[type[ListedAlgorithm], Field]] = {}
    for algorithm in sorted(known_algorithms().values(), key=lambda known: len(known.__mro__)):
        texts = fields_of(algorithm)
        for option in options_of(algorithm):
            found.setdefault(option.name, (algorithm, texts[option.name]))
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
            found += words_in(value if equals else following)
    for name in map(name_in, found):
        if is_file_name(name):
            algorithm_named(name)
    return found


def add_algorithm_options(parser: Parser) -> None:
    """Add a group with the options of all algorithms, see `given_options`.

    Those for reproduction stand last. `--help` shows those of the algorithms that are named.
    """
    group = parser.add_argument_group("algorithms")
    parser.brief = "algorithms", options_called_for
    of_papers = {
        option.name
        for algorithm in known_algorithms().values()
        for option in options_of(algorithm)
        if option.metadata.get(REPRODUCTION)
    }
    fields = [field for _, field in _all_options().values()]
    for field in sorted(fields, key=lambda field: field.name in of_papers):
        default = field.default_text or shown_default(field.default)
        marked = f"{field.text} For reproduction." if field.name in of_papers else field.text
        text = f"{marked} (default: {default})"
        add_field(group, field, text, default=argparse.SUPPRESS)


def options_called_for(argv: Sequence[str]) -> set[str]:
    """Names of the options of the algorithms that are named in the arguments of a command."""
    classes = [algorithm_named(name_in(word)) for word in algorithm_words(argv)]
    return {option.name for cls in classes for option in options_of(cls)}


def given_options(arguments: argparse.Namespace) -> dict[str, object]:
    """Options of algorithms that the command line gives, by name."""
    given = vars(arguments)
    return {name: given[name] for name in _all_options() if name in given}


def default_algorithm(name: str, domain: Puzzle) -> ListedAlgorithm:
    """Return the algorithm called `name` as it suits `domain`."""
    return suited(algorithm_named(name)(), domain)


def usual_algorithm(
    arguments: argparse.Namespace, domain: Puzzle, options: DataclassInstance
) -> str:
    """Name of the default algorithm: the domain's, unless options or prior do not fit it."""
    from solver.priors.priors import NO_PRIOR

    best = domain.best_algorithm(options)
    algorithm = algorithm_named(best)
    its_own = {option.name for option in options_of(algorithm)}
    fits = given_options(arguments).keys() <= its_own and (
        algorithm.takes_prior or arguments.prior in (None, NO_PRIOR.name)
    )
    return best if fits else "gnrpa"


def best_algorithm(word: str, arguments: argparse.Namespace, domain: Puzzle) -> ListedAlgorithm:
    """Return `new_algorithm`, with the best parameters for `domain` unless others are given.

    That is `Puzzle.best_parameters`, where they are meant for the algorithm; they belong
    together, so without the local search that is among them they are left out.
    """
    chosen = _chosen(word, arguments, strict=True)
    algorithm = suited(algorithm_named(name_in(word))(**chosen), domain)
    best = domain.best_parameters
    refused = best.get("local_search", False) and chosen.get("local_search") is False
    if not algorithm.takes_best or refused:
        return algorithm
    known = {field.name for field in dataclasses.fields(algorithm)}
    for name in best:
        if name not in known:
            raise InputError(
                f"{domain.name}: best_parameters has {quoted(name, known)}, expected parameters of "
                f"{algorithm.name}"
            )
    return dataclasses.replace(algorithm, **{**best, **chosen})


def new_algorithm(
    word: str, arguments: argparse.Namespace, domain: Puzzle, *, strict: bool = True
) -> ListedAlgorithm:
    """Return the algorithm that `word` names, with the options that were given.

    Parameters behind the name, as in `gnrpa:level=2`, go before options. Unless `strict`, options
    that do not fit the algorithm are left out.

    Raises
    ------
    InputError
        If there is no such algorithm, or an option or a parameter does not fit it.
    """
    chosen = _chosen(word, arguments, strict=strict)
    return suited(algorithm_named(name_in(word))(**chosen), domain)


def _chosen(word: str, arguments: argparse.Namespace, *, strict: bool) -> dict[str, Any]:
    """Parameters that options and `word` itself give the algorithm that it names."""
    name = name_in(word)
    cls = algorithm_named(name)
    options = [option.name for option in options_of(cls)]
    # A fixed parameter that is asked for is the algorithm's to refuse.
    fitting = {field.name for field in dataclasses.fields(cls)} if strict else set(options)
    given = given_options(arguments)
    for option in given.keys() - fitting:
        if strict:
            owner, _ = _all_options()[option]
            raise InputError(f"{option_word(option)} is for {owner.kind}, not for {name}")
    chosen = {option: value for option, value in given.items() if option in fitting}
    return chosen | parsed_settings(word, settings_in(word, options), fields_of(cls))
