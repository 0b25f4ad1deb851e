"""Names in `report.md` and `report.html` are shown as they are, whatever is in them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pipeline.reports.markdown import escape_markdown, fence
from pipeline.reports.report import write_report
from pipeline.tables.checks import PROBLEMS, write_checked
from pipeline.tables.problems import PROBLEMS_FILE, PROBLEMS_SCHEMA
from tests.pipeline.reports.report_runs import BUDGET, a_run, save

HOSTILE = "<b>a|b</b> `c` [d](e) *f* _g_ &lt; \\ $h$ $i\n## j"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Folder of a report with a hostile name in the place of every name."""
    rows = [
        a_run(HOSTILE, k, "sampling", prior, need=need, solution="```\n# no heading\n<i>")
        for k in range(3)
        for prior, need in (("none", 9), (HOSTILE, 3))
    ]
    rows[0] |= {"status": "error", "solved": False, "message": HOSTILE}
    assert all(row["playouts"] < BUDGET for row in rows)
    for row in rows:
        row["run"] += str(row["prior"])
    names = [{"domain": "other", "instance": f"{k:03d}", "name": HOSTILE} for k in range(3)]
    known: dict[str, Any] = {"family": HOSTILE, "problem": "x", "best_known": None}
    schema = PROBLEMS_SCHEMA.with_metadata({"nestor": '{"kind": "problems"}'})
    table = pa.Table.from_pylist([known | name for name in names], schema=schema)
    write_checked(table, tmp_path / PROBLEMS_FILE, PROBLEMS, None)
    rows = [row | {"domain": "other"} for row in rows]
    write_report(save(tmp_path, rows, command=f"compare {HOSTILE}"), title=HOSTILE)
    return tmp_path


def unescaped(text: str) -> str:
    """Return Markdown without code blocks and escaped signs."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\\[!-/:-@\[-`{-~]", "", text)


def test_markdown_takes_no_name_for_markup(hostile: Path) -> None:
    """No sign of a name is left that means something; the tables keep their columns."""
    text = (hostile / "report.md").read_text()
    assert text.count("\\<b\\>a\\|b\\</b\\>") > 10
    left = unescaped(text)
    assert set(re.findall(r"<[^>]*>", left)) == {
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
    }
    assert not re.search(r"[`$~&]", left)
    assert not re.search(r"(?<!!)\[", left)  # images are ours
    headings = [line for line in left.splitlines() if line.startswith("#")]
    assert all(" j" not in line[:5] for line in headings)
    tables = re.findall(r"(?:^\|.*\|$\n)+", left, flags=re.MULTILINE)
    assert len(tables) >= 3
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_html_takes_no_name_for_markup(hostile: Path) -> None:
    """The page parses, and has neither the tags nor the formulas of a name."""
    html = (hostile / "report.html").read_text()
    page = ET.fromstring(html)
    assert not list(page.iter("b")) + list(page.iter("i"))
    assert "<b>" not in html
    titles = [one.text for one in page.iter("h1")]
    assert titles == [HOSTILE]
    drawn = "".join(text.text or "" for text in page.iter("{http://www.w3.org/2000/svg}text"))
    assert "$h$" in drawn


def test_a_block_of_code_is_ended_by_none_of_its_lines(hostile: Path) -> None:
    """A solution with a fence in it stands in a longer one, unchanged."""
    text = (hostile / "report.md").read_text()
    assert "````text\n```\n# no heading\n<i>\n````\n" in text
    assert fence("a") == "```text\na\n```"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("latin-square-dual, 0.5× (+3 to -2)", "latin-square-dual, 0.5× (+3 to -2)"),
        ("rc_208.1", "rc_208.1"),
        ("_a_", "\\_a\\_"),
        ("12. of 1.5", "12\\. of 1.5"),
        ("- a", "\\- a"),
        ("---", "\\---"),
        ("a#2", "a\\#2"),
        ("a\n\nb", "a b"),
    ],
)
def test_only_what_means_something_is_escaped(text: str, expected: str) -> None:
    """Numbers and usual names stay as they are."""
    assert escape_markdown(text) == expected
    assert escape_markdown(3) == 3
