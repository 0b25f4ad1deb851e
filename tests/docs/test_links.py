"""Links and names of modules in the documents lead somewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {part for part in path.relative_to(ROOT).parts if part.startswith(".")}
    and path.relative_to(ROOT).parts[0] not in ("build", "dist")
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files(path: Path) -> None:
    """Links within the project name files, names of modules can be imported."""
    text = path.read_text()
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (path.parent / target).exists(), target
    for file in re.findall(r"`((?:solver|pipeline|generators|flows|tests)/[\w/]+\.py)`", text):
        if path.name != "CHANGELOG.md":
            assert (ROOT / file).is_file(), file
    for module in re.findall(r"python -m ((?:solver|pipeline|flows|benchmarks)[\w.]+)", text):
        if path.name != "CHANGELOG.md":
            assert importlib.util.find_spec(module), module
