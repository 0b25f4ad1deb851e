"""`compare` on problems of files: known by their content, kept, and run once each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generators.given import read_given
from pipeline.commands.compare import read_run_request
from pipeline.comparing.plan import RunComparison
from solver.domains import DOMAINS, load_domain
from tests.commands.shell import Run, lines_of, rows_of
from tests.commands.squares import SQUARE
from tests.instances import PROBLEMS

TWO = f"{SQUARE}\n# the empty one\n. . .\n. . .\n. . .\n"
OPTIONS = ["latin-square", "--algorithm", "sampling", "--playouts", 30]

pytestmark = pytest.mark.usefixtures("no_report")


def squares(folder: Path, text: str = TWO) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "squares.txt").write_text(text)
    return folder / "squares.txt"


def runs_of(path: Path, *more: Any) -> list[str]:
    """Identities of the jobs that are planned on a file."""
    argv = [*map(str, OPTIONS), *map(str, more), str(path)]
    comparison = RunComparison.of(read_run_request(argv[0], argv)[1])
    return [comparison.identity(job) for job in comparison.jobs]


def test_problems_of_a_file_are_compared_on(run: Run, tmp_path: Path) -> None:
    """A run on each; problems and runs are kept under names without folders."""
    out = tmp_path / "out"
    finished = run("compare", *OPTIONS, "--out", out, squares(tmp_path / "mine"))
    assert (finished.status, finished.err) == (0, "")
    rows, kept = rows_of(out), rows_of(out, "problems")
    assert {row["family"] for row in rows} == {"squares.txt"}
    assert {row["instance"] for row in rows} == {row["instance"] for row in kept}
    assert sorted(row["name"] for row in kept) == ["squares.txt", "the empty one"]
    assert [row["status"] for row in rows] == ["solved"] * 2
    domain = load_domain("latin-square")
    for row in rows:
        (text,) = (one["problem"] for one in kept if one["instance"] == row["instance"])
        (problem,) = domain.parse(text, "kept")
        domain.verify(problem, domain.parse_answer(problem, row["solution"], "row"))


def test_a_problem_is_known_by_its_content(tmp_path: Path) -> None:
    """The same problems elsewhere, in another order or with comments, are the same jobs."""
    first = runs_of(squares(tmp_path / "a"))
    assert len(set(first)) == 2
    assert runs_of(squares(tmp_path / "b")) == first
    turned = f"# the empty one\n. . .\n. . .\n. . .\n\n# named\n{SQUARE}"
    assert runs_of(squares(tmp_path / "c", turned)) == first[::-1]
    other = runs_of(squares(tmp_path / "d", TWO.replace("1 . 3 .", "1 . . 3")))
    assert other[0] != first[0]
    assert other[1] == first[1]


def test_finished_runs_on_files_are_not_run_again(run: Run, tmp_path: Path) -> None:
    """A second command, from another folder and with one problem more, runs only the new one."""
    out = tmp_path / "out"
    run("compare", *OPTIONS, "--out", out, squares(tmp_path / "a", SQUARE))
    assert lines_of(out / "journal.jsonl") == 1
    finished = run("compare", *OPTIONS, "--out", out, squares(tmp_path / "b"))
    assert finished.status == 0
    assert lines_of(out / "journal.jsonl") == 2
    assert len(rows_of(out)) == 2


def test_the_same_problem_twice_is_two_instances(tmp_path: Path) -> None:
    """Neither is lost: their names, and so their runs, are told apart, and their seeds."""
    path = squares(tmp_path, f"{SQUARE}\n{SQUARE}")
    assert len(set(runs_of(path))) == 2
    request = read_run_request("latin-square", [*map(str, OPTIONS), str(path)])[1]
    assert len({job.seed for job in RunComparison.of(request).jobs}) == 2


def test_the_error_of_a_mended_problem_is_gone(run: Run, tmp_path: Path) -> None:
    """A problem that could be read neither is nor was among the runs, once it is mended."""
    out = tmp_path / "out"
    path = squares(tmp_path, f"{SQUARE}\n# ragged\n1 2 3\n. .\n3 1 2\n")
    assert run("compare", *OPTIONS, "--out", out, path).status == 2
    assert sorted(row["status"] for row in rows_of(out)) == ["error", "solved"]
    squares(tmp_path, f"{SQUARE}\n# ragged\n1 2 3\n. . .\n3 1 2\n")
    assert run("compare", *OPTIONS, "--out", out, path).status == 0
    assert [row["status"] for row in rows_of(out)] == ["solved"] * 2


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """Names of problems include the folder if file names alone are ambiguous."""
    domain = load_domain("latin-square")
    paths = [str(squares(tmp_path / name, SQUARE)) for name in ("a", "b")]
    given = read_given(domain, paths)
    assert [one.name for one in given.problems] == ["squares.txt", paths[1]]
    assert given.family == "given problems"


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_reads_files(run: Run, tmp_path: Path, name: str) -> None:
    """The problems that the tests share, each from a file of its own."""
    files = sorted((PROBLEMS / name).iterdir(), key=lambda path: path.stat().st_size)[:2]
    out = tmp_path / "out"
    finished = run("compare", name, *files, *OPTIONS[1:], "--playouts", 3, "--out", out)
    assert (finished.status, finished.err) == (0, "")
    assert {row["family"] for row in rows_of(out)} == {f"files of {name}"}
    assert len(rows_of(out)) == len(rows_of(out, "problems")) == 2


def test_a_problem_that_cannot_be_built_costs_no_other(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a row with a message, said on stderr, and the status is 2."""
    from solver.domains.latin_square.domain import LatinSquareDomain
    from solver.errors import InputError

    real = LatinSquareDomain.instance

    def choosy(domain: Any, problem: Any, options: Any) -> Any:
        if len(problem.data) == 4:
            raise InputError(f"{problem.name}: four is\nno good")
        return real(domain, problem, options)

    monkeypatch.setattr(LatinSquareDomain, "instance", choosy)
    out = tmp_path / "out"
    finished = run("compare", *OPTIONS, "--out", out, squares(tmp_path))
    assert finished.status == 2
    message = "squares.txt: four is no good"
    assert finished.err == f"compare: squares.txt, sampling with none: {message}\n"
    assert sorted((row["status"], row["message"]) for row in rows_of(out)) == [
        ("error", message),
        ("solved", None),
    ]


def test_a_plan_names_files(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`files` of a table, beside its options; runs that fail cost no other comparison."""
    from solver.domains.latin_square.domain import LatinSquareDomain
    from solver.errors import VerificationError

    def reject(domain: Any, problem: Any, answer: Any) -> None:
        if len(answer) == 4:
            raise VerificationError("never right")

    monkeypatch.setattr(LatinSquareDomain, "verify", reject)
    options = 'problem = "latin-square"\nplayouts = 30\nalgorithm = "sampling"\n'
    (tmp_path / "plan.toml").write_text(
        f'[first]\nfiles = ["{squares(tmp_path)}"]\n{options}'
        f"[second]\norder = 5\ninstances = 1\n{options}"
    )
    out = tmp_path / "out"
    finished = run("compare", "--plan", tmp_path / "plan.toml", "--out", out)
    assert finished.status == 2
    assert finished.err == "compare: squares.txt, sampling with none: never right\n"
    assert finished.out.endswith("report on all: report.html\n")
    assert sorted(row["status"] for row in rows_of(out / "runs" / "first")) == ["error", "solved"]
    assert [row["status"] for row in rows_of(out / "runs" / "second")] == ["solved"]


BAD: dict[str, tuple[list[Any], str]] = {
    "missing": (["latin-square", "no.txt"], "cannot read no.txt: No such file or directory"),
    "standard input": (["latin-square", "-"], "-: runs go on where they ended, so problems"),
    "another order": (
        ["latin-square", "squares.txt", "--order", 9],
        "--order has no effect on the problems of files",
    ),
    "another seed": (
        ["latin-square", "squares.txt", "--instance-seed", 9],
        "--instance-seed has no effect on the problems of files",
    ),
    "a set": (["samegame20", "squares.txt"], "samegame20 is a set of problems and takes no file"),
    "too many": (
        ["latin-square", "squares.txt", "--instances", 9],
        "--instances is 9, squares.txt has 2",
    ),
    "no squares": (["latin-square", "bad.txt"], "bad.txt: line 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_do_not_fit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One line that names the file or the option, status 2, and nothing is run."""
    squares(tmp_path)
    (tmp_path / "bad.txt").write_text("1 2\n")
    monkeypatch.chdir(tmp_path)
    arguments, message = BAD[name]
    finished = run("compare", *arguments, "--out", tmp_path / "out")
    assert finished.status == 2
    assert finished.err.startswith(f"compare: {message}")
    assert finished.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
