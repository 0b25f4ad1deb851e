"""Folding in a process of its own, for answers that a search claims.

The process, `python -m solver.domains.rna.refold ENGINE`, imports nothing of the search and
loads one engine; it answers lines of JSON with lines of JSON.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from solver.domains.rna.engines import absolute, use_engine
from solver.domains.rna.examination import (
    ENSEMBLE,
    LETTERS,
    LISTING,
    composed_of,
    findings_of,
    fold_of,
    switch_of,
)
from solver.domains.rna.plans.complexes import Complex
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.ensemble import MOST_BASES, Ensemble
from solver.system.forks import after_fork, lock_over_forks

#: Longer than any fold takes.
TIMEOUT_SECONDS = 60.0
#: Listing structures can take for ever: what was asked for is waited for longer.
PATIENCE_SECONDS, ASKED_SECONDS = 5.0, 30.0
#: Asks for the pairs of the ensemble.
PAIRS = "pairs"
#: Questions of which it is known that they take long, and for how long that is.
MOST_SLOW, REMEMBERED_SECONDS = 64, 60.0
#: Read from a pipe at once.
_PIPE_BYTES = 1 << 16


@dataclass(frozen=True)
class Fold:
    """Structure of minimum free energy of a sequence."""

    structure: str
    energy: float
    """kcal/mol."""
    unique: bool | None
    """True if no other structure has that energy; None if it was not asked or not found out."""
    quadruplex: float | None
    """Minimum free energy with G-quadruplexes permitted, kcal/mol; None if that fold has none."""


@dataclass(frozen=True)
class Findings:
    """Quality of a sequence as a design of a target, independent of the search."""

    gc: float
    """Share of G and C in per cent."""
    gap: float | None
    """Energy of the second-best structure above the target, in kcal/mol; None where the target is
    not the fold, or no second one is within `WIDEST_GAP`, or with dangles 1."""
    probability: float | None
    """Probability in the ensemble; None where it takes too long, and with dangles 1, which the
    ensemble does not have."""
    defect: float | None
    """Normalised ensemble defect: share of the bases that are not as in the target, expected."""
    missing: list[str]
    """Requests that the sequence does not fulfil."""
    bound: float | None
    """Share of two strands that is bound to the other, of 0 ... 1, where it was asked for."""


@dataclass(frozen=True)
class States:
    """Quality of a sequence as a switch."""

    structure: str
    """Structure of minimum free energy."""
    lowest: float
    """Minimum free energy, in kcal/mol."""
    energies: list[float]
    """Energies of the structures of the switch, in kcal/mol."""
    shares: list[float] | None
    """Shares of the structures in the ensemble, 0 ... 1; None as in `Findings.probability`."""
    gc: float
    missing: list[str]
    """Requests that the sequence does not fulfil, those on energies included."""


@dataclass(frozen=True)
class Composed:
    """Quality of a sequence in complexes of its strands, or with open positions."""

    folds: list[str]
    """Structure of least energy of each complex, with `&` between strands."""
    lowest: list[float]
    """Its energy, in kcal/mol."""
    energies: list[float]
    """Energies of all structures of all complexes, open positions at their best, in kcal/mol."""
    ensemble: list[float] | None
    """Free energy of the ensemble of each complex, in kcal/mol; None where one is unknown."""
    probability: float | None
    """Product of the shares of the structures in the ensembles; None where one is unknown."""
    gc: float
    missing: list[str]
    """Requests that the sequence does not fulfil, those on structures included."""
    bound: list[float] | None
    """Share of two strands that is bound to the other, of 0 ... 1, in each complex of two."""
    defect: float | None
    """Mean of the normalised ensemble defects of the complexes; None where one has none."""


class _Refolder:
    """One process per engine, started when first needed."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "solver.domains.rna.refold", absolute(self._engine)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # nothing is left in a buffer that a forked process would write again
            start_new_session=True,  # Ctrl-C is ours
            cwd=Path(__file__).parents[3],
        )

    def ask(self, question: list[Any], seconds: float) -> list[Any] | None:
        """Ask the process; None if the answer takes too long."""
        with self._lock:
            if self._process is None:
                with _starting:
                    self._process = self._start()
            process = self._process
            timer = threading.Timer(seconds, process.kill)
            timer.start()
            line = b""
            try:
                line = _asked(process, json.dumps(question).encode() + b"\n")
            except BrokenPipeError:
                return None
            finally:
                timer.cancel()
                if not line:  # or interrupted: its answer would be taken for the next one's
                    self.close()
            answer: list[Any] | None = json.loads(line) if line else None
            return answer

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def leave(self) -> None:
        """Let go of the process, which is that of the process that this one was forked from."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.returncode = 0  # it is no child of ours, to be waited for


def _asked(process: subprocess.Popen[bytes], line: bytes) -> bytes:
    """Write a line to a process and return the one that it answers, b"" where it has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    while line:
        line = line[process.stdin.write(line) :]
    parts = [b""]
    while not parts[-1].endswith(b"\n"):
        parts.append(process.stdout.read(_PIPE_BYTES))
        if not parts[-1]:
            return b""
    return b"".join(parts)


_refolders: dict[str, _Refolder] = {}
#: Efforts that took too long, by the question: it is asked when a design is verified, then for its
#: facts.
_slow: dict[str, tuple[int, float]] = {}
_lock = threading.Lock()
#: A process forked in between would hold the ends of the pipes that are the folding process's.
_starting = lock_over_forks()


def _refolder(engine: str) -> _Refolder:
    with _lock:
        return _refolders.setdefault(engine, _Refolder(engine))


def _forget_processes() -> None:
    """Leave all folding processes to the process that this one was forked from."""
    global _lock, _refolders
    left, _lock, _refolders = _refolders, threading.Lock(), {}
    for refolder in left.values():
        refolder.leave()


after_fork(_forget_processes)


def refold(sequence: str, engine: str, *, unique: bool = False) -> Fold:
    """Fold `sequence` with `engine` in a process that does nothing else.

    Parameters
    ----------
    sequence : str
        Bases, with `&` between two strands.
    unique : bool
        Find out as well whether the structure is the only one of its energy.

    Raises
    ------
    RuntimeError
        If the process does not answer.
    """
    refolder = _refolder(engine)
    found = None
    if unique and len(sequence) <= MOST_BASES:
        found = refolder.ask([sequence, True], PATIENCE_SECONDS)
    if found is None:  # listing structures took too long, or the process had been killed
        question, patience = [sequence, False], TIMEOUT_SECONDS
        found = refolder.ask(question, patience) or refolder.ask(question, patience)
    if found is None:
        raise RuntimeError(f"folding {sequence} with {engine} gave no answer")
    return Fold(*found)


def examine(sequence: str, structure: str, requirements: Requirements, engine: str) -> Findings:
    """Examine `sequence` as a design of `structure`, in the process of `refold`.

    Raises
    ------
    RuntimeError
        If the process does not answer.
    """
    return Findings(*_examined(sequence, structure, requirements, engine))


def examine_switch(
    sequence: str, structures: Sequence[str], requirements: Requirements, engine: str
) -> States:
    """Examine `sequence` as a switch of `structures`, in the process of `refold`.

    Raises
    ------
    RuntimeError
        If the process does not answer.
    """
    return States(*_examined(sequence, list(structures), requirements, engine))


def examine_composed(
    sequence: str, complexes: Sequence[Complex], requirements: Requirements, engine: str
) -> Composed:
    """Examine `sequence`, of all strands, in complexes of them, in the process of `refold`.

    Raises
    ------
    RuntimeError
        If the process does not answer.
    """
    found = _examined(sequence, {"complexes": list(complexes)}, requirements, engine)
    return Composed(*found)


def _examined(
    sequence: str,
    target: str | list[str] | dict[str, Any],
    requirements: Requirements,
    engine: str,
) -> list[Any]:
    """Ask for as much as can be told in time."""
    refolder = _refolder(engine)
    efforts = [LISTING, ENSEMBLE, LETTERS]  # what took too long is left out
    if not isinstance(target, str):
        efforts = [ENSEMBLE, LETTERS]  # nothing is listed
    if len(sequence) > MOST_BASES:
        efforts = [LETTERS]
    key = json.dumps([engine, sequence, target, requirements])
    for effort in efforts[min(_slow_efforts(key), len(efforts) - 1) :]:
        asked = effort == LISTING and requirements.gap > 0
        patience = ASKED_SECONDS if asked else PATIENCE_SECONDS
        question = [sequence, target, requirements, effort]
        found = refolder.ask(question, TIMEOUT_SECONDS if effort == LETTERS else patience)
        if found is not None:
            return found
        _note_slow(key)
    raise RuntimeError(f"examining {sequence} with {engine} gave no answer")


def _slow_efforts(key: str) -> int:
    """Return how many efforts of a question took too long a while ago."""
    number, since = _slow.get(key, (0, 0.0))
    return number if time.monotonic() - since < REMEMBERED_SECONDS else 0


def _note_slow(key: str) -> None:
    """Remember of a question that one more of its efforts takes too long."""
    with _lock:
        _slow[key] = _slow_efforts(key) + 1, time.monotonic()
        if len(_slow) > MOST_SLOW:
            del _slow[next(iter(_slow))]


def pair_probabilities(sequence: str, engine: str) -> list[tuple[int, int, float]] | None:
    """Pairs of the ensemble: positions from 0, and probabilities, the improbable left out.

    None where it takes too long. `engine` has dangles 2.
    """
    found = _refolder(engine).ask([sequence, PAIRS], TIMEOUT_SECONDS)
    return None if found is None else [(i, j, probability) for i, j, probability in found]


@atexit.register
def end_refolding() -> None:
    """End all processes that refold."""
    for refolder in _refolders.values():
        refolder.close()


def _serve(engine: str, requests: IO[str], answers: IO[str]) -> None:
    known: dict[int, tuple[str, list[Any]]] = {}
    for line in requests:
        sequence, *question = json.loads(line)
        # A design is verified first, then asked about for its facts: the last of each kind is kept.
        last, answer = known.get(len(question), ("", []))
        if question == [PAIRS]:
            answer = Ensemble(sequence, "", use_engine(engine)).pairs()
        elif line != last:
            if len(question) == 1:
                answer = fold_of(sequence, question[0], engine)
            else:
                target, requirements, effort = question
                kinds: dict[type, Any] = {str: findings_of, list: switch_of, dict: composed_of}
                found = kinds[type(target)]
                answer = found(sequence, target, Requirements(*requirements), effort, engine)
            known[len(question)] = line, answer
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve(sys.argv[1], sys.stdin, sys.stdout)
