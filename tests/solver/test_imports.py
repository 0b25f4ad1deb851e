"""Dependencies point one way: flows -> pipeline, generators -> solver."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SCHEDULERS = {"flows", "prefect", "prefect_dask", "dask", "distributed"}
FORBIDDEN = {
    "solver": {"pipeline", "generators", "tests", *SCHEDULERS},
    "generators": {"pipeline", "tests", *SCHEDULERS},
    "pipeline": {"tests", *SCHEDULERS},
    "flows": {"tests", "benchmarks"},
}


def imported(source: str) -> set[str]:
    """Top-level packages that `source` imports, inside functions and by name too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        names: list[str | None] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        elif isinstance(node, ast.Call) and node.args:
            function = node.func
            called = getattr(function, "attr", getattr(function, "id", ""))
            if called in ("import_module", "__import__", "find_spec"):
                names = [getattr(node.args[0], "value", None)]
        found |= {name.split(".")[0] for name in names if isinstance(name, str)}
    return found


def test_every_form_of_import_is_seen() -> None:
    """The scan finds imports in functions, with aliases, of submodules and by name."""
    source = """
import a, b.c as d
from e.f import g
from . import near
def function():
    import h
    if TYPE_CHECKING:
        from i import j
    importlib.import_module("k.l")
    __import__("m")
"""
    assert imported(source) == {"a", "b", "e", "h", "i", "k", "m"}


@pytest.mark.parametrize("package", FORBIDDEN)
def test_imports_point_one_way(package: str) -> None:
    """No module of a package imports a package above it."""
    modules = sorted((ROOT / package).rglob("*.py"))
    assert modules
    for module in modules:
        wrong = imported(module.read_text()) & FORBIDDEN[package]
        assert not wrong, f"{module.relative_to(ROOT)} imports {sorted(wrong)}"
