"""Transcripts in `README.md` and `docs/start/` are what the commands print."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.commands.shell import ROOT, Run, run

__all__ = ["run"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST_ANSWER = (ROOT / "docs" / "start" / "first-answer.md").read_text(encoding="utf-8")
FLAGS = re.MULTILINE | re.DOTALL
BLOCKS = sorted(set(re.findall(r"^```\n(\$ cat .*?)^```$", README + FIRST_ANSWER, FLAGS)))
SAMEGAME = re.search(r"^```\n\$ (solve samegame-board1.*?)^```$", FIRST_ANSWER, FLAGS)


def without_seconds(text: str) -> str:
    """A transcript without the only thing that differs from run to run."""
    return re.sub(r"\d+\.\d+ s$", "T s", text, flags=re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_transcript(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: str
) -> None:
    """A file as shown gives the answer as shown, word for word."""
    monkeypatch.chdir(tmp_path)
    Path("models").symlink_to(ROOT / "models")
    shown, command, printed = re.split(r"^\$ (solve .*)\n", block, flags=re.MULTILINE)
    cat, _, content = shown.partition("\n")
    Path(cat.removeprefix("$ cat ")).write_text(content)
    finished = run(*shlex.split(command))
    assert finished.status == 0
    assert without_seconds(finished.out + finished.err) == without_seconds(printed)


def test_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of the page solves the square of the page."""
    (program,) = re.findall(r"^```python\n(.*?)^```$", FIRST_ANSWER, FLAGS)
    (square,) = {block.partition("\n$")[0] for block in BLOCKS if "square.txt" in block}
    (tmp_path / "square.txt").write_text(square.partition("\n")[2])
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(program, names)
    assert names["solution"].solved is True


def test_the_readme_is_short() -> None:
    """The front door has 650 words at most; what it leads to has its own page."""
    assert len(README.split()) <= 650


def test_the_score_of_samegame(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game begins as shown, and has the score and the playouts."""
    assert SAMEGAME is not None
    monkeypatch.chdir(ROOT)
    command, moves, result = SAMEGAME[1].splitlines()
    finished = run(*shlex.split(command))
    assert finished.out.startswith(moves.removesuffix(" ..."))
    assert without_seconds(finished.err) == without_seconds(result + "\n")


def test_the_published_table() -> None:
    """The README's summary of `learn latin-square` is true of the shipped table."""
    (line,) = re.findall(r"^models/latin-square\.parquet: .*$", README, re.MULTILINE)
    model = json.loads((ROOT / "models" / "manifest.json").read_text())["models"]["latin-square"]
    (version,) = (v for v in model["versions"] if v["digest"] == model["current"])
    assert version["command"] == "learn latin-square"
    assert f": {version['rows']} codes (" in line
    assert f" {version['instances']:,} solved instances replayed, {version['rejected']} " in line
    assert f" published as {version['version']}, " in line
