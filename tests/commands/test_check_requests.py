"""`check`: requests that do not fit a problem, and those between the answers to one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.shell import Run
from tests.commands.test_check import write

HAIRPIN, DIMER = "((((....))))", "((((&....))))"
SWITCH, OPEN = "((((....))))|.((((...))))", "((((NNNN))))"
ONE, OTHER, THIRD = "GGGCAAAAGCCC", "CCCGUUUUCGGG", "GGGGAAAACCCC"
#: A hairpin as a document of states.
DOCUMENT = ">rna\nstrand a = N12\nstate ON: a = (4.4)4\n"
NO_ENSEMBLE = "--gap needs an engine with dangles 2 or 0, not {}: t99d2, vienna2, dna"
ENDS = "7 residues from position 1 end at 21, the target has 12 bases"


def check_as_solve(
    run: Run, target: str | Path, file: Path, words: list[Any], status: int, why: str
) -> None:
    """Hold the line of `check` against that by which `solve` refuses the same requests."""
    refused = run("solve", "rna", target, *words, "--playouts", 5)
    place = "" if why.startswith(("--gap needs", "--gap is not known")) else "rna: "
    assert (refused.status, refused.out, refused.err) == (2, "", f"solve: {place}{why}\n")
    found = run("check", "rna", target, file, *words)
    word = "wrong" if status == 1 else "unreadable"
    assert (found.status, found.out, found.err) == (status, f"rna: {word}: {why}\n", "")


@pytest.mark.parametrize(
    ("target", "words", "status", "why"),
    [
        (HAIRPIN, ["--protein", "MMMMMMM"], 1, ENDS),
        (OPEN, ["--protein", "MMMMMMM"], 1, ENDS),
        (HAIRPIN, ["--near", "GG"], 1,
         "the sequence to be near to has 2 bases, the target 12"),
        (HAIRPIN, ["--gc-window", "0-100:50"], 1, "windows of 50 bases, the target has 12"),
        (HAIRPIN, ["--gap", 20, "--no-lonely-pairs"], 2, "--gap is not known without lonely pairs"),
        (HAIRPIN, ["--gap", 20, "--engine", "none"], 2, NO_ENSEMBLE.format("none")),
        (SWITCH, ["--gap", 20], 2, "--gap is for one structure, not for a switch"),
        (OPEN, ["--gap", 20], 2, "--gap is for one structure, not for open positions"),
        (HAIRPIN, ["--concentration", 1], 2, "--concentration is for two strands"),
        (HAIRPIN, ["--near", ONE, "--objective", "defect"], 2,
         "--objective and --near cannot both be improved"),
        (HAIRPIN, ["--modified", "m6A:99"], 2, "m6A:99: position 99 of 12"),
        (DIMER, ["--modified", "m6A:5"], 2, "modified bases are for one strand, or for states"),
        (HAIRPIN * 84, ["--gap", 1], 2, "1008 bases, expected 1000 at most with --gap"),
    ],
)  # fmt: skip
def test_requests_that_do_not_fit(
    run: Run, tmp_path: Path, target: str, words: list[Any], status: int, why: str
) -> None:
    """An answer is not right by requests that `solve` refuses, for the same reason."""
    (file,) = write(tmp_path, answer=ONE * max(target.count(HAIRPIN), 1))
    check_as_solve(run, target, file, words, status, why)


@pytest.mark.parametrize(
    ("text", "words", "status", "why"),
    [
        (f"name,structure,protein\nrna,{HAIRPIN},MMMMMMM\n", [], 1, ENDS),
        (f"name,structure,protein\nrna,{SWITCH},MMMMMMM\n", [], 1, ENDS),
        (DOCUMENT, ["--protein", "MMMMMMM"], 1, ENDS),
        (DOCUMENT, ["--gap", 20], 2, "--gap is for one structure, not for states"),
    ],
)  # fmt: skip
def test_requests_that_do_not_fit_a_file(
    run: Run, tmp_path: Path, text: str, words: list[Any], status: int, why: str
) -> None:
    """Columns and documents are judged as options are."""
    target, file = write(tmp_path, target=text, answer=ONE)
    check_as_solve(run, target, file, words, status, why)


def test_the_engine_of_the_answer(run: Run, tmp_path: Path) -> None:
    """The engine in a title tells whether a gap is known; that of the command does for others."""
    known, other, bare = write(
        tmp_path, known=f">rna engine=vienna2\n{ONE}\n", other=f">rna engine=vienna1\n{ONE}\n",
        bare=ONE,
    )  # fmt: skip
    found = run("check", "rna", HAIRPIN, known, "--gap", 1, "--engine", "vienna1")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith(f"rna: right; sequence {ONE}, ")
    for file, words in ((other, []), (bare, ["--engine", "vienna1"])):
        found = run("check", "rna", HAIRPIN, file, "--gap", 1, *words)
        expected = f"rna: unreadable: {NO_ENSEMBLE.format('vienna1')}\n"
        assert (found.status, found.out) == (2, expected)


def test_requests_without_effect(run: Run, tmp_path: Path) -> None:
    """They are refused before an answer is read, as by `solve`."""
    (file,) = write(tmp_path, answer=ONE)
    found = run("check", "rna", HAIRPIN, file, "--min-distance", 5)
    message = "check: --min-distance is between designs: it needs 2 designs or more\n"
    assert (found.status, found.out, found.err) == (2, "", message)


def right(sequence: str, more: str = "") -> str:
    """Line of a right answer without an engine."""
    return f"rna: right; sequence {sequence}, engine none, {more}gc 66.67"


def designs(*sequences: str) -> str:
    """Records as `solve --designs` prints them."""
    return "".join(f">rna_{n}\n{each}\n" for n, each in enumerate(sequences, start=1))


TOO_FEW = ", 1 of 1 problems have too few: rna"


@pytest.mark.parametrize(
    ("sequences", "words", "lines", "err"),
    [
        ([ONE, OTHER], ["--designs", 2, "--min-distance", 12],
         [right(ONE), right(OTHER, "distance 12, ")], "2 of 2 answers right"),
        ([ONE, ONE], ["--designs", 2],
         [right(ONE), "rna: wrong: distance 0 to design 1, expected 1 or more"],
         "1 of 2 answers right"),
        ([ONE, THIRD, OTHER], ["--designs", 3, "--min-distance", 5],
         [right(ONE), "rna: wrong: distance 2 to design 1, expected 5 or more",
          right(OTHER, "distance 12, ")], "2 of 3 answers right"),
        ([ONE, THIRD], ["--designs", 2, "--max-shared", 3],
         [right(ONE), "rna: wrong: AAAA at position 5 is shared, expected 3 bases at most"],
         "1 of 2 answers right"),
        ([ONE, OTHER], ["--designs", 3], [right(ONE), right(OTHER, "distance 12, ")],
         f"2 of 2 answers right{TOO_FEW} 2 of 3"),
        ([ONE], ["--designs", 2], [right(ONE)], f"1 of 1 answers right{TOO_FEW} 1 of 2"),
        ([ONE, ONE], [], [right(ONE), right(ONE)], "2 of 2 answers right"),
    ],
)  # fmt: skip
def test_several_designs(
    run: Run, tmp_path: Path, sequences: list[str], words: list[Any], lines: list[str], err: str
) -> None:
    """A design is held against the right ones before it, and designs that lack are counted."""
    (file,) = write(tmp_path, answer=designs(*sequences))
    found = run("check", "rna", HAIRPIN, file, "--engine", "none", *words)
    assert (found.out.splitlines(), found.err) == (lines, f"{err}\n")
    assert found.status == (0 if err == "2 of 2 answers right" else 1)


def test_several_designs_by_a_column(run: Run, tmp_path: Path) -> None:
    """Rows have numbers of designs of their own; those of one target are no others' concern."""
    table = f"name,structure,designs\na,{HAIRPIN},2\nb,{HAIRPIN},\nc,{HAIRPIN},2\nd,{HAIRPIN},2\n"
    answers = [("a_1", ONE), ("a_2", ONE), ("b", ONE), ("c_1", ONE), ("d_1", ONE), ("d_2", OTHER)]
    target, file = write(
        tmp_path, target=table, answer="".join(f">{name}\n{each}\n" for name, each in answers)
    )
    words = ["--engine", "none", "--min-distance", 3]
    found = run("check", "rna", target, file, *words, "--json")
    assert [json.loads(line)["right"] for line in found.out.splitlines()] == [
        True, False, True, True, True, True,
    ]  # fmt: skip
    assert found.status == 1
    assert found.err == "5 of 6 answers right, 1 of 4 problems have too few: c 1 of 2\n"


def test_designs_that_solve_did_not_find(run: Run, tmp_path: Path) -> None:
    """A line without an answer is wrong and does not count as one."""
    lines = [
        json.dumps({"name": "rna", "design": 1, "answer": f">rna engine=none\n{ONE}\n"}),
        json.dumps({"name": "rna", "design": 2, "answer": None, "status": "budget"}),
    ]
    (file,) = write(tmp_path, answer="\n".join(lines))
    found = run("check", "rna", HAIRPIN, file, "--engine", "none", "--designs", 2)
    assert (found.status, found.err) == (1, f"1 of 2 answers right{TOO_FEW} 1 of 2\n")
    assert found.out.splitlines() == [right(ONE), "rna: wrong: no answer is stated"]
