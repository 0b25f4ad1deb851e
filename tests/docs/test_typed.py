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


def checked(folder: Path, program: str) -> str:
    """Return the output of mypy for a program in a folder of its own."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py"]
    cache = {"MYPYPATH": str(ROOT), "MYPY_CACHE_DIR": str(ROOT / ".mypy_cache" / "programs")}
    environment = {**os.environ, **cache}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_a_program_is_typed(tmp_path: Path) -> None:
    """It passes as it stands."""
    said = checked(tmp_path, PROGRAM)
    assert not [line for line in said.splitlines() if line.startswith("program.py")]


@pytest.mark.parametrize("right", WRONG)
def test_mistakes_are_found(tmp_path: Path, right: str) -> None:
    """A wrong type, name or keyword is an error of the program."""
    wrong, message = WRONG[right]
    assert message in checked(tmp_path, PROGRAM.replace(right, wrong))
