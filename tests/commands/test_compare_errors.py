"""`compare`: options, problems and runs of other sources that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.tables.runs import check_sources
from solver.errors import InputError
from tests.commands.shell import KNOWN, Run


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--algorithm", "gnrpa,magic"],
            "no algorithm called 'magic', expected one of: sampling, nrpa, gnrpa, "
            "bias-gnrpa, beam-nrpa, parallel-nrpa, pareto-nrpa, nmcs, cegls, ils, tempering, "
            "relay, complete, portfolio, flat, uct, rave, grave, mcps, puct, two-level-grave",
        ),
        (["--order", "6,x"], "--order is 'x', expected a whole number, 1 ... 128"),
        (["--order", "6,"], "--order is '', expected a whole number, 1 ... 128"),
        (["--holes", "half"], "--holes is 'half', expected a number, 0 ... 1 of the cells"),
        (["--holes", "0.3,1.3"], "--holes is 1.3, expected 0 ... 1 of the cells"),
        (
            ["--order", 20, "--holes", "0.42,0.421"],
            "2 kinds of instances are called order 20, 168 random holes, expected one of each",
        ),
        (["--ties", "first,last"], "--ties is 'last', expected random or first"),
        (
            ["--prior-temperature", "1,hot"],
            "--prior-temperature is '1,hot', expected a list, each a number",
        ),
        (["--prior", "none,missing.parquet"], "cannot read missing.parquet: no such file"),
        (["--runner", "dask"], "--runner has no effect without --flow"),
        (["--instances", 0], "--instances is 0, expected 1 or more"),
        (["--seeds", 0], "--seeds is 0, expected 1 or more"),
        (["--threads", 0], "--threads is 0, expected 1 or more"),
        (["--instances", 10**11], "--instances is 100000000000, expected 1 ... 10,000,000"),
        (
            ["--instances", 2000, "--seeds", 1000],
            "4,000,000 runs, instances times methods times seeds, expected 1,000,000 at most",
        ),
        (["--playouts", 0], "--playouts is 0, expected more than 0"),
        (["--seconds", "nan"], "--seconds is nan, expected more than 0"),
        (["--algorithm", "gnrpa", "--level", 0], "--level is 0, expected 1 ... 10"),
        (
            ["--algorithm", "sampling", "--level", 2],
            "--level is for nested searches, not for sampling",
        ),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)
def test_bad_options(run: Run, tmp_path: Path, options: list[Any], message: str) -> None:
    """Invalid options end with status 2 and one line, before anything is written."""
    out = tmp_path / "out"
    finished = run("compare", "latin-square", "--out", out, *options)
    assert (finished.status, finished.out, finished.err) == (2, "", f"compare: {message}\n")
    assert not out.exists()


@pytest.mark.parametrize(("name", "shown"), [("", "empty"), ("-", "'-'")])
@pytest.mark.parametrize(
    "words",
    [
        ["compare", "hex", "--games", 2, "--playouts", 10],
        ["compare", "latin-square", "--order", 4, "--instances", 1, "--playouts", 10],
        ["compare", "--plan", "plan.toml"],
        ["report", "."],
    ],
    ids=["game", "problem", "plan", "report"],
)
def test_no_name_is_no_folder(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[Any],
    name: str,
    shown: str,
) -> None:
    """An empty name and a dash are refused; nothing is written into the folder that we are in."""
    monkeypatch.chdir(tmp_path)
    finished = run(*words, "--out", name)
    message = f"{words[0]}: --out is {shown}, expected the name of a file\n"
    assert (finished.status, finished.out, finished.err) == (2, "", message)
    assert not list(tmp_path.iterdir())


def test_runs_that_cannot_be_made(run: Run, tmp_path: Path) -> None:
    """Each is told of with the option that does not fit."""
    small = ["--instances", 1, "--playouts", 10, "--algorithm", "nmcs"]
    finished = run("compare", "tsptw", *small, "--shaping", "--out", tmp_path / "out")
    expected = "nmcs with none: --shaping is not for tsptw, which has no shaped score\n"
    assert finished.err.endswith(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: PROBLEM"),
        (["nonogram"], f"no problem or game called 'nonogram', expected one of: {KNOWN}"),
        (
            ["hexx", "--size", 3],
            f"no problem or game called 'hexx' (did you mean hex?), expected one of: {KNOWN}",
        ),
    ],
)
def test_bad_problems(run: Run, arguments: list[str], message: str) -> None:
    """Without a known problem there is nothing to compare on."""
    finished = run("compare", *arguments)
    assert (finished.status, finished.out, finished.err) == (2, "", f"compare: {message}\n")


def test_modules_are_stamped_once(tmp_path: Path) -> None:
    """Runs of a domain, or of an algorithm, are of one version of each."""
    check_sources(tmp_path, {"mine": "1", "nrpa": "5"})
    check_sources(tmp_path, {"rna": "3"})
    check_sources(tmp_path, {"mine": "1"})
    with pytest.raises(InputError, match=r"another version of mine, choose another --out$"):
        check_sources(tmp_path, {"rna": "3", "mine": "2"})
    lines = (tmp_path / "sources").read_text().splitlines()
    assert lines[1:] == ["mine 1", "nrpa 5", "rna 3"]


def test_folders_of_older_versions_are_closed(tmp_path: Path) -> None:
    """Their stamp says nothing of modules."""
    (tmp_path / "sources").write_text("0123456789ab 0123456789ab\nmine 1\n")
    with pytest.raises(InputError, match="another version of the solver"):
        check_sources(tmp_path, {"mine": "1"})


def test_a_damaged_stamp_closes_a_folder(tmp_path: Path) -> None:
    """The version that made its runs is not known."""
    (tmp_path / "sources").write_text("")
    with pytest.raises(InputError, match="another version of the solver"):
        check_sources(tmp_path, {"mine": "1"})
