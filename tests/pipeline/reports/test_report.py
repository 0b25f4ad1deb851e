"""The report of a comparison: its numbers and its figures."""

import csv
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest

from pipeline.reports.report import write_report
from tests.pipeline.reports.report_runs import (
    BUDGET,
    DUAL,
    decision_rows,
    playouts_to_solve,
    save,
    save_prior,
    table,
)


@pytest.fixture(scope="module")
def decision(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a written report on one family with a prior's table."""
    folder = tmp_path_factory.mktemp("decision")
    priors = {DUAL: save_prior(folder)}
    assert write_report(save(folder, decision_rows(), priors=priors)) == folder / "report.html"
    return folder


def test_summary_holds_the_recomputed_numbers(decision: Path) -> None:
    """Solved, Wilson interval, median playouts, unsolved and PAR-2 are those of the rows."""
    cells = table((decision / "report.md").read_text(), "Summary")["Sampling, no prior"]
    need = playouts_to_solve(decision_rows(), "sampling", "none")
    solved = int(np.isfinite(need).sum())
    assert 0 < solved < 12
    wilson = binomtest(solved, 12).proportion_ci(method="wilson")
    share = f"{100 * solved / 12:.0f}% ({100 * wilson.low:.0f}–{100 * wilson.high:.0f}%)"
    assert cells[:2] == [f"{solved}/12", share]
    assert cells[2].startswith(f"{np.median(need):,.0f} (")
    assert cells[2].endswith(f"; {12 - solved} unsolved)")
    limit = BUDGET / 1000  # the longest search
    par2 = np.where(np.isfinite(need), need / 1000, 2 * limit).mean()
    assert float(cells[4]) == pytest.approx(par2, rel=5e-3)


def test_budget_table_counts_runs_solved_within_each_budget(decision: Path) -> None:
    """Columns double up to the budget; a cell is the share solved within that many playouts."""
    found = table((decision / "report.md").read_text(), "Runs solved within a number of playouts")
    assert found[""] == [f"{2**k:,}" for k in range(3, 11)]
    assert "CP-SAT" not in found
    need = playouts_to_solve(decision_rows(), "gnrpa", DUAL)
    for cell, budget in zip(found[f"GNRPA + {DUAL}"], [2**k for k in range(3, 11)], strict=True):
        solved = int((need <= budget).sum())
        assert cell.split("%")[0] == f"{100 * solved / 12:.0f}"


def test_budgets_asked_for_are_the_columns(tmp_path: Path) -> None:
    """`playout_budgets` of the metadata replaces the powers of two."""
    write_report(save(tmp_path, decision_rows(), playout_budgets=[100, 1000]))
    found = table((tmp_path / "report.md").read_text(), "Runs solved within a number of playouts")
    assert found[""] == ["100", "1,000"]


def test_paired_differences_are_per_instance_and_censored(decision: Path) -> None:
    """The gain is the geometric mean of the ratios, an unsolved run is twice the budget."""
    found = table((decision / "report.md").read_text(), "Paired differences")
    old, new = (
        np.where(np.isfinite(need), need, 2 * BUDGET)
        for need in (playouts_to_solve(decision_rows(), "sampling", p) for p in ("none", DUAL))
    )
    ratio = np.exp(np.log(old / new).mean())
    cells = found[f"Sampling + {DUAL} (against Sampling, no prior)"]
    assert cells[0] == "12"
    assert cells[1].startswith(f"{ratio:.1f}× (")
    only = ((new < 2 * BUDGET) & (old == 2 * BUDGET)).sum() / 12
    assert cells[3].startswith(f"{100 * only:.0f}% (")


def test_headline_names_the_best_prior_and_its_baseline(decision: Path) -> None:
    """The sentence holds the best method, no prior, the budget and the peer."""
    text = (decision / "report.md").read_text()
    headline = re.findall(r"\*\*(GNRPA.*?)\*\*", text)[0]
    assert headline.startswith(f"GNRPA + {DUAL} solved 100% of 12 runs within 1,024 playouts")
    assert "Sampling without a prior" in headline
    assert "fewer playouts" in headline
    assert "CP-SAT solved 100%" in headline


def test_every_figure_is_in_both_forms(decision: Path) -> None:
    """Each drawing is inline in the HTML, a file of its own, and shown by the Markdown."""
    kinds = {"solved-playouts", "solved-seconds", "cactus", "paired"}
    kinds |= {"map", "distribution", "codes", "profile", "ranks"}
    files = sorted((decision / "figures").iterdir())
    assert {kind for kind in kinds for file in files if file.stem.endswith(kind)} == kinds
    assert len(files) == len(kinds)
    html, markdown = ((decision / f"report.{end}").read_text() for end in ("html", "md"))
    for file in files:
        assert f"(figures/{file.name})" in markdown
        assert f'id="figure-{file.stem}"' in html
        ET.parse(file)
    assert html.count("<svg") == len(kinds)


def test_html_is_well_formed_with_unique_ids(decision: Path) -> None:
    """The page parses as XML, no id is there twice, and every reference has its target."""
    html = (decision / "report.html").read_text()
    ET.fromstring(html)
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', html)) <= {
        pair for name in ids for pair in ((name, ""), ("", name))
    }


def test_nothing_is_loaded_from_elsewhere(decision: Path) -> None:
    """No address but the names of XML namespaces, no script and no outside style."""
    for path in [decision / "report.html", decision / "report.md", *decision.rglob("*.svg")]:
        text = re.sub(r'xmlns(:xlink)?="[^"]*"', "", path.read_text())
        assert "http" not in text
        assert not re.search(r"<script|<link|<img|@import|src=", text)


def test_colours_follow_the_reader_and_files_stand_alone(decision: Path) -> None:
    """Inline drawings use the page's variables, all defined; files have colours of their own."""
    html = (decision / "report.html").read_text()
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", html)) - {"share"}
    assert {"ink", "grid", "series-1", "heat"} <= used
    assert used <= set(re.findall(r"--([a-z0-9-]+):", html))
    assert "prefers-color-scheme: dark" in html
    for file in (decision / "figures").iterdir():
        assert "var(" not in file.read_text()
    inline = "".join(re.findall("<svg.*?</svg>", html, flags=re.DOTALL))
    assert len(inline) > 10_000
    assert not re.findall(r"(?:fill|stroke): #\w+", inline)


def test_prior_section_describes_the_table(decision: Path) -> None:
    """Codes that were possible are counted, and the extremes are named in words."""
    text = (decision / "report.md").read_text()
    facts = table(text, "Priors")[f"{DUAL} (dual)"]
    size = (decision / "priors" / f"{DUAL}.parquet").stat().st_size
    rows = f"16 ({size:,} bytes)"
    assert facts == ["in column, in row (4 × 4)", rows, "12", "500", "390", "3"]
    assert f"{DUAL}: generated." in text
    codes = table(text, f"Codes of {DUAL}")
    strongest, weakest, never = (
        f"value fits {row} cells of its row, {column} of its column"
        for column, row in ((3, 2), (0, 0), (0, 3))
    )
    assert codes[strongest][:2] == ["60%", "100"]
    names = list(codes)
    assert names.index(strongest) == names.index("**Strongest**") + 1
    assert names.index(weakest) == names.index("**Weakest**") + 1
    assert never not in codes


def test_footer_says_where_the_numbers_come_from(decision: Path) -> None:
    """Command, machine, versions, commit and date are in both forms."""
    for end in ("html", "md"):
        text = (decision / f"report.{end}").read_text()
        for value in ("compare latin-square", "Example 9000", "3.11.7", "0123abc", "2026-01-02"):
            assert value in text


def test_methods_are_ranked_together(decision: Path) -> None:
    """Mean ranks from the rows; the virtual best solves each instance by the fastest method."""
    found = table((decision / "report.md").read_text(), "All methods together")
    names = [line for line in found if line and line != "Virtual best of all"]
    seconds = np.array(
        [
            [row["seconds"] if row["solved"] else 2 * 1.024 for row in decision_rows()[k : k + 12]]
            for k in range(0, 48, 12)
        ]
    )
    assert float(found["Virtual best of all"][2]) == pytest.approx(
        seconds.min(axis=0).mean(), rel=5e-3
    )
    ranks = [float(found[name][0]) for name in names]
    assert ranks == sorted(ranks)
    assert sum(ranks) == pytest.approx(10, abs=0.02)


def test_tables_as_files(decision: Path, tmp_path: Path) -> None:
    """Comma-separated and LaTeX tables have the cells of the report."""
    write_report(decision, tmp_path, tables=["csv", "tex"])
    name = "latin-square-order-20-summary"
    text = (tmp_path / "tables" / f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(text.splitlines()))
    found = table((decision / "report.md").read_text(), "Summary")
    assert rows[0][1:] == found[""]
    assert {row[0]: row[1:] for row in rows[1:]} == {k: v for k, v in found.items() if k}
    latex = (tmp_path / "tables" / f"{name}.tex").read_text(encoding="utf-8")
    assert latex.startswith("% Summary\n\\begin{tabular}{lrrrrr}\n\\toprule\nMethod & Solved &")
    assert "100\\% (76--100\\%)" in latex
    assert latex.count("\\\\\n") == len(rows)


def test_same_runs_give_the_same_bytes(decision: Path, tmp_path: Path) -> None:
    """Written again elsewhere, in another row order, every file is the same."""
    rows = decision_rows()[::-1]
    save_prior(tmp_path / "runs")
    facts = json.loads(pq.read_schema(decision / "runs.parquet").metadata[b"nestor"])
    write_report(save(tmp_path / "runs", rows, **facts), tmp_path / "out")
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(written) == 11
    for path in written:
        assert path.read_bytes() == (decision / path.relative_to(tmp_path / "out")).read_bytes()


def test_no_temporary_file_is_left(decision: Path) -> None:
    """Everything written under a temporary name was renamed."""
    assert not list(decision.rglob("*.tmp"))
