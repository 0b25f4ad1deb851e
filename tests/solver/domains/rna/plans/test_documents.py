"""Documents of domains, strands and states, well and badly written."""

from __future__ import annotations

import pytest

from solver.domains.rna.files.formats import parse_targets
from solver.domains.rna.plans.documents import plan_of
from solver.domains.rna.plans.table import tables_missing
from solver.domains.rna.text import format_target
from solver.errors import InputError

DOCUMENT = """>toy
domain a = GN3
domain b = AAA|CCC|GGU
domain orf = protein MK*
strand one = GG a N2 b orf a*
strand two = b* a
state off: one = .24
state on: two one = .31
"""


def read(text: str) -> list[tuple[str, str]]:
    return [(name, target.plan) for name, target in parse_targets(text, "f")]


def test_a_document() -> None:
    """Letters, tables and spans are those of the strands, and a record of it reads the same."""
    ((name, target),) = parse_targets(DOCUMENT, "f")
    plan = plan_of(target.plan)
    assert (name, len(plan.bases)) == ("toy", 31)
    assert plan.strands == (("one", 0, 24), ("two", 24, 31))
    assert plan.bases == "GGGNNN" + "NN" + "NNN" + "N" * 9 + "NNNN" + "NNN" + "NNNN"
    assert [(state.name, state.spans) for state in plan.states] == [
        ("off", ((0, 24),)), ("on", ((24, 31), (0, 24))),
    ]  # fmt: skip
    right = "GGGAUCAAGGUAUGAAAUAGGAUCACCGAUC"
    assert tables_missing(right, plan.tables) == []
    for place in range(2, 31):
        wrong = right[:place] + {"A": "C", "C": "A", "G": "U", "U": "G"}[right[place]]
        wrong += right[place + 1 :]
        free = place in (6, 7)
        assert bool(tables_missing(wrong, plan.tables)) != free
    assert parse_targets(format_target(name, target), "f") == [(name, target)]


def test_a_complement_that_stands_first() -> None:
    """The letters of a domain are turned where its complement stands first."""
    text = "domain a = GGA\nstrand s = a* a a*\nstate x: s = .9"
    ((_, target),) = parse_targets(text, "f")
    plan = plan_of(target.plan)
    assert plan.bases[:3] == "UCC"
    assert tables_missing("UCCGGAUCC", plan.tables) == []
    assert tables_missing("UCCGGAUCG", plan.tables) != []


def test_several_documents() -> None:
    """Each has a name above, and one that is wrong does not keep the others from being read."""
    text = "strand s = N5\nstate a: s = .5\n>b\nstrand s = N6\nstate a: s = .N4."
    assert [name for name, _ in read(text)] == ["f", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("domain a = N5\nstrand s = a", "f: line 2: no state, expected one or more"),
        ("domain a = N5\nstrand s = N4\nstate x: s = .4", "f: line 1: domain a is in no strand"),
        ("strand s = N4\nstrand t = N4\nstate x: s = .4", "f: line 2: strand t is in no state"),
        ("strand s = e N4\nstate x: s = .4",
         "f: line 1: 'e', expected IUPAC letters, as GGN15, or the name of a domain"),
        ("strand s = Q4\nstate x: s = .4",
         "f: line 1: 'Q4', expected IUPAC letters, as GGN15, or the name of a domain"),
        ("strand s = b* N4\nstate x: s = .4",
         "f: line 1: 'b*', expected the name of a domain before *"),
        ("strand s = N4\nstate x: t = .4", "f: line 2: 't', expected one of: s"),
        ("strand s = N4\nstate x: s = .5", "f: line 2: 5 positions, its strands have 4 bases"),
        ("strand s = N4\nstate x: s = (..)",
         "f: line 2, position 1: the pair encloses 2 bases, expected 3 or more"),
        ("strand s = N4\nstrand t = N3\nstate x: s t = .3&.4",
         "f: line 3: & behind 3 positions, the strands end at 4"),
        ("strand s = N4\nstate x: s = .3]", "f: line 2: ']' in a structure, expected ( ) . N or &"),
        ("strand s = N4\nstate x: s s = .8",
         "f: line 2: 2 strands, expected 1 to 4 different ones"),
        ("strand s = N4\nstate x: s .4",
         "f: line 2: no `=`, expected `state x: STRANDS = STRUCTURE`"),
        ("strand s = N4\nstate x: s = .4 ligand caffeine",
         "f: line 2: ligand 'caffeine', expected theophylline"),
        ("strand s = N4\nstrand s = N4\nstate x: s = .4",
         "f: line 2: strand s for the second time, expected it once"),
        ("domain a = AAA|CC\nstrand s = a\nstate x: s = .3",
         "f: line 1: words of 3 and 2 letters, expected one length"),
        ("domain a = AAA|NCC\nstrand s = a\nstate x: s = .3",
         "f: line 1: NCC in a list, expected words of A, C, G and U alone"),
        ("domain a = protein M1\nstrand s = a\nstate x: s = .6",
         "f: line 1: 'protein M1', expected IUPAC letters, as GGN15, or the name of a domain"),
        ("domain a = protein M code 7\nstrand s = a\nstate x: s = .3",
         "f: line 1: code is 7, expected one of: 1, 2, 3, 4"),
        ("strand s = N4\nstates x: s = .4",
         "f: line 2: 'states x: s = .4', expected `domain NAME = ...`"),
        ("strand s = N4\nstate x: s = .4|.4",
         "f: line 2: the same structure twice, expected different ones"),
        ("strand s = N5000\nstate x: s = N5000",
         "f: line 1: 5,000 bases, expected 4,000 at most in all strands"),
    ],
)  # fmt: skip
def test_what_is_wrong(text: str, message: str) -> None:
    """The line is named, and what was expected."""
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value).startswith(message)
