"""The list of algorithms: one that ships is a file here and a name below."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from solver.algorithms.beam_nrpa import BeamNrpa
from solver.algorithms.cegls import Cegls
from solver.algorithms.check import check_class
from solver.algorithms.complete import Complete
from solver.algorithms.fronts.pareto_nrpa import ParetoNrpa
from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.ils import Ils
from solver.algorithms.nested.bias_gnrpa import BiasGnrpa
from solver.algorithms.nmcs import Nmcs
from solver.algorithms.nrpa import Nrpa
from solver.algorithms.parallel_nrpa import ParallelNrpa
from solver.algorithms.run import (
    AS_PUBLISHED,
    MIN_RUN_PLAYOUTS,
    Algorithm,
    ListedAlgorithm,
    Run,
    options_of,
    suited,
)
from solver.algorithms.sampling import Sampling
from solver.algorithms.tempering import Tempering
from solver.algorithms.tree import TreeAlgorithm
from solver.algorithms.trees.listed import TREE_ALGORITHMS
from solver.algorithms.turns.portfolio import Portfolio
from solver.algorithms.turns.relay import Relay
from solver.errors import InputError, quoted
from solver.system.installed import installed, load_installed

__all__ = [
    "ALGORITHMS",
    "AS_PUBLISHED",
    "MIN_RUN_PLAYOUTS",
    "Algorithm",
    "BeamNrpa",
    "BiasGnrpa",
    "Cegls",
    "Complete",
    "Gnrpa",
    "Ils",
    "ListedAlgorithm",
    "Nmcs",
    "Nrpa",
    "ParallelNrpa",
    "ParetoNrpa",
    "Portfolio",
    "Relay",
    "Run",
    "Sampling",
    "Tempering",
    "algorithm_named",
    "known_algorithms",
    "known_tree_algorithms",
    "options_of",
    "suited",
    "tree_algorithm_named",
]

#: Group of entry points by which installed packages add algorithms: a name and its class.
GROUP = "nestor.algorithms"

#: Classes that ship, in the order in which reports list them.
ALGORITHMS: dict[str, type[ListedAlgorithm]] = {
    **{
        algorithm.name: algorithm
        for algorithm in (
            Sampling,
            Nrpa,
            Gnrpa,
            BiasGnrpa,
            BeamNrpa,
            ParallelNrpa,
            ParetoNrpa,
            Nmcs,
            Cegls,
            Ils,
            Tempering,
            Relay,
            Complete,
            Portfolio,
        )
    },
    **TREE_ALGORITHMS,
}

#: Classes of users' files and of packages, by name: known for as long as the process lives.
_others: dict[str, type[ListedAlgorithm]] = {}


def known_algorithms() -> dict[str, type[ListedAlgorithm]]:
    """Return all algorithms: those that ship, installed ones, and those of files that were read.

    An installed one that cannot be imported is left out: `algorithm_named` says why.
    """
    for name in installed(GROUP):
        with suppress(InputError):
            _load_installed(name)
    return {**ALGORITHMS, **_others}


def algorithm_named(word: str) -> type[ListedAlgorithm]:
    """Return the class of the algorithm called `word`, or that the file `word` defines.

    Raises
    ------
    InputError
        If there is none, or it does not fit.
    """
    if word.endswith(".py"):
        return _from_file(Path(word))
    if word in installed(GROUP):
        _load_installed(word)
    known = known_algorithms()
    if word not in known:
        raise InputError(
            f"no algorithm called {quoted(word, known)}, expected one of: {', '.join(known)}"
        )
    return known[word]


def known_tree_algorithms() -> dict[str, type[TreeAlgorithm]]:
    """Return those of `known_algorithms` that are tree searches, which play games, too."""
    known = known_algorithms()
    return {name: cls for name, cls in known.items() if issubclass(cls, TreeAlgorithm)}


def tree_algorithm_named(word: str) -> type[TreeAlgorithm]:
    """Return the class of the tree search called `word`, or that the file `word` defines.

    Raises
    ------
    InputError
        If there is none, or it does not fit.
    """
    trees = known_tree_algorithms()
    expected = f"expected one of: {', '.join(trees)}"
    if not word.endswith(".py") and word not in {*known_algorithms(), *installed(GROUP)}:
        raise InputError(f"no tree search called {quoted(word, trees)}, {expected}")
    cls = algorithm_named(word)
    if not issubclass(cls, TreeAlgorithm):
        raise InputError(f"{word} is an algorithm, but no tree search, {expected}")
    return cls


def _load_installed(name: str) -> None:
    if name not in _others:
        found = installed(GROUP)[name]
        cls = load_installed(found, "algorithm")
        check_class(cls, f"the installed algorithm {found.value}", {**ALGORITHMS, **_others})
        _others[name] = cls


def _from_file(path: Path) -> type[ListedAlgorithm]:
    """Run a file and return the algorithm it defines; from then on it is found by its name."""
    from solver.compiling.user_files import class_in, run_file

    base = f"{ListedAlgorithm.__module__}.{ListedAlgorithm.__name__}"
    cls: type[ListedAlgorithm] = class_in(run_file(path), (ListedAlgorithm,), path, base)
    if cls not in _others.values():
        check_class(cls, f"{path}: {cls.__name__}", known_algorithms())
        _others[cls.name] = cls
    return cls
