"""Quadruplexes, against ViennaRNA with its own option for them."""

from __future__ import annotations

from random import Random

import pytest
import RNA

from solver.domains.rna.engines import use_engine
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.contradictions import sites_of
from solver.domains.rna.requests.quadruplex import (
    PATIENCE,
    Mending,
    quadruplex_of,
    without_quadruplexes,
)
from solver.domains.rna.text import new_target

FOUR = "AAGGGAAAGGGAAAGGGAAAGGGAAA"


def plainly(sequence: str) -> tuple[str, float]:
    """Fold as `RNAfold -g` does."""
    use_engine("vienna2")
    model = RNA.md()
    model.dangles, model.gquad = 2, 1
    structure, energy = RNA.fold_compound(sequence, model).mfe()
    return structure, round(energy, 2)


@pytest.mark.parametrize("seed", range(20))
def test_what_viennarna_folds(seed: int) -> None:
    """A quadruplex is told where ViennaRNA has one in its fold, with its energy and place."""
    random = Random(seed)
    tracts = ["G" * random.randint(1, 4) for _ in range(5)]
    linkers = ["".join(random.choices("ACU", k=random.randint(1, 9))) for _ in range(6)]
    sequence = "".join(linker + tract for linker, tract in zip(linkers, [*tracts, ""], strict=True))
    structure, energy = plainly(sequence)
    marks = [i for i, mark in enumerate(structure) if mark in "+~"]
    found = quadruplex_of(sequence, use_engine("vienna2"))
    assert found == (None if not marks else (energy, marks))


@pytest.mark.parametrize(("long", "short"), [(FOUR, "CCCUU"), (FOUR, "CCCUUUCCCUUUCCC")])
@pytest.mark.parametrize("strands", [(0, 1), (1, 0), (1, 0, 1)])
def test_of_several_strands(long: str, short: str, strands: tuple[int, ...]) -> None:
    """The best of all strands together and apart, also where one is short of a quadruplex."""
    model = use_engine("vienna2")
    text = "&".join((long, short)[i] for i in strands)
    found = quadruplex_of(text, model)
    model_of_g = RNA.md()
    model_of_g.gquad = 1
    apart = plainly(long)[1] + sum(RNA.fold_compound(short, model).mfe()[1] for i in strands if i)
    together = RNA.fold_compound(text, model_of_g).mfe()
    if apart < together[1]:
        first = len(short) if strands[0] else 0
        marks = [i + first for i, mark in enumerate(plainly(long)[0]) if mark in "+~"]
        energy = apart
    else:
        energy = together[1]
        marks = [i for i, mark in enumerate(together[0]) if mark in "+~"]
    assert (found.positions if found else []) == marks
    assert found is None or found.energy == pytest.approx(energy, abs=0.006)


def mending(letters: str, structure: str, seed: int) -> Mending:
    target = new_target(structure, letters, "t")
    requirements = Requirements(forbidden=[("GGGG", ["GGGG"])])
    return Mending(sites_of(target), requirements, use_engine("vienna2"), Random(seed))


@pytest.mark.parametrize("seed", range(20))
def test_mending(seed: int) -> None:
    """A few Gs are changed until ViennaRNA folds the target, quadruplexes permitted or not."""
    begin, structure = f"CCGCAAAAGCGG{FOUR}", "((((....))))" + "." * len(FOUR)
    letters = "N" * 26 + "G" + "N" * (len(begin) - 27)
    *_, (sequence, score) = mending(letters, structure, seed).run(begin)
    assert score == 1.0
    assert sequence[26] == "G"
    assert "GGGG" not in sequence
    assert plainly(sequence)[0] == structure
    assert plainly(begin)[0] != structure


@pytest.mark.parametrize("seed", range(20))
def test_other_bases_are_changed_where_the_gs_are_fixed(seed: int) -> None:
    """A stronger stem keeps the Gs: no quadruplex is left that would be better."""
    structure = "." * 11 + "((((((((....))))))))"
    letters = "GGAGGAAGGAAGGNNNNNNNNNNNNNNNNCC"
    begin = "GGAGGAAGGAAGGAUUGUAUAGUUGUGAUCC"
    assert plainly(begin)[0] != structure
    use_engine("vienna2")
    assert RNA.fold_compound(begin).mfe()[0] == structure
    *_, (sequence, score) = mending(letters, structure, seed).run(begin)
    assert score == 1.0
    assert sequence[:13] == letters[:13]
    assert plainly(sequence)[0] == structure


def test_a_quadruplex_of_fixed_bases_that_stays() -> None:
    """No change elsewhere mends it: the search ends, and another one may improve the design."""
    structure, letters = "." * 15 + "((((....)))).", "GGGAGGGAGGGAGGG" + "N" * 13
    begin = "GGGAGGGAGGGAGGGACCCAAAAGGGUA"
    tried = list(mending(letters, structure, 0).run(begin))
    assert PATIENCE < len(tried) < 3 * PATIENCE
    assert all(score < 1.0 for _, score in tried)


def test_what_cannot_be_mended() -> None:
    """Fixed Gs end the search with a score below that of a solution."""
    ((sequence, score),) = mending(FOUR, "." * len(FOUR), 0).run(FOUR)
    assert sequence == FOUR
    assert score == pytest.approx(1 / (1.01 + 12.64))


def test_a_search_for_more_keeps_the_last_without() -> None:
    """Sequences with a quadruplex are left out of what another search yields."""
    clear = FOUR.replace("GGG", "GCG")
    items = iter([(clear, 1.0), (FOUR, 1.0), (clear[::-1], 0.5)])
    checks = mending("N" * len(FOUR), "." * len(FOUR), 0)
    found = list(without_quadruplexes(items, checks))
    assert found == [(clear, 1.0), (clear, 1.0), (clear[::-1], 0.5)]
    assert list(without_quadruplexes(iter([(FOUR, 1.0)]), checks)) == [(FOUR, 0.99)]
