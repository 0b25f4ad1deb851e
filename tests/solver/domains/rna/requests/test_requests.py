"""Requests in kernels, contradictions and the verifier, against plain counting."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.folding import as_text
from solver.domains.rna.gaps.memory import Gaps
from solver.domains.rna.requests.check import Requirements, gap_missing, missing_of
from solver.domains.rna.requests.contradictions import (
    check_possible,
    fits_of,
    sites_of,
)
from solver.domains.rna.requests.kernels import (
    NoRequests,
    Requests,
    excess,
    lowered,
    new_requests,
    position_to_change,
    requests_of_part,
)
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.requests.tables import check_tables
from solver.domains.rna.text import IUPAC, PAIRS, RnaTarget, new_target
from solver.errors import InputError, UnsolvableError
from tests.solver.domains.rna.plain_designs import differences, gc, has, least_distance

#: Targets with so few sequences that all can be looked at.
SMALL = [RnaTarget("(...)", "NNANN"), RnaTarget("(...).", "SNNGNR"), RnaTarget("......", "NAGSWN")]
motifs = st.text("ACGUNRYSW", min_size=1, max_size=3)


def sequences_of(target: RnaTarget) -> list[str]:
    """All sequences whose bases are allowed and whose pairs can form."""
    found = map("".join, itertools.product(*(IUPAC[letter] for letter in target.bases)))
    if target.structure[0] == ".":
        return list(found)
    return [sequence for sequence in found if sequence[0] + sequence[4] in PAIRS]


def kernel_requests(target: RnaTarget, requirements: Requirements) -> Any:
    n, sites = len(target.structure), sites_of(target)
    patterns = [pattern for _, forms in requirements.required for pattern in forms]
    return new_requests(requirements, [fits_of(pattern, sites, n) for pattern in patterns], n)


@st.composite
def requests(draw: Any) -> tuple[RnaTarget, RnaRequests]:
    least = draw(st.integers(0, 100))
    options = RnaRequests(
        gc=f"{least}-{draw(st.integers(max(least, 2), 100))}",
        forbid=",".join(draw(st.lists(motifs, max_size=2))),
        require=",".join(draw(st.lists(motifs, max_size=2))),
    )
    return draw(st.sampled_from(SMALL)), options


def plainly_met(sequence: str, options: RnaRequests, others: list[str], distance: int) -> bool:
    least, most = map(float, options.gc.split("-"))
    return (
        least - 1e-6 <= gc(sequence) <= most + 1e-6
        and not any(has(sequence, motif) for motif in options.forbid.split(",") if motif)
        and all(has(sequence, motif) for motif in options.require.split(",") if motif)
        and all(differences(sequence, other) >= distance for other in others)
    )


@given(requests(), st.integers(1, 4), st.randoms(use_true_random=False))
def test_kernels_and_verifier_agree_with_counting(
    asked: tuple[RnaTarget, RnaRequests], distance: int, random: Any
) -> None:
    """Excess is 0, the score stays, and nothing is missing where all requests are met."""
    target, options = asked
    known = sequences_of(target)
    others = random.sample(known, 2)
    requirements = options.requirements._replace(others=others, distance=distance)
    compiled = kernel_requests(target, requirements)
    stream = new_stream(1)
    for sequence in random.sample(known, 10):
        met = plainly_met(sequence, options, others, distance)
        text = as_text(sequence)
        off = excess(compiled, text)
        assert (off == 0, missing_of(sequence, requirements) == []) == (met, met)
        assert lowered(compiled, text, 1.0) == 1 / (1 + off)
        assert lowered(compiled, text, -1.0) == -(1 + off)
        with np.errstate(over="ignore"):
            position = position_to_change(compiled, text, stream)
        assert position < 0 if met else -1 <= position < len(sequence)


@given(requests())
def test_contradictions_are_no_false_alarms(asked: tuple[RnaTarget, RnaRequests]) -> None:
    """Requests refused before the search are met by no sequence at all."""
    target, options = asked
    try:
        check_possible(target, options, "p")
    except UnsolvableError:
        assert not any(plainly_met(one, options, [], 1) for one in sequences_of(target))


@pytest.mark.parametrize("target", SMALL)
@pytest.mark.parametrize("pattern", ["A", "GG", "NNS", "ANNNU", "WWWWWW", "GNNNNNN"])
def test_where_a_pattern_fits(target: RnaTarget, pattern: str) -> None:
    """It fits where some sequence has it."""
    n, known = len(target.structure), sequences_of(target)
    places = [
        any(has(one[start : start + len(pattern)], pattern) for one in known)
        for start in range(n - len(pattern) + 1)
    ]
    fits = fits_of(pattern, sites_of(target), n)
    assert fits.tolist() == places + [False] * (n + 1 - len(places))


@pytest.mark.parametrize(("designs", "distance"), [(2, 5), (4, 4), (5, 4), (13, 3), (50, 2)])
def test_designs_that_exist_are_never_refused(designs: int, distance: int) -> None:
    """A set found by greedy choice is within the bound; beyond the bound there is none."""
    target = SMALL[0]._replace(bases="NNNNN")
    chosen: list[str] = []
    for sequence in sequences_of(target):
        if all(differences(sequence, other) >= distance for other in chosen):
            chosen.append(sequence)
    assert len(chosen) < 2 or least_distance(chosen) >= distance
    options = RnaRequests(designs=designs, min_distance=distance)
    if designs <= len(chosen):
        check_possible(target, options, "p")
    elif designs > 4 ** (5 - distance + 1):
        with pytest.raises(UnsolvableError, match=r"^p: .* are wanted, there are \d+ at most$"):
            check_possible(target, options, "p")


@pytest.mark.parametrize(
    ("target", "asked", "lack"),
    [
        ("NN((((....))))NN", {"forbid": "N"}, "N is forbidden"),
        ("NN((((....))))NN", {"designs": 2, "min_distance": 30}, "designs at distance 30"),
        ("." * 12, {"protein": "3:M", "forbid": "AUG"}, "AUG is forbidden"),
        ("." * 12, {"protein": "MMMM", "designs": 2}, "designs at distance 1"),
        ("((((...))))", {"protein": "MMM"}, "positions 3 and 9 pair"),
    ],
)
def test_contradictions_with_tables_and_open_positions(
    target: str, asked: dict[str, Any], lack: str
) -> None:
    with pytest.raises(UnsolvableError, match=lack):
        check_possible(new_target(target, "", "p"), RnaRequests(**asked), "p")


@pytest.mark.parametrize(
    ("target", "window", "lack"),
    [
        ("((((((....((((&))))..))))))", "30-70:20", "the longest strand has 14"),
        ("((((....))))", "30-70:20", "the target has 12"),
        ("((((....))))", "71-74:10", "among the 10 bases of a window is 71-74 %"),
    ],
)
def test_windows_that_no_design_has(target: str, window: str, lack: str) -> None:
    with pytest.raises(UnsolvableError, match=lack):
        check_tables(new_target(target, "", "p"), RnaRequests(gc_window=window), "p")


def test_a_protein_forces_letters() -> None:
    """UGG is the one codon of W and those of G begin with GG: GGGG is permitted, and there."""
    domain = RnaDomain(RnaRequests(forbid="synthesis", protein="MWGF*"))
    permitted = domain.requirements_for(new_target("." * 15, "", "p")).permitted
    assert ("GGGG", 5) in permitted


def test_the_score_of_what_asks_nothing() -> None:
    """Without requests scores, parts and sequences are as they are."""
    nothing, text = NoRequests(), as_text("GGGG")
    assert (excess(nothing, text), lowered(nothing, text, 0.25)) == (0, 0.25)
    assert position_to_change(nothing, text, new_stream(1)) == -1
    assert requests_of_part(nothing, 1, 2) is nothing


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (RnaRequests(), NoRequests),
        (RnaRequests(gap=1.0, objective="defect"), NoRequests),
        (RnaRequests(designs=2), Requests),
        (RnaRequests(gc="40-60"), Requests),
    ],
)
def test_what_is_off_is_not_compiled(options: RnaRequests, kind: type) -> None:
    """Instances that nothing is asked of letters for are of the usual class, with usual code."""
    domain = RnaDomain(options)
    instance = domain.instance(Problem("p", new_target("(((...)))", "", "p")), RnaOptions())
    assert type(instance.requests) is kind
    assert isinstance(domain.new_constraints(instance), Gaps) == (kind is NoRequests)


def test_parts_keep_forbidden_motifs() -> None:
    """A part of a target is asked for no GC, no required motif, no distance."""
    requirements = RnaRequests(designs=2, gc="0-10", forbid="GG,CNC", require="AAA").requirements
    whole = kernel_requests(new_target("......", "", "p"), requirements._replace(others=["GCGCGC"]))
    part = requests_of_part(whole, 1, 4)
    assert excess(part, as_text("GCGC")) == 1
    assert excess(part, as_text("GGGC")) == 2
    assert excess(part, as_text("CUGC")) == 0


def test_gaps_are_told() -> None:
    """A gap that is too narrow is missing; one beyond all lists is wide enough."""
    requirements = RnaRequests(gap=1.5).requirements
    assert gap_missing(1.2, requirements) == ["gap is 1.20 kcal/mol, expected 1.5 or more"]
    assert gap_missing(1.5, requirements) == gap_missing(None, requirements) == []


@pytest.mark.parametrize("engine", ["vienna1", "none"])
def test_engines_that_know_no_ensemble(engine: str) -> None:
    """Gaps and ensembles are refused where energies are not those of the fold."""
    RnaRequests(gc="40-60").check_engine(engine)
    for options in (RnaRequests(gap=1.0), RnaRequests(objective="defect")):
        with pytest.raises(InputError, match=f"^\\w+ needs an engine .* not {engine}: t99d2, v"):
            options.check_engine(engine)
