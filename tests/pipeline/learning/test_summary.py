"""The page on a run of `learn`."""

from __future__ import annotations

from pipeline.learning.summary import markdown, tally


def test_names_are_no_markup() -> None:
    """Names break no row of a table and begin no tag."""
    page = markdown(
        {
            "model": "m", "outcome": "published", "command": "learn m", "started": "now",
            "seconds": 1, "table": {"rows": 1}, "files": {"bias": tally([])},
            "evaluation": {"family": "a|b <img>\n# c"},
        }
    )  # fmt: skip
    assert "| family | a\\|b \\<img\\> # c |\n" in page
