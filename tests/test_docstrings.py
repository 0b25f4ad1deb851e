"""First lines of docstrings: noun phrases and imperatives, no clauses that hang in the air."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("solver", "pipeline", "generators", "flows", "benchmarks", "tests")
#: Words that begin a clause or a fragment, not a noun phrase or an imperative.
HANGING = {"How", "Of", "That", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_first_line_begins_with_a_clause(folder: str) -> None:
    """A reader sees at the first word what is described, or done."""
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
                words = (ast.get_docstring(node) or ".").split()
                if words[0] in HANGING:
                    name = getattr(node, "name", "module")
                    found.append(f"{path.relative_to(ROOT)}, {name}: {' '.join(words[:6])}")
    assert found == []
