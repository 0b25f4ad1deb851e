"""The manual pages of the commands, made from their parsers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pipeline.commands.learn import build_parser as learn_parser
from solver.commands.solve_parser import build_parser
from tests.docs.scripts import loaded

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "build/man/library"


@pytest.fixture(name="manual")
def manual_fixture(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`docs/site/manual.py`, which is no part of a package."""
    monkeypatch.syspath_prepend(str(LIBRARY))
    return loaded("docs/site/manual.py")


@pytest.mark.parametrize("parser", [build_parser(None), learn_parser(None)], ids=["solve", "learn"])
def test_a_page_has_the_options_of_all_problems(manual: ModuleType, parser: object) -> None:
    """Each option of each problem or game is in a group; none is there twice under one title."""
    manual.add_groups_of_problems(parser)
    groups = parser._action_groups  # type: ignore[attr-defined]
    listed = [
        (g.title, word) for g in groups for a in g._group_actions for word in a.option_strings
    ]
    assert len(listed) == len(set(listed))
    words = {word for _, word in listed}
    for one in parser.of_problems().values():  # type: ignore[attr-defined]
        assert words.issuperset(word for action in one._actions for word in action.option_strings)
    titles = [group.title for group in groups]
    assert len(titles) == len(set(titles))


def test_the_end_of_a_help_keeps_its_lines(manual: ModuleType) -> None:
    """Titles become sections; a line that roff would read as a request, or a dash, is text."""
    assert manual.closing("examples:\n  solve rna --page\n.x\\") == (
        ".nf\n.fi\n.SH EXAMPLES\n.nf\n\\&  solve rna \\-\\-page\n\\&.x\\e\n.fi\n"
    )
    assert manual.closing("") == ""


@pytest.mark.skipif(not LIBRARY.is_dir(), reason="`make man` was not run")
@pytest.mark.skipif(shutil.which("man") is None, reason="there is no `man`")
def test_man_reads_the_pages(tmp_path: Path) -> None:
    """Every page is read without a warning, and names its options."""
    command = [sys.executable, "docs/site/manual.py", str(tmp_path)]
    path = {"PYTHONPATH": str(LIBRARY)}
    subprocess.run(command, cwd=ROOT, env=path, check=True)
    pages = sorted(tmp_path.glob("*.1"))
    assert [page.stem for page in pages] == sorted(
        ["solve", "check", "learn", "compare", "report", "models", "make-puzzles"]
    )
    for page in pages:
        shown = subprocess.run(
            ["man", "--warnings", "-l", str(page)], capture_output=True, text=True, check=True
        )
        assert shown.stderr == ""
        assert "--help" in shown.stdout
