"""Objectives of a puzzle, for searches of the answers that none is better than in all of them.

A puzzle opts in by `write_objectives`, registered for the class of its instances, and by the class
attribute `objectives`: names among its `facts`, which tell the values from the rules alone.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic
from solver.contract.rules import Floats


@generic
def write_objectives(instance: Any, state: Any, values: Floats) -> None:
    """Write what a terminal `state` violates, then the value of each objective: least is best.

    `values`, float64[1 + objectives], begins with 0 for a state that is feasible, else with how
    much it violates. The others may differ from the facts of the same name by what is the same for
    all answers to an instance.
    """


def objectives_of(domain: Any) -> tuple[str, ...]:
    """Names of the objectives of a puzzle, none for one that has a score alone."""
    names: tuple[str, ...] = getattr(domain, "objectives", ())
    return names if domain.has(write_objectives) else ()
