"""`solve --out` is killed at random moments; the same command goes on from what it has found.

    python -m tests.trials.kills --count 30 --seed 0

What the growing file holds when the command is killed must be there, byte for byte, at the end of
the next one, and all together must be what one command finds undisturbed, but for the seconds.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from solver.system.cache import cache_root
from tests.commands.launch import KERNELS_VARIABLE
from tests.copies import started

ROOT = Path(__file__).parents[2]
OUT = "answers"
GROWING = "answers.part"

SQUARES = [
    "latin-square", "--instances", "300", "--playouts", "2000", "--dead-ends", "0",
    "--prior", "none",
]  # fmt: skip
DESIGNS = [
    "rna", "((((....))))....((((....))))....(((....)))", "--min-distance", "3", "--gc", "48-52",
    "--playouts", "300000",
]  # fmt: skip
#: What is killed, by the form of its answers.
TRIALS: Mapping[str, list[str]] = {
    "text": SQUARES,
    "json": [*SQUARES, "--json", "--threads", "2"],
    "csv": [*SQUARES, "--csv"],
    "tsv": [*SQUARES, "--tsv", "--threads", "2"],
    "designs": [*DESIGNS, "--designs", "100", "--json"],
    "drawings": [*DESIGNS, "--designs", "40", "--draw", "pictures"],
}


def without_seconds(text: str, words: Sequence[object]) -> list[Any]:
    """Answers as the command of `words` wrote them, without the time that each took."""
    if "--json" in words:
        return [json.loads(line) | {"seconds": None} for line in text.splitlines()]
    for option, delimiter in (("--csv", ","), ("--tsv", "\t")):
        if option in words:
            rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
            return [row | {"seconds": None} for row in rows]
    return re.sub(r"\bseconds=\S+", "", text).splitlines()


def start(name: str, folder: Path) -> subprocess.Popen[str]:
    """Start the command of a trial in its folder, with the kernels that all share."""
    kernels = os.environ.get(KERNELS_VARIABLE, str(cache_root() / "trials"))
    words = ["solve", *TRIALS[name], "--out", OUT, "--quiet"]
    return started(
        ["-m", "tests.commands.launch", *words],
        cwd=folder, env=os.environ | {KERNELS_VARIABLE: kernels, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def whole(name: str, folder: Path) -> int:
    """Run a command to its end; return the bytes of its answers."""
    process = start(name, folder)
    _, errors = process.communicate()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{name} ended with status {process.returncode}: {errors}")
    return (folder / OUT).stat().st_size


def wait_for_answers(process: subprocess.Popen[str], folder: Path, size: int) -> None:
    """Wait until a command has written so many bytes, or has ended."""
    growing = folder / GROWING
    while process.poll() is None and not (growing.exists() and growing.stat().st_size >= size):
        time.sleep(0.001)


def made(name: str, folder: Path) -> dict[str, Any]:
    """Return all files below `folder`, by name, without the seconds that answers took."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    contents: dict[str, Any] = {name: path.read_bytes() for name, path in files.items()}
    return contents | {OUT: without_seconds(contents[OUT].decode(), TRIALS[name])}


def kill(name: str, size: int, folder: Path, wanted: Mapping[str, Any]) -> tuple[int, str]:
    """Kill a command once it has written `size` bytes, then run it again.

    Returns
    -------
    bytes : int
        How many the growing file had.
    fault : str
        What is wrong, or nothing.
    """
    process = start(name, folder)
    wait_for_answers(process, folder, size)
    process.kill()
    process.communicate()
    growing = folder / GROWING
    before = growing.read_bytes() if growing.exists() else b""
    whole(name, folder)
    if not (folder / OUT).read_bytes().startswith(before):
        return len(before), "an answer found before is missing"
    got = made(name, folder)
    if got.keys() != wanted.keys():
        return len(before), f"other files: {sorted(got.keys() ^ wanted.keys())}"
    differing = [file for file in got if got[file] != wanted[file]]
    return len(before), f"the same command makes others: {differing}" if differing else ""


def main() -> None:
    """Run the trial; status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trial", choices=TRIALS, action="append", help="all if not given")
    arguments = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="kills-"))
    chance = random.Random(arguments.seed)
    names = arguments.trial or list(TRIALS)
    undisturbed: dict[str, tuple[dict[str, Any], int]] = {}
    for name in names:
        folder = base / name
        folder.mkdir()
        size = whole(name, folder)
        undisturbed[name] = made(name, folder), size
    faults = answers = 0
    for number in range(arguments.count):
        name = names[number % len(names)]
        wanted, size = undisturbed[name]
        folder = base / f"kill-{number}"
        folder.mkdir()
        there, fault = kill(name, chance.randrange(size), folder, wanted)
        print(f"{name}, {there:,} of {size:,} bytes: {fault or 'all are there'}", flush=True)
        faults += bool(fault)
        answers += there > 0
        if not fault:
            shutil.rmtree(folder)
    print(f"{arguments.count} killed, {answers} of them with answers found, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
