"""`--help` of the commands: quick, and with everything in it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.commands import compare as compare_cli
from pipeline.commands import learn as learn_cli
from solver.commands import solve as cli
from tests.commands.launch import MAIN
from tests.commands.shell import ROOT, Run

#: Option groups that every problem shares, and those of a problem.
GROUPS = {
    "solve": (
        ["generated instances", "search", "algorithms", "budget of each problem", "output"],
        ["latin-square options"],
    ),
    "learn": (
        ["training data", "bias table", "work"],
        ["latin-square instances", "latin-square options while replaying"],
    ),
    "compare": (
        ["methods", "algorithms", "instances and budget of a run"],
        ["latin-square instances", "latin-square options"],
    ),
}
PARSERS = {"solve": cli, "learn": learn_cli, "compare": compare_cli}
# The command's own entry point, with what it imported as the last line.
HELP = """
import sys
from {module} import main
sys.argv = ["{command}", "--help"]
try:
    main()
finally:
    print("\\nimported", *sorted(sys.modules), flush=True)
"""


@pytest.mark.parametrize("command", GROUPS)
def test_help_is_quick(command: str) -> None:
    """Without a problem the help imports neither Numba nor the other large packages."""
    source = HELP.format(module=MAIN[command], command=command)
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    text, _, imported = done.stdout.rpartition("\nimported ")
    large = {"numba", "numpy", "pandas", "pyarrow", "matplotlib", "scipy"}
    assert not large & set(imported.split())
    assert text.startswith(f"usage: {command} ")
    shared, _ = GROUPS[command]
    for group in shared:
        assert f"\n{group}" in text
    assert "\nexamples:\n" in text
    assert "latin-square" in text


@pytest.mark.parametrize("command", GROUPS)
def test_help_of_a_problem(run: Run, command: str) -> None:
    """With a problem its own groups are there, each option with a text and its default."""
    finished = run(command, "latin-square", "--help")
    assert (finished.status, finished.err) == (0, "")
    shared, own = GROUPS[command]
    for group in (*shared, *own):
        assert f"\n{group}" in finished.out
    assert "--propagation {channeling,forward}" in finished.out
    assert "(default: channeling)" in " ".join(finished.out.split())


@pytest.mark.parametrize("command", GROUPS)
def test_every_option_has_a_place(command: str) -> None:
    """Options stand in a group with a title, but for those that every command has."""
    parser = PARSERS[command].build_parser("latin-square")
    loose = parser._optionals._group_actions
    names = [action.option_strings[-1] for action in loose]
    assert names == ["--help", "--version", "--quiet", "--completion"]
    titles = [group.title for group in parser._action_groups]
    assert len(set(titles)) == len(titles)
