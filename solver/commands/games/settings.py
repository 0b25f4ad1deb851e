"""Settings of a search of a position, for `solve`, `--play` and `--gtp`."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING

from solver.algorithms.tree import TreeAlgorithm
from solver.commands.games.options import (
    asked_search,
    memory_bytes,
    prior_in,
    prior_of,
    read_position,
    tree_algorithm,
)
from solver.commands.options import budget_bounds, from_arguments
from solver.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from solver.contract.domain import Game, Problem
    from solver.priors.priors import Prior
    from solver.searching.analysis import Analyst
    from solver.searching.driver import Budget

DEFAULT_SECONDS = 5.0


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of a command on games, as given on the command line."""

    game: Game
    problem: Problem
    options: DataclassInstance
    algorithm: TreeAlgorithm
    budget: Budget
    seed: int
    memory: int
    prior: Prior
    prior_in: str
    threads: int
    """Threads that search a tree together."""
    source: str | None
    """Source of the position; None for the start."""


def read_settings(game: Game, arguments: argparse.Namespace) -> Settings:
    """Return the position to search and the settings of the search."""
    from solver.searching.analysis import MOST_THREADS
    from solver.searching.driver import Budget

    options = from_arguments(game.options, arguments)
    if arguments.gtp or arguments.gomocup:
        problem = empty_board(game, options)
    else:
        problem = read_position(game, arguments.source, options)
    algorithm = tree_algorithm(*asked_search(game, arguments))
    budget = Budget(*budget_bounds(arguments, seconds=DEFAULT_SECONDS))
    prior = prior_of(game, arguments)
    memory, threads = memory_bytes(arguments), arguments.threads
    if not 1 <= threads <= MOST_THREADS:
        raise InputError(f"--threads is {threads}, expected 1 ... {MOST_THREADS}")
    return Settings(
        game, problem, options, algorithm, budget, arguments.seed, memory, prior,
        prior_in(game, arguments), threads, arguments.source,
    )  # fmt: skip


def new_analyst(settings: Settings, *, keep: bool = False) -> Analyst:
    """Return the compiled analyst of a search, with `keep` of several that keep the tree."""
    from solver.commands.announce import compilation_of
    from solver.searching.analysis import Analyst, guides_by

    instance = settings.game.instance(settings.problem, settings.options)
    guides = guides_by(settings.prior, settings.prior_in)
    analyst = Analyst(
        settings.game, instance, settings.algorithm, settings.memory, guides, settings.threads
    )
    with compilation_of(settings.game.name):
        analyst.compile(keep=keep)
    return analyst


def empty_board(game: Game, options: DataclassInstance) -> Problem:
    """Return the position that a session begins with.

    Raises
    ------
    InputError
        If the game is not one of stones for two.
    """
    from solver.games.boards.placement import PlacementGame

    given = dataclasses.asdict(options)
    if not isinstance(game, PlacementGame) or given.get("players", 2) != 2:
        raise InputError("--gtp is for games of two who set stones, such as hex and gomoku")
    return game.empty(given["size"], given["size"])
