"""Runs that begin again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from generators.latin_square import LatinSquareGenerator
from solver.algorithms import Sampling
from solver.compiling.memory import arrays_of
from solver.compiling.random import new_stream
from solver.domains import load_domain
from solver.kernels import run as module
from solver.priors.priors import NoPrior


def _run() -> Any:
    domain = load_domain("latin-square")
    problem, _ = LatinSquareGenerator(order=20).generate(3, 0)
    instance = domain.instance(problem, domain.options())
    found: Any = Sampling(dead_ends=5).new_run(domain, instance, NoPrior())
    found.target = np.inf
    found.begin(new_stream(1))
    return found


@pytest.mark.parametrize("most", [0, 1 << 21], ids=["large", "small"])
def test_a_beginning_leaves_nothing_of_the_search_before(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state of a run that begins again is a new one, notes of dead ends included."""
    monkeypatch.setattr(module, "MOST_BYTES", most)
    run = _run()
    new = [array.copy() for array in arrays_of(run.state)]
    first = arrays_of(run.state)
    run.advance(100, 100)
    assert run.state.failures.sum() > 0
    run.begin(new_stream(1))
    for array, expected in zip(arrays_of(run.state), new, strict=True):
        np.testing.assert_array_equal(array, expected)
    assert (arrays_of(run.state)[0] is first[0]) == (most > 0)


def test_a_state_of_more_than_arrays_is_made_anew() -> None:
    """Numbers in a state may be addresses: nothing is known of what they lead to."""
    assert module._contents_of((np.zeros(3), 5)) is None
    assert module._contents_of((np.zeros(3), (np.ones(2),))) is not None
