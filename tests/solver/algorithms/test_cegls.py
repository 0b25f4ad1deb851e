"""Local search guided by counterexamples: it solves, repeats itself and says what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.algorithms import Cegls, suited
from solver.algorithms.cegls import DEFAULTS
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.domains.rna.domain import RnaOptions
from solver.domains.rna.text import new_target
from solver.errors import FieldError, InputError
from solver.kernels.guided import run as guided_run
from solver.kernels.guided.proposals import Mixture, new_mixture, weigh_moves
from solver.kernels.guided.run import DRAWN, MENDED, PUT_TOGETHER, SOLVED, GuidedRun
from solver.kernels.guided.search import BEST, CHECKS, CURRENT, step_at_fault
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.replay import replay_moves
from solver.kernels.status import PAUSED
from solver.priors.priors import NoPrior, named_prior
from solver.searching.driver import Budget, compile_search
from solver.searching.solution import solve

RNA = load_domain("rna")
OPTIONS = RnaOptions("vienna2")
#: The prior that ships, and one that prefers nothing: both run in the same machine code.
PRIOR = named_prior("ngram", RNA).table
FLAT = RNA.priors["ngram"].new_table(np.ones(RNA.priors["ngram"].rows))
#: The second is not solved at once: four helices meet without a base between them.
EASY = "((((....))))..(((.((((...)))).)))"
TWO_ARMS = "((((..((((....)))).((..((....))..))))))..((..((((....))))..))"
HARD = "((((((((....))))((((....))))((((....))))))))"


def target(structure: str, bases: str = "") -> Problem:
    """A target with fixed bases."""
    return Problem("target", new_target(structure, bases, "test"))


def solved(structure: str, bases: str = "", **arguments: Any) -> Any:
    """Solve a target with the prior that ships."""
    arguments = {"budget": Budget(playouts=300), "seed": 1, **arguments}
    algorithm = arguments.pop("algorithm", Cegls())
    budget = arguments.pop("budget")
    problem = target(structure, bases)
    return solve(RNA, problem, OPTIONS, algorithm, budget, prior=PRIOR, **arguments)


@pytest.mark.parametrize("structure", [EASY, HARD])
def test_targets_are_solved_and_verified(structure: str) -> None:
    """Within 300 folds; `solve` has another process fold what is claimed."""
    solution = solved(structure)
    assert solution.status == "solved"
    assert solution.verified


def test_given_bases_stay() -> None:
    """No move changes what is fixed."""
    solution = solved(HARD, "G" + "N" * (len(HARD) - 4) + "NAC"[-3:])
    assert solution.answer.sequence[0] == "G"
    assert solution.answer.sequence[-2:] == "AC"
    assert solution.search.playouts > 1


def test_same_seed_same_answer_on_any_threads() -> None:
    """Playouts and answer depend on the seed alone."""
    alone, again, beside = (solved(HARD, threads=threads) for threads in (1, 1, 2))
    for other in (again, beside):
        assert other.answer == alone.answer
        assert other.search.playouts == alone.search.playouts
    assert solved(HARD, seed=2).answer != alone.answer


def stepwise(slices: int) -> tuple[float, list[int], int]:
    """Best score, moves and checks of a run that is advanced by so many checks at a time."""
    instance = RNA.instance(target(TWO_ARMS), OPTIONS)
    run = suited(Cegls(moves=1, patience=2), RNA).new_run(RNA, instance, FLAT)
    run.begin(new_stream(5))
    done = 0
    while done < 120 and run.advance(min(done + slices, 120), 120) == PAUSED:
        done = int(run.monitor.counters[PLAYOUTS])
    score, moves = run.best()
    return score, moves.tolist(), int(run.monitor.counters[PLAYOUTS])


def test_pauses_change_nothing_within_parts_either() -> None:
    """With restarts after each few checks most are of parts; slices do not matter."""
    whole = stepwise(120)
    assert whole[2] > 10
    for slices in (1, 7):
        assert stepwise(slices) == whole


def test_a_restart_from_the_best_draws_one_part_anew() -> None:
    """All other moves are those of the best sequence so far, and several parts have their turn."""
    instance = RNA.instance(target(TWO_ARMS), OPTIONS)
    run = suited(Cegls(moves=1, patience=2), RNA).new_run(RNA, instance, FLAT)
    assert isinstance(run, GuidedRun)
    run.begin(new_stream(5))
    steps = {frozenset(steps.tolist()) for _, steps in run.parts}
    redrawn = set()
    for checks in range(1, 400):
        before = run.records.move[BEST].copy()
        run.advance(checks, 400)
        given = run.guided.given
        first_of_mended = run.begins_with == MENDED and run.guided.counters[CHECKS] == 1
        if first_of_mended:
            free = frozenset(np.flatnonzero(given < 0).tolist())
            assert free in steps
            kept = np.flatnonzero(given >= 0)
            np.testing.assert_array_equal(run.records.move[CURRENT, kept], before[kept])
            redrawn.add(free)
    assert len(redrawn) > 1


def test_a_restart_from_the_best_solves_one_part_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """All other moves are those of the best so far, and it comes behind the parts that it has."""
    instance = RNA.instance(target(TWO_ARMS), OPTIONS)
    algorithm = suited(Cegls(moves=20, patience=2, beginnings="drawn,part"), RNA)
    run = algorithm.new_run(RNA, instance, FLAT)
    assert isinstance(run, GuidedRun)
    begun: list[tuple[list[int], list[set[int]]]] = []
    begin_whole = GuidedRun._begin_whole

    def recorded(self: GuidedRun) -> None:
        begin_whole(self)
        if self is run and self.begins_with == SOLVED:
            free = np.flatnonzero(self.guided.given < 0).tolist()
            begun.append((free, [set(steps.tolist()) for _, steps in self._ahead]))

    monkeypatch.setattr(GuidedRun, "_begin_whole", recorded)
    run.begin(new_stream(6))
    parts = [steps.tolist() for _, steps in run.parts]
    compared = 0
    for checks in range(1, 1500):
        before = run.records.move[BEST].copy()
        run.advance(checks, 1500)
        if run.begins_with == SOLVED and run.guided.counters[CHECKS] == 1:
            free, ahead = begun[-1]
            assert free in parts
            assert ahead[-1] == set(free)
            assert all(steps <= set(free) for steps in ahead)
            kept = [step for step in range(len(run.guided.given)) if step not in free]
            np.testing.assert_array_equal(run.records.move[CURRENT, kept], before[kept])
            compared += 1
    assert compared > 5
    assert len({tuple(free) for free, _ in begun}) > 1


def unpaired_bases(run: GuidedRun) -> str:
    """Bases of the current assignment that pair with none."""
    moves = run.records.move[CURRENT]
    return "".join("ACGU"[move] for move in moves[: run.records.steps[CURRENT]] if move < 4)


def test_a_palette_limits_a_restart() -> None:
    """With Y alone unpaired bases are C or U nearly everywhere, as the prior never draws them."""
    instance = RNA.instance(target(TWO_ARMS), OPTIONS)
    algorithm = suited(Cegls(palettes="plain,Y", patience=3, beginnings="drawn"), RNA)
    run = algorithm.new_run(RNA, instance, named_prior("ngram", RNA).table)
    assert isinstance(run, GuidedRun)
    assert run.palettes is not None
    run.begin(new_stream(7))
    found: dict[int, list[str]] = {0: [], 1: []}
    while run.restarts < 24:
        run.advance(int(run.monitor.counters[PLAYOUTS]) + 1, 4000)
        found[run.palettes.number].append(unpaired_bases(run))
    assert min(len(bases) for bases in found.values()) > 3
    shares = [
        sum(bases.count("C") + bases.count("U") for bases in of) / sum(map(len, of))
        for of in found.values()
    ]
    assert shares[0] < 0.3
    assert shares[1] > 0.9


def test_the_first_start_is_without_a_palette() -> None:
    """Until nothing is gained for long, answers are those without palettes."""
    few = Budget(playouts=40)
    plain = solved(HARD, algorithm=Cegls(palettes="plain"), budget=few)
    assert solved(HARD, budget=few).answer == plain.answer


def test_the_best_is_mended_with_its_palette() -> None:
    """A part is solved again without one; what a restart from the best has led to is not noted."""
    instance = RNA.instance(target(TWO_ARMS), OPTIONS)
    run = suited(Cegls(moves=1, patience=2), RNA).new_run(RNA, instance, FLAT)
    assert isinstance(run, GuidedRun)
    assert run.palettes is not None
    run.begin(new_stream(8))
    seen = set()
    while run.restarts < 80:
        before, tried = run.restarts, int(run.palettes.tried.sum())
        best, kind = run._of_best, run.begins_with
        run.advance(int(run.monitor.counters[PLAYOUTS]) + 1, 4000)
        if run.restarts == before + 1:
            assert int(run.palettes.tried.sum()) == tried + (kind in (DRAWN, PUT_TOGETHER))
            if run.begins_with == MENDED:
                assert run.palettes.number == best
            if run.begins_with == SOLVED:
                assert run.palettes.number == 0
            seen.add((run.begins_with, run.palettes.number))
    assert {kind for kind, _ in seen} == {DRAWN, PUT_TOGETHER, MENDED, SOLVED}
    assert len({number for _, number in seen}) > 4


def test_beginnings_take_turns() -> None:
    """Starts alternate as the parameter says; without its turn no part is solved by itself."""
    instance = RNA.instance(target(TWO_ARMS), OPTIONS)
    algorithm = suited(Cegls(moves=1, patience=2, beginnings="drawn,best"), RNA)
    run = algorithm.new_run(RNA, instance, FLAT)
    assert isinstance(run, GuidedRun)
    run.begin(new_stream(5))
    seen = {}
    while run.restarts < 6:
        seen[run.restarts] = run.begins_with
        run.advance(int(run.monitor.counters[PLAYOUTS]) + 1, 400)
    assert list(seen.values()) == [DRAWN, MENDED] * 3
    assert not run._designs


@pytest.mark.parametrize(
    ("beginnings", "structure", "times"),
    [
        ("drawn,best", TWO_ARMS, 1),
        ("drawn,part", TWO_ARMS, 1),
        ("drawn,parts", TWO_ARMS, 0),
        ("drawn,best", "(((...)))", 0),  # has no parts
    ],
)
def test_a_comparison_compiles_restarts_beforehand(
    beginnings: str, structure: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock does not see it; a single search compiles it when it comes to it."""
    found: list[Any] = []
    monkeypatch.setattr(guided_run, "compile_for", lambda kernel, *_: found.append(kernel))
    instance = RNA.instance(target(structure), OPTIONS)
    algorithm = Cegls(beginnings=beginnings)
    compile_search(RNA, instance, algorithm, PRIOR)
    assert found == [replay_moves]
    compile_search(RNA, instance, algorithm, PRIOR, whole=True)
    assert found.count(step_at_fault) == times


def test_a_budget_is_kept_and_the_best_told() -> None:
    """Without a solution the answer is the sequence of the best score, improvements ascend."""
    solution = solved(HARD, budget=Budget(playouts=2))
    assert solution.search.playouts == 2
    assert solution.status == "budget"
    scores = solution.search.trace.score
    assert (np.diff(scores) > 0).all()
    assert solution.search.score == scores[-1]


def test_proposals_are_drawn_by_their_shares() -> None:
    """A mixture weighs moves by the prior that a random number means."""
    mixture = new_mixture([(NoPrior(), 0.25), (RNA.handmade["nemo"], 0.5)])
    assert isinstance(mixture, Mixture)
    instance = RNA.instance(target("(((...)))"), OPTIONS)
    state = RNA.new_state(instance)
    state.scalars[0] = 0
    moves = np.arange(4, 10)
    drawn = {}
    for number in (0.0, 0.3, 0.8):
        drawn[number] = np.zeros(6)
        weigh_moves(mixture, number, instance, state, moves, 6, drawn[number])
    assert drawn[0.0].tolist() == [1.0] * 6
    assert drawn[0.3].tolist() == [16.0, 16.0, 9.0, 9.0, 2.0, 2.0]
    assert drawn[0.8].tolist() == [1.0] * 6


def test_shares_add_up_to_one() -> None:
    """Shares are relative; one without a number counts 1."""
    assert Cegls(proposals="nemo:3,uniform").shares() == [("nemo", 0.75), ("uniform", 0.25)]


def test_shares_of_what_is_not_there_go_to_the_others() -> None:
    """Shares of missing proposals go to the others; handmade priors share theirs."""
    assert (
        Cegls(**DEFAULTS).shares(["nemo"])
        == Cegls(proposals="prior:0.8,nemo:0.1,uniform:0.1").shares()
    )
    assert Cegls(proposals="handmade:2,prior:2").shares(["one", "other"]) == [
        ("one", 0.25), ("other", 0.25), ("prior", 0.5),
    ]  # fmt: skip
    assert Cegls(proposals="prior:3,handmade:4,uniform").shares() == [
        ("prior", 0.75), ("uniform", 0.25),
    ]  # fmt: skip


def test_parameters_suit_the_problem() -> None:
    """Unset parameters are those of the domain; RNA has palettes of its own."""
    squares: Any = load_domain("latin-square")
    own: dict[str, Any] = squares.guided_parameters
    assert suited(Cegls(), squares) == Cegls(**{**DEFAULTS, **own})
    assert suited(Cegls(moves=3), squares) == Cegls(**{**DEFAULTS, **own, "moves": 3})
    assert suited(Cegls(), squares).noise != DEFAULTS["noise"]
    palettes = "plain,A,AG,Y,GC,A+GC,AG+GC,Y+GC"
    assert suited(Cegls(), RNA) == Cegls(**{**DEFAULTS, "palettes": palettes})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"proposals": ""}, "proposals has '', expected NAME:SHARE, the share above 0"),
        ({"proposals": "nemo:0"}, "proposals has 'nemo:0', expected NAME:SHARE"),
        ({"proposals": "nemo:x"}, "proposals has 'nemo:x', expected NAME:SHARE"),
        ({"moves": 0}, "moves is 0, expected 1 or more"),
        ({"noise": -1.0}, "noise is -1.0, expected 0 or more"),
        ({"reweight": float("nan")}, "reweight is nan, expected a number, 0 or more"),
        (
            {"beginnings": "drawn,worst"},
            "beginnings has 'worst', expected one of drawn, parts, best, part",
        ),
        ({"beginnings": "best"}, "beginnings starts with best, there is no best playout yet"),
        ({"beginnings": "part"}, "beginnings starts with part, there is no best playout yet"),
    ],
)
def test_wrong_parameters(given: dict[str, Any], message: str) -> None:
    """Parameters out of range are refused when the algorithm is made."""
    with pytest.raises(FieldError, match=message):
        Cegls(**given)


def test_what_does_not_fit_the_problem() -> None:
    """An unknown prior, and a problem without constraints."""
    wrong = suited(Cegls(proposals="nema:1"), RNA)
    instance = RNA.instance(target(EASY), OPTIONS)
    with pytest.raises(InputError, match="'nema', rna has: prior, uniform, nemo"):
        wrong.new_run(RNA, instance, NoPrior())
    for palettes, message in (
        ("plain,B", "palettes has 'B', rna has: plain, A, AG, Y, GC"),
        ("A,plain", "palettes starts with 'A', expected plain"),
    ):
        with pytest.raises(FieldError, match=message):
            suited(Cegls(palettes=palettes), RNA).new_run(RNA, instance, NoPrior())
    kakuro: Any = load_domain("kakuro")
    lack = "cegls is not for kakuro, which has no constraints for guided search"
    with pytest.raises(InputError, match=f"^{lack}$"):
        suited(Cegls(), kakuro).new_run(kakuro, None, NoPrior())
    squares: Any = load_domain("latin-square").assignments()
    square = squares.instance(Problem("empty", np.full((3, 3), -1)), squares.options())
    known = "latin-square has: prior, uniform"
    with pytest.raises(FieldError, match=f"proposals has 'nemo', {known}, min-conflicts"):
        suited(Cegls(proposals="prior,nemo"), squares).new_run(squares, square, NoPrior())
    squares.handmade = {}
    with pytest.raises(FieldError, match=f"proposals has no prior, {known}"):
        suited(Cegls(proposals="handmade"), squares).new_run(squares, square, NoPrior())
    lack = "cegls is not for rna, which has no guided search with these options"
    with pytest.raises(InputError, match=f"^{lack}$"):
        suited(Cegls(), RNA).new_run(RNA, RNA.instance(target(EASY), RnaOptions("none")), NoPrior())


def test_the_best_algorithm_folds() -> None:
    """Without an engine there are no counterexamples."""
    assert RNA.best_algorithm(OPTIONS) == "cegls"
    assert RNA.best_algorithm(RnaOptions("none")) == "gnrpa"
    assert load_domain("morpion").best_algorithm(None) == "nrpa"
