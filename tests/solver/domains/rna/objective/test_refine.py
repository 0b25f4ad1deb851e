"""The search for an objective: what it yields is what ViennaRNA says of it, and what was asked."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import numpy as np
import pytest

from solver.algorithms.cegls import Cegls
from solver.compiling.random import new_stream
from solver.contract.designer import designer_of
from solver.contract.domain import Problem
from solver.domains.rna.designs import check_letters
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import use_engine
from solver.domains.rna.ensemble.factors import load_ensembles
from solver.domains.rna.folding import as_text
from solver.domains.rna.objective.memory import DEFAULT, new_goal, new_search_memory
from solver.domains.rna.objective.moves import REACH, draw_neighbour
from solver.domains.rna.objective.refine import EnsembleRefinement
from solver.domains.rna.requests.check import Requirements, missing_of
from solver.domains.rna.requests.contradictions import fits_of, sites_of
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.requests.kernels import NoRequests, new_requests
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.text import PAIRS, new_target, pair_partners
from solver.priors.priors import default_prior
from solver.searching.driver import Budget
from solver.searching.solution import Solution, solve
from tests.helpers import needs_jit

OBJECTIVES = pytest.mark.parametrize("objective", ["probability", "defect", "both"])
STAR = "((((..((((....))))..((((....))))..((((....))))..))))"
NO_REQUEST = Requirements()
#: No sequence folds into it: pairs alone in a junction cost more than nothing.
IMPOSSIBLE = "((.(...).((((....)))).(...).))"


def improved(
    structure: str, start: str, objective: str, steps: int,
    requirements: Requirements = NO_REQUEST, bases: str = "", seed: int = 1,
) -> list[tuple[str, float]]:  # fmt: skip
    """Return the results of the search after so many steps."""
    target = new_target(structure, bases, "p")
    sites, n = sites_of(target), len(structure)
    patterns = [pattern for _, forms in requirements.required for pattern in forms]
    fits = [fits_of(pattern, sites, n) for pattern in patterns]
    requests: Any = (
        NoRequests() if requirements == NO_REQUEST else new_requests(requirements, fits, n)
    )
    ensembles = load_ensembles("vienna2")
    assert ensembles is not None
    search = EnsembleRefinement(structure, sites, requests, objective, ensembles, Random(seed))
    return list(itertools.islice(search.run(start), steps + 1))


def filled(structure: str, pair: str = "GC") -> str:
    """A sequence with one kind of pair, and A elsewhere."""
    return structure.replace(".", "A").replace("(", pair[0]).replace(")", pair[1])


def value_of(sequence: str, structure: str, objective: str) -> float:
    """Probability, or defect with its sign changed; or both, with 1 for a right fold."""
    ensemble = Ensemble(sequence, structure, use_engine("vienna2"))
    if objective == "both":
        both = ensemble.probability - ensemble.defect + ensemble.is_best
        return both + DEFAULT.share * ensemble.log_probability
    return ensemble.probability if objective == "probability" else -ensemble.defect


@pytest.mark.parametrize(("beside", "numbers"), [(0.0, {1}), (1.0, {1, 2})])
def test_neighbours(beside: float, numbers: set[int]) -> None:
    """One site changes, or another near it or facing it, too, to letters that are permitted."""
    bases = "GNNNANGNNNRNNNNNNC" + "N" * (len(STAR) - 18)  # fixed: a base, a pair, half a pair
    target, start = new_target(STAR, bases, "p"), filled(STAR)
    sites, tuning = sites_of(target), DEFAULT._replace(beside=beside)
    ensembles = load_ensembles("vienna2")
    assert ensembles is not None
    goal = new_goal(STAR, sites, ensembles, tuning, objective="defect")
    memory = new_search_memory(len(STAR), goal, ensembles, new_stream(1), tuning)
    memory.current.sequence[:] = as_text(start)
    memory.current.weights[:] = np.arange(1.0, len(goal.position) + 1)
    free = [
        [place for place in (site.position, site.partner) if place >= 0]
        for site in sites
        if len(site.choices) > 1
    ]
    partner = pair_partners(STAR, "p")
    facing = {
        (place, partner[place + side] + side)
        for place, side in itertools.product(range(1, len(STAR) - 1), (-1, 1))
        if partner[place] < 0 <= partner[place + side]
    }
    seen, faced = set(), 0
    for _ in range(2000):
        with np.errstate(over="ignore"):  # words of the stream, where nothing is compiled
            assert draw_neighbour(goal, memory, NoRequests())
        tried = memory.tried[:-1].tobytes().decode()
        check_letters(tried, target)
        changed = [site for site in free if any(tried[place] != start[place] for place in site)]
        seen.add(len(changed))
        for one, other in itertools.combinations(changed, 2):
            if min(abs(p - q) for p in one for q in other) > REACH:
                faced += 1
                assert facing & {*itertools.product(one, other), *itertools.product(other, one)}
    assert seen == numbers
    assert (faced > 0) == (2 in numbers)


@needs_jit
@OBJECTIVES
def test_the_best_of_all(objective: str) -> None:
    """The best of all sequences of a small target is found."""
    structure, bases = ".((((...)))).", "AGNNGANACNNCA"
    sequences = [
        f"AG{one[0]}{two[0]}GA{base}AC{two[1]}{one[1]}CA"
        for one, two in itertools.product(PAIRS, repeat=2)
        for base in "ACGU"
    ]
    best = max(value_of(sequence, structure, objective) for sequence in sequences)
    *_, (found, score) = improved(structure, "AGAAGAAACUUCA", objective, 400, bases=bases)
    assert found in sequences
    assert value_of(found, structure, objective) == pytest.approx(best, abs=1e-6)
    assert score == 1.0


@needs_jit
@OBJECTIVES
def test_it_gets_better_and_is_repeated(objective: str) -> None:
    """The objective never falls, ends far above the start's, and depends on the seed alone."""
    start = filled(STAR, "AU")
    found = improved(STAR, start, objective, 300)
    assert len(found) == 301
    values = [value_of(sequence, STAR, objective) for sequence, _ in dict(found).items()]
    assert values == sorted(values)
    assert value_of(found[-1][0], STAR, "probability") > 0.5
    assert found == improved(STAR, start, objective, 300)
    assert found != improved(STAR, start, objective, 300, seed=2)


@needs_jit
@OBJECTIVES
def test_requests_are_met(objective: str) -> None:
    """GC, motifs, distances and fixed bases hold, though the start had none of them."""
    requirements = RnaRequests(gc="40-50", forbid="AAAA,GGG", require="GUAC").requirements
    requirements = requirements._replace(others=[filled(STAR, "GC")], distance=12)
    bases = "N" * 12 + "U" + "N" * (len(STAR) - 13)
    start = list(filled(STAR, "GC"))
    start[12] = "U"
    *_, (found, score) = improved(STAR, "".join(start), objective, 1500, requirements, bases)
    assert missing_of(found, requirements) == []
    assert found[12] == "U"
    assert value_of(found, STAR, "probability") > 0.3
    assert score == 1.0


@needs_jit
@OBJECTIVES
def test_what_never_folds_is_improved_too(objective: str) -> None:
    """A target that is no fold ends without a claim, its objective far above the start's."""
    problem = Problem("p", new_target(IMPOSSIBLE, "", "p"))

    def solved(playouts: int) -> Solution:
        return solve(
            RnaDomain(), problem, RnaOptions(), Cegls(), Budget(playouts=playouts),
            requests=RnaRequests(objective=objective),  # type: ignore[arg-type]
            prior=default_prior(RnaDomain(), None).table,
        )  # fmt: skip

    few, many = solved(1), solved(2000)
    assert (many.solved, many.status, many.search.playouts) == (False, "budget", 2000)
    before, after = (value_of(one.answer.sequence, IMPOSSIBLE, objective) for one in (few, many))
    assert after > before


@needs_jit
def test_a_design_without_a_choice() -> None:
    """If every base is fixed, the design is that sequence."""
    found = improved("((((....))))", "GCGCUUCGGCGC", "defect", 5, bases="GCGCUUCGGCGC")
    assert found == [("GCGCUUCGGCGC", 1.0)]


@needs_jit
@OBJECTIVES
def test_the_objective_alone_counts(objective: str, monkeypatch: Any) -> None:
    """A better design is taken though it folds otherwise, and is not called right.

    With both as the objective the right fold comes first.
    """
    begin = filled(IMPOSSIBLE)
    bases = f"{begin[:5]}N{begin[6:]}"
    designs = [bases.replace("N", base) for base in "ACGU"]
    values = {design: value_of(design, IMPOSSIBLE, objective) for design in designs}
    start, best = min(designs, key=values.__getitem__), max(designs, key=values.__getitem__)
    assert values[start] < values[best]

    def folds(self: EnsembleRefinement, sequence: Any) -> bool:
        return bool(sequence[:-1].tobytes().decode() == start)

    monkeypatch.setattr(EnsembleRefinement, "_folds", folds)
    first, *_, last = improved(IMPOSSIBLE, start, objective, 50, bases=bases)
    assert first == (start, 1.0)
    if objective == "both":
        assert last == (start, 1.0)
    else:
        assert last[0] == best
        assert last[1] < 1.0


@pytest.mark.slow
@needs_jit
@OBJECTIVES
def test_a_gap_is_kept(objective: str) -> None:
    """With a gap the objective is improved as far as the gap allows."""

    def solved(playouts: int, **asked: Any) -> str:
        found = solve(
            RnaDomain(), Problem("p", new_target(STAR, "", "p")), RnaOptions(), Cegls(),
            Budget(playouts=playouts), requests=RnaRequests(gap=1.5, **asked),
            prior=default_prior(RnaDomain(), None).table,
        )  # fmt: skip
        assert found.solved
        return str(found.answer.sequence)

    before, after = solved(3000), solved(3000, objective=objective)
    for sequence in (before, after):
        gap = Ensemble(sequence, STAR, use_engine("vienna2")).gap(2.0)
        assert gap is None or gap >= 1.5
    assert value_of(after, STAR, objective) > value_of(before, STAR, objective)
    assert value_of(after, STAR, "probability") > 0.5


@needs_jit
def test_what_lacks_the_gap_is_not_taken() -> None:
    """A design that was accepted is given up for a better one only that is accepted, too."""
    ensembles = load_ensembles("vienna2")
    assert ensembles is not None
    sites, start = sites_of(new_target(STAR, "", "p")), filled(STAR)
    accepted = {start}

    def accepts(sequence: str) -> bool:
        return sequence in accepted or sequence.count("A") % 2 == 1

    search = EnsembleRefinement(STAR, sites, NoRequests(), "defect", ensembles, Random(1), accepts)
    found = list(itertools.islice(search.run(start), 300))
    right = [sequence for sequence, score in found if score == 1.0]
    assert [score for _, score in found[-len(right) :]] == [1.0] * len(right)
    assert len(set(right)) > 2
    assert all(map(accepts, right))


def test_compiled_before_the_clock_runs(monkeypatch: Any) -> None:
    """The search for an objective makes a step, from bases that the target allows."""
    begun: list[str] = []

    def run(self: EnsembleRefinement, sequence: str) -> Any:
        begun.append(sequence)
        yield sequence, 1.0

    monkeypatch.setattr(EnsembleRefinement, "run", run)
    problem = Problem("p", new_target("((((....))))", "NNRNYNNNNNNG", "p"))
    for requests in (RnaRequests(), RnaRequests(gap=1.0)):
        designer_of(RnaDomain(), requests).compile_refinement(problem, RnaOptions())
    assert begun == []
    designer_of(RnaDomain(), RnaRequests(objective="defect")).compile_refinement(
        problem, RnaOptions()
    )
    (sequence,) = begun
    check_letters(sequence, problem.data)
