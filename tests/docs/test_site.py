"""Pages and reference of `make docs`, without MkDocs, which an environment of its own has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import solver
import solver.extend
from tests.docs.scripts import loaded

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def build() -> Any:
    """The script, as a module."""
    pytest.importorskip("yaml")
    return loaded("docs/site/build.py")


def test_the_reference_has_every_public_name(build: Any) -> None:
    """Names of programs and of authors, but for constants, which have no docstring."""
    page = build.reference()
    for module in (solver, solver.extend):
        for name in module.__all__:
            found = re.search(rf"^::: [\w.]+\.{name}$", page, re.MULTILINE)
            assert (found is None) == name.isupper(), name


def test_pages_of_the_site_exist(build: Any) -> None:
    """Every page of the navigation is there, and every page of the guides is in it."""
    pages = re.findall(r"[\w/-]+\.md", str(build.CONFIG["nav"]))
    for page in pages:
        assert page == "reference.md" or (ROOT / page).is_file(), page
    guides = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
    assert guides <= set(pages)


def test_links_to_folders_are_text(build: Any) -> None:
    """A site has no lists of files."""
    text = "[data](data) [plan](tables.toml)"
    page = Path("docs/results/index.md")
    assert build.without_folders(text, page) == "data (`data`) [plan](tables.toml)"
