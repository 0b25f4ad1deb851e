"""Rivals of a target: bounds on energies and scores that save folding and change no answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.algorithms import Algorithm, Gnrpa, Sampling
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import ENGINES
from solver.domains.rna.folding import (
    as_text,
    begin_energies,
    end_energies,
    energy_of,
    fold,
    fold_structure,
    model_address,
)
from solver.domains.rna.kernels import Rna, RnaState, new_rna_state
from solver.domains.rna.rivals import (
    COUNT,
    ENERGY_ERROR,
    Rivals,
    add_rivals,
    gain_of_rivals,
    new_rivals,
)
from solver.domains.rna.text import PAIRS, new_target, pair_partners
from solver.searching.driver import Budget, search
from tests.copies import finished
from tests.helpers import same_search
from tests.instances import problems

ROOT = Path(__file__).parents[4]
PATIENCE = 300.0
DOMAIN = RnaDomain()
TARGET = "((((...))))..((((...))))"
SEQUENCE = "GGGCAAAGCCCAAGGGCAAAGCCC"


class WithoutRivals(RnaDomain):
    """RNA design where every new sequence is folded."""

    n_rivals = 0


def partners(structure: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array(pair_partners(structure, "test"), np.int32)


def with_rivals(target: str, *folds: str, room: int = 9) -> Rivals:
    rivals = new_rivals(len(target), room)
    for folded in folds:
        add_rivals(rivals, partners(target), partners(folded))
    return rivals


def known(rivals: Rivals) -> list[str]:
    """Structures of the rivals, in their order."""
    rows = rivals.order[: rivals.scalars[COUNT]]
    return [rivals.structure[row, :-1].tobytes().decode() for row in rows]


def energy(sequence: str, structure: str, model: int) -> float:
    energies = begin_energies(as_text(sequence), model)
    found = energy_of(energies, as_text(structure))
    end_energies(energies)
    return found


def gain(rivals: Rivals, sequence: str, target: str, model: int, enough: float = np.inf) -> float:
    of_target = energy(sequence, target, model)
    energies = begin_energies(as_text(sequence), model)
    found = gain_of_rivals(rivals, as_text(sequence), energies, of_target, enough)
    end_energies(energies)
    return found


def gaps_and_gains(engine: str, seed: int) -> list[tuple[float, float, float]]:
    """Gap of sequences that may fold into a target, what rivals said, and say after folding it."""
    random = np.random.default_rng(seed)
    model = model_address(engine)
    found = []
    for _ in range(25):
        n = int(random.integers(12, 70))
        original = "".join(random.choice(list("ACGU"), n, p=[0.1, 0.4, 0.4, 0.1]))
        target = fold_structure(original, engine)
        rivals, pairs = new_rivals(n, 200), partners(target)
        for _ in range(10):
            letters = list(original)
            for position in random.integers(n, size=random.integers(1, 8)):
                if pairs[position] < 0:
                    letters[position] = str(random.choice(list("ACGU")))
                else:
                    pair = str(random.choice(PAIRS))
                    letters[position], letters[pairs[position]] = pair[0], pair[-1]
            sequence, folded = "".join(letters), as_text(target)
            before = gain(rivals, sequence, target, model)
            gap = energy(sequence, target, model) - fold(as_text(sequence), folded, model)
            structure = bytes(folded[:-1]).decode()
            if structure != target:
                add_rivals(rivals, pairs, partners(structure))
            found.append((gap, before, gain(rivals, sequence, target, model)))
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_gains_are_bounds_on_the_gap(engine: str) -> None:
    """No rival promises more than folding finds, and a fold's own rivals add up to its gap."""
    script = (
        "import json\nfrom tests.solver.domains.rna.test_rivals import gaps_and_gains\n"
        f"print(json.dumps(gaps_and_gains({engine!r}, 3)))"
    )
    done = finished(["-c", script], cwd=ROOT, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    gaps, before, after = np.array(json.loads(done.stdout)).T
    assert np.all(before <= gaps + 1e-4)
    assert np.all(after <= gaps + 1e-4)
    assert np.mean(gaps > 0) > 0.3
    assert np.mean(before[gaps > 0] > 0) > 0.1  # what others folded into is known to be better
    # Rivals that overlap are added up greedily, which in some sequences is not the best sum.
    assert np.mean(gaps - after < 10 * ENERGY_ERROR) > 0.98


@pytest.mark.parametrize(
    ("folded", "expected"),
    [
        # one hairpin opens, then both: each is a region of its own if its outer pair is kept
        ("(.......)..(((...)))....", ["(.......)..(((...)))...."]),
        ("(((.....)))..((((...))))", ["(((.....)))..((((...))))"]),
        ("(((.....)))..((.......))", ["((((...))))..((.......))", "(((.....)))..((((...))))"]),
        # outer pairs open: one region, the exterior, with the pairs inside as they are
        (".(((...)))....(((...))).", [".(((...)))....(((...)))."]),
        ("........................", ["........................"]),
    ],
)
def test_a_rival_for_each_region(folded: str, expected: list[str]) -> None:
    """Pairs in common delimit what is exchanged; the rest is as in the target."""
    assert known(with_rivals(TARGET, folded)) == expected


def test_known_rivals_are_not_added_again() -> None:
    """A rival found again comes to the front; where all rows are taken the last one leaves."""
    one, other, third = "(((.....)))..((((...))))", "((((...))))..((.......))", "." * len(TARGET)
    assert known(with_rivals(TARGET, one, other, one)) == [one, other]
    assert known(with_rivals(TARGET, one, other, third, room=2)) == [third, other]
    assert known(with_rivals(TARGET, one, other, one, third, room=2)) == [third, one]
    assert known(with_rivals(TARGET, one, room=0)) == []


def test_pairs_that_cannot_form_are_no_rivals() -> None:
    """A rival counts for the sequences whose bases can pair as it does."""
    model = model_address("vienna2")
    target = "." * len(SEQUENCE)
    rivals = with_rivals(target, TARGET)
    assert gain(rivals, SEQUENCE, target, model) > 5.0
    for changed in ("A" + SEQUENCE[1:], SEQUENCE[:-1] + "A"):
        assert gain(rivals, changed, target, model) == 0.0


def test_enough_is_enough() -> None:
    """One rival with the gain asked for ends the search, as do all of them."""
    model = model_address("vienna2")
    target = "." * len(SEQUENCE)
    half = TARGET[:12] + "." * 12
    rivals = with_rivals(target, half, TARGET)
    most = gain(rivals, SEQUENCE, target, model)
    assert known(rivals)[0] == half  # the last one that was looked at
    assert gain(rivals, SEQUENCE, target, model, 0.1) < most
    assert gain(rivals, SEQUENCE, target, model, most) == most


@pytest.mark.parametrize("name", ["hairpin", "multibranch", "unpaired-folds-anyway"])
@pytest.mark.parametrize("algorithm", [Sampling(), Gnrpa(2, 12), Gnrpa(2, 8, repetitions=2)])
def test_searches_find_the_same_without_rivals(name: str, algorithm: Algorithm) -> None:
    """Sequences that rivals save from folding would not have changed the search."""
    instance = DOMAIN.instance(problems("rna")[name], RnaOptions())
    for seed in range(2):
        one, other = (
            search(domain, instance, algorithm, Budget(playouts=300), seed=seed)
            for domain in (DOMAIN, WithoutRivals())
        )
        assert same_search(one, other)


def score_from(instance: Rna, state: RnaState, sequence: str, floor: float) -> float:
    state.sequence[:] = as_text(sequence)
    with np.errstate(over="ignore"):  # hashes wrap around
        return float(contract.score_from(instance, state, floor))


def test_scores_from_a_floor() -> None:
    """Scores at or above the floor are exact; below it they may be bounds."""
    random = np.random.default_rng(7)
    instance = DOMAIN.instance(Problem("p", new_target(TARGET, "", "p")), RnaOptions())
    state = DOMAIN.new_state(instance)
    bounds = 0
    for _ in range(60):
        letters = [str(pair) for pair in random.choice(PAIRS, 8)]
        opened, closed = ("".join(pair[side] for pair in letters) for side in (0, -1))
        sequence = f"{opened[:4]}AAA{closed[3::-1]}AA{opened[4:]}AAA{closed[:3:-1]}"
        floor = float(random.uniform(0, 1))
        exact = score_from(instance, new_rna_state(instance, 0), sequence, floor)
        found = score_from(instance, state, sequence, floor)
        assert found == exact or exact <= found < floor
        bounds += found != exact
    assert bounds > 10
