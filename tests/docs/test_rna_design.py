"""`docs/rna-design.md`: its commands run, and it names all that can be asked for."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

import pytest

from solver.domains.rna.designs import DETAILS
from solver.domains.rna.requests.motifs import RUNS, SITES
from solver.domains.rna.requests.options import RnaRequests
from tests.commands.shell import ROOT, Run, run
from tests.solver.domains.rna.plain_designs import fold, gc, has, least_distance

__all__ = ["run"]
PAGE = (ROOT / "docs" / "rna-design.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Code blocks of the page in a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


#: Tests that show what the page says of this project beside other programs, by row.
SHOWN = {
    "probability or defect as the goal": ["tests/commands/test_rna_designs.py::test_objectives"],
    "several structures": ["tests/commands/test_rna_states.py::test_ten_switches"],
    "strands": [
        "tests/commands/test_rna_states.py::test_ten_duplexes",
        "tests/solver/domains/rna/plans/test_complexes.py::test_three_strands",
        "tests/solver/domains/rna/plans/test_complexes.py::test_partitions",
    ],
    "states of different strands": ["tests/commands/test_rna_tables.py::test_a_toehold_switch"],
    "synonymous codons of a protein": ["tests/commands/test_rna_tables.py::test_twenty_proteins"],
    "near to a sequence": ["tests/commands/test_rna_tables.py::test_near_to_a_sequence"],
    "no stretch in common": [
        "tests/commands/test_rna_tables.py::test_twenty_barcodes_share_no_stretch",
    ],
    "concentrations": [
        "tests/solver/domains/rna/requests/test_concentrations.py::test_what_is_bound",
    ],
    "pseudoknots": ["tests/solver/domains/rna/files/test_formats.py::test_errors"],
}

COMMANDS = [line for block in blocks("sh") for line in block.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """Each command finds all that it asks for."""
    monkeypatch.chdir(tmp_path)
    (targets,) = blocks("")
    Path("targets.fa").write_text(targets)
    finished = run(*shlex.split(command))
    assert finished.status == 0, finished.err


def test_the_first_command(run: Run, tmp_path: Path) -> None:
    """Its designs are what the page says, looked at from outside."""
    (targets,) = blocks("")
    path = tmp_path / "targets.fa"
    path.write_text(targets)
    _, structure, letters = targets.splitlines()
    command = (
        COMMANDS[0].replace("--seconds 60", "--playouts 3000").replace("targets.fa", str(path))
    )
    sequences = run(*shlex.split(command)).out.splitlines()[1::3]
    assert len(sequences) == 10
    assert least_distance(sequences) >= 5
    for sequence in sequences:
        assert fold(sequence) == structure
        assert has(sequence, letters)
        assert 45 <= gc(sequence) <= 55
        assert not any(has(sequence, motif) for motif in ("GGGG", "GAATTC", "GGTCTC", "GAGACC"))


def rows(title: str) -> list[list[str]]:
    """Cells of the rows of a table whose first line begins with `title`."""
    lines = PAGE[PAGE.index(f"\n{title}") + 1 :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_what_is_said_of_here_has_tests() -> None:
    """Each row of the table beside other programs names tests that there are."""
    assert list(SHOWN) == [row[0] for row in rows("| | here |") if row[1] != "-"]
    for name in (name for names in SHOWN.values() for name in names):
        path, _, function = name.partition("::")
        assert f"\ndef {function}(" in (ROOT / path).read_text(), name


def test_all_is_named() -> None:
    """Options, columns, runs and sites are on the page."""
    for field in dataclasses.fields(RnaRequests):
        assert f"`--{field.name.replace('_', '-')}" in PAGE, field.name
    for word in DETAILS:
        assert f"`{word}`" in PAGE, word
    for name in (*RUNS, *SITES):
        assert re.search(rf"\b{name}\b", PAGE), name
