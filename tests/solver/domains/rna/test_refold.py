"""Folding in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from solver.domains.rna import refold as module
from solver.domains.rna.engines import ENGINES
from solver.domains.rna.folding import fold_structure
from solver.domains.rna.refold import Fold, refold
from tests.trials.forked import Streams, status_in_fork

ROOT = Path(__file__).parents[4]
HAIRPIN = ("GCGCUUCGGCGC", "((((....))))")
#: Of its leading Gs the first two, or the second and third, pair for the same energy.
COMPETING = "GGGGCCGCCG"


@pytest.fixture
def _own_processes(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Processes that this test alone uses, and that end with it."""
    monkeypatch.setattr(module, "_refolders", {})
    yield
    module.end_refolding()


def test_engines_side_by_side() -> None:
    """One process asks all engines, in turns; each keeps its own energies."""
    for _ in range(2):
        found = {engine: refold(HAIRPIN[0], engine) for engine in ENGINES}
        assert {engine: fold.energy for engine, fold in found.items()} == {
            "vienna1": -8.4,
            "t99d2": -8.4,
            "vienna2": -5.5,
        }
        assert {fold.structure for fold in found.values()} == {HAIRPIN[1]}


def test_it_folds_as_the_search_does() -> None:
    """Both ways to fold with one engine agree."""
    for sequence in (HAIRPIN[0], COMPETING, "A", "GAUUACA" * 9):
        assert refold(sequence, "vienna2").structure == fold_structure(sequence, "vienna2")


@pytest.mark.parametrize(
    ("sequence", "unique"),
    [
        (HAIRPIN[0], True),
        ("AAAAAAAAAAAA", True),
        (COMPETING, False),
        ("A", True),
    ],
)
def test_uniqueness(sequence: str, unique: bool) -> None:
    """A fold is unique if no other structure has its energy; it is found out only if asked."""
    assert refold(sequence, "vienna2", unique=True).unique is unique
    assert refold(sequence, "vienna2").unique is None
    assert refold(sequence, "vienna1", unique=True).unique is None  # it cannot be found out


@pytest.mark.usefixtures("_own_processes")
@pytest.mark.parametrize("unique", [True, False])
def test_a_killed_process_is_replaced(unique: bool) -> None:
    """A killed process is replaced at the next question, and nothing is left behind."""
    before = refold(HAIRPIN[0], "vienna2", unique=unique)
    process = module._refolders["vienna2"]._process
    assert process is not None
    process.kill()
    process.wait()
    again = refold(HAIRPIN[0], "vienna2", unique=unique)
    assert (again.structure, again.energy) == (before.structure, before.energy)
    other = module._refolders["vienna2"]._process
    assert other is not None
    assert other.pid != process.pid
    assert process.stdin is not None
    assert process.stdin.closed
    assert refold(HAIRPIN[0], "vienna2", unique=unique) == before


@pytest.mark.usefixtures("_own_processes")
def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the time limit uniqueness stays unknown, and folding itself is an error."""
    real = subprocess.Popen

    def slow(command: list[str], **options: Any) -> Any:
        # It answers what is asked without uniqueness, and nothing else.
        script = (
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    if not json.loads(line)[1] and json.loads(line)[0] != 'NEVER':\n"
            "        print(json.dumps(['...', -1.0, None, None]), flush=True)\n"
        )
        return real([sys.executable, "-c", script], **options)

    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(subprocess, "Popen", slow)
    assert refold("GGG", "vienna2", unique=True) == Fold("...", -1.0, None, None)
    with pytest.raises(RuntimeError, match=r"^folding NEVER with vienna2 gave no answer$"):
        refold("NEVER", "vienna2", unique=True)


@pytest.mark.usefixtures("_own_processes")
def test_threads_share_a_process() -> None:
    """Questions of several threads are answered one after the other, each with its own answer."""
    asked = ["GCGC" + "A" * n + "GCGC" for n in range(3, 20)]
    alone = [refold(sequence, "vienna2") for sequence in asked]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda sequence: refold(sequence, "vienna2"), asked)) == alone
    assert len(module._refolders) == 1


@pytest.mark.usefixtures("_own_processes")
def test_forked_processes_have_processes_of_their_own(tmp_path: Path) -> None:
    """All at once they get the answers to their own questions, and the first process goes on."""
    asked = ["GCGC" + "A" * n + "GCGC" for n in range(3, 23)]
    alone = [refold(sequence, "vienna2") for sequence in asked]
    first = module._refolders["vienna2"]._process
    assert first is not None

    def ask_again(turn: int) -> None:
        for number in range(len(asked)):
            number = (number + turn) % len(asked)
            if refold(asked[number], "vienna2") != alone[number]:
                sys.exit(1)
        sys.exit(7)

    def status(turn: int) -> int | None:
        streams = Streams(tmp_path / f"errors-{turn}")
        return status_in_fork(lambda: ask_again(turn), [], tmp_path, streams, 30.0)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(status, range(8))) == [7] * 8
    assert [refold(sequence, "vienna2") for sequence in asked] == alone
    assert module._refolders["vienna2"]._process is first
    assert first.poll() is None


@pytest.mark.usefixtures("_own_processes")
def test_an_interrupted_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is not taken for that of the next one."""
    real = module._asked

    def interrupted(process: Any, line: bytes) -> bytes:
        real(process, line)
        process.stdin.write(line)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_asked", interrupted)
    with pytest.raises(KeyboardInterrupt):
        refold("AAAAAAAA", "vienna2")
    monkeypatch.setattr(module, "_asked", real)
    assert refold(HAIRPIN[0], "vienna2").structure == HAIRPIN[1]


def test_processes_end_with_ours() -> None:
    """Folding processes end with the program that started them."""
    script = (
        "from solver.domains.rna import refold\n"
        "refold.refold('GCGCUUCGGCGC', 'vienna2')\n"
        "print(refold._refolders['vienna2']._process.pid)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
