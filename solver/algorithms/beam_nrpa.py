"""Nested rollout policy adaptation with beams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.run import MAX_RUN_PLAYOUTS, Count, Run, for_reproduction, require_field
from solver.errors import quoted
from solver.system.text_blocks import whole_number

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

Diversity = Literal["none", "scores", "sequences", "distance"]

#: Each has a policy, and two records, of the size of a playout.
MAX_WIDTH = 4096


@dataclass(frozen=True)
class BeamNrpa(Gnrpa):
    """Beam nested rollout policy adaptation [1]_ (Algorithm 3), generalized as GNRPA is.

    A level keeps a beam of B sequences, each with its score and a policy w. In every iteration the
    level below searches once from each of these policies and returns its own beam; the best B of
    all that there are then are the new beam. A new sequence s that came of w brings the policy
    adapt(w, s); one that stays goes on adapting to itself, which makes a beam of 1 NRPA, or keeps
    its policy as it is, as Algorithm 3 is printed (`--no-keep-adapting`).

    Parameters
    ----------
    beam : str
        Widths of the beams of level 1, 2 and so on, as in 8 or 8,2; further levels have 1.
    diversity : {"none", "scores", "sequences", "distance"}
        Required difference of sequences in a beam [2]_: none, their scores, at least a move, or
        `--distance` moves.
    distance : int
        Steps at which two sequences of a beam play different moves, at least.
    keep_adapting : bool
        Adapt the policies of sequences that stay in the beam, too, in every iteration.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] T. Cazenave, F. Teytaud, Beam Nested Rollout Policy Adaptation, 2012.
    .. [2] S. Edelkamp, T. Cazenave, Improved Diversity in Nested Rollout Policy Adaptation, 2016.
    """

    name: ClassVar[str] = "beam-nrpa"
    label: ClassVar[str] = "Beam NRPA"
    without_prior: ClassVar[str] = ""
    takes_best: ClassVar[bool] = False

    beam: str = "4"
    diversity: Diversity = "none"
    distance: Count = 1
    keep_adapting: bool = for_reproduction(True)

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.widths  # raises if they are none

    @property
    def widths(self) -> tuple[int, ...]:
        """Width of the beam of level 1, 2 ... `level`."""
        words = self.beam.split(",")
        said = f"is {quoted(self.beam)}, expected"
        read = [whole_number(word, 1, MAX_WIDTH) for word in words]
        numbers = [number for number in read if number is not None]
        widths = f"{said} widths of 1 ... {MAX_WIDTH}, as in 8 or 8,2"
        require_field(len(numbers) == len(words), "beam", widths)
        level = len(numbers) if self.level is None else self.level
        most = f"{said} {level} at most, one for each level"
        require_field(len(numbers) <= level, "beam", most)
        return (*numbers, *[1] * (level - len(numbers)))

    @property
    def playouts_per_run(self) -> int:
        """Playouts of a whole search, or more: a beam is not full from the beginning."""
        playouts = super().playouts_per_run
        for width in self.widths:
            playouts *= width
        return min(playouts, MAX_RUN_PLAYOUTS)

    @property
    def runs_lengthen(self) -> bool:
        """False: dead ends do not grow here, so later runs are no longer than the first."""
        return False

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        from solver.kernels.nested.beam_search import BeamRun
        from solver.kernels.nested.beams import BeamParameters

        self.check_possible(domain)
        diversity = get_args(Diversity).index(self.diversity)
        parameters = BeamParameters(
            self.level_parameters(), diversity, self.distance, self.keep_adapting
        )
        return BeamRun(
            domain, instance, prior, parameters, self.widths, dead_ends=self.dead_ends,
            local_search=self.local_search, shaping=self.shaping,
        )  # fmt: skip
