"""What holds for every domain: the contract of `solver.domain`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from solver import domain as contract
from solver.algorithms import Gnrpa, Sampling
from solver.domain import Domain, Problem
from solver.domains import BENCHMARKS, DOMAINS, load_domain
from solver.domains.kakuro_board import Board
from solver.domains.rna_text import RnaTarget
from solver.errors import InputError, VerificationError
from solver.kernels.replay import replay_moves
from solver.kernels.search import sample, search_nested
from solver.priors import NoPrior
from solver.random import Stream, new_stream, next_below
from solver.search import Budget, search
from solver.solve import solve
from tests.helpers import needs_jit, random_prior, same_search
from tests.instances import BROKEN, PROBLEMS, problems

CASES = [(domain, name) for domain in DOMAINS for name in problems(domain)]
UNSOLVABLE = {
    ("latin-square", "order-04-contradiction"),
    ("latin-square", "order-05-stuck"),
    ("kakuro", "square-2-contradiction"),
    ("kakuro", "square-3-stuck"),
    ("rna", "unpaired-folds-anyway"),
    ("tsptw", "no-feasible-tour"),
}
SOLVABLE = [case for case in CASES if case not in UNSOLVABLE]

every_problem = pytest.mark.parametrize(("domain_name", "name"), CASES)
every_domain = pytest.mark.parametrize("domain_name", DOMAINS)


def case(domain_name: str, name: str) -> tuple[Domain, Problem, Any]:
    domain = load_domain(domain_name)
    problem = problems(domain_name)[name]
    return domain, problem, domain.instance(problem, domain.options())


def legal(domain: Domain, instance: Any, state: Any, stream: Stream) -> list[int]:
    buffer = np.zeros(max(domain.limits(instance).moves, 1), np.int64)
    with np.errstate(over="ignore"):
        n = contract.legal_moves(instance, state, stream, buffer)
    return [int(move) for move in buffer[:n]]


def score(instance: Any, state: Any) -> float:
    with np.errstate(over="ignore"):  # hashes wrap around
        return float(contract.score(instance, state))


def playout(
    domain: Domain, instance: Any, state: Any, stream: Stream
) -> Iterator[tuple[list[int], int]]:
    """Play random moves from `state` on; yield legal moves and the one that comes next."""
    while moves := legal(domain, instance, state, stream):
        with np.errstate(over="ignore"):
            move = moves[next_below(stream, len(moves))]
        yield moves, move
        contract.play(instance, state, move)


def contents(arrays: Any) -> list[Any]:
    """Everything in a NamedTuple of arrays, nested ones included, as lists."""
    return [
        contents(item) if isinstance(item, tuple) else np.asarray(item).tolist() for item in arrays
    ]


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
    cls = type(domain.instance(problem, domain.options()))
    for stub in ("reset", "legal_moves", "play", "score", "code", "is_solution_move"):
        assert getattr(contract, stub).implementation(cls), stub
    for stub in ("mark", "undo"):
        assert bool(getattr(contract, stub).implementation(cls)) == domain.can_undo, stub
    for prior in domain.priors.values():
        assert contract.prior_code.implementation(prior.table_class), prior.name
        assert contract.odds.implementation(prior.table_class), prior.name


@every_problem
def test_playouts_stay_within_limits(domain_name: str, name: str) -> None:
    """Moves, steps, choices, policy codes and prior codes are within what was declared."""
    domain, _, instance = case(domain_name, name)
    limits = domain.limits(instance)
    state = domain.new_state(instance)
    for seed in range(2):
        contract.reset(instance, state)
        steps = choices = 0
        for moves, _ in playout(domain, instance, state, new_stream(seed)):
            assert len(moves) <= limits.moves
            assert len(set(moves)) == len(moves)
            steps += 1
            choices += len(moves)
            codes = [contract.code(instance, state, move) for move in moves]
            assert len(set(codes)) == len(codes)
            if limits.codes:
                assert min(codes) >= 0
                assert max(codes) < limits.codes
            for prior in domain.priors.values():
                table = prior.table_class(np.arange(prior.rows) + 0.5)
                for move in moves:
                    row = contract.prior_code(table, instance, state, move)
                    assert 0 <= row < prior.rows
                    assert contract.odds(table, instance, state, move) == row + 0.5
        assert steps <= limits.steps
        assert choices <= limits.choices
        assert np.isfinite(score(instance, state))


@every_problem
def test_a_copy_equals_the_original(domain_name: str, name: str) -> None:
    """A copy made on the way evolves as the original does, and without touching it."""
    domain, _, instance = case(domain_name, name)
    state, copy = domain.new_state(instance), domain.new_state(instance)
    contract.reset(instance, state)
    for step, _ in enumerate(playout(domain, instance, state, new_stream(7))):
        if step == 2:
            break
    before = contents(state)
    contract.copy_state(instance, state, copy)
    assert contents(copy) == before
    played = [list(playout(domain, instance, s, new_stream(8))) for s in (copy, state)]
    assert played[0] == played[1]
    assert contents(copy) == contents(state)
    contract.reset(instance, copy)
    contract.copy_state(instance, state, copy)
    contract.reset(instance, state)
    assert contents(copy) != contents(state) or not played[0]


@every_problem
def test_moves_are_taken_back(domain_name: str, name: str) -> None:
    """After `undo` the same moves lead to the same end as before, from any step."""
    domain, _, instance = case(domain_name, name)
    if not domain.can_undo:
        pytest.skip("the domain cannot take moves back")
    state = domain.new_state(instance)
    contract.reset(instance, state)
    marks, moves = [], []
    for _, move in playout(domain, instance, state, new_stream(9)):
        marks.append(contract.mark(instance, state))
        moves.append(move)
    end, answer = score(instance, state), domain.answer(instance, state)
    for step in sorted({0, len(moves) // 2, max(len(moves) - 1, 0)}, reverse=True)[: len(moves)]:
        contract.undo(instance, state, marks[step])
        assert moves[step] in legal_from(domain, instance, moves[:step], state)
        for move in moves[step:]:
            contract.play(instance, state, move)
        assert score(instance, state) == end
        assert np.array_equal(domain.answer(instance, state), answer)


def legal_from(domain: Domain, instance: Any, played: list[int], undone: Any) -> list[int]:
    """Moves after `played` that are possible both in a new state and in `undone`."""
    state = domain.new_state(instance)
    contract.reset(instance, state)
    for move in played:
        contract.play(instance, state, move)
    assert np.array_equal(domain.answer(instance, state), domain.answer(instance, undone))
    possible = []
    for seed in range(40):  # ties between variables are broken at random
        fresh = legal(domain, instance, state, new_stream(seed))
        again = legal(domain, instance, undone, new_stream(seed))
        assert len(fresh) == len(again)
        possible += [*fresh, *again]
    return possible


@every_problem
def test_reset_forgets_everything(domain_name: str, name: str) -> None:
    """A state that was used is, after `reset`, as good as a new one."""
    domain, _, instance = case(domain_name, name)
    used, new = domain.new_state(instance), domain.new_state(instance)
    contract.reset(instance, used)
    list(playout(domain, instance, used, new_stream(1)))
    played: list[Any] = []
    for state in (used, new):
        contract.reset(instance, state)
        played.append(list(playout(domain, instance, state, new_stream(2))))
        played.append(score(instance, state))
    assert played[:2] == played[2:]
    assert np.array_equal(domain.answer(instance, used), domain.answer(instance, new))


@every_problem
def test_a_search_repeats_itself_and_leaves_the_instance_alone(domain_name: str, name: str) -> None:
    """Same seed, same result, from an instance that no search changes."""
    domain, _, instance = case(domain_name, name)
    before = contents(instance)
    for algorithm in (Sampling(), Gnrpa(level=2, iterations=6)):
        one, two = (
            search(domain, instance, algorithm, Budget(playouts=60), seed=5) for _ in range(2)
        )
        assert same_search(one, two)
        state = domain.new_state(instance)
        assert replay_moves(instance, state, one.moves) == one.score
    assert contents(instance) == before


@pytest.mark.parametrize(("domain_name", "name"), SOLVABLE)
def test_verify_accepts_answers_and_rejects_broken_ones(domain_name: str, name: str) -> None:
    """What a search calls solved passes the rules; every way to break it does not."""
    domain, problem, _ = case(domain_name, name)
    solution = solve(
        domain, problem, domain.options(), Gnrpa(level=2, iterations=30), Budget(playouts=9000)
    )
    assert solution.solved
    domain.verify(problem, solution.answer)
    before = np.array(solution.answer)
    broken = list(BROKEN[domain_name](problem, solution.answer))
    assert broken
    for what, answer in broken:
        assert not accepted(domain, problem, answer), what
    assert np.array_equal(solution.answer, before)
    text = domain.format(problem, solution.answer)
    assert np.array_equal(domain.parse_answer(problem, text, "answer"), solution.answer)


def accepted(domain: Domain, problem: Problem, answer: Any) -> bool:
    try:
        domain.verify(problem, answer)
    except VerificationError:
        return False
    return True


@every_problem
def test_problems_are_parsed_back(domain_name: str, name: str) -> None:
    """A formatted problem is read back as the same problem."""
    domain, problem, _ = case(domain_name, name)
    (again,) = domain.parse(domain.format_problem(problem), name)
    assert again.name == name
    assert contents((again.data,)) == contents((problem.data,))


@pytest.mark.parametrize(("domain_name", "name"), SOLVABLE)
def test_a_solution_can_be_played(domain_name: str, name: str) -> None:
    """From every state of a solution one legal move is the solution's, to the end."""
    domain, problem, instance = case(domain_name, name)
    state = domain.new_state(instance)
    found = search(domain, instance, Gnrpa(level=2, iterations=30), Budget(playouts=9000))
    replay_moves(instance, state, found.moves)
    answer = domain.answer(instance, state)
    solution = domain.solution(problem, answer)
    contract.reset(instance, state)
    stream = new_stream(3)
    step = 0
    while moves := legal(domain, instance, state, stream):
        its = [m for m in moves if contract.is_solution_move(instance, state, solution, step, m)]
        assert len(its) == 1
        contract.play(instance, state, its[0])
        step += 1
    assert np.array_equal(domain.answer(instance, state), answer)


def in_other_shapes(problem: Problem) -> Iterator[Problem]:
    """The same problem in arrays of other types, orders and writability, or in other tuples."""
    shapes: dict[type, Callable[[Any], Iterator[Any]]] = {
        Board: boards_alike,
        RnaTarget: targets_alike,
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


def targets_alike(target: RnaTarget) -> Iterator[Any]:
    """The same target as a plain tuple, and with bases written in other ways."""
    structure, bases = target
    yield structure, bases
    yield RnaTarget(structure, bases.lower())
    yield RnaTarget(structure, bases.replace("U", "T"))
    if set(bases) == {"N"}:
        yield RnaTarget(structure, "")


@needs_jit
@every_domain
def test_kernels_are_compiled_once_per_class(domain_name: str) -> None:
    """Instances of any origin, in any kind of array, share one compiled kernel and one result."""
    domain = load_domain(domain_name)
    for problem in problems(domain_name).values():
        instance = domain.instance(problem, domain.options())
        for other in in_other_shapes(problem):
            same = domain.instance(other, domain.options())
            assert contents(same) == contents(instance)
            for algorithm in (Sampling(), Gnrpa(level=1, iterations=2)):
                results = [
                    search(domain, one, algorithm, Budget(playouts=2)) for one in (instance, same)
                ]
                assert same_search(*results)
                replay_moves(same, domain.new_state(same), results[0].moves)
    kernels: list[tuple[Any, Any]] = [
        (sample, NoPrior),
        (search_nested, NoPrior),
        (replay_moves, None),
    ]
    for kernel, prior in kernels:
        compiled = [
            types
            for types in kernel.signatures
            if types[0].instance_class is type(instance)
            and (prior is None or types[2].instance_class is prior)
        ]
        assert len(compiled) == 1, kernel.__name__


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
