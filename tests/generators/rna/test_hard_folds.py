"""Hard targets: the kinds are what they say, and the set that ships is what is made."""

from __future__ import annotations

import itertools
import re

import pytest

from generators.rna.hard_folds import KINDS, LONGEST, SHORTEST, hard_targets
from solver.domains import load_domain
from solver.domains.rna.text import pair_partners
from solver.system.datasets import dataset_path

TARGETS = dict(hard_targets(100, 0))


def loops(target: str) -> list[list[int]]:
    """Unpaired bases between the helices of each loop that a pair closes, in order."""
    found = []
    partner = pair_partners(target, "test")
    for i, last in enumerate(partner):
        if last < i:
            continue
        runs, j = [0], i + 1
        while j < last:
            if partner[j] < 0:
                runs[-1] += 1
                j += 1
            else:
                runs.append(0)
                j = int(partner[j]) + 1
        if sum(runs) or len(runs) > 2:
            found.append(runs)
    return found


def of_kind(kind: str) -> list[str]:
    """The targets of a kind."""
    return [target for name, target in TARGETS.items() if name.startswith(kind)]


def test_what_ships_is_what_is_made() -> None:
    """The file of the benchmark set is that of seed 0, byte for byte."""
    made = "".join(f">{name}\n{target}\n" for name, target in TARGETS.items())
    assert dataset_path("hard-folds.fa").read_text() == made


def test_lengths_and_names() -> None:
    """All differ, are as long as said, and none is a puzzle of Eterna."""
    assert len(set(TARGETS.values())) == 100
    assert all(SHORTEST <= len(target) <= LONGEST for target in TARGETS.values())
    assert [name.rpartition("-")[0] for name in itertools.islice(TARGETS, 5)] == list(KINDS)
    rna = load_domain("rna")
    for version in ("eterna100", "eterna100-v2"):
        known = {problem.data.structure for problem in rna.benchmark(version)}
        assert known.isdisjoint(TARGETS.values())


def test_junctions_have_no_unpaired_bases() -> None:
    """Between the helices of a junction there is nothing."""
    for target in of_kind("junctions"):
        assert all(sum(runs) == 0 for runs in loops(target) if len(runs) > 2)


def test_loops_of_one() -> None:
    """No side of a loop has more than one base, hairpins aside; junctions have it everywhere."""
    for target in of_kind("loops-of-one"):
        inner = [runs for runs in loops(target) if len(runs) > 1]
        assert all(max(runs) == 1 for runs in inner)
        assert all(min(runs) == 1 for runs in inner if len(runs) > 2)


def test_stars_are_symmetric() -> None:
    """All arms of a junction are the same, and so is what is between them."""
    for target in of_kind("stars"):
        partner = pair_partners(target, "test")
        for i, last in enumerate(partner):
            arms, j = [], i + 1
            while i < last and j < last:
                if partner[j] > j:
                    arms.append(target[j : partner[j] + 1])
                    j = int(partner[j])
                j += 1
            assert len(arms) < 3 or len(set(arms)) == 1


def test_zigzags_alternate() -> None:
    """The outer of two nested bulges is on the other side, with no junction between."""
    bulge = re.compile(r"\((\.*)\(")
    for target in of_kind("zigzags"):
        partner = pair_partners(target, "test")
        sides: dict[int, int] = {}
        for i, last in enumerate(partner):
            if last < i or not (found := bulge.match(target, i)):
                continue
            first = i + 1 + len(found[1])
            behind = target[int(partner[first]) + 1 : int(last)]
            if set(behind) - {"."} or bool(found[1]) == bool(behind):
                continue
            sides[first] = 1 if behind else -1
            outer = i
            while outer - 1 >= 0 and partner[outer - 1] == partner[outer] + 1:
                outer -= 1
            if outer in sides:
                assert sides[outer] == -sides[first]


@pytest.mark.parametrize("kind", KINDS)
def test_another_seed(kind: str) -> None:
    """Another seed gives other targets of every kind."""
    assert not set(of_kind(kind)) & set(dict(hard_targets(100, 1)).values())
