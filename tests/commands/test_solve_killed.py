"""The trial that kills `solve --out`, with a small number of kills."""

from __future__ import annotations

import sys

import pytest

from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.shell import kernels_folder
from tests.trials import kills


def test_no_answer_is_missing_after_a_kill(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The trial kills as often as it is told to, and finds no fault."""
    words = ["latin-square", "--instances", "30", "--playouts", "500", "--dead-ends", "0"]
    monkeypatch.setenv(KERNELS_VARIABLE, kernels_folder())
    monkeypatch.setattr(kills, "TRIALS", {"text": words, "csv": [*words, "--csv"]})
    monkeypatch.setattr(sys, "argv", ["kills", "--count", "2"])
    with pytest.raises(SystemExit) as end:
        kills.main()
    told = capsys.readouterr().out
    assert end.value.code == 0, told
    assert told.count("all are there") == 2
    assert told.endswith("0 faults\n")
