"""`solve --solutions`, `--unique` and `--count`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from solver.domains.latin_square.text import format_grid, parse_grids
from tests.commands.shell import Run
from tests.searching_squares import all_squares

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "solutions.schema.json").read_text())
EMPTY = ". . .\n" * 3
ONE = "1 2 3\n2 . .\n3 . .\n"
#: No two values of the last row fit, which takes a decision to see.
NONE = (Path(__file__).parents[1] / "solver/searching/order-12-infeasible.txt").read_text()


def test_all_solutions_are_written_as_they_are_found(run: Run) -> None:
    """Those of brute force, each a line of JSON, and then what became of the search."""
    finished = run("solve", "latin-square", "-", "--solutions", "all", "--json", stdin=EMPTY)
    *found, result = map(json.loads, finished.out.splitlines())
    for line in (*found, result):
        jsonschema.validate(line, SCHEMA)
    answers = {parse_grids(line["answer"], "answer")[0][1].tobytes() for line in found}
    assert answers == set(all_squares(np.full((3, 3), -1, np.int16)))
    assert [line["solution"] for line in found] == list(range(1, 13))
    assert (finished.status, result["status"], result["solutions"]) == (0, "exact", 12)
    assert result["unique"] is False
    assert parse_grids(result["problem"], "problem")[0][1].max() == -1


def test_texts_of_solutions_are_answers(run: Run) -> None:
    """As many as asked for, in the domain's format; stderr says that there may be others."""
    finished = run("solve", "latin-square", "-", "--solutions", 2, stdin=EMPTY)
    grids = [grid for _, grid in parse_grids(finished.out, "out")]
    assert len(grids) == 2
    assert format_grid(grids[0]) != format_grid(grids[1])
    assert "at least 2 solutions" in finished.err
    assert finished.status == 0


@pytest.mark.parametrize(
    ("text", "option", "word", "status"),
    [
        (ONE, ["--unique"], "unique", 0),
        (EMPTY, ["--unique"], "several", 0),
        (NONE, ["--unique"], "none", 3),
        (EMPTY, ["--unique", "--playouts", 1], "unknown", 1),
        (EMPTY, ["--count", "all"], "12", 0),
        (EMPTY, ["--count", 5], "at least 5", 0),
        (EMPTY, ["--count", "all", "--playouts", 4], "at least 4", 1),
        (NONE, ["--count", 5], "0", 3),
    ],
)
def test_words_and_status(
    run: Run, text: str, option: list[object], word: str, status: int
) -> None:
    """A line for the problem, exact or at least."""
    finished = run("solve", "latin-square", "-", *option, stdin=text)
    assert finished.out.strip().split("\t")[1] == word
    assert finished.status == status


def test_one_that_cannot_be_read_costs_no_other(run: Run) -> None:
    """It has a line of its own, and the status of bad input."""
    text = f"# good\n{ONE}\n# bad\n1 1\n2 .\n"
    finished = run("solve", "latin-square", "-", "--unique", "--json", stdin=text)
    good, bad = map(json.loads, finished.out.splitlines())
    jsonschema.validate(bad, SCHEMA)
    assert (good["unique"], bad["status"], finished.status) == (True, "error", 2)
    assert "line 7" in bad["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["latin-square", "--unique", "--csv"], "--csv does not go with --unique"),
        (["latin-square", "--unique", "--algorithm", "gnrpa"], "--unique is for complete"),
        (["latin-square", "--count", "0"], "expected a number from 1, or all"),
        (["latin-square", "--count", "1" * 5000], "expected a number from 1, or all"),
        (["tsptw", "--count", "3"], "tsptw has no complete search"),
    ],
)
def test_bad_words(run: Run, arguments: list[object], message: str) -> None:
    """One line, and nothing on standard output."""
    finished = run("solve", *arguments)
    assert finished.status == 2
    assert message in finished.err
    assert finished.out == ""
