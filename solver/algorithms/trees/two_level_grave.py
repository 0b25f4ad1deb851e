"""GRAVE with a second tree below each leaf of the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solver.algorithms.run import Count
from solver.algorithms.tree import Grave

#: Measured beside 4 and 30: `benchmarks/measured.md`, Two-level GRAVE.
LEAF_PLAYOUTS = 10


@dataclass(frozen=True)
class TwoLevelGrave(Grave):
    """GRAVE with a few playouts below each state that is added, by a tree of their own.

    Each state that is added gets `leaf_playouts` playouts at once. All count in the states above
    it; those after the first select moves by GRAVE in a second tree, by the statistics of the first
    one, and that tree is dropped behind its root. So the states that are kept are about as many as
    the playouts divided by `leaf_playouts`. It takes less memory, and does not play better.

    GRAVE by two levels, the second one with statistics of the first, is GRAVE2 [1]_. This follows
    what its abstract and summaries say, not its pseudocode: how many playouts a second tree has,
    and that the moves of its root and proofs stay of it, are choices of this library.
    Further parameters: see `Grave` and `TreeAlgorithm`.

    Parameters
    ----------
    leaf_playouts : int
        Playouts of each second tree, all of which are playouts of the search; 1 for GRAVE.

    Raises
    ------
    InputError
        As `TreeAlgorithm`.

    References
    ----------
    .. [1] A. Rautureau, T. Cazenave and É. Piette, Generalized rapid action value estimation in
       memory-constrained environments, arXiv:2602.23318, 2026.
    """

    name: ClassVar[str] = "two-level-grave"
    label: ClassVar[str] = "Two-level GRAVE"
    leaf_playouts: Count = LEAF_PLAYOUTS
