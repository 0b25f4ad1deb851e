"""Requests of a stranger's own problem, from a file outside of the repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.commands.shell import ROOT, Run, ended, launched

pytestmark = pytest.mark.slow

WORDS = ["bits.py", "four.txt", "--algorithm", "sampling", "--playouts", 200]


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with a domain and a problem, where the commands stand."""
    shutil.copy(ROOT / "tests" / "toys" / "bits.py", tmp_path)
    (tmp_path / "four.txt").write_text("4\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_requests_are_options(stranger: Path) -> None:
    """Three rows with two ones at least, which differ and are numbered."""
    with launched("solve", *WORDS, "--rows", 3, "--ones", 2, "--json") as process:
        finished = ended(process)
    assert finished.status == 0, finished.err
    records = [json.loads(line) for line in finished.out.splitlines()]
    rows = [record["answer"].strip() for record in records]
    assert [record["row"] for record in records] == [1, 2, 3]
    assert len(set(rows)) == 3
    assert min(row.count("1") for row in rows) >= 2


def test_requests_are_listed_and_checked(run: Run, stranger: Path) -> None:
    """They have a group of their own in the help, and ranges."""
    words = ["solve", "bits.py", "--help"]
    text = run(*words).out
    assert "bits requests:" in text
    assert "fewest ones in a row" in text.lower()
    finished = run("solve", *WORDS, "--rows", 0)
    assert (finished.status, finished.err) == (2, "solve: --rows is 0, expected 1 or more\n")
