"""`check`: answers as `solve` prints them, and wrong and unreadable ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.shell import ROOT, Run
from tests.docs.guide import DOMAIN

#: A problem of every domain, as a file of tests/problems or as text.
PROBLEMS = {
    "latin-square": "1 . . 4\n. . 1 .\n. 1 . .\n4 . . .\n",
    "kakuro": "X 3\\ 4\\\n\\3 . .\n\\4 . .\n",
    "sudoku": "1 . . 4\n. . 1 .\n. 1 . .\n4 . . .\n",
    "rna": ">hairpin\n((((....))))\n",
    "morpion": "",
    "samegame": "",
    "tsptw": "4\n0 5 9 6\n5 0 7 3\n9 7 0 4\n6 3 4 0\n0 100\n0 40\n0 50\n9 60\n",
}
TOUR = PROBLEMS["tsptw"]


def write(folder: Path, **texts: str) -> list[Path]:
    """Write texts to files of their names."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


@pytest.mark.parametrize("domain", PROBLEMS)
def test_answers_of_solve(run: Run, tmp_path: Path, domain: str) -> None:
    """Text and JSON of `solve` are right, and have the same facts and score."""
    if PROBLEMS[domain]:
        (problem,) = write(tmp_path, problem=PROBLEMS[domain])
    else:
        problem = sorted((ROOT / "tests/problems" / domain).iterdir())[0]
    words = ["solve", domain, problem, "--algorithm", "sampling", "--prior", "none"]
    words += ["--playouts", 3000]
    printed, record = run(*words).out, run(*words, "--json").out
    text, lines = write(tmp_path, text=printed, lines=record)
    for answer in (text, lines):
        found = run("check", domain, problem, answer)
        assert (found.status, found.err) == (0, ""), found.out
        assert ": right" in found.out
    found = json.loads(run("check", domain, problem, text, "--json").out)
    stated = json.loads(record)
    assert (found["right"], found["why"], found["answer"]) == (True, None, stated["answer"])
    assert stated["score"] in (found["score"], 0.0, 1.0)
    for name in ("cost", "makespan", "cells_left", "moves", "energy", "structure"):
        assert found.get(name) == stated.get(name), name


@pytest.mark.parametrize(
    ("domain", "answer", "status", "line"),
    [
        ("tsptw", "0 1 3 2 0\n", 0, "problem: right; cost 21.0, makespan 22.0, violations 0"),
        ("tsptw", "0 1 1 2 0\n", 1, "problem: wrong: node 1 is visited 2 times, expected once"),
        ("tsptw", "0 1 3 0", 1, "problem: wrong: 4 nodes in the tour, expected 5"),
        ("tsptw", "0 1 x 2 0", 2, "line 1, entry 3: 'x', expected a node, 0 ... 3"),
        ("tsptw", '{"answer": null}', 1, "problem: wrong: no answer is stated"),
        (
            "tsptw",
            '{"answer": "0 1 3 2 0", "score": -20}',
            1,
            "problem: wrong: the score is -21, not -20 as stated; cost 21.0",
        ),
        (
            "tsptw",
            '{"answer": "0 1 3 2 0", "score": -21.0001}',
            1,
            "problem: wrong: the score is -21, not -21.0001 as stated; cost 21.0",
        ),
        ("latin-square", "1 2 3 4\n2 4 1 3\n3 1 4 2\n4 3 2 1\n", 0, "problem: right"),
        ("latin-square", "2 1 3 4\n1 4 2 3\n3 2 4 1\n4 3 1 2\n", 1, "row 1, column 1: a given"),
        ("latin-square", "1 2 3 4\n2 4 1 3\n3 2 4 1\n4 3 1 2\n", 1, "rows 1 and 3 of column 2"),
        ("latin-square", "1 2 3 4\n2 4 1 3\n3 1 4 2\n4 3 2 2\n", 1, "line 4: the same value"),
        ("latin-square", "1 2 3\n2 4 1\n3 1 2\n", 1, "answer has order 3, the problem 4"),
        ("latin-square", "1 2 3 4\n2 . 1 3\n3 1 4 2\n4 3 2 1\n", 1, "wrong: row 2"),
        ("sudoku", "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 2\n", 1, "wrong: row 4 does not hold every"),
        ("kakuro", "X 3\\ 4\\\n\\3 2 2\n\\4 1 3\n", 1, "holds a value twice"),
        ("kakuro", "X 3\\ 4\\\n\\3 1 2\n\\4 1 3\n", 1, "holds a value twice"),
        ("kakuro", "X 3\\ 4\\\n\\3 2 1\n\\4 1 3\n", 0, "problem: right"),
        ("kakuro", "2 1\n1 3\n", 0, "problem: right"),
        ("kakuro", "2 1\n1 4\n", 1, "line 3 has the sum 5, expected 4"),
        ("kakuro", "2 1 1\n1 3 1\n", 2, "unreadable: "),
        ("rna", "GGGGAAAACCCC\n", 0, "hairpin: right; sequence GGGGAAAACCCC"),
        ("rna", "ggggaaaacccc\n((((....))))\n", 0, "hairpin: right; sequence GGGGAAAACCCC"),
        ("rna", ">mine\nGGGGTTTTCCCC\n", 0, "hairpin: right; sequence GGGGUUUUCCCC"),
        ("rna", "GGGAAAAACCCC\n", 1, "positions 4 and 9: A and C do not pair"),
        ("rna", "GCGCAAAAGCGC\n", 0, "hairpin: right"),
        ("rna", "GGGGAAAACCC\n", 1, "11 bases, expected 12, one a position"),
        ("rna", "GGGGAAAACC7C\n", 2, "line 1, position 11: '7', expected a base"),
        ("rna", ">hairpin engine=none\nGGGUAAAAGCCC\n", 0, "engine vienna2"),
        ("rna", ">a\nGG\n>b\nCC\n", 2, "line 3: another record, expected one answer"),
    ],
)
def test_answers_of_others(
    run: Run, tmp_path: Path, domain: str, answer: str, status: int, line: str
) -> None:
    """Exit status and line tell right answers, wrong ones and unreadable ones apart."""
    problem, file = write(tmp_path, problem=PROBLEMS[domain], answer=answer)
    found = run("check", domain, problem, file)
    assert (found.status, found.err) == (status, "")
    assert line in found.out
    assert found.out.count("\n") == 1


def test_a_fold_that_differs(run: Run, tmp_path: Path) -> None:
    """The message names the first position at which the fold is another one."""
    problem, file = write(tmp_path, problem=">two\n((((....))))....\n", answer="A" * 16)
    assert run("check", "rna", problem, file).status == 1
    (file,) = write(tmp_path, answer="GGGUAAAAACCCAGGG\n")
    found = run("check", "rna", problem, file)
    assert found.status in (0, 1)
    if found.status:
        assert "positions, the first " in found.out


def test_options_and_requests(run: Run, tmp_path: Path) -> None:
    """Answers are judged by the options of their domain and the requests of its designer."""
    problem, file = write(tmp_path, problem=TOUR, answer="0 1 3 2 0")
    by_time = run("check", "tsptw", problem, file, "--objective", "makespan", "--json")
    assert json.loads(by_time.out)["score"] == -22.0
    (design,) = write(tmp_path, design="GGGGAAAACCCC\n")
    found = run("check", "rna", "((((....))))", design, "--gc", "10-20")
    assert found.status == 1
    assert "GC" in found.out


@pytest.mark.parametrize(
    ("words", "answer", "line"),
    [
        (("--open", "yes"), "0 1 3 2", "problem: right; cost 12.0, makespan 13.0, violations 0"),
        (("--end", "2"), "0 1 3 2 0", "problem: right; cost 12.0, makespan 13.0, violations 0"),
        (("--end", "3"), "0 1 3 2", "problem: wrong: the tour ends at node 2, expected node 3"),
    ],
)  # fmt: skip
def test_other_ends(
    run: Run, tmp_path: Path, words: tuple[str, ...], answer: str, line: str
) -> None:
    """Tours that end elsewhere, with the depot behind their end or without."""
    problem, file = write(tmp_path, problem=TOUR, answer=answer)
    found = run("check", "tsptw", problem, file, *words)
    assert found.out.startswith(line)
    assert found.err == ""


def test_windows_of_other_files(run: Run, tmp_path: Path) -> None:
    """Several windows of a place, and VROOM's JSON, by whose second window a tour is in time."""
    vroom = (
        '{"vehicles": [{"start": [0, 0], "end": [0, 0], "time_window": [0, 50]}],'
        ' "jobs": [{"location": [3, 4], "time_windows": [[8, 9], [0, 2]]}]}'
    )
    matrix = "2\n0 5\n5 0\n0 50\n0 2 8 9\n"
    problem, json_file, tour = write(tmp_path, problem=matrix, vroom=vroom, answer="0 1 0")
    for file, name in ((problem, "problem"), (json_file, "vroom")):
        found = run("check", "tsptw", file, tour)
        expected = f"{name}: right; cost 10.0, makespan 13.0, violations 0\n"
        assert (found.status, found.out) == (0, expected)


def test_late_tours(run: Run, tmp_path: Path) -> None:
    """A tour that is late is wrong: the first node that is late is named, the others counted."""
    problem, file = write(tmp_path, problem=TOUR.replace("0 50", "0 12"), answer="0 1 3 2 0")
    found = run("check", "tsptw", problem, file)
    assert found.status == 1
    assert "wrong: node 2 is reached at 13, due at 12; cost 21.0" in found.out
    (problem,) = write(tmp_path, problem=TOUR.replace("0 50", "0 9").replace("0 100", "0 20"))
    found = run("check", "tsptw", problem, file)
    assert "node 2 is reached at 13, due at 9, and 1 other window violated" in found.out


def test_several_problems(run: Run, tmp_path: Path) -> None:
    """Answers are told apart by the names of their problems, and each costs itself alone."""
    squares = "# one\n1 .\n. .\n\n# two\n2 .\n. .\n\n# three\n. .\n. .\n"
    (problems,) = write(tmp_path, problems=squares)
    solved = run("solve", "latin-square", problems)
    names = [line[2:] for line in solved.out.splitlines() if line.startswith("# ")]
    (text,) = write(tmp_path, text=solved.out)
    found = run("check", "latin-square", problems, text)
    assert (found.status, found.err) == (0, "3 of 3 answers right\n")
    assert found.out == "".join(f"{name}: right\n" for name in names)

    one, two, three = names
    answers = f"# {two}\n2 1\n2 1\n\n# {one}\n1 2\n2 x\n"
    (text,) = write(tmp_path, text=answers)
    found = run("check", "latin-square", problems, text)
    assert found.status == 2
    first, second = found.out.splitlines()
    assert first.startswith(f"{two}: wrong: ")
    assert f"{one}: unreadable: {text}: line 7, " in second or "line 7" in second
    assert found.err == f"0 of 2 answers right, 1 of 3 problems have none: {three}\n"

    (text,) = write(tmp_path, text="1 2\n2 1\n")
    found = run("check", "latin-square", problems, text)
    assert found.status == 2
    assert "text: no line # NAME, expected one above the answer to each of 3 " in found.err
    assert f"'# {one}'" in found.err


def test_an_unreadable_problem_without_an_answer(run: Run, tmp_path: Path) -> None:
    """The line that cannot be read is told, as `solve` does; the other answers are checked."""
    problem, text = write(
        tmp_path, problem=">bad\n((((....)))\n>fine\n((((....))))\n", text=">fine\nGGGGAAAACCCC\n"
    )
    found = run("check", "rna", problem, text)
    assert (found.status, ": right; " in found.out) == (2, True)
    assert f"{problem}: line 2, position 1: '(' is never closed" in found.err


def test_designs_with_numbers(run: Run, tmp_path: Path) -> None:
    """Several designs for a target are all checked; their records have numbers behind names."""
    problem, text = write(tmp_path, problem=PROBLEMS["rna"], text="")
    designs = run("solve", "rna", problem, "--designs", 3, "--playouts", 3000).out
    (text,) = write(tmp_path, text=designs)
    found = run("check", "rna", problem, text)
    assert (found.status, found.err) == (0, "3 of 3 answers right\n")


def test_solutions_and_infeasible_problems(run: Run, tmp_path: Path) -> None:
    """Lines of `solve --solutions` are read, and that there is no answer is proved again."""
    problem, lines = write(tmp_path, problem="1 .\n. .\n", lines="")
    (lines,) = write(
        tmp_path, lines=run("solve", "latin-square", problem, "--solutions", "all", "--json").out
    )
    assert run("check", "latin-square", problem, lines).status == 0
    problem, printed = write(tmp_path, problem="1 2 3\n. . .\n. . .\n", printed="")
    printed.write_text(run("solve", "latin-square", problem, "--solutions", "all").out)
    found = run("check", "latin-square", problem, printed)
    assert (found.status, found.err) == (0, "2 of 2 answers right\n")
    late, fine = TOUR.replace("0 40", "0 4"), TOUR
    for text, status, words in (
        (late, 0, "right: proved infeasible, node 1 is due at 4, the depot is 5 away"),
        (fine, 2, "not checked: no answer: that there is none is not proved here"),
    ):
        problem, lines = write(
            tmp_path, problem=text, lines='{"answer": null, "status": "infeasible"}'
        )
        found = run("check", "tsptw", problem, lines)
        assert (found.status, words in found.out) == (status, True), found.out


@pytest.mark.parametrize(
    ("square", "status", "words"),
    [
        ("1 2 3 .\n. . . 4\n. . . .\n. . . .\n", 0, "right: proved infeasible, "),
        ("1 2 3 .\n. . . 1\n. . . .\n. . . .\n", 1, "wrong: there is an answer"),
    ],
)
def test_a_grid_that_cannot_be_filled(
    run: Run, tmp_path: Path, square: str, status: int, words: str
) -> None:
    """The verdict of `solve` counts, not the part of a grid that comes with it."""
    problem, file = write(tmp_path, problem=square, answer="")
    line = json.loads(run("solve", "latin-square", problem, "--json").out)
    assert (line["status"] == "infeasible") == (status == 0)
    for answer in (line["answer"], None):
        file.write_text(json.dumps(line | {"status": "infeasible", "answer": answer}))
        found = run("check", "latin-square", problem, file)
        assert (found.status, words in found.out) == (status, True), found.out


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "answer: no answer found, the file is empty"),
        ("{", "answer: line 1, position 2: no JSON: Expecting property name"),
        ('{"answer": "0 1 3 2 0"}\n{"answer"', "answer: line 2, position 10: no JSON"),
        ("[1, 2]", "answer: entry 1: 1, expected an object with name and answer"),
        ('{"name": "problem"}', 'answer: an object without "answer"'),
        ('{"answer": 7}', "answer: answer is 7, expected a text or null"),
        ('{"answer": "0", "score": "a"}', "answer: score is 'a', expected a number or null"),
        ('{"answer": "0", "score": true}', "answer: score is True, expected a number or null"),
        ('{"answer": "0", "domain": "rna"}', "answer: an answer of 'rna', not of tsptw"),
        ('{"solutions": 3}', 'answer: no answer found, expected objects with "answer"'),
        ("[" * 100_000, "no JSON: nested too deeply"),
    ],
)
def test_unreadable_files(run: Run, tmp_path: Path, answer: str, message: str) -> None:
    """A line names file, line and what was expected; the status is 2."""
    problem, file = write(tmp_path, problem=TOUR, answer=answer)
    found = run("check", "tsptw", problem, file)
    assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
    assert message in found.err


def test_wrong_words(run: Run, tmp_path: Path) -> None:
    """Games, missing files and a second standard input are refused in a line."""
    problem, file = write(tmp_path, problem=TOUR, answer="0 1 3 2 0")
    for words, message in (
        (["hex", problem, file], "hex is a game, expected a problem: latin-square"),
        (["tsptw", problem], "1 files, expected FILE and ANSWER"),
        (["rc204.1", problem, file], "2 files, expected the file of answers"),
        (["tsptw", problem, tmp_path / "none"], "none: No such file"),
        (["tsptw", "-", "-"], "standard input is read once, expected a file for one of both"),
        (["nonogram", problem, file], "no problem or game called 'nonogram'"),
    ):
        found = run("check", *words)
        assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
        assert message in found.err
    assert run("check", "tsptw", problem, "-", stdin="0 1 3 2 0").status == 0
    assert run("check", "tsptw", "-", file, stdin=TOUR).status == 0


def test_a_domain_in_a_file(run: Run, tmp_path: Path) -> None:
    """The problem of a user's own file is checked as any other."""
    (tmp_path / DOMAIN.file).write_text(DOMAIN.whole_file())
    (problem,) = write(tmp_path, problem=DOMAIN.blocks()[0])
    printed = run("solve", tmp_path / DOMAIN.file, problem, "--playouts", 500).out
    (text,) = write(tmp_path, text=printed)
    found = run("check", tmp_path / DOMAIN.file, problem, text)
    assert found.status == 0, found
    assert "problem: right" in found.out
    (text,) = write(tmp_path, text="nonsense\n")
    assert run("check", tmp_path / DOMAIN.file, problem, text).status in (1, 2)


@pytest.mark.parametrize(
    ("unit", "stated", "told"),
    [
        (1, "-0.6", "right; cost 0.6, makespan 0.6, violations 0"),
        (1, "-0.6000001", "right; cost 0.6, "),
        (1, "-0.600001", "wrong: the score is -0.6, not -0.600001 as stated; cost 0.6"),
        (1 / 3, "-0.2", "right; cost 0.2, makespan 0.2, "),
        (1 / 3.7, "-0.162162", "right; cost 0.162162, makespan 0.162162, "),
        (1 / 3.7, "-0.16216", "wrong: the score is -0.162162"),
        (1e-6, "-6e-7", "right; cost 6e-07, makespan 6e-07"),
        (1e-6, "-9e-7", "wrong: the score is -6e-07, not -9e-07 as stated"),
        (1e-6, "0", "wrong: the score is -6e-07, not 0 as stated"),
    ],
)
def test_a_stated_score_in_any_unit(
    run: Run, tmp_path: Path, unit: float, stated: str, told: str
) -> None:
    """It may be rounded to seven digits or six decimals; the cost is told once."""
    costs = [[0, 0.1, 9], [9, 0, 0.2], [0.3, 9, 0]]
    rows = [" ".join(repr(unit * cost) for cost in row) for row in costs]
    text = "\n".join(["3", *rows, *["0 100"] * 3])
    (tmp_path / "tour.txt").write_text(f"{text}\n")
    answer = f'{{"answer": "0 1 2 0", "score": {stated}}}'
    found = run("check", "tsptw", tmp_path / "tour.txt", "-", stdin=answer)
    assert found.out.startswith(f"tour.txt: {told}"), found.out
