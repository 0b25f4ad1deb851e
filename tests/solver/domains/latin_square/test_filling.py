"""Latin squares for local search: conflicts counted as plain Python counts them, and answers."""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from generators.latin_square import LatinSquareGenerator
from solver.algorithms import Cegls
from solver.compiling.random import new_stream
from solver.contract import constraints
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.contract.references import problem_of
from solver.contract.rules import prior_code
from solver.domains.latin_square.filling.conflicts import Conflicts
from solver.domains.latin_square.filling.rules import AVERSION, Filling, MinConflicts
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.testing import check_algorithm
from tests.commands.squares import CONTRADICTION, IMPOSSIBLE
from tests.helpers import random_prior
from tests.solver.domains.latin_square.plain_latin_square import (
    DOMAIN,
    SEED,
    arbitrary,
    candidates,
    completable,
    message_odds,
    propagated,
)

#: Random numbers overflow, in plain Python with a warning.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

FORM: Any = DOMAIN.assignments()
OPTIONS = LatinSquareOptions()
ALGORITHM = Cegls.suited_to(DOMAIN)
#: Checks so often that an easy square takes several.
SHORT = dataclasses.replace(ALGORITHM, moves=20)

#: A row or a column, its number, and a value.
Line = tuple[str, int, int]
Lines = Counter[Line]


def threshold_square(order: int, number: int = 0) -> Problem:
    """A square with the share of holes that is hardest at order 20."""
    return problem_of(LatinSquareGenerator(order=order, holes=0.42), 5, number)


def read(text: str) -> Problem:
    (problem,) = DOMAIN.parse(text, "test")
    return problem


def lines_of(full: Any) -> Lines:
    """Count each value in each line."""
    found: Lines = Counter()
    for (row, column), value in np.ndenumerate(full):
        found["row", row, int(value)] += 1
        found["column", column, int(value)] += 1
    return found


class Walk:
    """An assignment that is changed by the functions of the contract, in plain Python."""

    def __init__(self, grid: Any, seed: int) -> None:
        self.instance: Filling = FORM.instance(Problem("grid", grid), OPTIONS)
        self.state = FORM.new_state(self.instance)
        self.conflicts: Conflicts = FORM.new_constraints(self.instance)
        self.stream = new_stream(seed)
        self.random = np.random.default_rng(seed)
        self.buffer = np.zeros(FORM.limits(self.instance).moves, np.int64)
        self.known: dict[Line, float] = {}
        constraints.forget(self.conflicts, self.instance)
        contract.reset(self.instance, self.state)
        while n := self.listed():
            contract.play(self.instance, self.state, int(self.random.choice(self.buffer[:n])))
        constraints.evaluate(self.conflicts, self.instance, self.state)

    def listed(self) -> int:
        found = contract.legal_moves(self.instance, self.state, self.stream, self.buffer)
        return int(found)

    @property
    def full(self) -> Any:
        """The grid with all its values, those that stand twice included."""
        square, chosen = self.instance.square, self.state.chosen
        grid = square.grid.copy()
        grid[square.cell[chosen]] = square.value[chosen]
        return grid.reshape(square.order, square.order)

    def line_of(self, item: int) -> Line:
        """The line and value that a constraint is about."""
        square, kinds = self.instance.square, ("cell", "row", "column")
        candidate, kind = np.argwhere(square.cover.sets == item)[0]
        cell = divmod(int(square.cell[candidate]), square.order)
        return kinds[kind], cell[kind - 1], int(square.value[candidate])

    def another(self, step: int) -> int:
        """A move for `step` that is not the one made."""
        constraints.revisit(self.instance, self.state, step)
        moves = self.buffer[: self.listed()]
        return int(self.random.choice(moves[moves != self.state.chosen[step]]))

    def cost(self, full: Any) -> float:
        """Return the cost of the known constraints in a grid, counted from scratch."""
        times = lines_of(full)
        return sum(
            weight * self.conflicts.price * (times[line] - 1)
            for line, weight in self.known.items()
            if times[line] > 1
        )

    def held(self) -> None:
        """Cost, violated constraints and the holes that decide on them are what is counted."""
        conflicts, times = self.conflicts, lines_of(self.full)
        assert constraints.assignment_cost(conflicts) == pytest.approx(self.cost(self.full))
        listed = conflicts.violated[: conflicts.n_violated[0]].tolist()
        violated = {line for line in self.known if times[line] > 1}
        assert sorted(map(self.line_of, listed)) == sorted(violated)
        assert constraints.is_violated(conflicts) == bool(violated)
        for item in listed:
            kind, number, value = self.line_of(item)
            step = constraints.step_to_change(conflicts, item, self.stream)
            row, column = divmod(
                int(self.instance.square.cell[self.state.chosen[step]]), len(self.full)
            )
            assert (row if kind == "row" else column) == number
            assert self.full[row, column] == value

    def learn(self) -> None:
        """Have the assignment checked; every line that has a value twice is a constraint then."""
        distance = constraints.check(self.conflicts, self.instance, self.state)
        for line, times in lines_of(self.full).items():
            if times > 1:
                self.known.setdefault(line, 1.0)
        answer = FORM.answer(self.instance, self.state)
        assert distance == (answer < 0).sum() == -contract.score(self.instance, self.state)
        assert (answer[answer >= 0] == self.full[answer >= 0]).all()
        assert max(lines_of(answer + len(answer) ** 2 * (answer < 0)).values()) <= len(answer)
        for line in (*answer, *answer.T):
            values = line[line >= 0].tolist()
            assert len(set(values)) == len(values)
        assert (distance == 0) == (max(lines_of(self.full).values()) == 1)


def some_walk(grid: Any, seed: int) -> Walk | None:
    """A walk over `grid`, None where propagation leaves nothing to choose."""
    left = propagated(grid, True)
    return None if left is None or not (left < 0).any() else Walk(grid, seed)


@pytest.mark.slow
@settings(max_examples=25)
@given(grid=completable((4, 5, 6)) | arbitrary(), seed=SEED)
def test_costs_equal_a_count_from_scratch(grid: Any, seed: int) -> None:
    """Whatever is learned, looked at, made and weighed, all is as plain Python counts it."""
    walk = some_walk(grid, seed)
    if walk is None:
        return
    for number in range(40):
        if number % 10 == 0:
            walk.learn()
            walk.held()
        step = int(walk.random.integers(len(walk.state.chosen)))
        move = walk.another(step)
        after = walk.full
        cell = divmod(int(walk.instance.square.cell[move]), len(after))
        after[cell] = walk.instance.square.value[move]
        cost = constraints.move_cost(walk.conflicts, walk.instance, step, move, np.inf)
        assert cost == pytest.approx(walk.cost(after))
        walk.held()
        if number % 3:
            constraints.commit(walk.conflicts, walk.instance, step, move)
            contract.play(walk.instance, walk.state, move)
        elif (chosen := constraints.violated(walk.conflicts, walk.stream)) >= 0:
            constraints.add_weight(walk.conflicts, chosen, 0.25)
            walk.known[walk.line_of(chosen)] += 0.25
        walk.held()
    constraints.evaluate(walk.conflicts, walk.instance, walk.state)
    walk.held()
    constraints.reset_weights(walk.conflicts)
    walk.known = dict.fromkeys(walk.known, 1.0)
    constraints.evaluate(walk.conflicts, walk.instance, walk.state)
    walk.held()
    constraints.forget(walk.conflicts, walk.instance)
    walk.known = {}
    constraints.evaluate(walk.conflicts, walk.instance, walk.state)
    walk.held()


@settings(max_examples=25)
@given(grid=completable((4, 5, 6)) | arbitrary(), seed=SEED)
def test_holes_have_the_values_that_givens_leave(grid: Any, seed: int) -> None:
    """Whatever stands in the other holes, a hole may have any value that propagation left it."""
    walk = some_walk(grid, seed)
    if walk is None:
        return
    square, left = walk.instance.square, candidates(propagated(grid, True))
    assert len(walk.state.chosen) == len(left)
    for step in walk.random.permutation(len(left)).tolist():
        constraints.revisit(walk.instance, walk.state, step)
        moves = walk.buffer[: walk.listed()]
        (cell,) = set(square.cell[moves].tolist())
        assert set(square.value[moves].tolist()) == left[divmod(cell, square.order)]
        contract.play(walk.instance, walk.state, walk.another(step))
    assert (walk.full >= 0).all()


@pytest.mark.parametrize("code", ["triple", "dual"])
def test_priors_are_asked_as_at_the_start(code: str) -> None:
    """A move has the code that it has where nothing is played but what the givens force."""
    problem = threshold_square(20)
    walk = Walk(problem.data, seed=1)
    table = random_prior(DOMAIN.priors[code], seed=2)
    square = DOMAIN.instance(problem, OPTIONS)
    start = DOMAIN.new_state(square)
    contract.reset(square, start)
    assert len(square.cell) > 100
    for move in range(len(square.cell)):
        assert prior_code(table, walk.instance, walk.state, move) == prior_code(
            table, square, start, move
        )


def test_beliefs_are_those_at_the_start() -> None:
    """The belief in a value of a hole is that of a fresh start, whatever values holes have."""
    problem = threshold_square(20)
    walk = Walk(problem.data, seed=1)
    table = random_prior(DOMAIN.priors["belief"], seed=2)
    told = message_odds(walk.instance.square.grid.reshape(20, 20), steps=2)
    square = walk.instance.square
    for step in walk.random.permutation(len(walk.state.chosen))[:40].tolist():
        constraints.revisit(walk.instance, walk.state, step)
        moves = walk.buffer[: walk.listed()].tolist()
        cells = [(*divmod(int(square.cell[m]), 20), int(square.value[m])) for m in moves]
        total = sum(told[cell] for cell in cells)
        for move, cell in zip(moves, cells, strict=True):
            code = prior_code(table, walk.instance, walk.state, move)
            exact = 8 * np.log(told[cell] / (total - told[cell]))
            assert abs(code - 64 - np.clip(exact, -64, 64)) < 0.5 + 1e-6
        contract.play(walk.instance, walk.state, walk.another(step))


def test_values_that_lines_lack_are_preferred() -> None:
    """The odds of a move fall with the lines that have its value, as counted in the grid."""
    walk = Walk(threshold_square(20).data, seed=1)
    square, random = walk.instance.square, walk.random
    for step in random.integers(len(walk.state.chosen), size=60).tolist():
        move = walk.another(step)
        row, column = divmod(int(square.cell[move]), square.order)
        value, full = int(square.value[move]), walk.full
        lines = int(value in full[row]) + int(value in full[:, column])
        odds = contract.odds(MinConflicts(), walk.instance, walk.state, move)
        assert odds == pytest.approx(np.exp(-AVERSION * walk.conflicts.price * lines))
        contract.play(walk.instance, walk.state, move)


def test_a_conflict_costs_what_a_choice_is_worth() -> None:
    """The price is the logarithm of the mean number of values of a hole; without holes too."""
    empty = Walk(np.full((5, 5), -1, np.int16), seed=0)
    assert empty.conflicts.price == pytest.approx(np.log(5))
    full = FORM.instance(read("1 2\n2 1\n"), OPTIONS)
    assert FORM.new_constraints(full).price == pytest.approx(np.log(2))


@pytest.mark.parametrize("prior", [None, random_prior(DOMAIN.priors["dual"], seed=3)])
def test_squares_are_solved_and_verified(prior: Any) -> None:
    """With a prior and without; the verifier looks at the rules alone."""
    for number in range(3):
        problem = threshold_square(20, number)
        solution = solve(DOMAIN, problem, OPTIONS, ALGORITHM, Budget(playouts=2000), prior=prior)
        assert solution.status == "solved"
        assert solution.verified
        DOMAIN.verify(problem, solution.answer)


def test_a_square_without_holes_is_solved() -> None:
    """There is nothing to change, and nothing to learn."""
    solution = solve(DOMAIN, read("1 2\n2 1\n"), OPTIONS, ALGORITHM, Budget(playouts=5))
    assert (solution.status, solution.search.playouts) == ("solved", 1)


@pytest.mark.parametrize("options", [OPTIONS, LatinSquareOptions(propagation="forward")])
def test_same_seed_same_answer_on_any_threads(options: LatinSquareOptions) -> None:
    """Slices and threads change nothing, and moves played again score what is said."""
    problem = threshold_square(20)
    check_algorithm(SHORT, DOMAIN, [problem, read(IMPOSSIBLE)], options)
    alone, again, beside = (
        solve(DOMAIN, problem, options, SHORT, Budget(playouts=3000), seed=4, threads=threads)
        for threads in (1, 1, 2)
    )
    assert alone.search.playouts > 10
    for other in (again, beside):
        assert np.array_equal(other.answer, alone.answer)
        assert other.search.playouts == alone.search.playouts


def test_without_an_answer_the_budget_ends() -> None:
    """The best found has as many holes as the score says; a contradiction is proved."""
    solution = solve(DOMAIN, read(IMPOSSIBLE), OPTIONS, ALGORITHM, Budget(playouts=30))
    assert (solution.status, solution.search.playouts) == ("budget", 30)
    assert (solution.answer < 0).sum() == -solution.search.score > 0
    solution = solve(DOMAIN, read(CONTRADICTION), OPTIONS, ALGORITHM, Budget(playouts=30))
    assert solution.status == "infeasible"


def test_an_interrupted_search_reports_the_best() -> None:
    """An interrupted search returns its best grid, with holes, its givens kept."""
    problem, stop = read(IMPOSSIBLE), threading.Event()
    solution = solve(
        DOMAIN, problem, OPTIONS, ALGORITHM, Budget(playouts=10**9), stop=stop,
        progress=lambda playouts, best: stop.set() if playouts > 3 else None,
    )  # fmt: skip
    assert solution.status == "interrupted"
    assert (solution.answer < 0).sum() == -solution.search.score > 0
    assert (solution.answer == problem.data)[problem.data >= 0].all()
