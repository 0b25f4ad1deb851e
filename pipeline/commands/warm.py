"""Make the machine code of every problem and game that ships, on all cores.

`python -m pipeline.commands.warm` fills the cache of this user: what comes next compiles nothing,
but for what long searches need when they begin again.
`--portable FOLDER` makes the code that the wheel carries, for `PROCESSORS` of
`solver.compiling.machine_code.portable`, and copies it into FOLDER.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from solver.commands.options import run_command
from solver.commands.progress import say
from solver.contract.designer import designer_class
from solver.domains import DOMAINS, load_domain
from solver.errors import InputError
from solver.games import GAMES, load_game
from solver.system.cache import CACHE_ROOT_VARIABLE, cache_root

#: What Numba writes for a kernel: an index and the code.
ENDINGS = (".nbi", ".nbc")
#: Enough for local search and the checks of an answer to be reached.
PLAYOUTS = 200
GAME_PLAYOUTS = 60


def command_lines(subject: str) -> Iterator[list[str]]:
    """Yield commands that need, between them, the usual kernels of a problem or a game."""
    if subject in GAMES:
        playouts = ["--playouts", str(GAME_PLAYOUTS)]
        yield ["solve", subject, *playouts]
        if load_game(subject).priors:
            yield ["solve", subject, *playouts, "--prior", "none"]
            yield ["learn", subject, "--instances", "1", *playouts]
        return
    playouts = ["--playouts", str(PLAYOUTS)]
    yield ["solve", subject, *playouts]
    yield ["solve", subject, *playouts, "--prior", "none"]
    domain = load_domain(subject)
    if designer_class(domain).defaults:  # of which sets of benchmarks have none
        yield ["solve", next(iter(domain.benchmarks)), "--instances", "1", *playouts]
    yield ["learn", subject, "--instances", "2"]


def warm_subject(subject: str, environment: dict[str, str]) -> float:
    """Run the commands of a problem or a game in an empty folder; returns the seconds taken.

    Raises
    ------
    InputError
        If one of them fails.
    """
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for words in command_lines(subject):
            out = ["--out", "table.parquet"] if words[0] == "learn" else []
            package = "solver.system.start" if words[0] == "solve" else "pipeline.commands.start"
            code = f"import sys; from {package} import {words[0]}; {words[0]}()"
            done = subprocess.run(
                [sys.executable, "-c", code, *words[1:], *out],
                cwd=folder, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode not in (0, 1):  # 1: not all solved
                raise InputError(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
    return time.monotonic() - begin


def warm(subjects: Sequence[str], environment: dict[str, str]) -> None:
    """Make the code of all `subjects`, one process per core at a time."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        begun = {name: pool.submit(warm_subject, name, environment) for name in subjects}
        for name, future in begun.items():
            say(f"{name}: {future.result():.0f} s")


def copy_kernels(source: Path, target: Path) -> int:
    """Copy the kernels of a cache, not the parts that other kernels are made of; returns bytes."""
    total = 0
    for path in sorted(source.rglob("*")):
        within = path.relative_to(source)
        if path.suffix in ENDINGS and not any(part.startswith("parts") for part in within.parts):
            to = target / within
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
            total += path.stat().st_size
    return total


def make_portable(folder: Path, subjects: Sequence[str]) -> None:
    """Make the code that ships, in `folder`, in place of what was made before."""
    from solver.compiling.machine_code.portable import portable_name, portable_processor

    processor = portable_processor()
    if processor is None:
        raise InputError("no code ships for machines of this kind")
    target = folder / portable_name()
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | processor.variables | {CACHE_ROOT_VARIABLE: cache}
        warm(subjects, environment)
        shutil.rmtree(target, ignore_errors=True)
        size = copy_kernels(Path(cache) / "numba" / "code", target)
    say(f"{target}: code for {processor.name}, {size / 1e6:.1f} MB")


def run(argv: Sequence[str]) -> int:
    """Make machine code as the arguments `argv` say; returns the exit status."""
    parser = argparse.ArgumentParser(prog="warm", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="PROBLEM", help="(default: all that ship)")
    parser.add_argument("--portable", type=Path, metavar="FOLDER", help="make the code that ships")
    arguments = parser.parse_args(argv)
    subjects = arguments.subjects or [*DOMAINS, *GAMES]
    unknown = [name for name in subjects if name not in DOMAINS and name not in GAMES]
    if unknown:
        raise InputError(f"{unknown[0]} does not ship, expected some of {', '.join(DOMAINS)} ...")
    if arguments.portable is not None:
        make_portable(arguments.portable, subjects)
    else:
        warm(subjects, dict(os.environ))
        say(f"{cache_root()} has the machine code of {', '.join(subjects)}")
    return 0


def main() -> None:
    """Entry point of `python -m pipeline.commands.warm`."""
    run_command("warm", run)


if __name__ == "__main__":
    main()
