"""Lines of `solve --json` and rows of `--csv` are what docs/solve.schema.json says."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from solver.contract.designer import designer_class, designer_of
from solver.domains import DOMAINS, load_domain
from solver.games import GAMES
from tests.commands.shell import Run, ended, launched
from tests.commands.squares import CONTRADICTION, SQUARE
from tests.docs.guide import INTERPRETED

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "solve.schema.json").read_text())
GAME_SCHEMA = json.loads((DOCS / "solve-game.schema.json").read_text())
QUICK = ["--playouts", 50]
#: A problem of each domain as text, its status, and one that has no answer if there can be one.
PROBLEMS = {
    "latin-square": (SQUARE, "solved"),
    "kakuro": ("X 3\\ 4\\\n\\3 . .\n\\4 . .\n", "solved"),
    "sudoku": (". 2 3 4\n3 4 . 2\n2 1 4 .\n4 . 2 1\n", "solved"),
    "rna": ("((((....))))\n", "solved"),
    "morpion": ("5T\noooo.ooo.\n", "feasible"),
    "samegame": ("1122\n1122\n", "feasible"),
    "tsptw": ("3\n0 5 5\n5 0 5\n5 5 0\n0 100\n0 10\n0 10\n", "feasible"),
}


def validate(line: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(line, parse_constant=pytest.fail)
    jsonschema.validate(record, SCHEMA)
    return record


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain(run: Run, name: str) -> None:
    """A line fits the schema, and is worth what the domain's own verifier says."""
    text, status = PROBLEMS[name]
    finished = run("solve", name, "-", *QUICK, "--seconds", "inf", "--json", stdin=text)
    record = validate(finished.out)
    domain = load_domain(name)
    assert (finished.status, record["domain"], record["status"]) == (0, name, status)
    assert [key for key in record if key in domain.fact_names] == list(domain.fact_names)
    (problem,) = domain.parse(text, "standard input")
    answer = domain.parse_answer(problem, record["answer"], "answer")
    domain.verify(problem, answer)
    if domain.target is None:
        assert domain.objective(problem, answer) == record["score"]
    cls = designer_class(domain)
    designer = designer_of(domain, cls.requests_class(**cls.defaults))
    facts = designer.domain.facts(problem, answer) | designer.details(problem, answer)
    if record.get("lower_bound") is not None:  # proved beside the search
        facts |= domain.bound_facts(problem, answer, -record["lower_bound"])
    assert {key: record[key] for key in domain.fact_names} == {
        key: facts.get(key) for key in domain.fact_names
    }


def test_every_status(run: Run) -> None:
    """Problems without an answer have a line as well, with every key."""
    text = f"{SQUARE}\n{CONTRADICTION}"
    finished = run("solve", "latin-square", "-", *QUICK, "--json", stdin=text)
    records = [validate(line) for line in finished.out.splitlines()]
    assert [record["status"] for record in records] == ["solved", "infeasible"]
    late = PROBLEMS["tsptw"][0].replace("0 10\n", "0 6\n")
    record = validate(run("solve", "tsptw", "-", *QUICK, "--json", stdin=late).out)
    assert (record["status"], record["solved"], record["answer"]) == ("infeasible", False, None)


@pytest.mark.parametrize("name", GAMES)
def test_every_game(run: Run, name: str) -> None:
    """The object fits the schema of games, one of another key does not."""
    words = ["solve", name, "--playouts", 30, "--seconds", "inf", "--json"]
    record = json.loads(run(*words).out, parse_constant=pytest.fail)
    jsonschema.validate(record, GAME_SCHEMA)
    assert (record["game"], record["status"], record["playouts"]) == (name, "searched", 30)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record | {"domain": name}, GAME_SCHEMA)


@pytest.mark.parametrize("algorithm", ["uct", "puct", "flat", "mcps", "two-level-grave"])
def test_every_algorithm_of_games(algorithm: str) -> None:
    """Parameters have the values that were searched with, set or not."""
    words: list[Any] = ["hex", "--size", 3, "--algorithm", algorithm, "--playouts", 3, "--json"]
    with launched("solve", *words, environment=INTERPRETED) as process:
        record = json.loads(ended(process).out)
    jsonschema.validate(record, GAME_SCHEMA)
    assert None not in record["parameters"].values()


def test_a_position_that_is_over(run: Run) -> None:
    """It has no best move."""
    words = ["solve", "hex", "-", "--json"]
    record = json.loads(run(*words, stdin="xx\noo\nx to move\n").out)
    jsonschema.validate(record, GAME_SCHEMA)
    assert (record["status"], record["best"], record["candidates"]) == ("over", None, [])


def test_rows_have_the_keys_of_lines(run: Run) -> None:
    """A table has the answer, and the same facts as the lines, the budget in two columns."""
    for name, (text, _) in PROBLEMS.items():
        command = ["solve", name, "-", *QUICK]
        record = validate(run(*command, "--json", stdin=text).out)
        (row,) = csv.DictReader(io.StringIO(run(*command, "--csv", stdin=text).out))
        budget = record.pop("budget")
        assert int(row.pop("budget_playouts")) == budget["playouts"]
        assert row.pop("budget_seconds") == ""
        assert json.loads(row.pop("parameters")) == record.pop("parameters")
        for key in ("seconds", "threads"):
            assert float(row.pop(key)) >= 0
            record.pop(key)
        assert row == {key: "" if value is None else str(value) for key, value in record.items()}
