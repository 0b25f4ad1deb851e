"""`--flow`: found by name, never imported; what is not installed is told in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.commands.flow_options import overridden, table_command

ROOT = Path(__file__).parents[2]
WITHOUT = """
import sys
sys.modules["prefect"] = None
from pipeline.commands.{command} import main
sys.argv = ["{command}", "latin-square", "--flow", "--out", "build/nowhere/{command}.parquet"]
main()
"""
LOADED = """
import sys
import pipeline.commands.compare, pipeline.commands.learn, pipeline.commands.models
import pipeline.learning.learn, pipeline.publishing.evaluate, pipeline.publishing.published
import pipeline.publishing.refresh, solver.commands.solve
pipeline.commands.learn.read_request(["latin-square"])
assert not {"prefect", "dask", "flows"} & set(sys.modules)
"""


@pytest.mark.parametrize("command", ["learn", "compare"])
def test_without_prefect_the_line_says_what_to_install(command: str) -> None:
    """Status 2 and one line; nothing is run."""
    source = WITHOUT.format(command=command)
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"{command}: --flow needs prefect, which is not installed: pip install -e '{ROOT}[flows]'\n"
    )


def test_the_plain_commands_do_without() -> None:
    """Learning, evaluating, publishing and comparing import neither Prefect nor flows."""
    subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, check=True)


def test_the_command_in_the_manifest() -> None:
    """Options of work and judgement are left out, those of the table stay, quoted for a shell."""
    argv = [
        "rna", "--flow", "--seed", "2", "--runner", "dask", "--threads=4", "--work", "/x",
        "--out", "a b.parquet", "--evaluate", "--held-out", "9", "--margin=0.1", "--replace",
    ]  # fmt: skip
    assert table_command("learn", argv) == "learn rna --seed 2 --out 'a b.parquet'"


def test_arguments_are_overridden_once() -> None:
    """A command that is refreshed again and again does not grow."""
    once = overridden(["--order", "5", "--seed=1"], ["--seed", "2"])
    assert once == ["--order", "5", "--seed", "2"]
    assert overridden(once, ["--seed", "3"]) == ["--order", "5", "--seed", "3"]


def test_switches_and_short_options_are_overridden() -> None:
    """The word after a switch stays; a short option is its long form."""
    words = ["--prior-code", "dual", "--fit", "--propagation", "forward", "-t", "2"]
    assert overridden(words, ["--fit", "-t", "3"]) == [
        "--prior-code", "dual", "--propagation", "forward", "--fit", "--threads", "3",
    ]  # fmt: skip
    assert table_command("learn", ["latin-square", "-t", "4"]) == "learn latin-square"
