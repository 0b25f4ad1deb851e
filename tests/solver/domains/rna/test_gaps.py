"""Rivals as constraints: gaps are differences of ViennaRNA's energies, whatever moves were made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import RNA

from solver.compiling.random import new_stream
from solver.contract import constraints
from solver.contract.domain import Problem
from solver.contract.rules import legal_moves, play, reset
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import use_engine
from solver.domains.rna.fold.parameters import INFINITE
from solver.domains.rna.gaps.learn import make_room, new_gaps
from solver.domains.rna.gaps.memory import (
    BROKEN,
    LOOPS,
    MARGIN,
    NEAR,
    RIVALS,
    STABILITY,
    TARGET_ENERGY,
    Gaps,
)
from solver.domains.rna.text import PAIRS, new_target, pair_partners

#: Hashes overflow, in plain Python with a warning.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

#: Hairpins of several sizes, bulges, interior loops, multiloops, and bases outside of all.
TARGETS = (
    "..((((...))))..(((..((((....))))..)))..((((((...)))..(((....)))))).",
    "((((.((((......))))..((((....)))).((((...))))))))((((....))))",
    "(((..(((.(((....))).)))...))).....((((((.((((....)))))).))))",
)
ENGINE = "vienna2"


def dot_bracket(pairs: Any) -> str:
    """Structure of int16[n + 2] pairs that count from 1."""
    found = []
    for position in range(1, len(pairs) - 1):
        other = pairs[position]
        found.append("." if other == 0 else "(" if other > position else ")")
    return "".join(found)


def energy(sequence: str, structure: str) -> int:
    """Return ViennaRNA's energy, in 1/100 kcal/mol."""
    model = use_engine(ENGINE)
    compound = RNA.fold_compound(sequence, model, RNA.OPTION_EVAL_ONLY)
    return round(100 * float(compound.eval_structure(structure)))


def fits(sequence: str, structure: str) -> bool:
    """True if all pairs are of bases that pair."""
    partners = enumerate(pair_partners(structure, "test"))
    return all(p < 0 or sequence[i] + sequence[p] in PAIRS for i, p in partners)


def gaps_of(gaps: Gaps, sequence: str) -> list[float]:
    """Energies of all rivals beyond the target's, by ViennaRNA; inf of those that do not fit."""
    of_target = energy(sequence, dot_bracket(gaps.target))
    rivals = map(dot_bracket, gaps.pairs[: gaps.scalars[RIVALS]])
    return [
        energy(sequence, rival) - of_target if fits(sequence, rival) else np.inf for rival in rivals
    ]


class Search:
    """A sequence for a target, whose constraints are asked in plain Python."""

    def __init__(self, target: str, n_rivals: int = 64, seed: int = 0) -> None:
        domain = RnaDomain()
        problem = Problem("target", new_target(target, "", "test"))
        self.instance = domain.instance(problem, RnaOptions(ENGINE))._replace(fold=0)
        self.state = domain.new_state(self.instance)
        self.gaps = new_gaps(self.instance, n_rivals)
        self.stream = new_stream(seed)
        self.moves = np.zeros(10, np.int64)
        constraints.forget(self.gaps, self.instance)

    @property
    def sequence(self) -> str:
        return self.state.sequence[:-1].tobytes().decode()

    def drawn(self) -> int:
        """A move that is possible, at random."""
        n = legal_moves(self.instance, self.state, self.stream, self.moves)
        return int(self.moves[int(np.random.default_rng(self.stream[0]).integers(n))])

    def begin(self) -> None:
        """Draw a sequence."""
        reset(self.instance, self.state)
        for _ in self.instance.position:
            self.stream[0] += np.uint64(1)
            play(self.instance, self.state, self.drawn())
        constraints.evaluate(self.gaps, self.instance, self.state)

    def learn(self, checks: int) -> None:
        """Learn what so many random sequences fold into."""
        for _ in range(checks):
            self.begin()
            assert constraints.check(self.gaps, self.instance, self.state) > 0

    def held(self) -> None:
        """Gaps, the target's energy and the cost are what ViennaRNA says."""
        gaps, scalars = self.gaps, self.gaps.scalars
        expected = gaps_of(gaps, self.sequence)
        given = gaps.gap[: scalars[RIVALS]].tolist()
        assert [gap if gap < INFINITE // 2 else np.inf for gap in given] == expected
        of_target = energy(self.sequence, dot_bracket(gaps.target))
        assert scalars[TARGET_ENERGY] == of_target
        near = [rival for rival, gap in enumerate(expected) if gap < MARGIN]
        assert gaps.near[: scalars[NEAR]].tolist() == near
        assert scalars[BROKEN] == sum(gap <= 0 for gap in expected)
        cost = STABILITY * of_target / 100
        cost += sum(gaps.weight[rival] * (MARGIN - expected[rival]) / 100 for rival in near)
        assert constraints.assignment_cost(gaps) == pytest.approx(cost)


@pytest.fixture(params=TARGETS)
def search(request: pytest.FixtureRequest) -> Search:
    """A search that has learned some rivals."""
    found = Search(request.param)
    found.learn(8)
    return found


def test_rivals_are_no_worse_than_the_target(search: Search) -> None:
    """The last rival has no more energy than the target; the sequence's fold tells why."""
    assert search.gaps.scalars[RIVALS] >= 8
    search.held()
    assert search.gaps.scalars[BROKEN] > 0
    assert search.gaps.gap[search.gaps.scalars[RIVALS] - 1] <= 0


def test_moves_change_gaps_as_energies(search: Search) -> None:
    """After moves that were made, and others that were only looked at, all gaps are right."""
    random = np.random.default_rng(1)
    made = 0
    for number in range(60):
        step = int(random.integers(len(search.instance.position)))
        constraints.revisit(search.instance, search.state, step)
        search.stream[0] += np.uint64(1)
        move = search.drawn()
        before = search.gaps.code.copy()
        cost = constraints.move_cost(search.gaps, search.instance, step, move, np.inf)
        assert (search.gaps.code == before).all()
        low = cost - 1e-6 - random.random()
        assert constraints.move_cost(search.gaps, search.instance, step, move, low) > low
        if number % 2:
            constraints.move_cost(search.gaps, search.instance, step, move, np.inf)
            constraints.commit(search.gaps, search.instance, step, move)
            play(search.instance, search.state, move)
            assert constraints.assignment_cost(search.gaps) == pytest.approx(cost)
            made += 1
            search.held()
    assert made == 30


def test_a_violated_rival_is_drawn_and_where_it_differs(search: Search) -> None:
    """Changing what no site decides on leaves the gap as it is."""
    gaps = search.gaps
    for _ in range(20):
        rival = constraints.violated(gaps, search.stream)
        assert gaps.gap[rival] < MARGIN
        sites = set(gaps.site[rival, 1 : gaps.site[rival, 0] + 1].tolist())
        assert constraints.step_to_change(gaps, rival, search.stream) in sites
    for rival in range(gaps.scalars[RIVALS]):
        sites = set(gaps.site[rival, 1 : gaps.site[rival, 0] + 1].tolist())
        before = gaps.gap[rival]
        for step in set(range(len(search.instance.position))) - sites:
            constraints.revisit(search.instance, search.state, step)
            search.stream[0] += np.uint64(1)
            constraints.move_cost(gaps, search.instance, step, search.drawn(), np.inf)
            assert gaps.new_gap[rival] == before


def test_weights_are_of_the_cost(search: Search) -> None:
    """A rival that weighs more costs more; `reset_weights` makes all alike."""
    rival = constraints.violated(search.gaps, search.stream)
    before = constraints.assignment_cost(search.gaps)
    constraints.add_weight(search.gaps, rival, 0.5)
    violation = (MARGIN - search.gaps.gap[rival]) / 100
    assert constraints.assignment_cost(search.gaps) == pytest.approx(before + 0.5 * violation)
    search.held()
    constraints.reset_weights(search.gaps)
    assert (search.gaps.weight == 1.0).all()


def test_room_is_made_where_rivals_were_not_near() -> None:
    """With little room the oldest go; loops are found again and all gaps stay right."""
    search = Search(TARGETS[0], n_rivals=12)
    search.learn(20)
    search.held()
    rivals = search.gaps.scalars[RIVALS]
    assert 0 < rivals <= 12
    loops = search.gaps.scalars[LOOPS]
    newest = search.gaps.hash[rivals - 1]
    make_room(search.gaps, search.instance.energies)
    kept = search.gaps.scalars[RIVALS]
    assert kept == int(0.75 * rivals)
    assert newest in search.gaps.hash[:kept]
    assert search.gaps.scalars[LOOPS] <= loops
    constraints.evaluate(search.gaps, search.instance, search.state)
    search.held()


def test_a_rival_is_kept_once(search: Search) -> None:
    """The same fold again teaches nothing."""
    rivals = search.gaps.scalars[RIVALS]
    constraints.check(search.gaps, search.instance, search.state)
    assert search.gaps.scalars[RIVALS] == rivals


def test_a_design_is_no_distance_away() -> None:
    """A sequence that ViennaRNA folds into the target is a solution."""
    search = Search("((((....))))")
    sequence = "GCGCUUUUGCGC"
    search.state.sequence[:-1] = np.frombuffer(sequence.encode(), np.uint8)
    constraints.evaluate(search.gaps, search.instance, search.state)
    assert constraints.check(search.gaps, search.instance, search.state) == 0.0
