"""Targets that are hard to design, of five kinds: `python -m generators.rna.hard_folds`.

The features that make targets hard are known from Eterna (J. Anderson-Lee et al., Principles for
predicting RNA secondary structure design difficulty, Journal of Molecular Biology 428, 2016): short
stems, bulges and loops of one base, junctions without unpaired bases, symmetry, and zigzags of
bulges on alternating sides. Every kind here is one of these; no puzzle of Eterna is used. Targets
are not known to have an answer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from solver.domains.rna.loops import check_foldable

#: Bases of the shortest and the longest target.
SHORTEST, LONGEST = 50, 400
#: Largest deviation of a target's length from the requested one.
TOLERANCE = 0.1
#: Helices within each other, at most.
DEEPEST = 40


class Kind(NamedTuple):
    """Components of a kind of targets; pairs of numbers are least and most."""

    stem: tuple[int, int]
    """Pairs of a helix."""
    loops: tuple[tuple[int, int], ...]
    """Unpaired bases on both sides of interior loops; of bulges one is 0."""
    branching: float
    """Chance that a helix ends in a junction and not in an interior loop."""
    arms: tuple[int, int]
    """Helices that leave a junction."""
    linker: tuple[int, int]
    """Unpaired bases between the helices of a junction."""
    alternating: bool = False
    """Each loop is the mirror image of the one before."""
    symmetric: bool = False
    """All arms of a junction are the same."""


KINDS = {
    "short-stems": Kind((2, 3), ((1, 1), (1, 0), (0, 1), (2, 2), (1, 2)), 0.3, (2, 3), (0, 2)),
    "junctions": Kind((2, 4), ((0, 1), (1, 0)), 0.8, (2, 4), (0, 0)),
    "stars": Kind((2, 4), ((1, 1), (0, 1), (2, 2)), 0.5, (3, 5), (0, 1), symmetric=True),
    "zigzags": Kind((1, 3), ((0, 1), (0, 2), (0, 3)), 0.1, (2, 2), (0, 1), alternating=True),
    "loops-of-one": Kind((2, 3), ((1, 1), (0, 1), (1, 0)), 0.25, (2, 3), (1, 1)),
}


class _Target:
    """A target as it grows, with the bases that are left for it."""

    def __init__(self, kind: Kind, chance: np.random.Generator) -> None:
        self._kind = kind
        self._chance = chance

    def _between(self, ends: tuple[int, int]) -> int:
        return int(self._chance.integers(ends[0], ends[1] + 1))

    def helix(self, room: int, depth: int = 0, turn: int = 0) -> str:
        """A helix with all that it closes, of about `room` bases."""
        kind = self._kind
        pairs = self._between(kind.stem)
        left = room - 2 * pairs
        least = 2 * kind.stem[1] + 6
        if left < least or depth == DEEPEST:
            inside = "." * (3 + int(self._chance.integers(2)))
            pairs = max(pairs, 2)  # a hairpin of one pair folds nowhere
        elif left > 2 * least and self._chance.random() < kind.branching:
            inside = self._junction(left, depth)
        else:
            before, after = kind.loops[self._chance.integers(len(kind.loops))]
            if kind.alternating and turn % 2:
                before, after = after, before
            within = self.helix(left - before - after, depth + 1, turn + 1)
            inside = "." * before + within + "." * after
        return "(" * pairs + inside + ")" * pairs

    def _junction(self, room: int, depth: int) -> str:
        kind = self._kind
        arms = self._between(kind.arms)
        share = room // arms
        if kind.symmetric:
            linker = "." * self._between(kind.linker)
            return linker + (self.helix(share, depth + 1) + linker) * arms
        parts = ["." * self._between(kind.linker)]
        for _ in range(arms):
            parts += [self.helix(share, depth + 1), "." * self._between(kind.linker)]
        return "".join(parts)


def hard_target(kind: str, length: int, seed: int) -> str:
    """A target of a kind, of about `length` bases, in dot-bracket.

    Raises
    ------
    InputError
        If ViennaRNA cannot form one of its loops.
    """
    chance = np.random.default_rng([seed, length, list(KINDS).index(kind)])
    while True:
        target = _Target(KINDS[kind], chance).helix(length)
        near = abs(len(target) - length) <= TOLERANCE * length
        if near and SHORTEST <= len(target) <= LONGEST:
            check_foldable(target, kind)
            return target


def hard_targets(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield names and targets: kinds in turn, lengths spread evenly by their logarithm."""
    lengths = np.geomspace(SHORTEST / (1 - TOLERANCE), LONGEST / (1 + TOLERANCE), max(count, 1))
    found: set[str] = set()
    for number in range(count):
        kind, again = list(KINDS)[number % len(KINDS)], 0
        while (target := hard_target(kind, int(lengths[number]), seed + again)) in found:
            again += count
        found.add(target)
        yield f"{kind}-{number + 1:03}", target


def main() -> int:
    """Write targets to stdout, as FASTA has sequences; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name, target in hard_targets(arguments.count, arguments.seed):
        sys.stdout.write(f">{name}\n{target}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
