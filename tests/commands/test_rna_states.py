"""Switches and two strands as they are typed, folded again by a process of ViennaRNA alone."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.shell import Run
from tests.commands.test_rna_designs import lines_of

SWITCHES = [
    "((((((....))))))......|......((((((....))))))",
    "(((((.....))))).......|.......(((((.....)))))",
    "((((....))))....((((....))))|((((((((....))))))))........",
    "(((((((...)))))))..........|..........(((((((...)))))))",
    "((((...((((....))))...))))....|....((((...((((....))))...))))",
    "(((((((....))))))).((((...)))).|........((((((.....))))))......",
    "..((((((......))))))......|......((((((......))))))..",
    "((((((....))))))....................|((((((......................))))))..",
    "(((((....)))))...((((....))))|...........((((((......))))))",
    "((((((....)))))).....|.....((((((....))))))|....(((.........)))..",
]
DUPLEXES = [
    "((((((&))))))",
    "((((((....((((&))))..))))))",
    "..(((((...&..)))))...",
    "((((...))))..((((((&))))))",
    "(((((..((((....))))..(((((&)))))..)))))",
    "((((((((&))))..((((....))))..))))",
    ".((((((..((((&))))...)))))).",
    "((((((((((((&))))))))))))",
    "(((.(((.(((&))).))).)))",
    "((((((...&(((...)))...))))))",
]
#: Folds a sequence and evaluates structures by ViennaRNA alone.
PLAIN = """
import json, sys, RNA
found = []
for sequence, structures in json.load(sys.stdin):
    compound = RNA.fold_compound(sequence)
    fold, lowest = compound.mfe_dimer() if "&" in sequence else compound.mfe()
    found.append([fold, lowest, [compound.eval_structure(other) for other in structures]])
print(json.dumps(found))
"""


def folded(designs: list[tuple[str, list[str]]]) -> list[Any]:
    """Fold, least energy and energies of structures, of each sequence."""
    done = subprocess.run(
        [sys.executable, "-c", PLAIN], input=json.dumps(designs), capture_output=True, text=True,
        check=True, cwd="/",
    )  # fmt: skip
    found: list[Any] = json.loads(done.stdout)
    return found


def solved(run: Run, path: Path, words: list[str], *options: Any) -> list[dict[str, Any]]:
    path.write_text("\n".join(words) + "\n")
    finished = run("solve", "rna", path, "--playouts", 400, "--json", *options)
    assert finished.status == 0, finished.err
    return lines_of(finished.out)


def test_ten_switches(run: Run, tmp_path: Path) -> None:
    """All structures of a switch lie within the energy asked for above the minimum."""
    lines = solved(run, tmp_path / "switches.txt", SWITCHES, "--within", 0.9, "--forbid", "GGGGG")
    designs = [
        (line["sequence"], word.split("|")) for line, word in zip(lines, SWITCHES, strict=True)
    ]
    for line, (fold, lowest, energies) in zip(lines, folded(designs), strict=True):
        assert max(energies) - lowest <= 0.9 + 1e-5
        assert line["energies"] == " ".join(f"{energy:.2f}" for energy in energies)
        assert (line["structure"], line["energy"]) == (fold, pytest.approx(lowest, abs=0.006))
        assert "GGGGG" not in line["sequence"]
        assert 0 < line["probability"] <= 1


def test_ten_duplexes(run: Run, tmp_path: Path) -> None:
    """Two strands fold into the complex that was asked for, GC and motifs in each of them."""
    lines = solved(
        run, tmp_path / "duplexes.txt", DUPLEXES, "--gc", "30-70", "--forbid", "GGGG,CCCC"
    )
    for line, word in zip(lines, DUPLEXES, strict=True):
        ((fold, lowest, _),) = folded([(line["sequence"], [])])
        assert (fold, line["structure"]) == (word.replace("&", ""), word)
        assert line["energy"] == pytest.approx(lowest, abs=0.006)
        assert line["sequence"].index("&") == word.index("&")
        assert "GGGG" not in line["sequence"]
        assert 30 <= line["gc"] <= 70


def test_the_same_seed_gives_the_same_switch(run: Run) -> None:
    """Whatever the number of threads; the designs of a switch differ as asked."""
    command = ["solve", "rna", SWITCHES[4], "--designs", 3, "--min-distance", 8, "--json"]
    budget = ["--playouts", 300]
    first, second = (
        [line["sequence"] for line in lines_of(run(*command, *budget, "--threads", n).out)]
        for n in (1, 2)
    )
    assert first == second
    assert len(first) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["((((....))))....|((((........))))|.....((((...))))"],
         "rna: the pairs of 9, 4, 13 are a cycle of 3, an odd number: no sequence has all of these "
         "structures"),
        (["((((....))))|((((....)))"], "rna: line 1, structure 2, position 1: '(' is never closed"),
        (["((((....))))|(((......)))."],
         "rna: line 1, structure 2: 13 positions, expected 12, as many as structure 1 has"),
        (["((((....))))|((((....))))"],
         "rna: line 1, structure 2: the same as structure 1, expected another"),
        (["((&..))|((&))"],
         "rna: line 1: several structures of two strands are not supported"),
        (["((&))&.."], "rna: line 1: 3 strands with bases, expected two at most"),
        (["((((....))))&"],
         "rna: line 1: a strand without bases, expected one or more on each side of &"),
        (["((((....))))&..."],
         "rna: line 1: no pair between the strands, expected each as a target"),
        (["((((....))))|(((......)))", "--gap", 1],
         "rna: --gap is for one structure, not for a switch"),
        (["((((....))))", "--concentration", 1], "rna: --concentration is for two strands"),
        (["((((....))))|(((......)))", "--concentration", 1],
         "rna: --concentration is for two strands"),
        (["((((&))))", "--objective", "defect"],
         "rna: --objective defect is not known with two strands"),
        (["((((&))))", "--algorithm", "nrpa"],
         "rna: several structures, or two strands, need cegls, not nrpa"),
        (["((((&))))", "--within", 99], "--within is 99.0, expected 0 ... 20 kcal/mol"),
        (["((((&))))", "--require", "GGGGGG"],
         "rna: GGGGGG is required, the pairs and fixed bases have no place for it"),
    ],
)  # fmt: skip
def test_what_is_refused(run: Run, words: list[Any], message: str) -> None:
    """One line that names the structure, and what is wrong with it; nothing is searched."""
    finished = run("solve", "rna", *words)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err == f"solve: {message}\n"


def test_what_cannot_be_is_the_best_found(run: Run) -> None:
    """A switch that is too small to have energy is printed with what is missing, status 1."""
    finished = run("solve", "rna", "(((...)))|.((....))", "--playouts", 30, "--json")
    (line,) = lines_of(finished.out)
    assert (finished.status, line["status"], line["solved"]) == (1, "budget", False)
    assert line["missing"].startswith("structure ")
    assert line["score"] < 1


def test_strands_of_a_document(run: Run) -> None:
    """A motif across the joint of two strands is neither forced nor a place for one required."""
    text = ">cut\nstrand a = CCCAAGG\nstrand b = GGAAGGG\nstate two: a b = (((....&....)))\n"
    words = ["solve", "rna", "-", "--playouts", 20, "--engine", "none"]
    finished = run(*words, "--forbid", "GGGG", "--json", stdin=text)
    (line,) = lines_of(finished.out)
    assert (finished.status, line["sequence"]) == (0, "CCCAAGG&GGAAGGG")
    refused = run(*words, "--forbid", "none", "--require", "GGGG", stdin=text)
    assert (refused.status, refused.out) == (2, "")
    assert "GGGG is required" in refused.err


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("GGGCCCAAAAGCAC&GUGCAAGGGCCC", "right; sequence GGGCCCAAAAGCAC&GUGCAAGGGCCC"),
        ("GGGCCCAAAAGCACGUGCAAGGGCCC", "right; sequence GGGCCCAAAAGCAC&GUGCAAGGGCCC"),
        ("GGG&CCCAAAAGCACGUGCAAGGGCCC", "strands of 3 and 23 bases, expected 14 and 12"),
    ],
)
def test_where_strands_end(run: Run, answer: str, told: str) -> None:
    """An answer made elsewhere may leave `&` out, and has it nowhere else."""
    finished = run("check", "rna", "((((((....((((&))))..))))))", "-", stdin=answer)
    assert told in finished.out
    assert finished.status == (0 if "right" in told else 2)


def test_two_bases_stay_apart(run: Run) -> None:
    """A pair between strands of a base each is searched, though ViennaRNA folds no two bases."""
    finished = run("solve", "rna", "(&)", "--playouts", 3, "--json")
    (line,) = lines_of(finished.out)
    assert (finished.status, line["status"], line["solved"]) == (1, "budget", False)
    assert line["missing"] == "the fold is another one, 4.10 kcal/mol below the target"


def test_other_commands_refuse_switches(run: Run, tmp_path: Path) -> None:
    """Commands that compare searches by scores refuse switches."""
    path = tmp_path / "switch.txt"
    path.write_text(SWITCHES[0] + "\n")
    finished = run("compare", "rna", path, "--playouts", 5, "--out", tmp_path / "out")
    assert finished.status == 2
    assert finished.err.splitlines()[-1].endswith(
        "several structures, or two strands, which only `solve` searches"
    )


#: Structures of a sequence within 30 kcal/mol of its fold, with their energies, by ViennaRNA alone.
LISTED = """
import json, sys, RNA
for sequence in json.load(sys.stdin):
    strands = sequence.split("&")
    found = RNA.fold_compound(sequence).subopt(3000)
    listed = {(one.structure.replace("&", ""), round(one.energy, 2)) for one in found}
    if len(strands) == 2:  # complexes alone are listed: the strands apart count, too
        apart = [RNA.fold_compound(strand).subopt(3000) for strand in strands]
        listed |= {
            (one.structure + other.structure, round(one.energy + other.energy, 2))
            for one in apart[0] for other in apart[1]
        }
    print(json.dumps(sorted(listed, key=lambda one: one[1])))
"""
KT = 0.0019871588 * 310.15  # kcal/mol


def listed(sequences: list[str]) -> list[list[tuple[str, float]]]:
    """Structures and energies, the best one first, from a process of ViennaRNA alone."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED], input=json.dumps(sequences),
        capture_output=True, text=True, check=True, cwd="/",
    )  # fmt: skip
    return [[(s, e) for s, e in json.loads(line)] for line in done.stdout.splitlines()]


def share(found: list[tuple[str, float]], structures: list[str]) -> float:
    """Share of structures in the ensemble of those that are listed."""
    total = sum(math.exp(-energy / KT) for _, energy in found)
    return sum(math.exp(-energy / KT) for fold, energy in found if fold in structures) / total


@pytest.mark.parametrize(
    ("target", "words"),
    [("((((((....((((&))))..))))))", []), ("((((((....))))))....", ["--protein", "MKV"])],
)
def test_gaps_of_strands_and_of_proteins(run: Run, target: str, words: list[str]) -> None:
    """Every other structure lies so much above the target."""
    finished = run(
        "solve", "rna", target, *words, "--gap", 1.5, "--designs", 3, "--playouts", 900, "--json"
    )
    assert finished.status == 0, finished.err
    for line, found in zip(
        lines := lines_of(finished.out), listed([one["sequence"] for one in lines]), strict=True
    ):
        (best, lowest), (_, second) = found[:2]
        assert best == target.replace("&", "")
        assert second - lowest >= 1.5 - 0.006
        assert line["gap"] == pytest.approx(second - lowest, abs=0.011)


STATES = """
domain a = N7
strand one = a AAA N3
strand two = a*
state alone: one = .13
state both: one two = (7.6&)7
"""


@pytest.mark.parametrize(
    "target",
    ["((((....))))......|......((((....))))", "((((((..((&))))))))", "((((....))))NNNNNN", STATES],
)
def test_probabilities_are_improved(run: Run, tmp_path: Path, target: str) -> None:
    """The probability of all structures is that of a list of them all, and more than without."""
    path = tmp_path / "target.txt"
    path.write_text(target + "\n")
    probabilities = []
    for objective in ("mfe", "probability"):
        finished = run("solve", "rna", path, "--objective", objective, "--playouts", 200, "--json")
        assert finished.status == 0, finished.err
        (line,) = lines_of(finished.out)
        sequence = line["sequence"]
        if target == STATES:
            one, _ = sequence.split("&")
            alone, both = listed([one, sequence])
            expected = share(alone, [13 * "."]) * share(both, ["(((((((......)))))))"])
        else:
            (found,) = listed([sequence])
            structures = target.replace("&", "").split("|")
            if "N" in target:
                structures = [fold for fold, _ in found if fold.startswith("((((....))))")]
            expected = share(found, structures)
        assert line["probability"] == pytest.approx(expected, abs=0.004)
        probabilities.append(expected)
    assert probabilities[1] > probabilities[0]


HALVES = """
domain a = N6
strand one = a N5 a*
strand two = N3 a N6 a*
state first: one = (6.5)6
state second: two = .3(6.6)6
"""
#: Probability and defect of sequences in their structures, by ViennaRNA alone.
MEASURED = """
import json, sys, RNA
for sequence, structure in json.load(sys.stdin):
    compound = RNA.fold_compound(sequence)
    compound.pf()
    print(compound.pr_structure(structure), compound.ensemble_defect(structure))
"""


def test_objectives_of_states(run: Run, tmp_path: Path) -> None:
    """Each objective of two states alone ends at least as good in its own quantity."""
    path = tmp_path / "target.txt"
    path.write_text(HALVES)
    structures = ["((((((.....))))))", "...((((((......))))))"]
    found = {}
    for objective in ("mfe", "probability", "defect", "both"):
        finished = run("solve", "rna", path, "--objective", objective, "--playouts", 300, "--json")
        assert finished.status == 0, finished.err
        (line,) = lines_of(finished.out)
        done = subprocess.run(
            [sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True, cwd="/",
            input=json.dumps(list(zip(line["sequence"].split("&"), structures, strict=True))),
        )  # fmt: skip
        shares, defects = zip(*(map(float, row.split()) for row in done.stdout.splitlines()),
                              strict=True)  # fmt: skip
        share, defect = math.sqrt(math.prod(shares)), sum(defects) / 2
        assert line["defect"] == pytest.approx(defect, abs=1e-5)
        found[objective] = {"probability": share, "defect": -defect, "both": share - defect}
    for objective in ("probability", "defect", "both"):
        assert found[objective][objective] > found["mfe"][objective]
    assert found["both"]["both"] > found["probability"]["both"] - 0.01


def test_what_is_bound(run: Run, tmp_path: Path) -> None:
    """Two strands, and states of two, say which share is bound, in titles and in JSON."""
    path = tmp_path / "states.txt"
    path.write_text(STATES.strip() + "\n")
    for target in ("((((((....((((&))))..))))))", path):
        words = ["--concentration", 1, "--playouts", 300]
        (line,) = lines_of(run("solve", "rna", target, *words, "--json").out)
        (share,) = line["bound"]
        assert 0 < share <= 1
        assert f' bound="{share}" ' in run("solve", "rna", target, *words).out
        (row,) = csv.DictReader(run("solve", "rna", target, *words, "--csv").out.splitlines())
        assert row["bound"] == str(share)
