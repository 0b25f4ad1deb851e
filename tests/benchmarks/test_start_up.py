"""Medians of first answers by place, empty where a place has none."""

from __future__ import annotations

from benchmarks.start_up import COLD, WARM, header, table


def test_cells_are_medians_in_the_order_of_the_heads() -> None:
    """One place may not know a problem."""
    rows = [["rna", "old", COLD, 43.0], ["rna", "new", COLD, 20.0], ["sudoku", "old", WARM, None]]
    rows += [["rna", "new", WARM, seconds] for seconds in (3.0, 1.0, 2.0)]
    places = ("old", "new")
    found = {line[0]: dict(zip(header(places), line, strict=True)) for line in table(rows, places)}
    assert found["rna"][f"old, {COLD}"] == "43.00"
    assert found["rna"][f"new, {COLD}"] == "20.00"
    assert found["rna"][f"new, {WARM}"] == "2.00"
    assert found["rna"][f"old, {WARM}"] == ""
    assert set(found["sudoku"].values()) == {"sudoku", ""}
