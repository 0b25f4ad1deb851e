"""Named codes of moves: the keys of count and bias tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class PriorCode:
    """A named code over a domain, the key of count and bias tables.

    Attributes
    ----------
    name : str
        Name of the code in files and options.
    components : dict[str, int]
        Cardinality of each component. A row number is the components' mixed-radix
        value, the first component the most significant.
    table_class : type
        NamedTuple with one field, `table` (float64[rows]): exp(bias) by row.
    temperature : float
        Factor of the bias that new tables recommend.
    back_off : tuple of tuples of str
        Components of coarser codes, from coarse to fine: where this code was met too seldom the
        next coarser one speaks. Without any the components do, one by one.
    """

    name: str
    components: dict[str, int]
    table_class: Any
    temperature: float = 1.0
    back_off: tuple[tuple[str, ...], ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows of a dense table."""
        return int(np.prod(list(self.components.values()), dtype=np.int64))
