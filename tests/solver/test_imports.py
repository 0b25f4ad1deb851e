"""Dependencies point one way: flows -> pipeline, generators -> solver, and so between wings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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
#: What the modules of a wing may import, besides their own wing.
WINGS = {
    "pipeline.requests": set(),
    "pipeline.tables": set(),
    "pipeline.learning": {"tables"},
    "pipeline.comparing": {"requests", "tables"},
    "pipeline.results": {"tables"},
    "pipeline.matches": {"tables", "results", "reports"},
    "pipeline.publishing": {"requests", "tables", "learning", "comparing", "results"},
    "pipeline.reports": {"tables", "results"},
    "pipeline.commands": {
        "requests",
        "tables",
        "learning",
        "comparing",
        "matches",
        "results",
        "publishing",
        "reports",
    },
    "solver.system": {"errors", "domain"},
    "solver.compiling": {"errors", "domain", "system"},
    "solver.kernels": {"domain", "local_search", "compiling"},
    "solver.algorithms": {
        "errors",
        "domain",
        "local_search",
        "priors",
        "system",
        "compiling",
        "kernels",
    },
    "solver.propagation": {"domain", "compiling"},
    "solver.games": {"errors", "domain", "priors", "system", "compiling", "kernels"},
    "solver.domains": {
        "errors",
        "domain",
        "gaps",
        "local_search",
        "priors",
        "problems",
        "games",
        "system",
        "compiling",
        "propagation",
    },
}
#: Modules in a folder, `__init__` apart, and lines in a module: beyond, nobody keeps an overview.
MOST_MODULES, MOST_LINES = 14, 400
#: Of a kernel: a task, parameters, a workspace, a course, and what is its own.
MOST_ARGUMENTS = 6


def imported_modules(source: str) -> Iterator[str]:
    """Yield the modules that `source` imports, inside functions and by name too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            # What is imported may be a module itself.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            name = getattr(node.args[0], "value", None)
            if called in ("import_module", "__import__", "find_spec") and isinstance(name, str):
                yield name


def imported(source: str) -> set[str]:
    """Top-level packages that `source` imports."""
    return {name.split(".")[0] for name in imported_modules(source)}


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
    assert "e.f.g" in set(imported_modules(source))


@pytest.mark.parametrize("package", FORBIDDEN)
def test_imports_point_one_way(package: str) -> None:
    """No module of a package imports a package above it."""
    modules = sorted((ROOT / package).rglob("*.py"))
    assert modules
    for module in modules:
        wrong = imported(module.read_text()) & FORBIDDEN[package]
        assert not wrong, f"{module.relative_to(ROOT)} imports {sorted(wrong)}"


@pytest.mark.parametrize("wing", WINGS)
def test_wings_import_downwards(wing: str) -> None:
    """A wing imports only what lies below it, so that there is no circle."""
    package, name = wing.split(".")
    modules = sorted((ROOT / package / name).rglob("*.py"))
    assert len(modules) > 1
    for module in modules:
        names = [found.split(".") for found in imported_modules(module.read_text())]
        found = {parts[1] for parts in names if parts[0] == package and len(parts) > 1}
        wrong = found - WINGS[wing] - {name}
        assert not wrong, f"{module.relative_to(ROOT)} imports {sorted(wrong)} of {package}"


def test_every_wing_of_pipeline_is_listed() -> None:
    """A new wing says here what it may import."""
    folders = {path.parent.name for path in (ROOT / "pipeline").glob("*/__init__.py")}
    assert folders == {wing.split(".")[1] for wing in WINGS if wing.startswith("pipeline")}


@pytest.mark.parametrize("package", FORBIDDEN)
def test_folders_and_files_stay_small(package: str) -> None:
    """A folder has one subject and a dozen modules or so, a module one subject."""
    for folder in {path.parent for path in (ROOT / package).rglob("*.py")}:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, folder
        for module in modules:
            lines = len(module.read_text().splitlines())
            assert lines <= MOST_LINES, f"{module.relative_to(ROOT)} has {lines} lines"


def test_kernels_take_few_arguments() -> None:
    """What belongs together is in a tuple."""
    kernels = [
        (module, node)
        for module in sorted((ROOT / "solver").rglob("*.py"))
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef)
        and {"kernel", "allocating_kernel"} & {ast.unparse(mark) for mark in node.decorator_list}
    ]
    assert len(kernels) > 10
    for module, node in kernels:
        where = f"{module.relative_to(ROOT)}: {node.name}"
        assert len(node.args.args) <= MOST_ARGUMENTS, where
