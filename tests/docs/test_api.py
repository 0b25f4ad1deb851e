"""The API page: its example runs; the columns of a run are in the docstring that it names."""

from __future__ import annotations

import ast
import doctest
import inspect
import re

import pytest

import solver
from pipeline.results import runs
from pipeline.tables.columns import COLUMNS
from tests.docs.guide import ROOT, Guide

PAGE = Guide("api.md", "")


def test_the_example_prints_what_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed in the folder of the repository; trailing blanks are not compared."""
    monkeypatch.chdir(ROOT)
    (session,) = (block for block in PAGE.blocks() if block.startswith(">>> "))
    example = doctest.DocTestParser().get_doctest(session, {}, PAGE.page, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    result = runner.run(example)
    assert (result.failed, result.attempted) == (0, 3)


def test_the_example_of_the_docstring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for `help(read_runs)`."""
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(runs, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert (result.failed, result.attempted) == (0, 2)


def test_every_column_is_documented() -> None:
    """The docstring documents every column, in the order of the file."""
    text = str(runs.read_runs.__doc__)
    places = [text.find(f"\n        {column.name} : {column.dtype}") for column in COLUMNS]
    assert -1 not in places
    assert places == sorted(places)


def test_calls_of_the_page_fit_their_functions() -> None:
    """Each takes the arguments that the page gives it."""
    text = (ROOT / "docs" / PAGE.page).read_text(encoding="utf-8")
    found = re.findall(r"^- `(\w+\([^`]*\))`", text, re.MULTILINE)
    calls = [call for call in found if "..." not in call]
    assert any(call.startswith("solutions(") for call in calls)
    for call in calls:
        tree = ast.parse(call, mode="eval").body
        assert isinstance(tree, ast.Call)
        assert isinstance(tree.func, ast.Name)
        names = {word.arg: None for word in tree.keywords if word.arg}
        signature = inspect.signature(getattr(solver, tree.func.id))
        signature.bind(*tree.args, **names)
