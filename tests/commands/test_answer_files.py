"""Files of answers as `check` reads them: names above answers, empty answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from solver.commands.check.answer_files import read_answers
from solver.contract.domain import Problem
from solver.domains import load_domain
from tests.commands.shell import Run

BOARDS = "# one\n1122\n2211\n\n# two\n1111\n"
STARTS = "# one\noooo.\n\n# two\n.oooo\n"


def solved(run: Run, folder: Path, domain: str, text: str, *words: str) -> tuple[Path, Path]:
    """Write problems, and the answers that `solve` finds to them."""
    problems, answers = folder / "problems.txt", folder / "answers.txt"
    problems.write_text(text)
    run("solve", domain, problems, "--playouts", 50, "--out", answers, *words)
    return problems, answers


@pytest.mark.parametrize(("domain", "text"), [("samegame", BOARDS), ("morpion", STARTS)])
def test_names_above_moves(run: Run, tmp_path: Path, domain: str, text: str) -> None:
    """The answers of `solve` to several problems are read, and so are those with comments."""
    problems, answers = solved(run, tmp_path, domain, text)
    assert answers.read_text().startswith("# one\n")
    found = run("check", domain, problems, answers)
    assert (found.status, found.err) == (0, "2 of 2 answers right\n"), found.out
    answers.write_text(answers.read_text().replace("# two\n", "# two\n# by hand\n"))
    assert run("check", domain, problems, answers).status == 0


def test_names_in_comments_are_no_answers() -> None:
    """Only the title of a record, which says more than a name, is left for the domain to read."""
    problems = [Problem("one", None), Problem("two", None)]
    for domain, mark, expected in (("samegame", "# ", "\n1\n"), ("rna", ">", ">one\n1\n")):
        text = f"{mark}one\n1\n{mark}two\n2\n"
        first, second = read_answers(load_domain(domain), problems, text, "answers")
        assert first.text == expected
        assert (second.problem, (second.text or "").split()[-1]) == (problems[1], "2")


@pytest.mark.parametrize(
    ("domain", "stuck", "open_", "told"),
    [
        ("samegame", "1\n", "11\n", "wrong: the group at 1,1 is left, expected none"),
        ("morpion", "o\n", "oooo\n", "right; 0 moves"),
    ],
)
def test_no_moves(run: Run, tmp_path: Path, domain: str, stuck: str, open_: str, told: str) -> None:
    """No moves are the answer where none is possible, and only there."""
    problems, answers = solved(run, tmp_path, domain, stuck)
    assert not answers.read_text().strip()
    found = run("check", domain, problems, answers)
    assert (found.status, found.err) == (0, ""), found
    assert ": right; " in found.out
    problems.write_text(open_)
    found = run("check", domain, problems, answers)
    assert (found.status, found.out) == (2, "")
    assert found.err.endswith("answers.txt: no answer found, the file is empty\n")
    answers.write_text('{"answer": ""}\n')
    assert told in run("check", domain, problems, answers).out


TWINS = "# a\n1 .\n. .\n\n# b\n. 2\n. .\n\n# a\n2 .\n. .\n"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_problems_of_one_name(run: Run, tmp_path: Path, form: tuple[str, ...]) -> None:
    """Answers to problems of one name are in their order; one that lacks is told."""
    problems, answers = solved(run, tmp_path, "latin-square", TWINS, *form)
    found = run("check", "latin-square", problems, answers)
    assert (found.status, found.out) == (0, "a: right\nb: right\na: right\n"), found
    lines = answers.read_text()
    mark = '{"name": "a"' if form else "# a"
    answers.write_text(lines[: lines.rindex(mark)])
    found = run("check", "latin-square", problems, answers)
    assert (found.status, found.out) == (1, "a: right\nb: right\n")
    assert found.err == "2 of 2 answers right, 1 of 3 problems have none: a\n"
    answers.write_text(lines + lines)
    found = run("check", "latin-square", problems, answers)
    assert (found.status, found.out) == (2, "")
    assert "another answer to 'a', expected one to each of 2 problems of that name" in found.err


def test_an_answer_without_a_name(run: Run, tmp_path: Path) -> None:
    """It can be one to a single problem only; the message says that the name lacks."""
    problems, answers = tmp_path / "problems.txt", tmp_path / "answers.json"
    problems.write_text(TWINS)
    answers.write_text('{"name": "b", "answer": "1 2\\n2 1"}\n{"answer": "1 2\\n2 1"}\n')
    found = run("check", "latin-square", problems, answers)
    expected = "answers.json: line 2: no name, expected that of one of 3 problems\n"
    assert (found.status, found.out) == (2, "")
    assert found.err.endswith(expected)


def test_several_answers_one_of_which_is_wrong() -> None:
    """Those of a text without names are told apart if each has the form of an answer."""
    domain = load_domain("latin-square")
    (problem,) = domain.parse(". .\n. .\n", "square")
    for second in ("1 1\n2 2\n", "1\n"):
        answers = read_answers(domain, [problem], f"1 2\n2 1\n\n{second}", "answers")
        assert [(one.text or "").strip() for one in answers] == ["1 2\n2 1", second.strip()]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_several_designs_for_targets_of_one_name(
    run: Run, tmp_path: Path, form: tuple[str, ...]
) -> None:
    """The numbers of designs grow up to the next target."""
    text = ">t\n((((....))))\n\n>t\n(((....)))\n"
    problems, answers = solved(run, tmp_path, "rna", text, "--designs", "2", *form)
    found = run("check", "rna", problems, answers)
    assert (found.status, found.err) == (0, "4 of 4 answers right\n"), found
