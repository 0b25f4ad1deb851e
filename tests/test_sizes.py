"""Sizes that keep the house readable; `make lint` holds the directions of imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PACKAGES = ("solver", "generators", "pipeline", "flows")
#: Modules in a folder, `__init__` apart, and lines in a module: beyond, nobody keeps an overview.
MOST_MODULES, MOST_LINES = 14, 400
#: Of a kernel: a task, parameters, a workspace, a course, and what is its own.
MOST_ARGUMENTS = 6


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_and_files_stay_small(package: str) -> None:
    """A folder has one subject and a dozen modules or so, a module one subject."""
    for folder in {path.parent for path in (ROOT / package).rglob("*.py")}:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, folder
        for module in modules:
            lines = len(module.read_text().splitlines())
            assert lines <= MOST_LINES, f"{module.relative_to(ROOT)} has {lines} lines"


def test_kernels_take_few_arguments() -> None:
    """Kernels take few arguments: related ones are in a tuple."""
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
