"""Fixed bases that misfold, against energies of ViennaRNA's own."""

from __future__ import annotations

import pytest
import RNA

from solver.domains.rna.engines import use_engine
from solver.domains.rna.refold import examine
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.ensemble import MOST_BASES

HELIX = "GGGGGAAAACCCCC"


def test_fixed_bases_that_pair() -> None:
    """Named are the helix of the fixed bases, its energy alone, and the distance to the fold."""
    target, bases = "." * 17 + "((((....))))", HELIX + "N" * 15
    sequence = HELIX + "UAAGGCCAAAAGGCC"
    missing = examine(sequence, target, Requirements(bases=bases), "vienna2").missing
    use_engine("vienna2")
    compound = RNA.fold_compound(sequence)
    below = compound.eval_structure(target) - compound.mfe()[1]
    alone = RNA.fold_compound(HELIX + "N" * 15).eval_structure("(((((....)))))" + "." * 15)
    assert missing == [
        f"the fold is another one, {below:.2f} kcal/mol below the target",
        f"fixed bases pair, 1-5 with 10-14: {alone:.2f} kcal/mol by themselves, not in the target",
    ]


@pytest.mark.parametrize("bases", ["", "GGGGGNNNNNNNNN", "N" * 14])
def test_free_bases_are_not_named(bases: str) -> None:
    """A misfold of bases that are free is told by its energy alone."""
    missing = examine(HELIX, "." * 14, Requirements(bases=bases), "vienna2").missing
    assert [line.partition(",")[0] for line in missing] == ["the fold is another one"]


def test_a_right_fold_lacks_nothing() -> None:
    """Fixed bases that pair as in the target are none of it."""
    requirements = Requirements(bases=HELIX)
    assert examine(HELIX, "(((((....)))))", requirements, "vienna2").missing == []


def test_another_fold_of_the_same_energy() -> None:
    """It is not said to have 0.00 kcal/mol less."""
    sequence, target = "GCCGUGCUCGCCGG", ".(((.(....))))"
    use_engine("vienna2")
    compound = RNA.fold_compound(sequence)
    fold, lowest = compound.mfe()
    assert fold != target
    assert compound.eval_structure(target) == lowest
    missing = examine(sequence, target, Requirements(), "vienna2").missing
    assert missing == ["the fold is another one of the same energy"]


def test_long_sequences() -> None:
    """A design that is too long for its ensemble is told to fold otherwise, too."""
    n = MOST_BASES + 100
    sequence, target = "A" * n, "((((....))))" + "." * (n - 12)
    found = examine(
        "GGGG" + sequence[4:8] + "CCCC" + sequence[12:], target, Requirements(), "vienna2"
    )
    assert (found.missing, found.probability) == ([], None)
    found = examine(
        "GGGG" + sequence[4:8] + "CCCC" + sequence[12:], "." * n, Requirements(), "vienna2"
    )
    assert [line.partition(",")[0] for line in found.missing] == ["the fold is another one"]
