"""Members of a puzzle for local search guided by counterexamples, besides registered rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar


class Assignable:
    """Members of a puzzle for local search guided by counterexamples (optional).

    The search exchanges single moves of a finished playout, its assignment; see
    `solver.contract.constraints`. A puzzle whose playouts end early, or whose moves exclude each
    other, returns another form of itself by `assignments`.
    """

    guided_parameters: ClassVar[dict[str, Any]] = {}
    """Measured parameters of the search, used unless the caller gives others."""

    palettes: ClassVar[dict[str, tuple[float, ...]]] = {}
    """By name, shares of all moves that a restart may propose in place of the prior's; 0 for moves
    that are proposed as before."""

    def assignments(self) -> Any:
        """Return the form of the domain whose playouts are assignments."""
        return self

    def new_constraints(self, instance: Any) -> Any:
        """Allocate the constraints of `instance`; None if the puzzle has none."""
        return None

    def parts(self, instance: Any) -> Iterable[tuple[Any, Any]]:
        """Yield subproblems of `instance`, inner ones before those that contain them.

        Local search assembles assignments from their solutions.

        Yields
        ------
        instance : NamedTuple
            The subproblem.
        steps : int64[steps]
            Number of each of its steps in the whole instance.
        """
        return ()
