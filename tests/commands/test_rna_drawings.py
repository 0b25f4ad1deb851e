"""`solve rna --draw`: a picture of the structure and a dot plot of each design."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from solver.domains.rna.refold import pair_probabilities
from tests.commands.shell import Run

HAIRPIN = "((((....))))"
BUDGET = ["--playouts", 300]


def test_pictures_of_designs(run: Run, tmp_path: Path) -> None:
    """Two files a design, names that do not collide, other files of the folder untouched."""
    out = tmp_path / "new" / "pictures"
    out.mkdir(parents=True)
    mine = {"notes.txt", "earlier.svg"}  # without a picture the folder would be refused
    for name in mine:
        (out / name).write_text("mine")
    targets = f">a/b\n{HAIRPIN}\n>A_b\n{HAIRPIN}\n"
    command = ["solve", "rna", "-", "--designs", 2, *BUDGET, "--draw", out, "--json"]
    finished = run(*command, stdin=targets)
    assert finished.status == 0, finished.err
    stems = ["a_b_1", "a_b_2", "A_b_1-2", "A_b_2-2"]
    names = {f"{stem}.{kind}" for stem in stems for kind in ("svg", "dots.svg")}
    assert {path.name for path in out.iterdir()} == names | mine
    assert all((out / name).read_text() == "mine" for name in mine)
    lines = [json.loads(line) for line in finished.out.splitlines()]
    for stem, line in zip(stems, lines, strict=True):
        svg = ET.fromstring((out / f"{stem}.svg").read_text())
        letters = [one.text for one in svg.iter() if one.get("class") == "letter"]
        assert "".join(map(str, letters)) == line["sequence"]


def test_colour_by_probability(run: Run, tmp_path: Path) -> None:
    """Bases of a likely fold are all but opaque; where nothing is folded there is no dot plot."""
    command = ["solve", "rna", HAIRPIN, *BUDGET, "--draw", tmp_path]
    assert run(*command, "--colour", "probability").status == 0
    assert 'class="share"' in (tmp_path / "rna.svg").read_text()
    (tmp_path / "rna.dots.svg").unlink()
    assert run(*command, "--engine", "none").status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["rna.svg"]


def test_probabilities_of_pairs() -> None:
    """No position is paired more than always, and a stable hairpin nearly always."""
    pairs = pair_probabilities("GGGGAAAACCCC", "vienna2")
    assert pairs is not None
    for position in range(12):
        assert sum(p for i, j, p in pairs if position in (i, j)) <= 1 + 1e-3
    assert all(p > 0.8 for i, j, p in pairs if i + j == 11 and i < 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--draw", "pictures", "--colour", "red"],
         "--colour is 'red', expected base or probability"),
        (["--colour", "probability"], "--colour has no effect without --draw"),
        (["--draw", "pictures", "--colour", "probability", "--engine", "none"],
         "--colour is probability: it needs an engine with dangles 2 or 0, not none"),
        (["--draw", "file"], "cannot write file: File exists"),
        (["--draw", ""], "--draw is empty, expected the name of a file"),
    ],
)  # fmt: skip
def test_bad_pictures(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[Any], message: str
) -> None:
    """Pictures that cannot be drawn are refused before the search, and no folder is made."""
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    finished = run("solve", "rna", HAIRPIN, *arguments)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")
    assert not Path("pictures").exists()


def test_a_picture_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    """All answers are written all the same; the end is a line and status 2."""
    (tmp_path / "rna_1.svg").mkdir()
    out = tmp_path / "designs.fa"
    command = ["solve", "rna", HAIRPIN, "--designs", 3, *BUDGET, "--draw", tmp_path, "--out", out]
    finished = run(*command)
    assert finished.status == 2
    assert finished.err == f"solve: cannot write {tmp_path / 'rna_1.svg'}: Is a directory\n"
    assert out.read_text().count(">") == 3


@pytest.mark.parametrize("target", ["((((((....((((&))))..))))))", "((((&))))", "(((...&...)))"])
def test_several_strands_are_not_drawn(run: Run, tmp_path: Path, target: str) -> None:
    """Layouts are of one strand: a line says so, and the targets behind it are designed."""
    path = tmp_path / "targets.fa"
    path.write_text(f">two\n{target}\n>one\n{HAIRPIN}\n")
    finished = run("solve", "rna", path, *BUDGET, "--draw", tmp_path / "pictures")
    assert finished.status == 0, finished.err
    assert "two: not drawn, there is no picture of such an answer\n" in finished.err
    names = {found.name for found in (tmp_path / "pictures").iterdir()}
    assert names == {"one.svg", "one.dots.svg"}
