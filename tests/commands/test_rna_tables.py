"""Proteins, open positions, windows, shared stretches, nearness and states as they are typed.

Each design is looked at again by a process of ViennaRNA alone, with nothing of this project.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.commands.shell import Run
from tests.commands.test_rna_designs import lines_of

#: Says of sequences and patterns whether the fold agrees, and by how much less energy it has.
PLAIN = """
import json, sys, RNA

def pairs(structure):
    found, opened = {}, []
    for i, mark in enumerate(structure):
        if mark == "(":
            opened.append(i)
        elif mark == ")":
            j = opened.pop()
            found[i], found[j] = j, i
    return found

answers = []
for sequence, pattern in json.load(sys.stdin):
    compound = RNA.fold_compound(sequence)
    fold, energy = compound.mfe_dimer() if "&" in sequence else compound.mfe()
    asked, formed = pairs(pattern.replace("&", "")), pairs(fold)
    right = all(
        mark == "N" or asked.get(i) == formed.get(i)
        for i, mark in enumerate(pattern.replace("&", ""))
    )
    answers.append([right, energy])
print(json.dumps(answers))
"""
STANDARD = dict(
    zip(
        [a + b + c for a in "UCAG" for b in "UCAG" for c in "UCAG"],
        "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
        strict=True,
    )
)


def plain(cases: list[tuple[str, str]]) -> list[Any]:
    """Return for each sequence and pattern whether the fold agrees, and its energy."""
    done = subprocess.run(
        [sys.executable, "-c", PLAIN], input=json.dumps(cases), capture_output=True, text=True,
        check=True, cwd="/",
    )  # fmt: skip
    found: list[Any] = json.loads(done.stdout)
    return found


def translation(sequence: str) -> str:
    return "".join(STANDARD[sequence[i : i + 3]] for i in range(0, len(sequence) - 2, 3))


def test_twenty_proteins(run: Run, tmp_path: Path) -> None:
    """A leader that is open, a protein with its stop behind it, and a hairpin as terminator."""
    chance = Random(1)
    rows = ["name,structure,protein"]
    proteins = []
    for number in range(20):
        proteins.append("M" + "".join(chance.choices("ACDEFGHIKLMNPQRSTVWY", k=8)) + "*")
        pattern = "." * 15 + "N" * 25 + "(((((....)))))"
        rows.append(f"p{number},{pattern},11:{proteins[-1]}")
    path = tmp_path / "orfs.csv"
    path.write_text("\n".join(rows) + "\n")
    finished = run("solve", "rna", path, "--playouts", 200, "--json", "--gc-window", "10-90:20")
    assert finished.status == 0, finished.err
    lines = lines_of(finished.out)
    assert len(lines) == 20
    cases = [(line["sequence"], rows[i + 1].split(",")[1]) for i, line in enumerate(lines)]
    for line, protein, (right, energy) in zip(lines, proteins, plain(cases), strict=True):
        assert right
        assert translation(line["sequence"][10:40]) == protein
        assert line["energy"] == pytest.approx(energy, abs=0.006)
        for i in range(len(line["sequence"]) - 19):
            assert 2 <= sum(base in "GC" for base in line["sequence"][i : i + 20]) <= 18
        assert not re.search(r"C{4}|A{6}|U{6}|G{4}", line["sequence"])


def test_twenty_structures_with_open_positions(run: Run, tmp_path: Path) -> None:
    """The fold has the pairs and unpaired bases that are asked for, of one strand or two."""
    chance = Random(2)
    patterns = []
    for number in range(20):
        helix, loop = chance.randint(4, 7), chance.randint(4, 7)
        pattern = "(" * helix + "." * loop + ")" * helix + "." * 3 + "N" * chance.randint(5, 15)
        if number % 4 == 3:
            pattern = "(((((" + "N" * loop + "&" + "." * 3 + ")))))" + "N" * 6
        patterns.append(pattern)
    path = tmp_path / "open.txt"
    path.write_text("\n".join(patterns) + "\n")
    finished = run("solve", "rna", path, "--playouts", 300, "--json", "--gc", "30-70")
    assert finished.status == 0, finished.err
    lines = lines_of(finished.out)
    cases = [(line["sequence"], pattern) for line, pattern in zip(lines, patterns, strict=True)]
    for line, (right, energy) in zip(lines, plain(cases), strict=True):
        assert right
        assert line["energies"] == f"{line['energy']:.2f}"
        assert line["energy"] == pytest.approx(energy, abs=0.006)
        assert 30 <= line["gc"] <= 70
    engineless = run("solve", "rna", path, "--engine", "none", "--playouts", 5, "--json")
    assert engineless.status == 0, engineless.err


def test_twenty_barcodes_share_no_stretch(run: Run, tmp_path: Path) -> None:
    """No five bases of a design are in another, in a file, or in a reverse complement."""
    (tmp_path / "plasmid.fa").write_text(">p\nGGATCCGAATTCAAGCTT\nACGTACGTTGCA\n")
    finished = run(
        "solve", "rna", "." * 20, "--designs", 20, "--max-shared", 5, "--gc", "40-60", "--json",
        "--apart-from", tmp_path / "plasmid.fa", "--playouts", 4000, "--min-distance", 8,
    )  # fmt: skip
    assert finished.status == 0, finished.err
    found = [line["sequence"] for line in lines_of(finished.out)]
    assert len(found) == 20
    assert all(right for right, _ in plain([(each, "." * 20) for each in found]))
    turned = str.maketrans("ACGU", "UGCA")
    plasmid = "GGAUCCGAAUUCAAGCUUACGUACGUUGCA"
    for number, one in enumerate(found):
        stretches = {one[i : i + 6] for i in range(15)}
        for other in (plasmid, *found[:number]):
            assert not any(each in other for each in stretches)
            assert not any(each in other.translate(turned)[::-1] for each in stretches)
            assert other == plasmid or sum(a != b for a, b in zip(one, other, strict=True)) >= 8


@pytest.mark.parametrize("seed", range(3))
def test_near_to_a_sequence(run: Run, seed: int) -> None:
    """A design is nearer to the sequence than one that does not ask, and counts its changes."""
    structure = "(((((((....)))).((((....)))).)))....."
    chance = Random(seed)
    near = "".join(chance.choices("ACGU", k=len(structure)))
    words = ["solve", "rna", structure, "--playouts", 300, "--json", "--seed", seed]
    found = []
    for options in ([], ["--near", near.replace("U", "t")]):
        finished = run(*words, *options)
        assert finished.status == 0, finished.err
        (line,) = lines_of(finished.out)
        ((right, _),) = plain([(line["sequence"], structure)])
        assert right
        found.append(sum(a != b for a, b in zip(line["sequence"], near, strict=True)))
    assert line["changes"] == found[1]
    assert found[1] < found[0] - 5


def test_codons_that_are_used_more(run: Run, tmp_path: Path) -> None:
    """With the usage of codons the best ones come, but where something else forbids them."""
    usage = dict.fromkeys(STANDARD, 1.0)
    for codon in ("AUG", "CUG", "AAA", "GAU", "UAA"):
        usage[codon] = 50.0
    table = "\n".join(f"{codon} {number} ( 12)" for codon, number in usage.items())
    path = tmp_path / "usage.txt"
    path.write_text(table)
    words = ["--protein", "MLLKKDD*", "--codon-usage", path, "--playouts", 200, "--json"]
    finished = run("solve", "rna", "." * 12 + "N" * 12, *words, "--forbid", "CUGAAA")
    assert finished.status == 0, finished.err
    (line,) = lines_of(finished.out)
    assert translation(line["sequence"]) == "MLLKKDD*"
    assert "CUGAAA" not in line["sequence"]
    codons = [line["sequence"][i : i + 3] for i in range(0, 24, 3)]
    assert sum(usage[codon] == 50.0 for codon in codons) >= 7
    assert 0.3 < line["cai"] < 1.0


TOEHOLD = """>toehold
domain toe = N12
domain foot = N9
domain across = NNN
domain top = N6
strand switch = GG toe foot across top AACAGAGGAGA top* AUG foot* N21
strand trigger = top* across* foot* toe*
state OFF: switch = .14(9...(6.11)6...)9N21
state ON: switch trigger = ..(30N50&)30
"""
OFF = "." * 14 + "(" * 9 + "..." + "(" * 6 + "." * 11 + ")" * 6 + "..." + ")" * 9 + "N" * 21
ON = ".." + "(" * 30 + "N" * 50 + "&" + ")" * 30


@pytest.mark.parametrize("seed", range(2))
def test_a_toehold_switch(run: Run, tmp_path: Path, seed: int) -> None:
    """Both states fold as they are asked to, the domains are complements of each other."""
    path = tmp_path / "toehold.txt"
    path.write_text(TOEHOLD)
    words = ["--json", "--playouts", 400, "--seed", seed, "--designs", 10, "--min-distance", 20]
    finished = run("solve", "rna", path, *words)
    assert finished.status == 0, finished.err
    lines = lines_of(finished.out)
    cases = []
    for line in lines:
        switch, trigger = line["sequence"].split("&")
        turned = trigger.translate(str.maketrans("ACGU", "UGCA"))[::-1]
        assert switch[2:32] == turned
        assert switch[:2] + switch[32:43] + switch[49:52] == "GG" + "AACAGAGGAGA" + "AUG"
        cases += [(switch, OFF), (f"{switch}&{trigger}", ON)]
    found = plain(cases)
    assert len(found) == 20
    assert all(right for right, _ in found)
    energies = [f"{energy:.2f}" for _, energy in found]
    assert [line["energies"] for line in lines] == [
        " ".join(energies[i : i + 2]) for i in range(0, 20, 2)
    ]


@pytest.mark.parametrize(
    ("numbers", "cai"),
    [
        ({"CUG": "1e-05"}, 1.0),  # the least of six
        ({"CUG": "1.5e1"}, 1.0),  # the most
        ({"CUG": "1.5e1,0.2"}, 1.0),  # and another number
    ],
)
def test_usage_with_exponents(
    run: Run, tmp_path: Path, numbers: dict[str, str], cai: float
) -> None:
    """Numbers of codons are read whole."""
    usage = tmp_path / "usage.txt"
    usage.write_text("".join(f"{codon} {numbers.get(codon, '0.01')}\n" for codon in STANDARD))
    words = ["--protein", "LLLL", "--codon-usage", usage, "--playouts", 300]
    (tmp_path / "open.txt").write_text(f".{'N' * 11}\n")
    finished = run("solve", "rna", tmp_path / "open.txt", *words, "--forbid", "none", "--json")
    assert finished.status == 0, finished.err
    (line,) = lines_of(finished.out)
    codons = [line["sequence"][i : i + 3] for i in range(0, 12, 3)]
    assert line["cai"] == cai
    assert (codons.count("CUG") == 4) == numbers["CUG"].startswith("1.5e1")


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        ("UUU;0,95", "which has no number for UUU, expected lines such as UUU 22.3"),
        ("UUU;12,5", "which has no number for UUU, expected lines such as UUU 22.3"),
        ("UUU 0.9.5", "which has no number for UUU, expected lines such as UUU 22.3"),
        ("UUU 3\nTTT 4", "which has two numbers for UUU"),
    ],
)
def test_usage_that_is_not_read(run: Run, tmp_path: Path, edit: str, complaint: str) -> None:
    """A number that ends elsewhere, or another one, is told."""
    usage = tmp_path / "usage.txt"
    usage.write_text("".join(f"{codon} 10\n" for codon in STANDARD).replace("UUU 10", edit))
    finished = run("solve", "rna", "." * 12, "--protein", "LLLL", "--codon-usage", usage)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err == f"solve: --codon-usage is {usage}, {complaint}\n"


def test_stretches_are_of_bases(run: Run, tmp_path: Path) -> None:
    """Letters that stand for several are refused: their stretches would not be found."""
    (tmp_path / "other.fa").write_text(">x\nGGRAAA\n")
    words = ["--max-shared", 3, "--apart-from", tmp_path / "other.fa"]
    finished = run("solve", "rna", "((((....))))", *words)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.endswith("other.fa: line 2: 'R', expected A, C, G and U\n")


def test_requests_that_need_a_column(run: Run, tmp_path: Path) -> None:
    """A request of the command holds for the rows whose column it needs, and for no other."""
    path = tmp_path / "rows.csv"
    hairpin, usage = "((((....))))", tmp_path / "usage.txt"
    usage.write_text("".join(f"{codon} {20 + ('C' in codon)}\n" for codon in STANDARD))
    path.write_text(f"structure,designs,protein\n{hairpin},3,\n{hairpin},,\n{'.' * 9},1,MKV\n")
    words = ["--min-distance", 4, "--codon-usage", usage, "--genetic-code", 11, "--max-shared", 9]
    finished = run("solve", "rna", path, *words, "--playouts", 500, "--json")
    assert finished.status == 0, finished.err
    lines = lines_of(finished.out)
    assert len(lines) == 3 + 1 + 1
    designs = [line["sequence"] for line in lines[:3]]
    for one, other in itertools.combinations(designs, 2):
        assert sum(a != b for a, b in zip(one, other, strict=True)) >= 4
    assert [line["cai"] is not None for line in lines] == [False] * 4 + [True]
    refused = run("solve", "rna", hairpin, "--codon-usage", usage)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "solve: --codon-usage has no effect without --protein\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["((((....))))", "--protein", "MKVLT"],
         "rna: 5 residues from position 1 end at 15, the target has 12 bases"),
        (["((((....))))", "--protein", "M1"],
         "--protein has '1' at residue 2, expected letters of amino acids, and * for a stop"),
        (["((((....))))", "--protein", "0:M"], "--protein is '0:M', expected residues"),
        (["((((....))))", "--protein", "M", "--genetic-code", "7"],
         "--genetic-code is 7, expected one of: 1, 2, 3"),
        (["((((....))))", "--near", "ACGX"], "--near has 'X', expected A, C, G, U and N"),
        (["((((....))))", "--near", "ACG"],
         "rna: the sequence to be near to has 3 bases, the target 12"),
        (["((((&....))))", "--near", "GGG&GAAAACCCC"],
         "rna: the sequence to be near to has strands of 3, 9 bases, the target of 4, 8"),
        (["((((....))))", "--near", "GGGG&AAAACCCC"],
         "rna: the sequence to be near to has strands of 4, 8 bases, the target of 12"),
        (["((((....))))", "--objective", "probability", "--modified", "m6A:6"],
         "--objective is not known with modified bases"),
        (["((((....))))", "--modified", "m6A:6", "--forbid", "A"],
         "rna: A is forbidden, all that is allowed has it at position 6"),
        (["((((....))))", "--gap", "1", "--no-lonely-pairs"],
         "--gap is not known without lonely pairs"),
        (["((((....))))", "--gc-window", "40-60"],
         "--gc-window is '40-60', expected LEAST-MOST:BASES, such as 30-70:20"),
        (["((((....))))", "--gc-window", "40-60:20"],
         "rna: windows of 20 bases, the target has 12"),
        (["((((....))))", "--genetic-code", "2"], "--genetic-code has no effect without --protein"),
        (["((((....))))", "--within", "2"],
         "--within is for switches, and no target has several structures"),
        (["((((....))))NNN", "--within", "2"],
         "--within is for switches, and no target has several structures"),
        (["((((....))))", "--protein", "1:"], "--protein is '1:', expected residues, or the"),
        (["((((....))))", "--max-shared", "4"],
         "--max-shared is between designs: it needs 2 designs or more, or --apart-from"),
        (["((((....))))", "--apart-from", "x"], "--apart-from has no effect without --max-shared"),
        (["((((....))))", "--max-shared", "4", "--apart-from", "no.fa"],
         "cannot read no.fa: No such file or directory"),
        (["((((....))))NNN", "--gap", "1"], "rna: --gap is for one structure, not for open"),
        (["((((....))))", "--near", "ACGUACGUACGU", "--objective", "defect"],
         "rna: --objective and --near cannot both be improved"),
        (["((((....))))NNN", "--objective", "defect"],
         "rna: --objective defect is not known with open positions"),
        (["((((....))))NNN", "--algorithm", "gnrpa"],
         "rna: open positions, states, or requests on codons, windows or nearness, need cegls"),
        (["((((....))))", "--protein", "MAAM"],
         "rna: residue "),
    ],
)  # fmt: skip
def test_what_cannot_be(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    """A request that makes no sense, or that nothing can fulfil, is refused in one line."""
    finished = run("solve", "rna", *words, "--playouts", 5)
    assert (finished.status, finished.out) == (2, "")
    last = finished.err.splitlines()[-1]
    assert last.startswith(f"solve: {message}"), last
