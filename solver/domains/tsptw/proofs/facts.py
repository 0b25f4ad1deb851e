"""Facts of a tour beside what is proved of all tours."""

from __future__ import annotations

from typing import Any


def facts_of_bound(spent: float, bound: float) -> dict[str, Any]:
    """Return the lower bound, the gap to it, and whether the tour is proved optimal.

    `spent` is the cost of a tour in time, or its makespan, `bound` what none spends less than.
    """
    optimal = spent <= bound + 1e-8 * max(abs(spent), 1.0)
    bound = spent if optimal else bound
    facts: dict[str, Any] = {"lower_bound": round(bound, 6), "optimal": optimal}
    if spent > 0:
        facts["bound_gap_percent"] = round(100 * (spent - bound) / spent, 3)
    return facts
