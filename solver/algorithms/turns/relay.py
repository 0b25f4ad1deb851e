"""Nested search, then parallel tempering."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.run import Run, require_field, suited
from solver.algorithms.tempering import Tempering
from solver.errors import quoted
from solver.system.text_blocks import whole_number

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

#: Playouts that the instance decides.
AUTO = "auto"
#: No search is so long.
MOST_PLAYOUTS = 2**62


@dataclass(frozen=True)
class Relay(Tempering):
    """GNRPA, then parallel tempering that goes on from its best playout: a relay hybrid [1]_.

    GNRPA, with the prior and with the level that suit the problem, makes the first playouts; then
    its best playout is the order of every temperature, and tempering makes all others. The answer
    depends on the seed and the playouts.

    Parameters
    ----------
    start : str
        Playouts of GNRPA; "auto" are those that the problem has for the size of the instance, 0 for
        tempering from the beginning.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] E.-G. Talbi, A Taxonomy of Hybrid Metaheuristics, 2002.
    """

    name: ClassVar[str] = "relay"
    label: ClassVar[str] = "GNRPA, then tempering"
    kind: ClassVar[str] = "relays"
    takes_prior: ClassVar[bool] = True

    start: str = AUTO

    def __post_init__(self) -> None:
        super().__post_init__()
        right = self.start == AUTO or whole_number(self.start, 0, MOST_PLAYOUTS) is not None
        complaint = f"is {quoted(self.start)}, expected a number of playouts or {AUTO}"
        require_field(right, "start", complaint)

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        from solver.contract.rules import shaped_score
        from solver.kernels.changes.relay import RelayRun
        from solver.kernels.nested.search import NestedRun
        from solver.priors.priors import NoPrior

        playouts = domain.start_playouts(instance) if self.start == AUTO else int(self.start)
        if playouts == 0:
            return super().new_run(domain, instance, NoPrior())
        arguments = self.run_arguments(domain, instance, NoPrior())
        shaping = self.shaping and domain.has(shaped_score)
        first = replace(suited(Gnrpa(), domain), shaping=shaping)
        begun = first.new_run(domain, instance, prior)
        assert isinstance(begun, NestedRun)
        return RelayRun(begun, playouts, *arguments)
