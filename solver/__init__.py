"""Monte Carlo search with learned priors.

The names below are all that most programs need; each is loaded when it is first used.
`docs/api.md` has them with an example.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # as `_HOMES`
    from solver.algorithms import ALGORITHMS, AS_PUBLISHED, Cegls, Gnrpa, Nmcs, Nrpa, Sampling
    from solver.algorithms.tree import Flat, Grave, Mcps, Puct, Rave, Uct
    from solver.algorithms.trees.listed import TREE_ALGORITHMS
    from solver.algorithms.trees.two_level_grave import TwoLevelGrave
    from solver.contract.codes import PriorCode
    from solver.contract.domain import Domain, Game, Limits, Problem, Puzzle
    from solver.domains import load_domain
    from solver.errors import InputError, VerificationError
    from solver.games import load_game
    from solver.priors.priors import NO_PRIOR, Prior, default_prior, load_prior, named_prior
    from solver.searching.analysis import Analysis, analyse, guides_by, usual_guides
    from solver.searching.complete import SolutionSearch, is_unique, solutions
    from solver.searching.driver import Budget, SearchResult, search
    from solver.searching.solution import Solution, solve
    from solver.testing import check_algorithm, check_domain, check_game

#: Module of each public name.
_HOMES = {
    "ALGORITHMS": "solver.algorithms",
    "AS_PUBLISHED": "solver.algorithms",
    "Gnrpa": "solver.algorithms",
    "Nmcs": "solver.algorithms",
    "Cegls": "solver.algorithms",
    "Nrpa": "solver.algorithms",
    "Sampling": "solver.algorithms",
    "TREE_ALGORITHMS": "solver.algorithms.trees.listed",
    "Flat": "solver.algorithms.tree",
    "Grave": "solver.algorithms.tree",
    "Mcps": "solver.algorithms.tree",
    "Puct": "solver.algorithms.tree",
    "Rave": "solver.algorithms.tree",
    "Uct": "solver.algorithms.tree",
    "TwoLevelGrave": "solver.algorithms.trees.two_level_grave",
    "Analysis": "solver.searching.analysis",
    "analyse": "solver.searching.analysis",
    "guides_by": "solver.searching.analysis",
    "usual_guides": "solver.searching.analysis",
    "Domain": "solver.contract.domain",
    "Game": "solver.contract.domain",
    "Limits": "solver.contract.domain",
    "PriorCode": "solver.contract.codes",
    "Problem": "solver.contract.domain",
    "Puzzle": "solver.contract.domain",
    "load_domain": "solver.domains",
    "SolutionSearch": "solver.searching.complete",
    "is_unique": "solver.searching.complete",
    "solutions": "solver.searching.complete",
    "Budget": "solver.searching.driver",
    "SearchResult": "solver.searching.driver",
    "search": "solver.searching.driver",
    "InputError": "solver.errors",
    "VerificationError": "solver.errors",
    "load_game": "solver.games",
    "NO_PRIOR": "solver.priors.priors",
    "Prior": "solver.priors.priors",
    "default_prior": "solver.priors.priors",
    "load_prior": "solver.priors.priors",
    "named_prior": "solver.priors.priors",
    "Solution": "solver.searching.solution",
    "solve": "solver.searching.solution",
    "check_algorithm": "solver.testing",
    "check_domain": "solver.testing",
    "check_game": "solver.testing",
}

__all__ = [
    "ALGORITHMS",
    "AS_PUBLISHED",
    "NO_PRIOR",
    "TREE_ALGORITHMS",
    "Analysis",
    "Budget",
    "Cegls",
    "Domain",
    "Flat",
    "Game",
    "Gnrpa",
    "Grave",
    "InputError",
    "Limits",
    "Mcps",
    "Nmcs",
    "Nrpa",
    "Prior",
    "PriorCode",
    "Problem",
    "Puct",
    "Puzzle",
    "Rave",
    "Sampling",
    "SearchResult",
    "Solution",
    "SolutionSearch",
    "TwoLevelGrave",
    "Uct",
    "VerificationError",
    "analyse",
    "check_algorithm",
    "check_domain",
    "check_game",
    "default_prior",
    "guides_by",
    "is_unique",
    "load_domain",
    "load_game",
    "load_prior",
    "named_prior",
    "search",
    "solutions",
    "solve",
    "usual_guides",
]


def __getattr__(name: str) -> Any:
    """Load a public name (PEP 562): importing Numba takes a second, which `--help` need not."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
