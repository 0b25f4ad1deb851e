"""Search options that every command shares."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from solver.errors import InputError, quoted

if TYPE_CHECKING:
    from solver.algorithms import Algorithm
    from solver.domain import Domain


def add_nested_options(group: Any) -> None:
    """Add the options of playouts and nested searches to an argument group."""
    group.add_argument(
        "--level", type=int, metavar="L", help="nesting level (default: the domain's, 2 or 3)"
    )
    group.add_argument(
        "--iterations", type=int, metavar="N", help="iterations of each level (default: 100)"
    )
    group.add_argument("--alpha", type=float, metavar="A", help="learning rate (default: 1)")
    group.add_argument(
        "--temperature", type=float, metavar="T", help="of the policy, gnrpa only (default: 1)"
    )
    group.add_argument(
        "--playouts-per-adapt", type=int, metavar="P", help="stabilised NRPA (default: 1)"
    )
    group.add_argument(
        "--repetitions",
        type=int,
        metavar="R",
        help="a level ends when its best was found again so often (default: 0, no limit)",
    )
    group.add_argument(
        "--warm-start",
        action="store_true",
        default=None,
        help="after a restart adapt to the best sequence so far",
    )
    group.add_argument(
        "--local-search",
        action=argparse.BooleanOptionalAction,
        help="improve every new best of level 1 by the problem's local search (tsptw has one; "
        "default: only `solve`, with gnrpa)",
    )
    group.add_argument(
        "--shaping",
        action=argparse.BooleanOptionalAction,
        help="climb by the problem's shaped score (samegame has one; default: with gnrpa)",
    )
    group.add_argument(
        "--dead-ends",
        type=int,
        metavar="N",
        help="dead ends a playout may back out of, each counted as one (default: the domain's)",
    )


def default_algorithm(name: str, domain: Domain) -> Algorithm:
    """Return the algorithm called `name` as it suits `domain`."""
    from solver.algorithms import ALGORITHMS, Gnrpa, Nrpa

    algorithm = ALGORITHMS[name]
    if issubclass(algorithm, Gnrpa):
        return algorithm(
            level=domain.default_level,
            dead_ends=domain.default_dead_ends,
            shaping=domain.can_shape and not issubclass(algorithm, Nrpa),
        )
    return algorithm(domain.default_dead_ends)


def best_algorithm(name: str, arguments: Any, domain: Domain) -> Algorithm:
    """Return `new_algorithm`, where nothing else is asked for with what is best for `domain`.

    That is GNRPA with `Domain.best_parameters`; they belong together, so without the local search
    that is among them they are left out.
    """
    algorithm = new_algorithm(name, arguments, domain)
    best = domain.best_parameters
    refused = best.get("local_search", False) and arguments.local_search is False
    if name != "gnrpa" or refused:
        return algorithm
    chosen = {option: value for option, value in best.items() if getattr(arguments, option) is None}
    return dataclasses.replace(algorithm, **chosen)  # type: ignore[type-var]


def new_algorithm(name: str, arguments: Any, domain: Domain, *, strict: bool = True) -> Algorithm:
    """Return the algorithm called `name` with the nested options that were given.

    Unless `strict`, options that do not fit the algorithm are left out.

    Raises
    ------
    InputError
        If there is no such algorithm or an option does not fit it.
    """
    from solver.algorithms import ALGORITHMS, Gnrpa, Nrpa

    if name not in ALGORITHMS:
        raise InputError(
            f"no algorithm called {quoted(name)}, expected one of: {', '.join(ALGORITHMS)}"
        )
    options = [field.name for field in dataclasses.fields(Gnrpa)]
    given = {
        option: getattr(arguments, option)
        for option in options
        if getattr(arguments, option) is not None
    }
    default = default_algorithm(name, domain)
    if isinstance(default, Gnrpa):
        if not strict and isinstance(default, Nrpa):
            given.pop("temperature", None)
        return dataclasses.replace(default, **given)
    nested = [option for option in given if option != "dead_ends"]
    if nested and strict:
        option = nested[0].replace("_", "-")
        raise InputError(f"--{option} is for nested searches, not for {name}")
    return ALGORITHMS[name](given.get("dead_ends", domain.default_dead_ends))
