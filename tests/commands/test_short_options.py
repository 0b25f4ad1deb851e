"""Short options: -o, -q and -t of every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from solver.commands.subjects import long_words
from tests.commands.shell import Run


@pytest.mark.parametrize(
    ("words", "long"),
    [
        ("-o a.txt -q -t 2", "--out a.txt --quiet --threads 2"),
        ("-oa.txt -t2 -t=3", "--out=a.txt --threads=2 --threads=3"),
        ("hex -h --out -o -- -o -q", "hex -h --out --out -- -o -q"),
        ("- -1 --seed -1 -x", "- -1 --seed -1 -x"),
    ],
)
def test_short_options_are_written_out(words: str, long: str) -> None:
    """Up to --, behind which words are names of files."""
    assert long_words(words.split()) == long.split()


def test_short_options(run: Run, tmp_path: Path) -> None:
    """They do what the long ones do, before the problem and after it."""
    out = tmp_path / "answer.txt"
    words = ["-q", "latin-square", "-", f"-o{out}", "-t", 2]
    finished = run("solve", *words, stdin="1 . .\n. . 1\n. 1 .\n")
    assert (finished.status, finished.out, finished.err) == (0, "", "")
    assert len(out.read_text().split()) == 9
    finished = run("solve", "hex", "--gtp", "-o", out)
    assert "--out has no effect" in finished.err
