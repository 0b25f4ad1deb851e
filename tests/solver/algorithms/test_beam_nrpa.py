"""Beam NRPA against plain Python, and against NRPA, which it is with beams of one."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import pytest

from solver.algorithms import AS_PUBLISHED, BeamNrpa, Gnrpa, algorithm_named
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS
from solver.searching.driver import Budget, search
from solver.testing import check_algorithm
from tests.helpers import advance, begun, moves_of_record, random_prior, same_search, toy
from tests.reference_beam import Kept, ReferenceBeam, apart
from tests.toys.sequence import N_PLAYED, SequenceDomain

DOMAIN = SequenceDomain()
TEXT = "..3...0.1"
PRIOR = random_prior(DOMAIN.priors["pair"], seed=1)


def reference(algorithm: BeamNrpa, instance: Any, seed: int, playouts: int) -> ReferenceBeam:
    def bias(state: Any, move: int) -> float:
        return math.log(contract.odds(PRIOR, instance, state, move))

    def alike(one: Kept, other: Kept) -> bool:
        return {
            "none": False,
            "scores": one.score == other.score,
            "sequences": one.moves == other.moves,
            "distance": apart(one.moves, other.moves) < algorithm.distance,
        }[algorithm.diversity]

    found = ReferenceBeam(
        DOMAIN, instance, new_stream(seed), iterations=algorithm.iterations,
        alpha=algorithm.alpha, temperature=algorithm.temperature, bias=bias,
        playouts_per_adapt=algorithm.playouts_per_adapt, repetitions=algorithm.repetitions,
        warm_start=algorithm.warm_start, widths=algorithm.widths, alike=alike,
        keep_adapting=algorithm.keep_adapting, limit=playouts,
    )  # fmt: skip
    found.run(algorithm.level)
    return found


def made(run: Any, playouts: int) -> list[list[int]]:
    """Moves of one playout after the other, as the state has them: records are soon others."""
    found = []
    for _ in range(playouts):
        advance(run, int(run.monitor.counters[PLAYOUTS]) + 1)
        found.append(run.state.values[: run.state.scalars[N_PLAYED]].tolist())
    return found


@pytest.mark.parametrize("hashed", [False, True], ids=["dense", "hashed"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"level": 1, "iterations": 6, "beam": "4"},
        {"level": 1, "iterations": 9, "beam": "3", "keep_adapting": False},
        {"level": 2, "iterations": 5, "beam": "5", "temperature": 1.3, "alpha": 0.7},
        {"level": 2, "iterations": 4, "beam": "2,3", "keep_adapting": False},
        {"level": 3, "iterations": 3, "beam": "2,2,2"},
        {"level": 2, "iterations": 5, "beam": "4,2", "diversity": "scores"},
        {"level": 2, "iterations": 5, "beam": "4,3", "diversity": "sequences"},
        {"level": 2, "iterations": 5, "beam": "4,2", "diversity": "distance", "distance": 4},
        {"level": 2, "iterations": 6, "beam": "3", "playouts_per_adapt": 3, "warm_start": True},
        {"level": 2, "iterations": 8, "beam": "3,2", "repetitions": 2, "diversity": "sequences"},
    ],
    ids=str,
)
def test_playouts_are_those_of_the_paper(parameters: dict[str, Any], hashed: bool) -> None:
    """One playout after the other is the plain search's: beams and policies are the same."""
    algorithm = BeamNrpa(**AS_PUBLISHED, **parameters)
    instance = toy(TEXT, hashed=hashed)
    run = begun(algorithm, DOMAIN, instance, PRIOR, seed=4)
    expected = reference(algorithm, instance, seed=4, playouts=400)
    assert made(run, 400) == [moves for _, moves in expected.playouts]
    assert run.best()[0] == expected.overall[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"playouts_per_adapt": 3},
        {"repetitions": 2, "temperature": 1.2},
        {"warm_start": True, "playouts_per_adapt": 2, "repetitions": 3},
        {"layered": True},
    ],
    ids=str,
)
def test_a_beam_of_one_is_nrpa(options: dict[str, Any], seed: int) -> None:
    """With every option, whatever must differ: in a beam of one there is nothing to differ from."""
    plain = Gnrpa(level=3, iterations=6, **AS_PUBLISHED, **options)
    narrow = BeamNrpa(**asdict(plain), beam="1", diversity="distance", distance=9)
    one, other = (
        search(DOMAIN, toy(TEXT), algorithm, Budget(playouts=1500), seed=seed, prior=PRIOR)
        for algorithm in (plain, narrow)
    )
    assert same_search(one, other)


def test_beams_differ_as_asked() -> None:
    """No two sequences of a beam have the same score, the same moves, or too few other moves."""
    for diversity in ("scores", "sequences", "distance"):
        algorithm = BeamNrpa(
            level=1, iterations=30, beam="6", diversity=diversity, distance=3, **AS_PUBLISHED
        )
        run = begun(algorithm, DOMAIN, toy(TEXT), PRIOR, seed=2)
        advance(run, 100)
        rows = run.beams.member[1, : run.beams.n_members[1]]
        scores = [float(run.records.score[row]) for row in rows]
        moves = [moves_of_record(run, row) for row in rows if run.records.score[row] > -math.inf]
        assert len(moves) > 1
        assert scores == sorted(scores, reverse=True)
        pairs = [(one, other) for i, one in enumerate(moves) for other in moves[:i]]
        least = {"scores": 1, "sequences": 1, "distance": 3}[diversity]
        assert min(apart(*pair) for pair in pairs) >= least
        assert diversity != "scores" or len(set(scores)) == len(scores)


def test_it_keeps_the_promises_of_algorithms() -> None:
    """Pauses and threads change nothing, budgets are exact."""
    problems = DOMAIN.parse(TEXT, "toy")
    check_algorithm(BeamNrpa(level=2, iterations=4, beam="3,2"), DOMAIN, problems)
    assert algorithm_named("beam-nrpa") is BeamNrpa


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"beam": "0"}, "beam is '0', expected widths of 1 ... 4096, as in 8 or 8,2"),
        (
            {"beam": "1" * 5000},
            f"beam is '{'1' * 80}..., expected widths of 1 ... 4096, as in 8 or 8,2",
        ),
        ({"beam": "8,"}, "beam is '8,', expected widths of 1 ... 4096, as in 8 or 8,2"),
        ({"beam": "2,2,2", "level": 2}, "beam is '2,2,2', expected 2 at most, one for each level"),
        (
            {"diversity": "much"},
            "diversity is 'much', expected one of: none, scores, sequences, distance",
        ),
        ({"distance": 0}, "distance is 0, expected 1 or more"),
    ],
)
def test_parameters_are_validated(parameters: dict[str, Any], message: str) -> None:
    """A parameter out of range is refused with its name and value."""
    with pytest.raises(InputError) as error:
        BeamNrpa(**parameters)
    assert str(error.value) == message
