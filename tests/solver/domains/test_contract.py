"""The contract of `solver.contract.domain`, for every domain."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

from solver.algorithms import Gnrpa, Sampling
from solver.contract import checks as testing_rules
from solver.contract.domain import Problem, Puzzle
from solver.domains import BENCHMARKS, DOMAINS, load_domain
from solver.domains.kakuro.board import Board
from solver.domains.morpion.text import Start
from solver.domains.rna.text import RnaTarget
from solver.domains.sudoku.board import Sudoku
from solver.errors import InputError
from solver.kernels.nested.search import search_nested
from solver.kernels.replay import replay_moves
from solver.kernels.sampling import sample
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, search
from solver.searching.solution import solve
from solver.testing import domains as testing
from tests.helpers import needs_jit, random_prior, same_search
from tests.instances import BROKEN, PROBLEMS, problems

CASES = [(domain, name) for domain in DOMAINS for name in problems(domain)]
UNSOLVABLE = {
    ("latin-square", "order-04-contradiction"),
    ("latin-square", "order-05-stuck"),
    ("kakuro", "square-2-contradiction"),
    ("kakuro", "square-3-stuck"),
    ("sudoku", "order-04-contradiction"),
    ("rna", "unpaired-folds-anyway"),
    ("tsptw", "no-feasible-tour"),
}
SOLVABLE = [case for case in CASES if case not in UNSOLVABLE]

every_problem = pytest.mark.parametrize(("domain_name", "name"), CASES)
every_domain = pytest.mark.parametrize("domain_name", DOMAINS)


def case(domain_name: str, name: str) -> tuple[Puzzle, Problem, Any]:
    domain = load_domain(domain_name)
    problem = problems(domain_name)[name]
    return domain, problem, domain.instance(problem, domain.options())


@every_domain
def test_tests_know_the_domain(domain_name: str) -> None:
    """A domain comes with problems in tests/problems and with wrong answers of every kind."""
    assert (PROBLEMS / domain_name).is_dir()
    assert domain_name in BROKEN
    assert load_domain(domain_name).name == domain_name


@every_domain
def test_benchmark_sets_are_listed_twice_alike(domain_name: str) -> None:
    """The sets that the commands list are the domain's, and their default options are options."""
    domain = load_domain(domain_name)
    assert set(domain.benchmarks) == {n for n, of in BENCHMARKS.items() if of == domain_name}
    for benchmark in domain.benchmarks.values():
        domain.options(**benchmark.defaults)


def test_unknown_domain() -> None:
    """The error lists the domains there are."""
    with pytest.raises(InputError, match=r"^no domain called 'chess', expected one of: .*latin-sq"):
        load_domain("chess")


@every_domain
def test_generic_functions_are_registered(domain_name: str) -> None:
    """Every stub of the contract has an implementation for the domain's classes."""
    domain = load_domain(domain_name)
    problem = next(iter(problems(domain_name).values()))
    testing_rules.check_registered(domain, domain.instance(problem, domain.options()))
    testing_rules.check_priors(domain)


@every_problem
@pytest.mark.parametrize(
    "check",
    [
        testing_rules.check_playouts_within_limits,
        testing_rules.check_copies,
        testing_rules.check_undo,
        testing_rules.check_reset,
        testing.check_searches,
    ],
)
def test_promises_about_playouts(
    check: Callable[[Puzzle, Any, str], None], domain_name: str, name: str
) -> None:
    """Limits, copies, `undo`, `reset` and searches are as the contract says."""
    domain, _, instance = case(domain_name, name)
    check(domain, instance, name)


@every_problem
def test_problems_are_parsed_back(domain_name: str, name: str) -> None:
    """A formatted problem is read back as the same problem."""
    domain, problem, _ = case(domain_name, name)
    testing.check_problem_text(domain, problem)


@pytest.mark.parametrize(("domain_name", "name"), SOLVABLE)
def test_answers(domain_name: str, name: str) -> None:
    """Solved answers pass the rules and can be played; broken ones do not."""
    domain, problem, _ = case(domain_name, name)
    budget = Budget(playouts=testing.EFFORT_PLAYOUTS)
    solution = solve(domain, problem, domain.options(), testing.EFFORT, budget)
    assert solution.solved
    testing.check_answer(domain, solution, domain.options(), BROKEN[domain_name])


def in_other_shapes(problem: Problem) -> Iterator[Problem]:
    """The same problem in arrays of other types, orders and writability, or in other tuples."""
    shapes: dict[type, Callable[[Any], Iterator[Any]]] = {
        Board: boards_alike,
        RnaTarget: targets_alike,
        Start: starts_alike,
        Sudoku: sudokus_alike,
    }
    for data in shapes.get(type(problem.data), arrays_alike)(problem.data):
        yield Problem(problem.name, data)


def arrays_alike(array: Any) -> Iterator[Any]:
    """The same numbers in other arrays."""
    read_only = array.copy()
    read_only.setflags(write=False)
    for kind in (np.int64, np.int8, np.float64):
        if array.min() >= -128 and array.max() <= 127 and (array == np.round(array)).all():
            yield array.astype(kind)
    yield from (np.asfortranarray(array), read_only, np.repeat(array, 2, axis=0)[::2])


def boards_alike(board: Board) -> Iterator[Any]:
    """The same board in other arrays."""
    alike = zip(arrays_alike(board.cells), arrays_alike(board.clues), strict=True)
    for cells, clues in alike:
        yield board._replace(cells=cells, clues=clues)


def sudokus_alike(board: Sudoku) -> Iterator[Any]:
    """The same board in other arrays, and as a plain tuple."""
    alike = zip(arrays_alike(board.grid), arrays_alike(board.regions), strict=True)
    for grid, regions in alike:
        yield board._replace(grid=grid, regions=regions)
    yield tuple(board)


def starts_alike(start: Start) -> Iterator[Any]:
    """The same start in other arrays, and as a plain tuple."""
    for cells in arrays_alike(start.cells):
        yield start._replace(cells=cells)
    yield tuple(start)


def targets_alike(target: RnaTarget) -> Iterator[Any]:
    """The same target as a plain tuple, and with bases written in other ways."""
    structure, bases = target.structure, target.bases
    yield structure, bases
    yield RnaTarget(structure, bases.lower())
    yield RnaTarget(structure, bases.replace("U", "T"))
    if set(bases) == {"N"}:
        yield RnaTarget(structure, "")


def classes_in(kind: Any) -> list[type]:
    """Classes of a tuple's Numba type and of the tuples in it: what code is chosen by."""
    inner = [part for part in kind.types if hasattr(part, "instance_class")]
    return [kind.instance_class, *itertools.chain.from_iterable(map(classes_in, inner))]


@needs_jit
@every_domain
def test_kernels_are_compiled_once_per_class(domain_name: str) -> None:
    """Instances of any origin, in any kind of array, share one compiled kernel and one result."""
    domain = load_domain(domain_name)
    for problem in problems(domain_name).values():
        instance = domain.instance(problem, domain.options())
        for other in in_other_shapes(problem):
            same = domain.instance(other, domain.options())
            assert testing_rules.contents(same) == testing_rules.contents(instance)
            for algorithm in (Sampling(), Gnrpa(level=1, iterations=2)):
                results = [
                    search(domain, one, algorithm, Budget(playouts=2)) for one in (instance, same)
                ]
                assert same_search(*results)
                replay_moves(same, domain.new_state(same), results[0].moves)
    typeof: Any = numba.typeof
    alike = classes_in(typeof(instance))
    replays: Any = replay_moves
    assert sum(classes_in(types[0]) == alike for types in replays.signatures) == 1
    searches: list[Any] = [sample, search_nested]
    for kernel in searches:
        parameters = []  # their classes say what is compiled in
        for task, given, *_ in kernel.signatures:
            rules, _, prior = task.types
            if classes_in(rules) == alike and prior.instance_class is NoPrior:
                parameters.append(given)
        assert parameters
        assert len(parameters) == len(set(parameters)), kernel.__name__


@every_domain
def test_a_prior_steers_the_search(domain_name: str) -> None:
    """Every domain has a prior; a table of it changes what is played."""
    domain = load_domain(domain_name)
    assert domain.priors
    prior = next(iter(domain.priors.values()))
    table = random_prior(prior, seed=1, scale=5.0)
    differ = 0
    for problem in problems(domain_name).values():
        instance = domain.instance(problem, domain.options())
        one, two = (
            search(domain, instance, Gnrpa(level=1, iterations=3), Budget(playouts=3), prior=p)
            for p in (None, table)
        )
        differ += not same_search(one, two)
    assert differ


@every_domain
def test_rows_of_a_prior(domain_name: str) -> None:
    """A prior's components are named, and their cardinalities multiply to its rows."""
    for name, prior in load_domain(domain_name).priors.items():
        assert prior.name == name
        assert prior.rows == np.prod(list(prior.components.values())) > 0
        assert prior.table_class._fields == ("table",)
