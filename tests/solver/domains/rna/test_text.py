"""RNA targets as text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.domains.rna.domain import RnaDomain
from solver.domains.rna.files.formats import parse_targets
from solver.domains.rna.text import (
    IUPAC,
    PAIRS,
    RnaTarget,
    format_target,
    is_structure_word,
    new_target,
    pair_partners,
)
from solver.errors import InputError
from solver.system.datasets import dataset_path, sha256

DOMAIN = RnaDomain()
ONE, OTHER = "((((....))))", ".((...))."
FREE = "N" * 12
FIXED = "GNNNGRAANNNC"
TWO = [("a", RnaTarget(ONE, FIXED)), ("b c", RnaTarget(OTHER, "N" * 9))]


@st.composite
def targets(draw: Any) -> RnaTarget:
    """Any structure of hairpins and helices, with letters that leave its pairs possible."""
    inner = st.integers(3, 6).map(lambda n: "." * n)
    structure = draw(
        st.recursive(
            inner,
            lambda parts: (
                parts.map(lambda part: f"({part})")
                | st.lists(parts, min_size=2, max_size=3).map("".join)
            ),
            max_leaves=8,
        )
    )
    letters = [draw(st.sampled_from([*(set(IUPAC) - {"T"}), "N"])) for _ in structure]
    for one, other in enumerate(pair_partners(structure, "drawn")):
        if other > one:
            letters[one], letters[other] = draw(st.sampled_from([*PAIRS, "SN", "YR", "NN"]))
    return RnaTarget(structure, "".join(letters))


@given(target=targets(), name=st.text("abc 7-_.()", min_size=1).map(str.strip).filter(bool))
def test_format_is_parsed_back(target: RnaTarget, name: str) -> None:
    """A record that is written is read back as the same name, structure and bases."""
    assert parse_targets(format_target(name, target), "f") == [(name, target)]


@given(target=targets())
def test_partners(target: RnaTarget) -> None:
    """Partners are mutual, enclose balanced brackets, and say which positions are unpaired."""
    structure = target.structure
    partners = pair_partners(structure, "p")
    for position, partner in enumerate(partners):
        if partner < 0:
            assert structure[position] == "."
            continue
        assert partners[partner] == position
        one, other = sorted((position, partner))
        assert (structure[one], structure[other]) == ("(", ")")
        inside = structure[one + 1 : other]
        assert inside.count("(") == inside.count(")")
        assert len(inside) >= 3


@given(target=targets())
def test_letters_of_a_target(target: RnaTarget) -> None:
    """Lower case and T are read as upper case and U; no letters at all fix nothing."""
    structure, bases = target.structure, target.bases
    assert new_target(structure, bases.lower(), "p") == target
    assert new_target(structure, bases.replace("U", "T"), "p") == target
    assert new_target(structure, "", "p") == RnaTarget(structure, "N" * len(structure))


def test_records_without_fixed_bases_have_two_lines() -> None:
    """A line of letters is written only where it fixes something."""
    assert format_target("a", RnaTarget(ONE, FREE)) == f">a\n{ONE}\n"
    assert format_target("a", RnaTarget(ONE, FIXED)) == f">a\n{ONE}\n{FIXED}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE, True),
        ("...", True),
        (f" {ONE} {FIXED}", True),
        ("((((....)))", True),
        ("((..[[..))..]]", True),
        ("((..AA..))..aa", True),
        ("", False),
        (" ", False),
        (".", False),
        ("..", False),
        ("../targets.txt", False),
        ("targets.txt", False),
        ("GGGG", False),
        ("a(1).txt", False),
        ("..é..", False),
    ],
)
def test_problems_on_the_command_line(text: str, expected: bool) -> None:
    """A word of brackets and dots is a structure, except for names of folders."""
    assert DOMAIN.is_problem_text(text) == expected


def test_eterna100_is_the_file_that_was_published() -> None:
    """The checksum of the shipped table, and where its two versions differ."""
    path = dataset_path("eterna100.tsv")
    assert sha256(path) == "18bdf59b3121f6bb452387d5fcddd39f48b6f13692085fff3d80a2066fb47966"
    first, second = (DOMAIN.benchmark(name) for name in ("eterna100", "eterna100-v2"))
    assert len(first) == len(second) == 100
    assert [problem.name for problem in first] == [problem.name for problem in second]
    assert len({problem.name for problem in first}) == 100
    differ = [
        number
        for number, (one, two) in enumerate(zip(first, second, strict=True), start=1)
        if one.data != two.data
    ]
    assert differ == [
        50, 52, 57, 60, 61, 67, 78, 80, 81, 86, 87, 88, 90, 91, 92, 96, 97, 99, 100,
    ]  # fmt: skip
    assert first[0].name == "Simple Hairpin"
    assert first[0].data == RnaTarget("(((((......)))))", "N" * 16)


@pytest.mark.parametrize(("name", "engine"), [("eterna100", "t99d2"), ("eterna100-v2", "vienna2")])
def test_benchmark_sets_have_their_engines(name: str, engine: str) -> None:
    """Default options of a set are options."""
    assert DOMAIN.options(**DOMAIN.benchmarks[name].defaults).engine == engine


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("((((\u2026))))", "5: '\u2026', three dots in one, horizontal ellipsis"),
        ("((....))\u2013", "9: '\u2013', en dash"),
        ("((..?.))", "5: '?', question mark"),
        ("((..+.))", "5: '+', plus sign"),
        ("((5...))", "3: '5', digit five"),
        ("((.\0.))", "4: '\\x00', character U+0000"),
        ("((....))<br>", "9: '<br>', HTML"),
        ("<pre>((....))", "1: '<pre>', HTML"),
        ("((....))&nbsp;", "9: '&nbsp;', HTML"),
        ("((.aa.))", "4: 'a'"),
        ("((.[.))", "4: '[', a pseudoknot, which no engine folds"),
        ("((.A.a))", "4: 'A', a pseudoknot, which no engine folds"),
        ("((.<..)).>", "4: '<', a pseudoknot, which no engine folds"),
    ],
)
def test_what_has_no_place_in_a_structure(word: str, message: str) -> None:
    """It is named, with its position: only brackets and pairs of letters are pseudoknots."""
    with pytest.raises(InputError) as error:
        new_target(word, "", "f: line 1")
    assert str(error.value) == f"f: line 1, position {message}, expected ( ) or ."


@pytest.mark.parametrize(
    ("word", "is_structure"),
    [
        ("((((\u2026))))", True),
        ("((..+.))", True),
        ("((....))<br>", True),
        ("((..[[..))..]]", True),
        ("targets.txt", False),
        ("../a-b.txt", False),
        ("...-1", False),
        ("(1).txt", False),
    ],
)
def test_words_that_are_meant_as_structures(word: str, is_structure: bool) -> None:
    """A wrong structure is reported as such, not as a missing file."""
    assert is_structure_word(word) == is_structure
