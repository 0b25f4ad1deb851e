"""Facts of a tour beside what is proved of all tours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

#: Decimals of costs and times, and significant digits at least.
DECIMALS, DIGITS = 6, 6
#: Bounds are as large as the amount spent, but for this share of it.
ROUNDING = 1e-8


def rounded(value: float, size: float) -> float:
    """Round an amount to decimals; to more of them where `size`, that of the numbers, is small."""
    size = abs(size)
    exponent = math.floor(math.log10(size)) if size > 0 else 0
    return round(value, max(DECIMALS, DIGITS - 1 - exponent))


def facts_of_bound(spent: float, bound: float, origin: float = 0.0) -> dict[str, Any]:
    """Return the lower bound, the gap to it, and whether the tour is proved optimal.

    `spent` is the cost of a tour in time, or its makespan, `bound` what none spends less than;
    `origin` is the time at which makespans begin.
    """
    lost = ROUNDING * abs(spent - origin) + 4 * np.finfo(np.float64).eps * abs(origin)
    optimal = bool(spent <= bound + lost)
    bound = spent if optimal else bound
    size = max(abs(spent), abs(origin))
    facts: dict[str, Any] = {"lower_bound": rounded(bound, size), "optimal": optimal}
    if spent > origin:
        facts["bound_gap_percent"] = round(100 * (spent - bound) / (spent - origin), 3)
    return facts
