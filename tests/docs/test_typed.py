"""Programs that use the packages are checked by mypy, from outside of the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
from pathlib import Path

from solver import Budget, Gnrpa, Solution, load_domain, named_prior, solve
from solver.extend import Limits, Puzzle

domain: Puzzle = load_domain("latin-square")
(problem,) = domain.parse(Path("square.txt").read_text(), "square.txt")
prior = named_prior("latin-square", domain)
solution: Solution = solve(
    domain, problem, domain.options(), Gnrpa(level=2), Budget(playouts=10_000), prior=prior.table
)
limits: Limits = domain.limits(domain.instance(problem, domain.options()))
steps: int = limits.steps
print(solution.solved, solution.search.playouts, steps)
"""
WRONG = {
    "Gnrpa(level=2)": ('Gnrpa(level="2")', 'Argument "level" to "Gnrpa" has incompatible type'),
    "solution.solved": ("solution.solve", '"Solution" has no attribute "solve"'),
    "Budget(playouts=10_000)": ("Budget(playout=1)", 'Unexpected keyword argument "playout"'),
}
#: Programs by the names of their files: the right one, and one with each mistake.
PROGRAMS = {"program.py": PROGRAM} | {
    f"mistake_{number}.py": PROGRAM.replace(right, wrong)
    for number, (right, (wrong, _)) in enumerate(WRONG.items())
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Lines of mypy on each program: it reads the packages once for all, which takes the time."""
    folder = tmp_path_factory.mktemp("programs")
    for name, program in PROGRAMS.items():
        (folder / name).write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", *PROGRAMS]
    cache = {"MYPYPATH": str(ROOT), "MYPY_CACHE_DIR": str(ROOT / ".mypy_cache" / "programs")}
    environment = {**os.environ, **cache}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    return {name: [line for line in lines if line.startswith(f"{name}:")] for name in PROGRAMS}


def test_a_program_is_typed(said: dict[str, list[str]]) -> None:
    """It passes as it stands."""
    assert said["program.py"] == []


@pytest.mark.parametrize("number", range(len(WRONG)), ids=WRONG)
def test_mistakes_are_found(said: dict[str, list[str]], number: int) -> None:
    """A wrong type, name or keyword is an error of the program."""
    _, message = list(WRONG.values())[number]
    assert message in "\n".join(said[f"mistake_{number}.py"])
