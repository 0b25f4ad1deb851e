"""Inner loops: compiled they are what their plain Python is, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.jit import kernel
from solver.domains.rna.ensemble.vectors import add_loops, add_scaled, extend_loops, product
from tests.helpers import needs_jit

WIDTH = 64


@kernel
def _all(matrix: Any, table: Any, extended: Any, sums: Any, more: Any, count: int) -> float:
    extend_loops(
        matrix, 2000, -1, 1900, WIDTH, 9, 40, 3, 30, extended, 7, 2 * WIDTH, table, table, sums
    )
    add_loops(matrix, 2000, 1, 2100, -WIDTH, 5, 44, 1, 2, 29, table, more)
    add_scaled(sums, 3, matrix, 11, 0.7, count)
    result: float = product(matrix, 5, matrix, 900, count)
    return result


@needs_jit
def test_compiled_as_plain() -> None:
    """Counts that fill vectors, that do not, and none or less."""
    plain: Any = _all.py_func  # type: ignore[attr-defined]
    random = np.random.default_rng(2)
    for count in (0, -3, 5, 8, 23, 40):
        matrix, table = random.random(70 * WIDTH), random.random(32)
        rest = (random.random(31 * 2 * WIDTH), random.random(WIDTH), random.random(WIDTH))
        again = (rest[0].copy(), rest[1].copy(), rest[2].copy())
        found = _all(matrix, table, *rest, count)
        assert found == plain(matrix, table, *again, count)
        for one, other in zip(rest, again, strict=True):
            assert np.array_equal(one, other)
