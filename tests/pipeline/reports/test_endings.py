"""Runs that proved that there is no answer, and runs that ended in an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.commands.terminal import print_summary
from pipeline.reports.report import write_report
from pipeline.results.reading import read_report_data
from pipeline.results.targets import log_playouts
from tests.pipeline.reports.report_runs import BUDGET, Rows, a_run, save, table

NOTHING: dict[str, Any] = {"solved": False, "score": None, "solution": None}
PROVED = NOTHING | {"status": "infeasible"}
FAILED = NOTHING | {"status": "error", "message": "four is no good", "seconds": 0.001}


def rows() -> Rows:
    """Five squares: the last has no answer, which one method proves and the other does not."""
    solved = [
        a_run("f", k, algorithm, prior, need=20 + k)
        for k in range(4)
        for algorithm, prior in (("sampling", "none"), ("cp-sat", ""))
    ]
    out_of_time = a_run("f", 4, "sampling", "none", need=BUDGET + 1)
    return [*solved, out_of_time, a_run("f", 4, "cp-sat", "") | PROVED]


def test_a_proof_is_no_failure(tmp_path: Path) -> None:
    """Proofs of infeasibility are counted apart, for all methods alike."""
    write_report(save(tmp_path, rows()))
    text = (tmp_path / "report.md").read_text()
    summary = table(text, "Summary")
    assert summary["Sampling, no prior"][0] == summary["CP-SAT"][0] == "4/4"
    proofs = table(text, "Proved infeasible")
    assert proofs["CP-SAT"] == ["1/1", "0.0500"]
    assert proofs["Sampling, no prior"] == ["0/1", "–"]
    assert "1 instance has no answer" in text
    assert "ended as" not in text


def test_our_own_searches_may_prove_it_too(tmp_path: Path) -> None:
    """Whichever method proves it."""
    both = [*rows()[:-2], rows()[-2] | PROVED | {"playouts": 1}, rows()[-1]]
    write_report(save(tmp_path, both))
    found = table((tmp_path / "report.md").read_text(), "Proved infeasible")
    assert [found[name][0] for name in ("Sampling, no prior", "CP-SAT")] == ["1/1", "1/1"]


def test_nothing_but_proofs_is_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report of infeasible instances alone has one table, and a line on the terminal."""
    write_report(save(tmp_path, [row for row in rows() if row["instance"] == "004"]))
    text = (tmp_path / "report.md").read_text()
    assert table(text, "Proved infeasible")["CP-SAT"][0] == "1/1"
    assert "### Summary" not in text
    print_summary(tmp_path)
    assert capsys.readouterr().out == "f: 1 proved infeasible\n"


def test_a_proof_against_an_answer_is_said(tmp_path: Path) -> None:
    """One of the two is wrong: the reader must know."""
    wrong = rows()
    wrong[1] |= PROVED
    write_report(save(tmp_path, wrong))
    text = (tmp_path / "report.md").read_text()
    assert "> 000: one run proved it infeasible, another solved it." in text
    assert table(text, "Summary")["CP-SAT"][0] == "3/4"


def test_an_error_is_listed_and_not_solved(tmp_path: Path) -> None:
    """Each is named at the top with its message, and counts as unsolved at full cost."""
    wrong = rows()
    wrong[0] |= FAILED | {"playouts": None}
    write_report(save(tmp_path, wrong))
    text = (tmp_path / "report.md").read_text()
    assert "> 1 of 10 runs ended as “error”." in text
    assert "> 000, Sampling, no prior: four is no good" in text
    summary = table(text, "Summary")["Sampling, no prior"]
    assert summary[0] == "3/4"
    longest = max(row["seconds"] for row in wrong[:8])
    expected = (sum(row["seconds"] for row in wrong[2:8:2]) + 2 * longest) / 4
    assert float(summary[4]) == pytest.approx(expected, rel=5e-3)


def test_what_no_method_could_run_is_no_measurement(tmp_path: Path) -> None:
    """A problem that cannot be built is named, and in no number."""
    wrong = rows()
    for k in (0, 1):
        wrong[k] |= FAILED
    write_report(save(tmp_path, wrong))
    summary = table((tmp_path / "report.md").read_text(), "Summary")
    assert summary["Sampling, no prior"][0] == summary["CP-SAT"][0] == "3/3"


def test_to_fail_fast_is_no_gain(tmp_path: Path) -> None:
    """A run that ends early without an answer costs as much as one that played on."""
    timed = {"budget_playouts": None, "budget_seconds": 1.0}
    runs = [a_run("f", 0, "sampling", "none", need=600, **timed)]
    runs += [a_run("f", 0, "sampling", p, need=BUDGET + 1, **timed) for p in ("slow", "long")]
    runs[1] |= {"playouts": 5}
    runs[2] |= {"playouts": 900}
    (family,) = read_report_data([save(tmp_path, runs)]).families
    counted = {
        method.method.prior: log_playouts(method.playouts[:, None], method, family, np.inf)[0, 0]
        for method in family.methods
    }
    assert counted["none"] == pytest.approx(np.log2(600))
    assert counted["slow"] == counted["long"] == pytest.approx(np.log2(2 * 900))
