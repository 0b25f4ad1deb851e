"""Parts of a target: what helices close, small ones first, with their steps in the whole."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.gaps.parts import GROWTH, LEAST
from solver.domains.rna.kernels import Rna
from solver.domains.rna.text import new_target

DOMAIN = RnaDomain()
TARGET = "..((((...))))..(((..((((....))))..)))..((((((...)))..((((....)))))))."
BASES = "N" * 20 + "G" + "N" * (len(TARGET) - 21)


def instance(structure: str, bases: str = "") -> Rna:
    """A target, as the search has it."""
    problem = Problem("target", new_target(structure, bases, "test"))
    return DOMAIN.instance(problem, RnaOptions("vienna2"))


def text(part: Rna) -> str:
    """Dot-bracket of a target."""
    return part.target[:-1].tobytes().decode()


def test_parts_are_targets_of_their_own() -> None:
    """Parts are solved as structures of their own, with the fixed bases of the whole."""
    whole = instance(TARGET, BASES)
    parts = list(DOMAIN.parts(whole))
    assert [text(part) for part, _ in parts] == [
        "((((....))))",
        "((((....))))",
        "(((..((((....))))..)))",
        "((((((...)))..((((....)))))))",
    ]
    for part, steps in parts:
        begin = int(whole.position[steps[0]])
        given = instance(text(part), BASES[begin : begin + len(part.partner)])
        assert (whole.position[steps] - begin == part.position).all()
        for name in ("target", "partner", "position", "allowed", "letters"):
            expected = getattr(given, name)
            assert getattr(part, name).dtype == expected.dtype
            assert getattr(part, name).tolist() == expected.tolist()
        assert part.n_pairs == given.n_pairs


def test_parts_that_are_alike_are_one() -> None:
    """The same object, unless a base is fixed in one of them."""
    parts = [part for part, _ in DOMAIN.parts(instance(TARGET))]
    assert parts[0] is parts[1]
    fixed = [part for part, _ in DOMAIN.parts(instance(TARGET, BASES))]
    assert fixed[0] is not fixed[1]


def test_small_parts_come_first_and_chains_are_short() -> None:
    """A part is no smaller than those before it, and longer by a factor than those within it."""
    whole = instance("(.((.((.((.((.((....)).)).)).)).)).)")
    lengths = [len(part.partner) for part, _ in DOMAIN.parts(whole)]
    assert lengths[0] >= LEAST
    assert lengths == sorted(lengths)
    assert (np.array(lengths[1:]) >= GROWTH * np.array(lengths[:-1])).all()
    assert lengths[-1] < len(whole.partner)


@pytest.mark.parametrize("structure", ["............", "((((....))))"])
def test_nothing_within(structure: str) -> None:
    """The whole is no part of itself."""
    assert list(DOMAIN.parts(instance(structure))) == []
