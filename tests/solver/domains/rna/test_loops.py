"""NEMO's view of a structure: the loops around each position, and the weights there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import RNA

from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import use_engine
from solver.domains.rna.kernels import MOVES, new_rna, new_rna_state
from solver.domains.rna.loops import (
    MAX_INTERIOR,
    Situation,
    check_foldable,
    check_no_lonely,
    interior_loops,
    open_large_loops,
    situations,
)
from solver.domains.rna.text import RnaTarget, pair_partners
from solver.errors import UnsolvableError

DOMAIN = RnaDomain()
NEMO = DOMAIN.handmade["nemo"]

#: A letter for each situation; what stands at a ')' is not said.
LETTERS = {
    Situation.PLAIN: ".",
    Situation.HAIRPIN_FIRST: "f",
    Situation.HAIRPIN_LAST: "l",
    Situation.INTERNAL_5: "5",
    Situation.INTERNAL_3: "3",
    Situation.ONE_ONE: "1",
    Situation.JUNCTION: "j",
    Situation.PAIR: "|",
    Situation.STACKED_RIGHT: "R",
    Situation.STACKED_LEFT: "L",
    Situation.TRILOOP: "T",
}


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (".", "."),
        (".....", "....."),
        # hairpins of 3, of 4, of 6
        ("((...))", "|T..."),
        ("((....))", "||f..l"),
        ("((......))", "||f....l"),
        # outside of all helices, beside one or between two
        ("..(...)..", ".jT...)j."),
        (".(...).(...).", "jT...)jT...)j"),
        ("(...)..(...)", "T...)jjT..."),
        ("(...)...(...)", "T...)j.jT..."),
        ("(...)(...)", "T...)T..."),
        # bulges left and right, internal loops 1 x 1, 1 x 2, 2 x 2, 3 x 1
        ("(.(...))", "|.T...))"),
        ("((...)..)", "|T...)..)"),
        ("(.(...).)", "|1T...)1)"),
        ("(.(...)..)", "|5T...)53)"),
        ("(..(...)..)", "|53T...)53)"),
        ("(...(...).)", "|5.3T...)5)"),
        # junctions of three and four helices: apart, in touch on one side, in touch all around
        ("(.((....)).((....)).)", "|j||f..l))j||f..l))j)"),
        ("(..((....))...((....))..)", "|jj||f..l))j.j||f..l))jj)"),
        ("(((....)).((....)).)", "RL|f..l))j||f..l))j)"),
        ("(.((....))((....)).)", "|jR|f..l))L|f..l))j)"),
        ("(.((....)).((....)))", "Lj||f..l))jR|f..l)))"),
        ("(((....))((....)))", "RR|f..l))R|f..l)))"),
        ("(.((....))((....)).((....)).)", "|jR|f..l))L|f..l))j||f..l))j)"),
        # a junction in a junction, and a helix of one pair that closes a hairpin of 3
        ("(.(.((....)).((....)).).(....).)", "|j|j||f..l))j||f..l))j)j|f..l)j)"),
        ("(.(...)((....)).)", "|jT...)L|f..l))j)"),
    ],
)
def test_situations(structure: str, expected: str) -> None:
    """Contexts of each unpaired base and each pair, drawn by hand; ')' at the end left out."""
    found = situations(structure)
    assert len(found) == len(structure)
    drawn = "".join(
        ")" if character == ")" else LETTERS[situation]
        for character, situation in zip(structure, found, strict=True)
    )
    assert drawn == expected.ljust(len(structure), ")")


def odds(structure: str, moves: list[str]) -> dict[str, float]:
    """NEMO's weight of every move after `moves`, by its letters."""
    problem = Problem("p", RnaTarget(structure, "N" * len(structure)))
    instance = DOMAIN.instance(problem, RnaOptions(engine="none"))
    state = DOMAIN.new_state(instance)
    contract.reset(instance, state)
    for move in moves:
        contract.play(instance, state, MOVES.index(move))
    legal = np.zeros(DOMAIN.limits(instance).moves, np.int64)
    n = contract.legal_moves(instance, state, np.zeros(4, np.uint64), legal)
    return {MOVES[m]: float(contract.odds(NEMO, instance, state, int(m))) for m in legal[:n]}


PAIR = {"GC": 16.0, "CG": 16.0, "AU": 9.0, "UA": 9.0, "GU": 2.0, "UG": 2.0}


def bases(*weights: float) -> dict[str, float]:
    return dict(zip("ACGU", weights, strict=True))


@pytest.mark.parametrize(
    ("structure", "moves", "expected"),
    [
        ("...", [], bases(93, 5, 1, 1)),
        ("(....)", [], PAIR),
        ("(....)", ["AU"], bases(15.5, 0.8, 83.3, 0.2)),
        ("(....)", ["AU", "A"], bases(93, 5, 1, 1)),
        ("(....)", ["AU", "A", "A", "A"], bases(83.3, 2.4, 11.9, 2.4)),
        ("(....).", ["AU", "A", "A", "A", "A"], bases(97, 1, 1, 1)),
        ("(.(...).)", ["AU"], bases(6.7, 6.7, 80, 6.6)),
        ("(..(...)..)", ["AU"], bases(5, 1, 20, 1)),
        ("(..(...)..)", ["AU", "A"], bases(21, 1, 4, 1)),
        ("(((....)).((....)).)", [], PAIR | dict.fromkeys(("GC", "CG"), 10.0)
         | dict.fromkeys(("AU", "UA"), 15.0)),
        ("(((....)).((....)).)", ["AU"], PAIR | dict.fromkeys(("GC", "CG"), 22.0)
         | dict.fromkeys(("AU", "UA"), 3.0)),
    ],
)  # fmt: skip
def test_weights(structure: str, moves: list[str], expected: dict[str, float]) -> None:
    """Weights of NEMO by situation, of bases and of pairs."""
    assert odds(structure, moves) == pytest.approx(expected)


@pytest.mark.parametrize("outer", ["GC", "CG", "AU", "UA", "GU", "UG"])
def test_triloops(outer: str) -> None:
    """Inside of GC or CG a hairpin of 3 is closed by GC or CG, as good as always."""
    weak = dict.fromkeys(("AU", "UA", "GU", "UG"), 1e-6)
    expected = PAIR | weak if outer in ("GC", "CG") else PAIR
    assert odds("((...))", [outer]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("structure", "moves"),
    [
        ("(...)", []),  # nothing outside of it
        (".(...)", ["G"]),
        ("(.(...))", ["GC", "A"]),  # not on top of a pair
        ("((...).)", ["GC"]),
        ("((....))", ["GC"]),  # not 3
        ("(...)(...)", ["GC", "A", "A", "A"]),  # behind another helix
        (".(((...)))", ["A", "GC"]),  # not the pair that closes it
    ],
)
def test_pairs_that_triloops_leave_alone(structure: str, moves: list[str]) -> None:
    """Without a pair right outside, all pairs that close a hairpin keep their weights."""
    assert odds(structure, moves) == pytest.approx(PAIR)


def test_every_situation_has_weights() -> None:
    """All moves stay possible everywhere: every weight is finite and more than 0."""
    weights: Any = NEMO.weight
    assert weights.shape == (len(Situation), len(MOVES))
    assert (weights > 0).all()
    assert np.isfinite(weights).all()


def bulged(left: int, right: int) -> str:
    """A hairpin behind an interior loop with so many bases on each side."""
    return f"(((({'.' * left}((((....)))){'.' * right}))))"


def guanine_and_cytosine(structure: str) -> str:
    """A sequence whose pairs are all GC, which folds into `structure` if any does."""
    return structure.translate(str.maketrans("(.)", "GAC"))


LARGE = bulged(31, 0)


@pytest.mark.parametrize(
    ("structure", "loops"),
    [
        ("((((....))))", []),
        ("....", []),
        ("((.((...))..))", [((1, 12), (3, 9), 3)]),
        ("(.(...))", [((0, 7), (2, 6), 1)]),
        ("((...)(...)...)", []),
        (LARGE, [((3, 47), (35, 46), 31)]),
    ],
)
def test_interior_loops(structure: str, loops: list[Any]) -> None:
    """Loops of two pairs with their unpaired bases; no hairpins, junctions and stacked pairs."""
    assert list(interior_loops(pair_partners(structure, "s"))) == loops


@pytest.mark.parametrize("sides", [(30, 0), (0, 30), (15, 15), (31, 0), (0, 31), (15, 16), (1, 30)])
def test_what_the_engine_folds_is_what_is_accepted(sides: tuple[int, int]) -> None:
    """Loops of up to 30 unpaired bases form; beyond that the engine never does."""
    structure = bulged(*sides)
    sequence = guanine_and_cytosine(structure)
    folded, energy = RNA.fold_compound(sequence, use_engine("vienna2")).mfe()
    assert (folded == structure) == (sum(sides) <= MAX_INTERIOR)
    if folded == structure:
        check_foldable(structure, "p")
    else:
        with pytest.raises(UnsolvableError):
            check_foldable(structure, "p")
        evaluated = RNA.fold_compound(sequence, use_engine("vienna2")).eval_structure(structure)
        assert evaluated < energy  # so this is what made scores larger than 1


def test_a_loop_that_no_engine_forms_is_named() -> None:
    """The error comes with the instance, not with the text: of a file the others can be solved."""
    (problem,) = DOMAIN.parse(LARGE, "p")
    with pytest.raises(UnsolvableError) as error:
        DOMAIN.instance(problem, RnaOptions())
    assert str(error.value) == (
        "p: the loop between the pairs 4-48 and 36-47 has 31 unpaired bases, the folding engines "
        "form interior loops of 30 at most: no sequence folds into this target"
    )
    DOMAIN.instance(problem, RnaOptions(engine="none"))
    for structure in ("(" + "." * 99 + ")", "((...)" + "." * 99 + "(...))", bulged(30, 0)):
        DOMAIN.instance(Problem("p", RnaTarget(structure, "N" * len(structure))), RnaOptions())


def test_no_score_exceeds_1_unless_the_target_is_reached() -> None:
    """Even of a target that the engine cannot fold, but gives less energy than any it can."""
    instance = new_rna(RnaTarget(LARGE, "N" * len(LARGE)), "vienna2", "p")
    state = new_rna_state(instance, 0)
    state.sequence[:-1] = np.frombuffer(guanine_and_cytosine(LARGE).encode(), np.uint8)
    with np.errstate(over="ignore"):
        found = contract.score(instance, state)
    assert 0 < found < 1


@pytest.mark.parametrize(
    ("structure", "opened"),
    [
        ("((((....))))", "((((....))))"),
        (bulged(30, 0), bulged(30, 0)),
        (bulged(31, 0), "." * 35 + "((((....))))" + "." * 4),
        (f"((...)({'.' * 31}(...)))", f"((...).{'.' * 31}(...).)"),
        (f"({'.' * 31}({'.' * 31}(...)))", "." * 64 + "(...)" + ".."),
    ],
)
def test_opening_large_loops(structure: str, opened: str) -> None:
    """The pairs outside of a loop that is too large are opened until no such loop is left."""
    assert open_large_loops(structure) == opened
    check_foldable(opened, "p")


@pytest.mark.parametrize(
    ("structure", "cuts", "lonely"),
    [
        ("((....))", (), ""),
        ("(((....))).(....)", (), "12-17"),
        ("((((....))))", (2,), ""),
        ("((((....))))", (1,), "1-12"),
        ("((((....))))", (11,), "1-12"),
    ],
)
def test_lonely_pairs(structure: str, cuts: tuple[int, ...], lonely: str) -> None:
    """Pairs stack on their neighbours, not over the end of a strand."""
    if not lonely:
        check_no_lonely(structure, "x", cuts)
        return
    with pytest.raises(UnsolvableError, match=f"x: the pair {lonely} is lonely"):
        check_no_lonely(structure, "x", cuts)
