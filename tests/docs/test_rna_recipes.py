"""`docs/rna-recipes.md`: its commands run, and ViennaRNA alone folds its designs as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import RNA

from solver.domains.rna.engines import use_engine
from tests.commands.shell import ROOT, Run, run
from tests.solver.domains.rna.plain_structures import agrees

__all__ = ["run"]
PAGE = (ROOT / "docs" / "rna-recipes.md").read_text(encoding="utf-8")
RECIPES = re.findall(
    r"^```\n(.*?)^```\n(?:(?!```).)*?^```console\n\$ (solve .*?)\n(.*?)^```$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)
#: The command that ends with status 1.
SPOILED = "solve rna spoiled.fa --playouts 50"


def records_of(printed: str) -> list[tuple[str, str, list[str]]]:
    """Titles, sequences and structures of FASTA records."""
    found = []
    for record in re.findall(r"^>.*\n(?:[ACGTU&().]+\n)+", printed, re.MULTILINE):
        title, sequence, *structures = record.splitlines()
        found.append((title[1:], sequence, structures))
    return found


def facts_of(title: str) -> tuple[str, list[str]]:
    """Name in a title, and the names of its facts."""
    return title.split(" solved=")[0], re.findall(r" (\w+)=", title)


def check(title: str, sequence: str, structures: list[str]) -> None:
    """The fold has the structure and the energy of the title, and no quadruplex."""
    use_engine("vienna2")
    folded, lowest = RNA.fold_compound(sequence).mfe()
    model = RNA.md()
    model.gquad = 1
    assert "+" not in RNA.fold_compound(sequence, model).mfe()[0]
    energy = re.search(r" energy=(\S+)", title)
    assert energy is not None
    assert float(energy[1]) == pytest.approx(lowest, abs=0.006)
    assert [folded] == structures  # of the page, whatever is open in the file
    assert not re.search(r"C{4}|A{6}|U{6}|G{4}", sequence) or "but for" in title


#: Theophylline's aptamer, as ViennaRNA's manual has it.
THEOPHYLLINE = "GAUACCAG&CCCUUGGCAGC", "(...((((&)...)))...)", -9.22


def check_states(content: str, title: str, sequence: str, structures: list[str]) -> None:
    """The strands of each state of a document fold as the title and the document say."""
    use_engine("vienna2")
    names = re.findall(r"^strand (\w+)", content, re.MULTILINE)
    strands = dict(zip(names, sequence.split("&"), strict=True))
    states = re.findall(r"^state \w+: ([\w ]+) = (\S+)( ligand theophylline)?$", content, re.M)
    energies = re.search(r' energies="(.*?)"', title)
    assert energies is not None
    for (order, asked, ligand), shown, energy in zip(
        states, structures, energies[1].split(), strict=True
    ):
        text = "&".join(strands[name] for name in order.split())
        compound = RNA.fold_compound(text)
        if ligand:
            compound.sc_add_hi_motif(*THEOPHYLLINE)
        folded, lowest = compound.mfe_dimer() if "&" in text else compound.mfe()
        assert folded == shown.replace("&", "")
        assert float(energy) == pytest.approx(lowest, abs=0.006)
        marks = re.sub(r"([.()N])(\d+)", lambda found: found[1] * int(found[2]), asked)
        assert agrees(marks, folded)


def test_the_page_has_recipes() -> None:
    """Each heading has a file, a command and an output."""
    assert len(RECIPES) == PAGE.count("\n## ") == 8


@pytest.mark.parametrize(("content", "command", "printed"), RECIPES)
def test_a_recipe(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: str,
    command: str,
    printed: str,
) -> None:
    """The designs of the page, and those of a new run, are what the page says they are."""
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)
    Path(words[2]).write_text(content)
    finished = run(*words)
    assert finished.status == (1 if command == SPOILED else 0), finished.err
    shown, found = records_of(printed), records_of(finished.out)
    assert [(*facts_of(title), structures) for title, _, structures in shown] == [
        (*facts_of(title), structures) for title, _, structures in found
    ]
    assert shown
    for record in (*shown, *found):
        if "\nstate " in content:
            check_states(content, *record)
        else:
            check(*record)
    if "--order" in words:
        sequences = [sequence for _, sequence, _ in found]
        sheet = Path(words[words.index("--order") + 1]).read_text().splitlines()
        assert [line.split("\t")[1] for line in sheet[1:]] == sequences
