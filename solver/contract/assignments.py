"""What a puzzle says to local search that counterexamples guide, besides what it registers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar


class Assignable:
    """Members of a puzzle that such a search needs, see `solver.contract.constraints`.

    That changes the moves of a finished playout, which is an assignment. Where playouts end early,
    or moves allow others, `assignments` has those of another kind.
    """

    guided_parameters: ClassVar[dict[str, Any]] = {}
    """Parameters of the search that suit the costs, measured, where nobody asks for others."""

    def assignments(self) -> Any:
        """Return the domain of the same problems and answers whose playouts are assignments."""
        return self

    def new_constraints(self, instance: Any) -> Any:
        """Allocate constraints of `instance`; None where it has none."""
        return None

    def parts(self, instance: Any) -> Iterable[tuple[Any, Any]]:
        """Yield parts of `instance` that can be solved by themselves, those within others first.

        Each is an instance and the numbers that its steps have in the whole, int64[steps]: what
        local search puts an assignment together from.
        """
        return ()
