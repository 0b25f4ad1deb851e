"""Named codes of moves: the keys of count and bias tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from solver.errors import InputError, quoted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Between the names of the codes of a prior that has several.
JOINT = "+"


@dataclass(frozen=True)
class PriorCode:
    """A named code over a domain, the key of count and bias tables; or several, see `parts`.

    Attributes
    ----------
    name : str
        Name of the code in files and options.
    components : dict[str, int]
        Cardinality of each component. A row number is the components' mixed-radix
        value, the first component the most significant. Several codes have theirs by name.
    table_class : type
        NamedTuple with one field, `table` (float64[rows]): exp(bias) by row. None of several codes.
    temperature : float
        Factor of the bias that new tables recommend.
    back_off : tuple of tuples of str
        Components of coarser codes, from coarse to fine: where this code was met too seldom the
        next coarser one speaks. Without any the components do, one by one.
    parts : tuple of PriorCode
        The codes of a prior that has several: a move has a row of each, and the rows of the second
        follow those of the first. The odds of a move are the product of its rows' entries.
    """

    name: str
    components: dict[str, Any]
    table_class: Any
    temperature: float = 1.0
    back_off: tuple[tuple[str, ...], ...] = ()
    parts: tuple[PriorCode, ...] = ()

    @property
    def singles(self) -> tuple[PriorCode, ...]:
        """The codes, one of each row that a move has; itself where it is one code."""
        return self.parts or (self,)

    @property
    def rows(self) -> int:
        """Number of rows of a dense table, of all parts together."""
        if self.parts:
            return sum(part.rows for part in self.parts)
        return math.prod(self.components.values())

    @property
    def first_rows(self) -> list[int]:
        """First row of each part."""
        sizes = [part.rows for part in self.singles]
        return [sum(sizes[:number]) for number in range(len(sizes))]

    def new_table(self, odds: npt.NDArray[np.float64]) -> Any:
        """Return the prior of a search with `odds` (float64[rows]): what `rules.odds` is asked for.

        It is an instance of `table_class`, or of several codes a `rules.Product` of such.
        """
        if not self.parts:
            return self.table_class(odds)
        import numpy as np

        from solver.contract.rules import Product

        ends = [*self.first_rows[1:], self.rows]
        tables = [
            part.table_class(np.ascontiguousarray(odds[first:end]))
            for part, first, end in zip(self.parts, self.first_rows, ends, strict=True)
        ]
        return reduce(lambda rest, table: Product(table, rest), reversed(tables))


def joined(codes: Mapping[str, PriorCode], names: list[str]) -> PriorCode:
    """Return the code called `names[0]` among `codes`, or the one that has all of `names` as parts.

    Raises
    ------
    InputError
        If a name is unknown or there twice.
    """
    for name in names:
        if name not in codes:
            known = ", ".join(codes)
            raise InputError(f"prior code {quoted(name)} is unknown, expected one of: {known}")
        if names.count(name) > 1:
            raise InputError(f"prior code {quoted(name)} is given {names.count(name)} times")
    parts = tuple(codes[name] for name in names)
    if len(parts) == 1:
        return parts[0]
    components = {part.name: part.components for part in parts}
    return PriorCode(JOINT.join(names), components, None, parts=parts)


def code_named(codes: Mapping[str, PriorCode], name: str) -> PriorCode:
    """Return the code called `name`, such as `triple`, or `triple+dual` for a prior of two.

    Raises
    ------
    InputError
        As `joined`.
    """
    return codes[name] if name in codes else joined(codes, name.split(JOINT))


def known_code(codes: Mapping[str, PriorCode], name: str) -> PriorCode | None:
    """Return the code called `name` as `code_named`; None where there is none."""
    try:
        return code_named(codes, name)
    except InputError:
        return None
