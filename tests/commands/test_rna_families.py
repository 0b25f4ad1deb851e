"""`--conserved`, the column `designs`, and what `check` says of both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.shell import Run

FAMILY = "# STOCKHOLM 1.0\na GGGAAACCC\n#=GC SS_cons <<<...>>>\n//\n"
BUDGET = ["--playouts", 300, "--forbid", "none"]


@pytest.fixture(name="family")
def family_fixture(tmp_path: Path) -> Path:
    path = tmp_path / "family.sto"
    path.write_text(FAMILY)
    return path


@pytest.mark.parametrize(("answer", "status"), [("GGGAAACCC", 0), ("GCCAAAGGC", 1)])
def test_check_knows_conserved_bases(
    run: Run, family: Path, tmp_path: Path, answer: str, status: int
) -> None:
    """`check --conserved` fixes what `solve --conserved` does."""
    answers = tmp_path / "answers.txt"
    answers.write_text(f"{answer}\n")
    finished = run("check", "rna", family, answers, "--conserved", 90)
    assert finished.status == status
    assert ("where G is given" in finished.out) == bool(status)
    assert run("check", "rna", family, answers).status == 0


@pytest.mark.parametrize("problem", [["eterna100", "--instances", 1], ["rna"]])
def test_conserved_needs_a_file(run: Run, problem: list[object]) -> None:
    """Sets and generated targets have no family: not silently left out."""
    finished = run("solve", *problem, "--conserved", 90, *BUDGET)
    assert finished.status == 2
    assert finished.err.splitlines() == [
        "solve: --conserved says how files are read, it has no effect on generated instances"
    ]


def test_conserved_is_in_per_cent(run: Run, family: Path) -> None:
    """A share of 1 is a slip."""
    finished = run("solve", "rna", family, "--conserved", 0.9, *BUDGET)
    assert finished.status == 2
    assert "--conserved is 0.9, expected per cent, such as 90" in finished.err


@pytest.mark.parametrize("value", ["0", "false"])
def test_no_design_at_all_is_refused(run: Run, tmp_path: Path, value: str) -> None:
    """A row that asks for none is named; the other is searched."""
    rows = tmp_path / "rows.json"
    hairpin = '"structure": "((((....))))"'
    rows.write_text(f'[{{"name": "a", {hairpin}, "designs": {value}}}, {{"name": "b", {hairpin}}}]')
    finished = run("solve", "rna", rows, *BUDGET, "--json")
    assert finished.status == 2
    assert "designs is" in finished.err
    lines = map(json.loads, finished.out.splitlines())
    assert [line["status"] for line in lines] == ["error", "solved"]


def test_check_tells_of_no_number_of_a_design(run: Run, tmp_path: Path) -> None:
    """One answer has no number among several; shares that are bound are numbers."""
    rows, answers = tmp_path / "rows.csv", tmp_path / "answers.jsonl"
    rows.write_text("name,structure,designs\na,((((....)))),2\n")
    answers.write_text(run("solve", "rna", rows, *BUDGET, "--json").out)
    finished = run("check", "rna", rows, answers, "--json")
    assert finished.status == 0
    assert [json.loads(line)["design"] for line in finished.out.splitlines()] == [None, None]
    rows.write_text("name,structure\nd,((((&))))\n")
    two = run("solve", "rna", rows, "--concentration", 1, *BUDGET, "--json").out
    answers.write_text(two)
    bound = json.loads(two)["bound"]
    told = run("check", "rna", rows, answers, "--concentration", 1).out
    assert bound
    assert f"bound {' '.join(map(str, bound))}," in told
