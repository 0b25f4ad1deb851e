"""Commands are killed, terminated and interrupted at random moments; the rerun is equal.

    python -m tests.trials.accidents --count 30 --seed 0

What was finished must be there after every accident, whatever can end in order must leave nothing
half-written, and the same command must then give what it gives undisturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from solver.system.cache import cache_root
from tests.commands.launch import KERNELS_VARIABLE

ROOT = Path(__file__).parents[2]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True)
class Trial:
    """A command, what it leaves when it ends, and how much of that is there already."""

    words: list[str]
    result: Callable[[Path], Any]
    finished: Callable[[Path], int]


def answers(folder: Path) -> Any:
    """Every answer, without the time it took."""
    lines = (folder / "answers.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


def answers_there(folder: Path) -> int:
    """Whole answers in the file, or in the one that grows."""
    paths = [folder / "answers.jsonl", folder / "answers.jsonl.part"]
    return max((path.read_bytes().count(b"\n") for path in paths if path.exists()), default=0)


def table(folder: Path) -> Any:
    """Rows of the bias table."""
    return pq.read_table(folder / "prior.parquet").to_pydict()


def shards_there(folder: Path) -> int:
    """Count tables of shards, all of which must be whole."""
    return sum(pq.read_table(path).num_rows > 0 for path in folder.rglob("counts-*/*.parquet"))


def runs(folder: Path) -> Any:
    """Every run, without what depends on the clock."""
    rows = [json.loads(line) for line in (folder / "out" / "journal.jsonl").open()]
    keep = ("run", "solved", "score", "playouts", "status", "solution")
    return sorted(tuple(str(row[key]) for key in keep) for row in rows)


def runs_there(folder: Path) -> int:
    """Whole rows of the journal."""
    path = folder / "out" / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


TRIALS = {
    "solve": Trial(
        ["latin-square", "--instances", "300", "--playouts", "300", "--json",
         "--out", "answers.jsonl"],
        answers, answers_there,
    ),
    "learn": Trial(
        ["latin-square", "--order", "10", "--instances", "400", "--out", "prior.parquet",
         "--work", "work"],
        table, shards_there,
    ),
    "compare": Trial(
        ["latin-square", "--order", "15", "--instances", "100", "--playouts", "300",
         "--out", "out"],
        runs, runs_there,
    ),
}  # fmt: skip


def start(command: str, folder: Path) -> subprocess.Popen[str]:
    """Start a command in its folder, with the kernels that all share."""
    variables = os.environ | {
        KERNELS_VARIABLE: str(cache_root() / "trials"), "PYTHONPATH": str(ROOT)
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "tests.commands.launch", command, *TRIALS[command].words],
        cwd=folder, env=variables, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def whole(command: str, folder: Path) -> tuple[Any, float]:
    """Run a command to its end; what it made, and the seconds it took."""
    begin = time.monotonic()
    process = start(command, folder)
    _, errors = process.communicate()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with status {process.returncode}: {errors}")
    return TRIALS[command].result(folder), time.monotonic() - begin


def accident(command: str, number: signal.Signals, after: float, folder: Path, wanted: Any) -> str:
    """Disturb a command, then run it again; says what is wrong, or nothing."""
    trial = TRIALS[command]
    process = start(command, folder)
    time.sleep(after)
    before = trial.finished(folder)
    process.send_signal(number)
    try:
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return "hangs"
    there = trial.finished(folder)
    if there < before:
        return f"{before} were finished, {there} are left"
    if "Traceback" in errors:
        return errors[-1500:]
    if number != signal.SIGKILL:
        if process.returncode not in (0, 1, 130, -signal.SIGTERM, -signal.SIGINT):
            return f"status {process.returncode}: {errors[-500:]}"
        left = [str(path) for path in folder.rglob("*.part")]
        if left:
            return f"left behind: {left}"
    again, _ = whole(command, folder)
    return "" if again == wanted else "the rerun differs"


def main() -> None:
    """Run the trial; status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", choices=TRIALS, action="append", help="all if not given")
    arguments = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="accidents-"))
    chance = random.Random(arguments.seed)
    faults = 0
    for command in arguments.command or TRIALS:
        for repeat in range(2):  # the first compiles
            folder = base / f"{command}-{repeat}"
            folder.mkdir()
            wanted, seconds = whole(command, folder)
        for number in SIGNALS:
            wrong = 0
            for repeat in range(arguments.count):
                folder = base / f"{command}-{number.name}-{repeat}"
                folder.mkdir()
                after = chance.uniform(0, seconds)
                fault = accident(command, number, after, folder, wanted)
                if fault:
                    wrong += 1
                    print(f"{command}, {number.name} after {after:.2f} s: {fault}", flush=True)
                else:
                    shutil.rmtree(folder)
            print(f"{command} of {seconds:.1f} s, {number.name}: {arguments.count} accidents, "
                  f"{wrong} faults", flush=True)  # fmt: skip
            faults += wrong
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
