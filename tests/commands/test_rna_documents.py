"""Documents of strands and states, and what they force, as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.shell import Run
from tests.commands.test_rna_designs import lines_of


@pytest.mark.parametrize(
    "lines",
    [
        [
            "strand s = ACUCUAUAUACUUAGAUACCAGAUAAAAAUCCCUUGGCAGCUAAGUAUAUAGAGU",
            "state on: s = (15...((((((....)))...)))...)15 ligand theophylline",
        ],
        [
            "strand a = GCUGUCCGUAGAAAAAUCUACGGACAGC",
            "strand b = UCGAGUCUUGUCAAAAGACAAGACUCGA",
            "strand c = A10",
            "state x: a b c = (12....)12&(12....)12&.10",
        ],
    ],
)
def test_fixed_strands_are_right(run: Run, tmp_path: Path, lines: list[str]) -> None:
    """The search takes designs that `check` calls right, however floats are added up."""
    path = tmp_path / "fixed.txt"
    path.write_text("\n".join([">fixed", *lines, ""]))
    found = run("solve", "rna", path, "--forbid", "none", "--playouts", 5)
    assert found.status == 0, found.err
    answers = tmp_path / "answers.fa"
    answers.write_text(found.out)
    assert run("check", "rna", path, answers).out.startswith("fixed: right")


def test_a_quadruplex_beside_a_ligand(run: Run, tmp_path: Path) -> None:
    """The fold of least energy has both; the quadruplex alone has more energy than the ligand."""
    path = tmp_path / "both.txt"
    tract = "GGCGAUACCAGCCGAAAGGCCCUUGGCAGCGCC" + "AAAA" + "GGGAAAAAGGGAAAAAGGGAAAAAGGGA"
    state = "((((...((((((....)))...)))...))))" + "." * 32
    path.write_text(f">both\nstrand s = {tract}\nstate on: s = {state} ligand theophylline\n")
    found = run("solve", "rna", path, "--forbid", "none", "--playouts", 5)
    assert found.status == 1, found.err
    assert "a G-quadruplex at 38-64, with which the fold has -29.14 kcal/mol" in found.out


def test_many_structures_with_folds_in_common(run: Run, tmp_path: Path) -> None:
    """They would take thousands of partition functions: the probability is unknown."""
    inner = ["N" * k + "." + "N" * (39 - k) for k in range(2, 38, 3)]
    path = tmp_path / "many.txt"
    path.write_text("|".join(f"(((({one}))))" for one in inner) + "\n")
    found = run("solve", "rna", path, "--playouts", 200, "--json")
    (line,) = lines_of(found.out)
    assert line["probability"] is None
    refused = run("solve", "rna", path, "--objective", "probability", "--playouts", 20)
    assert refused.status == 2
    assert "so many structures with folds in common (12)" in refused.err


@pytest.mark.parametrize(
    "lines",
    [
        ["domain a = GGGG", "strand s = a N10 a", "state x: s = N18"],
        [
            "domain tail = U6", "strand s = N12 tail", "strand t = tail* N4",
            "state x: s = (4....)4N6", "state y: t = .10",
        ],
    ],
)  # fmt: skip
def test_motifs_of_repeated_domains_are_permitted(
    run: Run, tmp_path: Path, lines: list[str]
) -> None:
    """The letters of a domain force a forbidden motif at each of its places, not at one alone."""
    path = tmp_path / "repeated.txt"
    path.write_text("\n".join([">repeated", *lines, ""]))
    found = run("solve", "rna", path, "--playouts", 200, "--json")
    assert found.status == 0, found.err


def test_a_motif_of_two_presets_is_permitted(run: Run, tmp_path: Path) -> None:
    """UAUAUAUA, forced, is forbidden twice: by the synthesis, and as a palindrome."""
    path = tmp_path / "twice.fa"
    path.write_text(">d\n((((((..........))))))........\nNNNNNNNAAAAAAAANNNNNNNUAUAUAUA\n")
    options = ["--forbid", "synthesis,palindromes", "--playouts", 300]
    found = run("solve", "rna", path, *options, "--json")
    assert found.status == 0, found.err
