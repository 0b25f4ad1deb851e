"""`solve` in forked and spawned processes and in threads: the trial, with few calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import needs_jit
from tests.trials.workers import CASES, WAYS, calls

ROOT = Path(__file__).parents[2]
COUNT = 12


def test_calls_are_of_all_problems() -> None:
    """All calls are different, and the test below leaves no problem out."""
    asked = calls(200)
    assert len(set(asked)) == 200
    assert {(call.domain, call.problem) for call in calls(3 * len(CASES))} == {
        (domain, problem) for domain, names in CASES.items() for problem in names
    }


@needs_jit
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_workers_answer_as_one_call_does(way: str) -> None:
    """Whatever is shared by processes and threads, answers and all facts about them are equal."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.trials.workers", "--count", str(COUNT), "--ways", way],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.endswith(f"{way}: {COUNT} calls, 0 answered otherwise\n")
    assert done.returncode == 0
