"""`python -m pipeline.commands.warm`: machine code of what ships, made ahead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline.commands import warm
from solver.domains import DOMAINS
from solver.errors import InputError
from solver.games import GAMES


@pytest.mark.parametrize("subject", [*DOMAINS, *GAMES])
def test_commands_are_of_their_subject(subject: str) -> None:
    """Each subject is searched, with and without a prior where it has one, and learned."""
    lines = list(warm.command_lines(subject))
    if subject == "rna":  # what new designs need is not what benchmarks do
        assert lines.pop(2)[:4] == ["solve", "eterna100", "--instances", "1"]
    assert all(line[1] == subject for line in lines)
    assert [line[0] for line in lines] in (["solve"], ["solve", "solve", "learn"])


def test_an_unknown_subject(tmp_path: Path) -> None:
    """It is refused before anything is made."""
    with pytest.raises(InputError, match=r"^chess does not ship, expected some of latin-square"):
        warm.run(["--portable", str(tmp_path / "code"), "latin-square", "chess"])
    assert not list(tmp_path.iterdir())


def test_a_command_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its line and what it says end the work."""
    lines = [["solve", "latin-square", "--no-such-option"]]
    monkeypatch.setattr(warm, "command_lines", lambda subject: lines)
    said = "^solve latin-square --no-such-option: status 2: solve: .*--no-such-option"
    with pytest.raises(InputError, match=said):
        warm.warm(["latin-square"], dict(os.environ))


def test_parts_are_not_copied(tmp_path: Path) -> None:
    """Only files of kernels are taken from a cache, with their folders."""
    for name in ("d1/module/f.nbi", "d1/module/f.1.nbc", "d1/parts/module/g.nbi", "d1/other.txt"):
        (tmp_path / "cache" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cache" / name).write_bytes(b"12345")
    assert warm.copy_kernels(tmp_path / "cache", tmp_path / "code") == 10
    copied = [path for path in (tmp_path / "code").rglob("*") if path.is_file()]
    assert {str(path.relative_to(tmp_path / "code")) for path in copied} == {
        "d1/module/f.nbi", "d1/module/f.1.nbc",
    }  # fmt: skip
