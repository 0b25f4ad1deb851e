"""A problem of a file that cannot be read costs only itself, wherever several are read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from solver.contract.problems import UnreadableProblem
from solver.domains import load_domain
from solver.system.letters import printable_name
from tests.commands.shell import Run, rows_of

BOARD = "X 3\\ 4\\\n\\3 . .\n\\4 . .\n"
ONE_NODE = "1\n0\n0 9\n"
#: Two problems with one between them that cannot be read, and what is said of it.
MIXED = {
    "rna": ("((((....))))\n(()())..\n((...))\n", "line 2, position 2: "),
    "latin-square": ("1 .\n. .\n\n1 9\n. .\n\n# last\n. 1\n. .\n", "line 4, entry 2: '9'"),
    "kakuro": (
        f"{BOARD}\n{BOARD.replace('3 . .', '3 . q')}\n# last\n{BOARD}",
        "line 6, entry 3: 'q'",
    ),
    "samegame": ("11\n22\n\n11\n2x\n\n# last\n33\n11\n", "line 5, position 2: 'x'"),
    "morpion": ("oooo.\n\noooo.\noo?\n\n# last\noooo.\n", "line 4, position 3: '?'"),
}
QUICK = ("--playouts", 20)


def written(folder: Path, text: str, name: str = "problems.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", MIXED)
def test_the_others_are_solved(run: Run, tmp_path: Path, name: str) -> None:
    """It is a row with its error, file and line, in its place; the status is 2."""
    text, where = MIXED[name]
    path = written(tmp_path, text)
    finished = run("solve", name, path, *QUICK, "--json")
    records = [json.loads(line) for line in finished.out.splitlines()]
    assert finished.status == 2
    assert [record["status"] == "error" for record in records] == [False, True, False]
    assert records[1]["error"].startswith(f"{path}: {where}")
    assert records[1]["name"] == "problems.txt#2"
    assert all(records[1][key] is None for key in ("score", "best_known", "answer"))
    assert f"problems.txt#2: error: {path}: {where}" in finished.err
    assert "1 failed" in finished.err.splitlines()[-1]
    assert all(record["answer"] for record in records[::2])


@pytest.mark.parametrize("name", MIXED)
def test_where_nothing_can_be_read(run: Run, tmp_path: Path, name: str) -> None:
    """One line, of the first."""
    wrong = {"rna": "(()\n(..\n", "kakuro": "X q\n\nX r\n", "samegame": "1x\n\n1y\n"}
    path = written(tmp_path, wrong.get(name, "o ?\n? o\n\n? .\n. ?\n"))
    finished = run("solve", name, path, *QUICK)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"solve: {path}: line 1")
    assert len(finished.err.splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        ">a\n((...))\n>b\n((...)\n>c\n(...)\n",
        ">a\n((...))\n>b\n>c\n(...)\n",
        ">a\n((...))\n>b\nGGAAA\n((...))\n>c\n(...)\n",
        "name,structure\na,((...))\nb,((...)\nc,(...)\n",
        "name,structure\na,((...))\nb,((...)),more\nc,(...)\n",
        '{"name": "a", "structure": "((...))"}\n{"structure": 3}\n{"structure": "(...)"}',
        "a\t((...))\nb\t((..)\nc\t(...)\n",
        "((...))\n((...))\nGGAAACC\n(...)\n",
        "GGAAACC\n((...))\nGGAA\n((...))\nGAAAC\n(...)\n",
        ">name\na\n>sec_struct\n((...))\n>name\nb\n>seq_restr\nN\n>name\nc\n>sec_struct\n(...)\n",
    ],
)
def test_every_format_of_targets(text: str) -> None:
    """Wherever it can be told where a target ends, the next one is read."""
    problems = load_domain("rna").parse(text, "f")
    assert [isinstance(one, UnreadableProblem) for one in problems] == [False, True, False]
    assert [one.data.structure for one in problems[::2]] == ["((...))", "(...)"]
    unreadable = problems[1]
    assert isinstance(unreadable, UnreadableProblem)
    assert unreadable.message.startswith("f: line ")


def test_a_row_that_begins_with_a_black_cell(tmp_path: Path) -> None:
    """A row of `#` is no comment; its board cannot be read, the others can."""
    text = f"{BOARD}\n# # #\n{BOARD}\n# a comment\n{BOARD}"
    problems = load_domain("kakuro").parse(text, "f")
    assert [isinstance(one, UnreadableProblem) for one in problems] == [False, True, False]
    assert "line 5: `#` begins a comment" in str(problems[1])


def test_comparisons_go_on_without_it(run: Run, tmp_path: Path, no_report: None) -> None:
    """It is a row with its error, said on stderr; again the others are not run again."""
    text, where = MIXED["latin-square"]
    path, out = written(tmp_path, text), tmp_path / "out"
    command = ("compare", "latin-square", path, "--algorithm", "sampling", *QUICK, "--out", out)
    for _ in range(2):
        finished = run(*command)
        assert finished.status == 2
        assert f"{path}: {where}" in finished.err
        rows = rows_of(out)
        assert sorted(row["status"] for row in rows) == ["error", "solved", "solved"]
        assert len(rows_of(out, "problems")) == 2


def test_a_file_of_several(run: Run, tmp_path: Path, no_report: None) -> None:
    """A tour is a file of its own: one that cannot be read costs no other, but has to be there."""
    good, bad = written(tmp_path, ONE_NODE), written(tmp_path, "1\n0\n9 0\n", "bad.txt")
    out = tmp_path / "out"
    command = ("compare", "tsptw", good, bad, "--algorithm", "sampling", *QUICK, "--out", out)
    finished = run(*command)
    assert finished.status == 2
    assert f"{bad}: line 3: the window of node 0 ends before it starts" in finished.err
    assert sorted(row["status"] for row in rows_of(out)) == ["error", "solved"]
    finished = run(*command[:3], tmp_path / "missing.txt", *command[4:])
    assert finished.status == 2
    assert "missing.txt" in finished.err
    assert len(rows_of(out)) == 2
    finished = run(*command[:2], bad, bad, *command[4:])
    assert (finished.status, len(finished.err.splitlines())) == (2, 1)


def test_plans_go_on_without_it(run: Run, tmp_path: Path, no_report: None) -> None:
    """A plan reads problems as the command line does."""
    path, out = written(tmp_path, MIXED["samegame"][0]), tmp_path / "out"
    options = 'problem = "samegame"\nplayouts = 9\nalgorithm = "sampling"\n'
    plan = f'[boards]\nfiles = ["{path}"]\n{options}'
    finished = run("compare", "--plan", written(tmp_path, plan, "plan.toml"), "--out", out)
    assert finished.status == 2
    rows = rows_of(out / "runs" / "boards")
    assert sorted(row["status"] for row in rows) == ["error", "solved", "solved"]


def test_problems_of_a_users_own_domain(run: Run, tmp_path: Path) -> None:
    """`read_each` and `named_blocks` are all that a domain needs."""
    domain = written(
        tmp_path,
        """
from functools import partial
import numpy as np
from solver.contract.domain import NoOptions, read_each
from solver.errors import InputError
from solver.system.text_blocks import named_blocks, numbered_lines
from tests.toys.sequence import SequenceOptions, TargetDomain

class Digits(TargetDomain):
    name = "digits"
    options = NoOptions

    def instance(self, problem, options):
        return super().instance(problem, SequenceOptions())

    def parse(self, text, source):
        blocks = named_blocks(numbered_lines(text), source)
        return read_each((name, partial(self.read, block, source)) for name, block in blocks)

    def read(self, block, source):
        ((number, line),) = block
        if not set(line) <= set("0123."):
            raise InputError(f"{source}: line {number}: {line!r}, expected digits or .")
        return np.array([-1 if entry == "." else int(entry) for entry in line])
""",
        "digits.py",
    )
    path = written(tmp_path, "..3.0\n\n..x\n\n....\n")
    finished = run("solve", domain, path, *QUICK, "--json")
    assert finished.status == 2
    assert f"{path}: line 3: '..x', expected digits or ." in finished.err
    statuses = [json.loads(line)["status"] for line in finished.out.splitlines()]
    assert [status == "error" for status in statuses] == [False, True, False]


def test_a_problem_that_is_not_there(tmp_path: Path) -> None:
    """A Python program gets a missing problem as a value; its solution raises the error."""
    from solver import Budget, InputError, Sampling, solve

    domain: Any = load_domain("latin-square")
    problem = domain.parse(MIXED["latin-square"][0], "f")[1]
    with pytest.raises(InputError, match=r"^f: line 4, entry 2: '9'"):
        solve(domain, problem, domain.options(), Sampling(), Budget(1))


#: A name of a file that is not UTF-8, and as it is shown.
LATIN_1, SHOWN = os.fsdecode(b"c\xe9.txt"), "c\\xe9.txt"


def test_names_of_files_that_are_no_utf_8(run: Run, tmp_path: Path) -> None:
    """They are shown with the numbers of their bytes: in answers, in records, in reports."""
    path = written(tmp_path, "1 .\n. .\n\n. 1\n. .\n", LATIN_1)
    finished = run("solve", "latin-square", path, *QUICK, "--out", tmp_path / "answers.txt")
    assert finished.status == 0
    assert f"# {SHOWN}\n" in (tmp_path / "answers.txt").read_text(encoding="utf-8")
    words = ("compare", "latin-square", path, "--algorithm", "sampling", *QUICK)
    for _ in range(2):
        assert run(*words, "--out", tmp_path / "runs").status == 0
    assert {row["family"] for row in rows_of(tmp_path / "runs")} == {SHOWN}


def test_tables_need_a_path_in_utf_8(run: Run, tmp_path: Path) -> None:
    """A line says so where one is read or written."""
    path = written(tmp_path, "1 .\n. .\n")
    where = tmp_path / os.fsdecode(b"\xe9.parquet")
    where.write_bytes(b"")
    said = "the path is not UTF-8, as that of a table must be\n"
    finished = run("solve", "latin-square", path, *QUICK, "--prior", where)
    assert (finished.status, finished.err) == (2, f"solve: {printable_name(str(where))}: {said}")
    where = tmp_path / os.fsdecode(b"runs\xe9")
    words = ("compare", "latin-square", path, "--algorithm", "sampling", *QUICK)
    finished = run(*words, "--out", where)
    assert finished.status == 2
    assert finished.err.endswith(said)
