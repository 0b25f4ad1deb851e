"""Reports on other kinds of runs, on odd ones and on files that do not fit."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline.reports.report import write_report
from tests.pipeline.reports.report_runs import (
    BUDGET,
    DUAL,
    Rows,
    a_run,
    decision_rows,
    playouts_to_solve,
    save,
    table,
)


def test_methods_of_one_name_are_told_apart_by_their_settings(tmp_path: Path) -> None:
    """Settings appear in the label where they differ, and only those that do."""
    rows = [
        a_run("f", k, "nrpa", "none", need=k + 1, settings=json.dumps({"level": n, "alpha": 1}))
        for n in (1, 2)
        for k in range(3)
    ]
    write_report(save(tmp_path, rows))
    found = table((tmp_path / "report.md").read_text(), "Summary")
    assert {"NRPA, no prior (level 1)", "NRPA, no prior (level 2)"} <= set(found)


@pytest.mark.parametrize("apart", [0, 4], ids=["the same instances", "others"])
def test_runs_of_other_budgets_are_another_method(tmp_path: Path, apart: int) -> None:
    """Runs of 5 playouts say nothing of runs of 64: they are another method."""
    rows = [
        a_run("f", k + apart * (budget == 5), "nrpa", "none", need=need)
        | {"run": f"{budget}/{k}", "budget_playouts": budget}
        for budget, need in ((5, BUDGET + 1), (BUDGET, 3))
        for k in range(4)
    ]
    write_report(save(tmp_path, rows))
    found = table((tmp_path / "report.md").read_text(), "Summary")
    assert found["NRPA, no prior (playouts 5)"][0].startswith("0/4")
    assert found[f"NRPA, no prior (playouts {BUDGET})"][0].startswith("4/4")


def test_equal_methods_show_no_clear_difference(tmp_path: Path) -> None:
    """A prior that changes nothing is not praised."""
    rows = [a_run("f", k, "nrpa", p, need=5 + k) for p in ("none", "x") for k in range(8)]
    write_report(save(tmp_path, rows))
    assert "no clear gain in playouts" in (tmp_path / "report.md").read_text()


def test_optimisation_is_reported_by_score(tmp_path: Path) -> None:
    """Mean scores, scores at each budget from the trace, and paired score differences."""
    rows = [
        a_run("boards", k, "nrpa", prior, need=BUDGET)
        | {"score": base + k, "trace_playouts": [1, 100], "trace_seconds": [0.001, 0.1]}
        | {"trace_score": [base / 2, base + k]}
        for prior, base in (("none", 100.0), ("tabu", 150.0))
        for k in range(9)
    ]
    write_report(save(tmp_path, rows, decision=False))
    text = (tmp_path / "report.md").read_text()
    assert table(text, "Summary")["NRPA + tabu"][1].startswith("154 (")
    budgets = table(text, "Mean best score within a number of playouts")
    row = dict(zip(budgets[""], budgets["NRPA + tabu"], strict=True))
    assert row["64"] == "75.0 (75.0)"
    assert row["128"].startswith("154 (")
    paired = table(text, "Paired differences")["NRPA + tabu (against NRPA, no prior)"]
    assert paired[0] == "9"
    assert paired[2] == "+50.0 (+50.0)"
    stems = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert {name.split("boards-")[1] for name in stems} == {
        "score-playouts",
        "score-seconds",
        "targets-playouts",
        "targets-seconds",
        "paired",
        "paired-scores",
    }


def one_board(seeds: int) -> Rows:
    """A single instance, which the prior gains 50 points on, give or take the seed."""
    return [
        a_run("boards", 0, "nrpa", prior, seed=seed, need=BUDGET)
        | {"run": f"{prior}/{seed}", "score": base + 5 * (seed % 4)}
        for prior, base in (("none", 100.0), ("tabu", 150.0))
        for seed in range(seeds)
    ]


def test_of_one_instance_the_interval_is_over_its_runs(tmp_path: Path) -> None:
    """Between the means of two samples of 20: wider than nothing, and its factor clear."""
    write_report(save(tmp_path, one_board(20), decision=False))
    text = (tmp_path / "report.md").read_text()
    gained = table(text, "Paired differences")["NRPA + tabu (against NRPA, no prior)"][2]
    low, high = map(float, gained.removeprefix("+50.0 (").rstrip(")").split(" to "))
    standard_error = 5 * np.sqrt(2 * 1.25 / 20)
    assert high - low == pytest.approx(2 * 1.96 * standard_error, rel=0.15)
    assert f"On the one common instance the score differs by {gained}; " in text
    assert "2 methods on 1 instance of 1 family" in text


def test_of_one_run_no_interval_is_claimed(tmp_path: Path) -> None:
    """Nothing is known of the spread of a single run, so no difference is clear."""
    write_report(save(tmp_path, one_board(1), decision=False))
    text = (tmp_path / "report.md").read_text()
    assert "NRPA + tabu scored 150 on average over 1 run" in text
    assert "the score differs by +50.0, no clear difference; no clear gain in playouts" in text
    paired = table(text, "Paired differences")["NRPA + tabu (against NRPA, no prior)"]
    assert paired[2] == "+50.0"


def test_one_square_solved_by_many_seeds_is_compared_over_them(tmp_path: Path) -> None:
    """Playouts and shares solved of a decision problem, too."""
    rows = [
        a_run("f", 0, "nrpa", prior, seed=seed, need=need * (1 + seed % 3))
        | {"run": f"{prior}{seed}"}
        for prior, need in (("none", 400), ("x", 100))
        for seed in range(30)
    ]
    write_report(save(tmp_path, rows))
    text = (tmp_path / "report.md").read_text()
    gain, share, *_ = table(text, "Paired differences")["NRPA + x (against NRPA, no prior)"][1:]
    # 400, 800 and, as the third is not solved, 2048 against 100, 200 and 300
    assert re.fullmatch(r"4\.[0-9]× \([34]\.[0-9]× to [56]\.[0-9]×\)", gain)
    assert re.fullmatch(r"\+33 points \(\+[12][0-9] to \+[45][0-9]\)", share)


def test_optimisation_without_a_feasible_answer_has_no_mean(tmp_path: Path) -> None:
    """A run that found nothing makes the mean undefined instead of hiding in it."""
    nothing: dict[str, Any] = {
        "score": None,
        "trace_playouts": [],
        "trace_score": [],
        "trace_seconds": [],
    }
    rows = [a_run("f", k, "nrpa", p) for p in ("none", "x") for k in range(3)]
    rows[0] |= nothing | {"solved": False}
    write_report(save(tmp_path, rows, decision=False))
    found = table((tmp_path / "report.md").read_text(), "Summary")
    assert found["NRPA, no prior"][1:3] == ["2/3", "–"]
    assert found["NRPA + x"][1] == "3/3"


def test_nothing_solved_is_still_a_report(tmp_path: Path) -> None:
    """Without a single solved run the medians are infinite and the figures are drawn."""
    rows = [a_run("f", k, "sampling", "none", need=BUDGET + 1) for k in range(3)]
    write_report(save(tmp_path, rows))
    cells = table((tmp_path / "report.md").read_text(), "Summary")["Sampling, no prior"]
    assert cells[:2] == ["0/3", "0% (0–56%)"]
    assert cells[2].startswith("∞")


def test_peers_alone_are_a_report(tmp_path: Path) -> None:
    """Outside solvers need no playouts: the tables and figures of playouts are left out."""
    write_report(save(tmp_path, [a_run("f", k, "cp-sat", "") for k in range(2)]))
    text = (tmp_path / "report.md").read_text()
    assert "CP-SAT solved 100% of 2 runs" in text
    assert "within a number of playouts" not in text


def sweep_rows() -> Rows:
    """Two orders by five shares of holes; order 30 is beyond the budget at the peak."""
    return [
        row
        for order in (20, 30)
        for share in (0.3, 0.36, 0.42, 0.46, 0.5)
        for row in decision_rows(
            f"order {order}, {share:.0%} holes",
            median=2.0 ** (order - 18) * np.exp(-(((share - 0.42) / 0.05) ** 2)) + 1,
            family_parameters=json.dumps(
                {"order": order, "holes": round(share * order**2), "fraction": share}
            ),
        )
    ]


def test_families_along_a_parameter_become_curves(tmp_path: Path) -> None:
    """The share of holes is the axis, not the holes that follow from it; lines are orders."""
    write_report(save(tmp_path, sweep_rows()))
    text = (tmp_path / "report.md").read_text()
    assert f"Sampling + {DUAL}: median playouts to solve against fraction." in text
    assert "against holes" not in text
    svg = (tmp_path / "figures" / "latin-square-fraction-sampling-no-prior.svg").read_text()
    assert ">order 20</text>" in svg
    assert ">order 30</text>" in svg
    assert "the median is beyond the budget" in text


def test_many_families_are_pooled_with_folded_tables(tmp_path: Path) -> None:
    """Ten families share one section; the table of each is there, closed in the HTML."""
    rows = sweep_rows()
    html = write_report(save(tmp_path, rows)).read_text()
    text = (tmp_path / "report.md").read_text()
    need = playouts_to_solve(rows, "sampling", "none")
    assert need.size == 120
    solved = int(np.isfinite(need).sum())
    assert table(text, "Summary")["Sampling, no prior"][0] == f"{solved}/120"
    assert "| **order 20, 36% holes** |" in text
    assert "<summary>Summary of each family</summary>" in html
    assert text.index("order 20, 50% holes") < text.index("order 30, 30% holes")


def test_names_cannot_break_the_page(tmp_path: Path) -> None:
    """Markup and bars in names are shown as they are."""
    rows = [a_run("<b>a|b</b> & c", k, "sampling", "none") for k in range(2)]
    write_report(save(tmp_path, rows, command="compare <all> | tee"))
    html = (tmp_path / "report.html").read_text()
    ET.fromstring(html)
    assert "<b>" not in html


def test_families_of_similar_names_keep_their_own_figures(tmp_path: Path) -> None:
    """Names that differ only in signs do not overwrite each other's files."""
    rows = [a_run(name, k, "sampling", "none") for name in ("p = 1", "p > 1") for k in range(2)]
    write_report(save(tmp_path, rows))
    assert len(list((tmp_path / "figures").iterdir())) == 6


def test_unusual_ends_are_said(tmp_path: Path) -> None:
    """Interrupted runs and unequal numbers of runs are announced at the top."""
    rows = decision_rows()[:-1]
    rows[0] |= {"status": "interrupted"}
    write_report(save(tmp_path, rows))
    text = (tmp_path / "report.md").read_text()
    assert "> 1 of 47 runs ended as “interrupted”." in text
    assert "> order 20: the methods have between 11 and 12 runs." in text


def test_missing_runs_are_named(tmp_path: Path) -> None:
    """The message names the file and what to do."""
    with pytest.raises(ValueError, match=r"runs\.parquet does not exist: run `compare`"):
        write_report(tmp_path)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    """Every missing column is listed at once."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["seed", "solved"]), path)
    with pytest.raises(ValueError, match="lacks the columns: seed, solved"):
        write_report(tmp_path)


def test_wrong_type_of_a_column_is_named(tmp_path: Path) -> None:
    """A column of another type is an error, not a crash somewhere later."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    runs = pq.read_table(path)
    index = runs.column_names.index("seconds")
    pq.write_table(runs.set_column(index, "seconds", runs["instance"]), path)
    with pytest.raises(ValueError, match="column seconds has type string"):
        write_report(tmp_path)


def test_missing_metadata_is_named(tmp_path: Path) -> None:
    """Runs without their facts are refused."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    with pytest.raises(ValueError, match='no "nestor" entry'):
        write_report(tmp_path)


def test_repeated_runs_and_empty_files_are_refused(tmp_path: Path) -> None:
    """A run counted twice would narrow every interval; no run at all has nothing to say."""
    rows = decision_rows()
    with pytest.raises(ValueError, match="occurs more than once"):
        write_report(save(tmp_path / "twice", [*rows, rows[0]]))
    with pytest.raises(ValueError, match="holds no runs"):
        write_report(save(tmp_path / "empty", []))
