"""Requests as one constraint more, asked in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from solver.compiling.random import new_stream
from solver.contract import constraints as contract
from solver.contract.domain import Problem
from solver.contract.rules import legal_moves, play, reset, score
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.folding import as_text
from solver.domains.rna.gaps.requested import RequestedGaps
from solver.domains.rna.requests.kernels import excess
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.text import new_target
from solver.errors import VerificationError

TARGET = "((((...))))...((...))"
ASKED = RnaRequests(designs=3, min_distance=9, gc="50-60", forbid="GG,CNC", require="AUA")
OTHER = RnaDesign("GCGCAAAGCGCAAAGCAAAGC", "vienna2")

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")


class Search:
    """A sequence for a target with requests, changed at random."""

    def __init__(self) -> None:
        domain = RnaDomain(ASKED, [OTHER])
        problem = Problem("target", new_target(TARGET, "", "test"))
        self.instance = domain.instance(problem, RnaOptions())._replace(fold=0)
        self.state = domain.new_state(self.instance)
        constraints = domain.new_constraints(self.instance)
        assert isinstance(constraints, RequestedGaps)
        self.constraints = constraints
        self.stream = new_stream(0)
        self.random = np.random.default_rng(1)
        self.moves = np.zeros(10, np.int64)
        contract.forget(self.constraints, self.instance)
        reset(self.instance, self.state)
        for _ in self.instance.position:
            play(self.instance, self.state, self.drawn())
        contract.evaluate(self.constraints, self.instance, self.state)
        for _ in range(4):
            contract.check(self.constraints, self.instance, self.state)

    def drawn(self) -> int:
        n = legal_moves(self.instance, self.state, self.stream, self.moves)
        return int(self.moves[self.random.integers(n)])

    def off(self) -> int:
        """Return the distance of the sequence from its goal, counted afresh."""
        return int(excess(self.instance.requests, self.state.sequence))

    def cost(self) -> float:
        """Cost of the sequence: that of the gaps alone, and what it is off."""
        weight = self.constraints.weight[0]
        return float(contract.assignment_cost(self.constraints.gaps) + weight * self.off())


@pytest.fixture
def search() -> Search:
    return Search()


def test_moves_cost_what_they_leave_off(search: Search) -> None:
    """Costs of moves, made or only looked at, are those of the sequences that they make."""
    constraints, instance, state = search.constraints, search.instance, search.state
    for number in range(60):
        assert contract.assignment_cost(constraints) == pytest.approx(search.cost())
        step = int(search.random.integers(len(instance.position)))
        contract.revisit(instance, state, step)
        move = search.drawn()
        before = constraints.sequence.copy()
        cost = contract.move_cost(constraints, instance, step, move, np.inf)
        assert (constraints.sequence == before).all()
        assert contract.move_cost(constraints, instance, step, move, cost - 0.1) > cost - 0.1
        if number % 2:
            contract.move_cost(constraints, instance, step, move, np.inf)
            contract.commit(constraints, instance, step, move)
            play(instance, state, move)
            assert contract.assignment_cost(constraints) == pytest.approx(cost)
            assert (constraints.sequence == state.sequence)[:-1].all()


def test_what_is_off_is_violated_and_weighs(search: Search) -> None:
    """It is drawn among the rivals, changed where it is off, and costs more each time."""
    constraints = search.constraints
    assert search.off() > 0
    assert contract.is_violated(constraints)
    drawn = [contract.violated(constraints, search.stream) for _ in range(40)]
    number = len(constraints.gaps.gap)
    assert number in drawn
    assert any(rival < number for rival in drawn)
    for constraint in set(drawn):
        step = contract.step_to_change(constraints, constraint, search.stream)
        assert 0 <= step < len(search.instance.position)
        before = contract.assignment_cost(constraints)
        contract.add_weight(constraints, constraint, 0.5)
        assert contract.assignment_cost(constraints) > before
    assert contract.assignment_cost(constraints) == pytest.approx(search.cost())
    contract.reset_weights(constraints)
    assert constraints.weight[0] == 1.0


def test_a_fold_alone_is_no_solution(search: Search) -> None:
    """A sequence that folds right is as far off as its letters, and scores less than 1."""
    state, instance = search.state, search.instance
    state.sequence[:] = as_text("GCGCAAAGCGCAAAGCAAAGC")
    contract.evaluate(search.constraints, instance, state)
    alone = contract.check(search.constraints.gaps, instance, state)
    distance = contract.check(search.constraints, instance, state)
    assert distance == alone + search.off()
    assert search.off() >= 9  # all positions differ too little from the design before
    assert 0 < score(instance, state) < 1


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        ("GCGCAAAGCGCAAAGCAAAGC", "GC is 57.1 %, expected 58-60 %"),
        ("GCGCAAAGCGCGGCGCAAAGC", "GC is 71.4 %, expected 58-60 %"),
    ],
)
def test_the_verifier_checks_requests(sequence: str, message: str) -> None:
    """A design that is claimed without what was asked for is refused."""
    domain = RnaDomain(RnaRequests(gc="58-60"))
    problem = Problem("target", new_target(TARGET, "", "test"))
    with pytest.raises(VerificationError, match=f"^{message}$"):
        domain.verify(problem, RnaDesign(sequence, "vienna2"))
