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
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from solver.domains.rna.engines import use_engine

#: Longer than any fold takes; listing co-optimal structures can take for ever.
TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True)
class Fold:
    """What a sequence folds into."""

    structure: str
    energy: float
    """kcal/mol."""
    unique: bool | None
    """Whether no other structure has that energy; None if it was not asked or not found out."""


class _Refolder:
    """One process per engine, started when first needed."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "solver.domains.rna.refold", self._engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is ours
            cwd=Path(__file__).parents[3],
        )

    def ask(self, sequence: str, *, unique: bool) -> Fold | None:
        """Fold `sequence`; None if that takes too long."""
        with self._lock:
            if self._process is None:
                self._process = self._start()
            process = self._process
            assert process.stdin is not None
            assert process.stdout is not None
            timer = threading.Timer(TIMEOUT_SECONDS, process.kill)
            timer.start()
            try:
                process.stdin.write(json.dumps([sequence, unique]) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = ""
            finally:
                timer.cancel()
            if not line:
                self.close()
                return None
            return Fold(*json.loads(line))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_refolders: dict[str, _Refolder] = {}
_lock = threading.Lock()


def refold(sequence: str, engine: str, *, unique: bool = False) -> Fold:
    """Fold `sequence` with `engine` in a process that does nothing else.

    Parameters
    ----------
    unique : bool
        Find out as well whether the structure is the only one of its energy.

    Raises
    ------
    RuntimeError
        If the process does not answer.
    """
    with _lock:
        if not _refolders:
            atexit.register(_close_all)
        refolder = _refolders.setdefault(engine, _Refolder(engine))
    found = refolder.ask(sequence, unique=unique)
    if found is None:  # listing structures took too long, or the process had been killed
        found = refolder.ask(sequence, unique=False)
    if found is None:
        raise RuntimeError(f"folding {sequence} with {engine} gave no answer")
    return found


def _close_all() -> None:
    for refolder in _refolders.values():
        refolder.close()


def _serve(engine: str, requests: IO[str], answers: IO[str]) -> None:
    import RNA

    model = use_engine(engine)
    folded = None  # a design is verified first, then asked whether its fold is the only one
    for line in requests:
        sequence, unique = json.loads(line)
        if sequence != folded:
            compound = RNA.fold_compound(sequence, model)
            structure, energy = compound.mfe()
            folded = sequence
        # With dangles 1 ViennaRNA lists structures by their energies with dangles 2.
        listed = unique and model.dangles != 1
        only = len(compound.subopt(0)) == 1 if listed else None
        answers.write(json.dumps([structure, round(energy, 2), only]) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve(sys.argv[1], sys.stdin, sys.stdout)
