"""Signals while the modules of a command are loaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.shell import MAIN

ROOT = Path(__file__).parents[2]
#: Without `site`, which imports some of them, only the packages' folder is there.
SITE = f"import sys; sys.path.append({str(Path(pytest.__file__).parents[1])!r})\n"
#: Sends a signal when a module is asked for, and starts a command as its script does.
SCRIPT = """
import os, sys

command, package, number, module, *arguments = sys.argv[1:]

class Sender:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), int(number))

where = "solver.system" if package == "solver" else "pipeline.commands"
start = __import__(where + ".start", fromlist=["start"])
sys.meta_path.insert(0, Sender())
sys.argv[:] = [command, "latin-square", *arguments]
getattr(start, command)()
"""


@pytest.mark.parametrize("command", MAIN)
@pytest.mark.parametrize("module", ["{package}.commands.{command}", "argparse"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_modules_are_loaded(
    command: str, module: str, number: signal.Signals, tmp_path: Path
) -> None:
    """It ends the command with a line and status 130, wherever it strikes."""
    assert_ended(command, module, number, tmp_path)


@pytest.mark.parametrize("command", ["solve", "learn", "compare"])
@pytest.mark.parametrize("module", ["numpy.linalg", "numba.core.config", "llvmlite.binding"])
def test_a_signal_while_libraries_are_loaded(command: str, module: str, tmp_path: Path) -> None:
    """There an exception could be lost, or printed by who catches it."""
    assert_ended(command, module, signal.SIGINT, tmp_path)


#: Starts a command, and sends signals while Python ends the process: at first, and at last.
ENDING = """
import atexit, os, sys

command, number = sys.argv[1], int(sys.argv[2])

class Sender:
    def __del__(self, kill=os.kill, process=os.getpid(), number=number):
        kill(process, number)

sys.last_sender = Sender()
atexit.register(os.kill, os.getpid(), number)
where = "solver.system" if command == "solve" else "pipeline.commands"
start = __import__(where + ".start", fromlist=["start"])
sys.argv[:] = [command, "--help"]
getattr(start, command)()
"""


@pytest.mark.parametrize("command", ["solve", "learn"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_work(command: str, number: signal.Signals) -> None:
    """It changes neither the status nor what was printed."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", SITE + ENDING, command, str(int(number))],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: {command} ")


#: Arguments with which a command comes to the search.
WORDS = {
    "learn": ["--instances", "1"],
    "compare": ["--instances", "1", "--playouts", "1"],
}


def assert_ended(command: str, module: str, number: signal.Signals, folder: Path) -> None:
    """A signal when `module` is asked for ends the command in order, in an empty folder."""
    package = "solver" if command in ("solve", "check") else "pipeline"
    name = module.format(package=package, command=command)
    words = [command, package, str(int(number)), name, *WORDS.get(command, [])]
    done = subprocess.run(
        [sys.executable, "-S", "-c", SITE + SCRIPT, *words],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "")
    assert not list(folder.iterdir())
    assert done.stderr == f"{command}: interrupted\n"
