"""The commands on optimisation problems: SameGame and tours with time windows."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from generators.tsptw import TsptwGenerator
from solver.domains.samegame.domain import SameGameDomain
from solver.domains.tsptw.domain import TsptwDomain
from tests.commands.shell import Run

QUICK = ["--playouts", 200]


def test_a_board(run: Run, tmp_path: Path) -> None:
    """The moves are printed, and the score that they were verified with."""
    path = tmp_path / "board.txt"
    path.write_text("1122\n1122\n")
    finished = run("solve", "samegame", path, *QUICK, "--prior", "tabu")
    assert finished.status == 0
    assert len(finished.out.split()) == 2
    assert finished.err.startswith(f"{path.name}: verified, score 1008: 200 playouts, ")


def test_facts_of_a_board(run: Run) -> None:
    """JSON has the score, the moves and the cells left; the answer is worth the score."""
    finished = run("solve", "samegame-board1", *QUICK, "--prior", "tabu", "--json")
    line = json.loads(finished.out)
    domain = SameGameDomain()
    (problem,) = domain.benchmark("samegame-board1")
    answer = domain.parse_answer(problem, line["answer"], "line")
    assert finished.status == 0
    assert line["solved"]
    assert domain.objective(problem, answer) == line["score"]
    assert line["moves"] == len(answer)
    assert line["cells_left"] == domain.facts(problem, answer)["cells_left"]


def test_generated_boards(run: Run) -> None:
    """Several boards end with the sum of their scores."""
    finished = run("solve", "samegame", "--instances", 2, "--seed", 3, *QUICK, "--json")
    lines = [json.loads(line) for line in finished.out.splitlines()]
    assert [line["name"] for line in lines] == ["samegame-15x15x5-3-0", "samegame-15x15x5-3-1"]
    total = sum(line["score"] for line in lines)
    said = f"2 of 2 solved and verified, total score {total:.10g}\n"
    assert finished.err.endswith(said)


def test_tours(run: Run) -> None:
    """An instance without a feasible tour is proved infeasible, with status 3."""
    feasible = "3\n0 5 5\n5 0 5\n5 5 0\n0 100\n0 10\n0 10\n"
    finished = run("solve", "tsptw", "-", *QUICK, "--prior", "none", stdin=feasible)
    assert finished.status == 0
    assert sorted(finished.out.split()) == ["0", "0", "1", "2"]
    assert finished.err.startswith("standard input: verified and proved optimal, cost 15: 200 ")
    impossible = feasible.replace("0 10\n", "0 6\n")
    finished = run("solve", "tsptw", "-", *QUICK, "--json", stdin=impossible)
    line = json.loads(finished.out)
    assert finished.status == 3
    assert (line["solved"], line["status"]) == (False, "infeasible")
    assert line["error"].startswith("nodes 1 and 2 exclude each other")
    assert "proved infeasible, nodes 1 and 2 exclude each other" in finished.err


@pytest.mark.parametrize(
    ("arguments", "prior", "column", "remark"),
    [
        (["samegame", "--effort", 5], "tabu", "Mean score", "Higher scores are better."),
        (["samegame-board1"], "tabu", "Mean score", "Higher scores are better."),
        (["tsptw", "--customers", 8], "distance", "Median gap", "above the least known"),
    ],
)
def test_compare(
    run: Run, tmp_path: Path, arguments: list[str], prior: str, column: str, remark: str
) -> None:
    """A comparison of scores or gaps is reported, with and without the prior made by hand."""
    command = ["compare", *arguments, "--prior", f"none,{prior}", "--playouts", 50]
    finished = run(*command, "--instances", 1, "--seeds", 2, "--out", tmp_path / "out")
    assert finished.status == 0
    assert column in finished.out
    table = pq.read_table(tmp_path / "out" / "runs.parquet")
    assert table.num_rows == 8
    assert not json.loads(table.schema.metadata[b"nestor"])["decision"]
    report = (tmp_path / "out" / "report.md").read_text()
    assert remark in report


def test_learn(run: Run, tmp_path: Path) -> None:
    """Solutions of both domains can be replayed and counted."""
    for arguments in (["samegame", "--effort", 20], ["tsptw", "--width", 300]):
        out = tmp_path / f"{arguments[0]}.parquet"
        finished = run(
            "learn", *arguments, "--instances", 3, "--out", out, "--work", tmp_path / "work"
        )
        assert finished.status == 0
        assert out.exists()
        finished = run("solve", arguments[0], *QUICK, "--prior", out)
        assert finished.status == 0


def test_local_search(run: Run, tmp_path: Path) -> None:
    """Local search finds more in as many playouts; domains without one refuse the option."""
    generated = ["tsptw", "--instances", 1, "--playouts", 100, "--level", 1, "--json"]
    generated += ["--prior", "none"]
    plain, local = (
        json.loads(run("solve", *generated, *option).out) for option in (["--no-local-search"], [])
    )
    assert (plain["playouts"], local["playouts"]) == (100, 100)
    assert not plain["parameters"]["local_search"]
    assert local["parameters"]["local_search"]
    assert local["score"] > plain["score"]
    refused = run("solve", "samegame-board1", *QUICK, "--local-search")
    assert refused.status == 2
    assert refused.err == "solve: --local-search is not for samegame, which has no local search\n"
    refused = run("solve", "tsptw", *QUICK, "--algorithm", "sampling", "--local-search")
    assert refused.status == 2
    assert refused.err == "solve: --local-search is for nested searches, not for sampling\n"


#: Travel is least over node 1, where one waits until 8; over node 2 first one is back sooner.
WAITING = "3\n0 1 4\n0 0 1\n1 5 0\n0 99\n8 99\n0 99\n"


def test_makespan(run: Run) -> None:
    """The objective decides which tour is printed, and what its score is."""
    found = {}
    for objective in ("cost", "makespan"):
        options = [*QUICK, "--local-search", "--prior", "none", "--objective", objective, "--json"]
        finished = run("solve", "tsptw", "-", *options, stdin=WAITING)
        assert finished.status == 0, finished.err
        found[objective] = json.loads(finished.out)
    by_cost, by_makespan = found.values()
    assert (by_cost["answer"].split(), by_cost["score"]) == (["0", "1", "2", "0"], -3.0)
    assert (by_makespan["answer"].split(), by_makespan["score"]) == (["0", "2", "1", "0"], -9.0)
    assert (by_cost["cost"], by_cost["makespan"]) == (3.0, 10.0)
    assert (by_makespan["cost"], by_makespan["makespan"]) == (9.0, 9.0)


def test_makespans_are_compared_with_none_known(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row has the score of its objective, and no optimum of the cost stands beside it."""
    folder = tmp_path / "tsptw"
    folder.mkdir()
    (folder / "rc_206.1.txt").write_text(WAITING)
    monkeypatch.setenv("NESTOR_DATA", str(tmp_path))
    out = tmp_path / "out"
    command = ["compare", "potvin-bengio", "--objective", "cost,makespan", "--algorithm", "gnrpa"]
    finished = run(*command, *QUICK, "--local-search", "--out", out)
    assert finished.status == 0, finished.err
    rows = pq.read_table(out / "runs.parquet").to_pylist()
    assert {row["family"]: row["score"] for row in rows} == {
        "potvin-bengio, cost": -3.0,
        "potvin-bengio, makespan": -9.0,
    }
    kept = pq.read_table(out / "problems.parquet").to_pylist()
    assert {row["family"]: row["best_known"] for row in kept} == {
        "potvin-bengio, cost": -117.85,
        "potvin-bengio, makespan": None,
    }


TABLE = "CUST NO. XCOORD.\n1 0 0 0 0 99 0\n2 1 1 0 0 99 0\n"


def test_a_table_of_coordinates(run: Run) -> None:
    """It is rounded as the option says, by its kind without one; with a matrix that is an error."""
    costs = {}
    closing = "999 0 0 0 0 0 0\n"
    for table, options in (
        (TABLE, []),
        (TABLE, ["--distances", "truncate"]),
        (TABLE, ["--distances", "floor"]),
        (TABLE + closing, []),
    ):
        finished = run("solve", "tsptw", "-", *QUICK, *options, "--json", stdin=table)
        costs[table.count("999"), *options] = json.loads(finished.out)["cost"]
    assert list(costs.values()) == [2.828427, 2.8, 2.0, 2.0]
    refused = run("solve", "tsptw", "-", "--distances", "exact", stdin=WAITING)
    assert refused.status == 2
    assert refused.err == (
        "solve: standard input: a matrix of costs, distances exact is for coordinates\n"
    )


@pytest.mark.parametrize("command", ["solve", "compare", "learn"])
def test_how_files_are_read_is_refused_without_files(run: Run, command: str) -> None:
    """An option of reading would have no effect on instances that are generated: it says so."""
    refused = run(command, "tsptw", "--distances", "exact", "--instances", 1)
    assert refused.status == 2
    assert refused.err == (
        f"{command}: --distances says how files are read, it has no effect on generated instances\n"
    )


def test_shaping(run: Run, tmp_path: Path) -> None:
    """GNRPA climbs by the shaped score where there is one, NRPA only if told to."""
    command = ["compare", "samegame-board1", "--level", 2, "--iterations", 12, "--playouts", 144]
    out = tmp_path / "out"
    for option in ([], ["--shaping"], ["--no-shaping"]):
        assert run(*command, "--algorithm", "nrpa,gnrpa", *option, "--out", out).status == 0
    rows = pq.read_table(out / "runs.parquet").to_pylist()
    score = {
        (row["algorithm"], json.loads(row["settings"])["shaping"]): row["score"] for row in rows
    }
    assert len(rows) == len(score) == 3  # gnrpa without prior and shaping is nrpa
    assert score["nrpa", True] == score["gnrpa", True] != score["nrpa", False]
    refused = run("solve", "tsptw", "--instances", 1, *QUICK, "--shaping")
    assert refused.status == 2
    assert refused.err == "solve: --shaping is not for tsptw, which has no shaped score\n"


def test_pyvrp_beside_gnrpa(run: Run, tmp_path: Path) -> None:
    """A peer's tour is a row with the score that the domain gives it."""
    pytest.importorskip("pyvrp", reason="pyvrp, the peer to compare with, is not installed")
    out = tmp_path / "out"
    command = ["compare", "tsptw", "--customers", 9, "--instances", 2, "--local-search"]
    methods = ["--algorithm", "gnrpa,pyvrp", "--prior", "distance", "--seconds", 0.5]
    finished = run(*command, *methods, "--out", out)
    assert finished.status == 0, finished.err
    rows = pq.read_table(out / "runs.parquet").to_pylist()
    assert len(rows) == 4
    domain, generator = TsptwDomain(), TsptwGenerator(customers=9)
    for row in rows:
        problem = generator.problem(0, int(row["instance"].partition("-")[2]))
        tour = domain.parse_answer(problem, row["solution"], "row")
        domain.verify(problem, tour)
        assert row["solved"]
        assert row["score"] == pytest.approx(domain.objective(problem, tour))
        best = max(other["score"] for other in rows if other["instance"] == row["instance"])
        assert row["score"] == pytest.approx(best)  # both find the optimum
        assert row["algorithm"] in ("gnrpa", "pyvrp")
    assert run(*command, "--algorithm", "pyvrp", "--out", tmp_path / "no").err == (
        "compare: pyvrp does not stop by itself: it needs --seconds\n"
    )
