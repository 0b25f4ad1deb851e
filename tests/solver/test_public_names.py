"""The public names: loaded late, all of them documented."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import solver
from solver import extend

ROOT = Path(__file__).parents[2]
LAZY = """
import sys
import solver
assert "numba" not in sys.modules
solver.Budget
from solver import search, solve
assert callable(solve)
assert callable(search)
"""


@pytest.mark.parametrize("name", solver.__all__)
def test_public_names_are_there_and_documented(name: str) -> None:
    """Each can be imported, and docs/api.md says what it is."""
    assert getattr(solver, name) is not None
    assert re.search(rf"`{name}\b", (ROOT / "docs/api.md").read_text())


@pytest.mark.parametrize("name", extend.__all__)
def test_names_for_authors_are_documented(name: str) -> None:
    """Each is there, and docs/api.md says what it is."""
    assert getattr(extend, name) is not None
    assert re.search(rf"`{name}`", (ROOT / "docs/api.md").read_text())


def test_names_are_those_that_are_loaded() -> None:
    """The list for tools and the table of modules have the same names."""
    assert set(solver.__all__) == set(solver._HOMES)
    assert dir(solver) == sorted(solver.__all__)
    with pytest.raises(AttributeError, match="module 'solver' has no attribute 'slove'"):
        solver.__getattr__("slove")


def test_nothing_is_imported_before_it_is_used() -> None:
    """`import solver` is free, and no module hides a function of its name."""
    subprocess.run([sys.executable, "-c", LAZY], cwd=ROOT, check=True)
