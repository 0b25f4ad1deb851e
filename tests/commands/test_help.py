"""`--help` of the commands: quick, and with everything in it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from pipeline.commands import compare as compare_cli
from pipeline.commands import learn as learn_cli
from solver.commands import solve as cli
from solver.commands.check import command as check_cli
from solver.domains import BENCHMARKS, DOMAINS
from solver.games import GAMES
from tests.commands.launch import MAIN
from tests.commands.shell import ROOT, Run

#: Option groups that every problem shares, and those of a problem.
GROUPS = {
    "solve": (
        ["generated instances", "search", "budget of each problem", "output"],
        ["latin-square options"],
    ),
    "check": (["output"], ["latin-square options"]),
    "learn": (
        ["training data", "bias table", "work"],
        ["latin-square instances", "latin-square options while replaying"],
    ),
    "compare": (
        ["methods", "instances and budget of a run"],
        ["latin-square instances", "latin-square options"],
    ),
}
PARSERS = {"solve": cli, "check": check_cli, "learn": learn_cli, "compare": compare_cli}
# The command's own entry point: what it prints for lists of words, and what is imported then.
HELP = """
import contextlib, io, json, sys
from {module} import main
told = []
for words in {lines}:
    sys.argv[:], out, err = words, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            told.append([end.code or 0, out.getvalue(), err.getvalue(), sorted(sys.modules)])
print(json.dumps(told))
"""


#: Packages that take longer to import than a command to say what is wrong with its arguments.
LARGE = ("numba", "llvmlite", "pandas", "pyarrow", "matplotlib", "scipy")


def started(command: str, *lines: Sequence[str]) -> list[tuple[int, str, str, set[str]]]:
    """Status and texts of command lines, one after the other in one process, with its modules."""
    source = HELP.format(module=MAIN[command], lines=[[command, *words] for words in lines])
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert len(told) == len(lines)
    return [(status, out, err, set(modules)) for status, out, err, modules in told]


@pytest.mark.parametrize(
    ("command", "names"),
    [("solve", [*DOMAINS, *GAMES]), ("learn", ["rna", "hex"]), ("compare", ["rna", "hex"])],
)
def test_arguments_are_read_before_numba_is_imported(command: str, names: list[str]) -> None:
    """Neither the help of a problem or a game nor an error of its options needs a large package."""
    lines = [[name, *more] for name in names for more in (["--help"], ["--sed", "x"])]
    for (name, word, *_), found in zip(lines, started(command, *lines), strict=True):
        status, out, err, modules = found
        if word == "--help":
            assert (status, err) == (0, ""), name
            assert out.startswith(f"usage: {command} "), name
        else:
            assert status == 2, name
            assert "--sed" in err, name
        assert not modules.intersection(LARGE), name


@pytest.mark.parametrize("command", GROUPS)
def test_help_is_quick(command: str) -> None:
    """Without a problem the help imports neither Numba nor the other large packages."""
    ((status, text, err, imported),) = started(command, ["--help"])
    assert (status, err) == (0, "")
    assert not {"numpy", *LARGE} & imported
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


def _long(names: Sequence[str]) -> str:
    return next(name for name in names if name.startswith("--"))


@pytest.mark.parametrize("command", GROUPS)
def test_every_option_has_a_place(command: str) -> None:
    """Options stand in a group with a title, but for those that every command has."""
    parser = PARSERS[command].build_parser("latin-square")
    loose = parser._optionals._group_actions
    names = [_long(action.option_strings) for action in loose]
    assert names == ["--help", "--help-all", "--version", "--quiet", "--completion"]
    titles = [group.title for group in parser._action_groups]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("command", ["solve", "compare"])
def test_options_of_algorithms_are_shown_on_request(run: Run, command: str) -> None:
    """Plain help leaves them out, an algorithm that is named has its own, `--help-all` has all."""
    plain = run(command, "rna", "--help").out
    named = run(command, "rna", "--algorithm", "beam-nrpa", "--help").out
    whole = run(command, "rna", "--help-all").out
    for option, places in {
        "--engine": (plain, named, whole),
        "--beam": (named, whole),
        "--proposals": (whole,),
    }.items():
        found = [f"\n  {option} " in text for text in (plain, named, whole)]
        assert found == [text in places for text in (plain, named, whole)]
    assert run(command, "rna", "--algorithm", "beams", "--help").status == 2


@pytest.mark.parametrize("command", ["solve", "compare"])
def test_options_for_reproduction_stand_last(command: str) -> None:
    """Those that only tables of papers need are marked, behind all other parameters."""
    (group,) = (g for g in PARSERS[command].build_parser(None)._action_groups
                if g.title == "algorithms")  # fmt: skip
    marked = ["For reproduction." in str(action.help) for action in group._group_actions]
    names = [action.dest for action in group._group_actions]
    assert names[-4:] == ["repetitions", "layered", "keep_adapting", "adapt_each"]
    assert marked == [False] * (len(names) - 4) + [True] * 4


def test_the_list_of_everything(run: Run) -> None:
    """`solve list` has a line with a description for each problem, set and game."""
    finished = run("solve", "list")
    assert (finished.status, finished.err) == (0, "")
    lines = dict(
        line.strip().split(None, 1) for line in finished.out.splitlines() if line[0] == " "
    )
    assert set(lines) == {*DOMAINS, *BENCHMARKS, *GAMES}
    assert all(len(text.split()) > 1 for name, text in lines.items() if name not in DOMAINS)
