"""The section on fitted priors: which code is worth what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.learning.assessment import fit_prior
from pipeline.learning.fit import Fit
from pipeline.learning.passes import LocalPasses
from pipeline.reports.blocks import Drawings, Table
from pipeline.reports.fits import fit_blocks
from tests.pipeline.learning.fits import new_blocks, random_decisions


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Facts of a fit of two codes."""
    decisions = random_decisions(1, 400, instances=100)
    return fit_prior(
        Fit(LocalPasses(new_blocks(decisions, tmp_path_factory.mktemp("fit")))), None, None
    )[1]


def test_every_code_has_its_lines(facts: dict[str, Any]) -> None:
    """Alone, without it, and as frequencies; its worth is what the others lose without it."""
    drawings, table = fit_blocks("both", "prior-both", facts)
    assert isinstance(drawings, Drawings)
    assert isinstance(table, Table)
    assert [drawing.name for drawing in drawings.drawings] == [
        "prior-both-worth", "prior-both-calibration"
    ]  # fmt: skip
    assert all(drawing.svg.startswith("<svg") for drawing in drawings.drawings)
    frequencies = [code["frequencies"]["temperature"] for code in facts["held_out"]["codes"]]
    assert [row.cells[0].text for row in table.rows] == [
        "any move alike",
        f"triple, at temperature {frequencies[0]:g}", f"dual, at temperature {frequencies[1]:g}",
        "triple", "dual", "triple + dual", "without triple", "without dual",
    ]  # fmt: skip
    whole, without = (
        facts["held_out"]["log_likelihood"],
        facts["held_out"]["codes"][0]["without"]["log_likelihood"],
    )
    worth = float(table.rows[6].cells[3].text)
    assert worth == pytest.approx(whole["value"] - without["value"], abs=2e-4)


def test_nothing_where_nothing_was_held_out(facts: dict[str, Any], tmp_path: Path) -> None:
    """Too few instances give no section; a single code has no ablation to draw."""
    few = random_decisions(1, 30, instances=3)
    _, none = fit_prior(Fit(LocalPasses(new_blocks(few, tmp_path))), None, None)
    assert list(fit_blocks("few", "prior-few", none)) == []
    held_out = facts["held_out"]
    one = {"code": "triple", "frequencies": held_out["codes"][0]["frequencies"]}
    drawings, table = fit_blocks("one", "one", {**facts, "held_out": {**held_out, "codes": [one]}})
    assert isinstance(drawings, Drawings)
    assert len(drawings.drawings) == 1
    assert isinstance(table, Table)
    assert len(table.rows) == 3
