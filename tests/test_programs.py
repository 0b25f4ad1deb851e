"""Programs behind claims: each can be started, and what they start in turn is there."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "flows/trials", "tests/trials")
PROGRAMS = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).glob("*.py"))
    if "__main__" in path.read_text()
}
#: Arguments with which a program does a little of its work in seconds.
BUDGETS = {
    "benchmarks.house": [],
    "benchmarks.random_folds": ["1"],
    "benchmarks.mcps_tables": ["--show", "--out", "."],
    "benchmarks.parallel_tables": ["--show", "--out", "."],
}


def test_programs_are_found() -> None:
    """No folder was moved away from under this test."""
    assert len(PROGRAMS) > 25
    assert set(BUDGETS) < set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_can_be_imported(name: str) -> None:
    """All that it imports is there."""
    assert importlib.import_module(name).__doc__


@pytest.mark.parametrize(
    "name", [name for name, path in PROGRAMS.items() if "add_argument" in path.read_text()]
)
def test_every_program_reads_its_arguments(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` ends well."""
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(SystemExit) as end:
        runpy.run_module(name, run_name="__main__")
    assert end.value.code in (0, None)
    assert "usage" in capsys.readouterr().out.lower()


@pytest.mark.parametrize("name", BUDGETS)
def test_programs_with_a_tiny_budget(name: str, tmp_path: Path) -> None:
    """They come to an end and print what they are for."""
    done = subprocess.run(
        [sys.executable, "-m", name, *BUDGETS[name]],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout


def modules_started(source: str) -> set[str]:
    """Names of the modules that a program starts as processes, by `-m` or by `started`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "started" and node.args:
            found |= set(texts_of(node.args[0]))
        if isinstance(node, ast.List | ast.Tuple):
            for flag, module in zip(node.elts, node.elts[1:], strict=False):
                if getattr(flag, "value", None) == "-m":
                    found |= set(texts_of(module))
    return found


def texts_of(node: ast.expr) -> list[str]:
    """Return what a text may be; the commands of a formatted one are `learn` and `compare`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [
            "".join(
                str(part.value) if isinstance(part, ast.Constant) else command
                for part in node.values
            )
            for command in ("learn", "compare")
        ]
    return []


def test_modules_that_are_started_are_seen() -> None:
    """Literal ones, and those put together."""
    source = 'started("a.b", 1); run([sys.executable, "-m", "c", x]); started(f"d.{command}")'
    assert modules_started(source) == {"a.b", "c", "d.learn", "d.compare"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_programs_start_is_there(name: str) -> None:
    """A module that was moved would end the program in the middle of its work."""
    for module in modules_started(PROGRAMS[name].read_text()):
        assert importlib.util.find_spec(module) is not None, module
