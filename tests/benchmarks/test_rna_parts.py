"""Table of the parts of the search for an ensemble, from files that are not complete."""

from __future__ import annotations

from typing import Any

from benchmarks.rna_parts import BASE, VARIANTS, table

NAMES = list(VARIANTS)


def row(variant: str, target: str, seed: int, probability: float) -> dict[str, Any]:
    made = {"variant": variant, "target": target, "seed": seed, "probability": probability}
    return made | {"solved": probability > 0.5}


def test_a_file_that_is_not_complete() -> None:
    """Means and differences are of the targets and seeds that all variants have; else of none."""
    first = [row(name, "a", 0, 0.25 + 0.1 * (name != BASE)) for name in NAMES]
    assert table([]) == table(first[:3]) == []
    cells = table(first)
    assert cells[0] == [BASE, "0.2500", "", "0 %"]
    assert cells[1] == [NAMES[1], "0.3500", "+0.1000", "0 %"]
    assert table([*first, *(row(name, "b", 0, 1.0) for name in NAMES[:3])]) == cells
    assert table([*first, row(BASE, "a", 1, 1.0)]) == cells
    second = [row(name, "b", 0, 0.75) for name in NAMES]
    cells = table([*first, *second])
    assert cells[1][:2] == [NAMES[1], "0.5500"]
    assert cells[1][2].startswith("+0.0500 (")
    assert cells[1][-1] == "50 %"
