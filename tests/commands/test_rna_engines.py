"""Designs by other engines than Turner's, a process for each, checked by ViennaRNA alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import RNA

from tests.commands.shell import Run, in_a_process, run

__all__ = ["run"]

STRUCTURE = "((((...((((....))))...((((...))))...))))"
#: One that few of the energies of 1999 spoil.
STEM = "(((((...((((....))))...)))))....."
#: Folds sequences that it reads, with nothing but ViennaRNA; `{}` is what is set beforehand.
CHECK = """
import sys, RNA
model = RNA.md()
modified = None
{}
for line in sys.stdin:
    compound = RNA.fold_compound(line.strip(), model)
    if modified:
        modified(compound)
    print(*compound.mfe())
"""
EVERY_U = """
def modified(compound):
    letters = compound.sequence
    compound.sc_mod_pseudouridine([i for i, base in enumerate(letters, start=1) if base == "U"])
"""


def parameters(path: Path, text: str) -> str:
    """Write a file of parameters and return its name."""
    path.write_text(text)
    return str(path)


def checked(before: str, sequences: list[str]) -> list[tuple[str, float]]:
    """Fold sequences in a process that has ViennaRNA alone."""
    done = subprocess.run(
        [sys.executable, "-c", CHECK.format(before)], input="\n".join(sequences),
        capture_output=True, text=True, check=True, cwd="/",
    )  # fmt: skip
    found = [line.split() for line in done.stdout.splitlines()]
    return [(fold, float(energy)) for fold, energy in found]


@pytest.mark.parametrize(
    ("words", "engine", "before"),
    [
        (["--engine", "dna"], "dna", "RNA.params_load_DNA_Mathews2004()"),
        (["--engine", "{}/dna_1999.par"], "{}/dna_1999.par", "RNA.params_load('{}/dna_1999.par')"),
        (["--engine", "{}/a 2007.par", "--celsius", 25], "{}/a%202007.par@25C",
         "RNA.params_load('{}/a 2007.par'); model.temperature = 25"),
        (["--dangles", 0], "vienna2-d0", "model.dangles = 0"),
        (["--dangles", 3], "vienna2-d3", "model.dangles = 3"),
        (["--no-lonely-pairs"], "vienna2-noLP", "model.noLP = 1"),
        (["--modified", "pseudouridine"], "vienna2+pseudouridine", EVERY_U),
        (["--modified", "m6A:5:37"], "vienna2+m6A:5:37",
         "modified = lambda compound: compound.sc_mod_m6A([5, 37])"),
    ],
)  # fmt: skip
def test_designs_of_an_engine(tmp_path: Path, words: list[Any], engine: str, before: str) -> None:
    """Designs fold right, and have the energies that they have by ViennaRNA alone."""
    parameters(tmp_path / "dna_1999.par", RNA.parameter_set_dna_mathews1999)
    parameters(tmp_path / "a 2007.par", RNA.parameter_set_rna_andronescu2007)
    words = [str(word).replace("{}", str(tmp_path)) for word in words]
    structure = STEM if "1999" in engine else STRUCTURE
    finished = in_a_process(
        "solve", "rna", structure, *words, "--designs", 3, "--playouts", 600, "--json"
    )
    assert finished.status == 0, finished.err
    lines = [json.loads(line) for line in finished.out.splitlines()]
    assert [line["solved"] for line in lines] == [True] * 3
    sequences = [line["sequence"] for line in lines]
    assert all(("U" if "dna" in engine else "T") not in letters for letters in sequences)
    if "m6A" in engine:
        assert all(letters[4] + letters[36] == "AA" for letters in sequences)
    known = checked(before.replace("{}", str(tmp_path)), sequences)
    assert {line["engine"] for line in lines} == {engine.replace("{}", str(tmp_path))}
    for line, (fold, energy) in zip(lines, known, strict=True):
        assert fold == line["structure"] == structure
        assert line["energy"] == pytest.approx(energy, abs=0.006)


CUT = RNA.parameter_set_rna_turner2004
STACK = "# stack\n" + 7 * (7 * " -100" + "\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: an empty file, expected ## RNAfold parameter file v2.0"),
        ("((((....))))\n", "line 1: '((((....))))', expected ## RNAfold parameter file v2.0"),
        (CUT[: len(CUT) // 3], "line 2644: the file ends, expected # END: it is cut short"),
        ("{}\n# stack\n 1 x 3\n# END\n", "line 3: 'x', expected a whole number or INF"),
        ("{}\n# stack\n 1 9.5 3\n# END\n", "line 3: '9.5', expected a whole number or INF"),
        ("{}\n\n# stack\n 1 2 3\n# END\n",
         "line 3: section stack has 3 numbers, expected 49"),
        (f"{{}}\n{STACK}# Stacks\n", "line 10: 'Stacks' is no section"),
        ("{}\n# Triloops\nCAACG\n# END\n", "line 3: expected 5 bases, an energy and an enthalpy"),
    ],
)  # fmt: skip
def test_files_that_are_none(run: Run, tmp_path: Path, text: str, message: str) -> None:
    """A file of parameters that is wrong or cut short is one line, with status 2."""
    name = parameters(tmp_path / "x.par", text.replace("{}", "## RNAfold parameter file v2.0"))
    finished = run("solve", "rna", STRUCTURE, "--engine", name)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {name}: {message}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["((((....))))", "--engine", "missing.par"],
         "cannot read missing.par: No such file or directory"),
        (["(((((&)))))", "--concentration", 5, "--engine", "none"],
         "--concentration needs an engine with dangles 2 or 0, not none: t99d2, vienna2, dna"),
        (["((((....))))", "--dangles", 4], "--dangles is 4, expected 0 ... 3, or none"),
        (["((((....))))", "--engine", "none", "--no-lonely-pairs"],
         "--lonely-pairs is for an engine, with none nothing is folded"),
        (["((((....))))", "--engine", "dna", "--modified", "pseudouridine"],
         "--modified is for bases of RNA, not of DNA, as dna has it"),
        (["((((....))))", "--modified", "m5C"],
         "--modified has 'm5C', expected m6A or pseudouridine"),
        (["((((....))))", "--modified", "m6A:x"],
         "--modified has 'm6A:x', expected positions behind the name: m6A:12:30"),
        (["((((....))))", "--modified", "m6A,m6A:3"],
         "--modified names a modification twice, expected all positions at once"),
    ],
)  # fmt: skip
def test_engines_that_are_none(run: Run, words: list[Any], message: str) -> None:
    """Energies that there are not are refused before anything is loaded."""
    finished = run("solve", "rna", *words)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["(((...(...)...)))", "--no-lonely-pairs"],
         "rna: the pair 7-11 is lonely, and without lonely pairs no sequence folds into this "
         "target"),
        (["((((....)))) GNNNNNNNNNNC", "--modified", "m6A:1"],
         "rna: position 1 is G, expected A for m6A"),
        (["((((....))))", "--modified", "m6A:13"], "rna: m6A:13: position 13 of 12"),
        (["((((....&))))", "--dangles", 3], "rna: dangles 3 is for one strand, or for states"),
        (["((((....))))", "--dangles", 3, "--gap", 1],
         "--gap needs an engine with dangles 2 or 0, not vienna2-d3: t99d2, vienna2, dna"),
    ],
)  # fmt: skip
def test_targets_that_an_engine_cannot_fold(words: list[Any], message: str) -> None:
    """Structures that an engine never folds into are named before the search, with status 2."""
    finished = in_a_process("solve", "rna", *words, "--playouts", 50)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.splitlines()[-1].startswith(f"solve: {message}")
