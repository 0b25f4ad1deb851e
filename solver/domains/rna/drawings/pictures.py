"""Pictures of `solve rna --draw`: the structure of a design, and its dot plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, get_args

from solver.contract.domain import Problem
from solver.domains.rna.drawings.dots import Pair, draw_dots
from solver.domains.rna.drawings.structure import draw_structure
from solver.domains.rna.engines import NO_ENGINE, engine_called, is_dna
from solver.domains.rna.plans.documents import plan_of
from solver.domains.rna.refold import pair_probabilities, refold
from solver.domains.rna.text import OPEN, RnaTarget, pair_partners
from solver.errors import FieldError
from solver.system.fields import check_fields

Colour = Literal["base", "probability"]
BASE, PROBABILITY = get_args(Colour)


@dataclass(frozen=True)
class RnaPictures:
    """Options of the drawings of designs.

    Parameters
    ----------
    colour : {"base", "probability"}
        Meaning of a base's colour: which base it is, or how probable it is that it pairs, or does
        not, as drawn.

    Raises
    ------
    InputError
        If there is no such colour.
    """

    colour: Colour = "base"

    def __post_init__(self) -> None:
        check_fields(self)

    def check(self, options: Any) -> None:
        """Raise `InputError` if the engine of `options` has no ensemble to colour by."""
        if self.colour == PROBABILITY and not has_ensemble(options.energies):
            needed = f"it needs an engine with dangles 2 or 0, not {options.energies}"
            raise FieldError("colour", f"is {PROBABILITY}: {needed}")

    def of(self, problem: Problem, answer: Any) -> dict[str, str]:
        """Return stand-alone SVGs by the endings of their files' names.

        A design is drawn in its fold, in the target where nothing is folded; the dot plot needs an
        engine with dangles 2. Layouts are of one strand: there are none of several.
        """
        if has_strands(problem.data):
            return {}
        target, (sequence, engine) = problem.data.structure, answer
        letters = sequence.replace("U", "T") if is_dna(engine) else sequence
        folded = target if engine == NO_ENGINE else refold(sequence, engine).structure
        pairs = pair_probabilities(sequence, engine) if has_ensemble(engine) else None
        shares = None
        if pairs is not None and self.colour == PROBABILITY:
            shares = position_shares(folded, pairs)
        found = {"svg": draw_structure(folded, letters, f"{problem.name}, structure", shares)}
        if pairs is not None:
            found["dots.svg"] = draw_dots(
                folded, target.replace(OPEN, "."), pairs, f"{problem.name}, dot plot"
            )
        return {ending: standing_alone(svg) for ending, svg in found.items()}


def has_strands(target: RnaTarget) -> bool:
    """Return whether a target has two strands or more."""
    return target.nick > 0 or (bool(target.plan) and len(plan_of(target.plan).strands) > 1)


def has_ensemble(engine: str) -> bool:
    """Return whether `engine` gives probabilities of pairs."""
    return engine != NO_ENGINE and engine_called(engine).has_ensemble


def position_shares(structure: str, pairs: Sequence[Pair]) -> list[float]:
    """Probability that each position pairs, or does not, as in `structure`."""
    partners = pair_partners(structure, "structure")
    paired, right = [0.0] * len(structure), [0.0] * len(structure)
    for i, j, probability in pairs:
        for one, other in ((i, j), (j, i)):
            paired[one] += probability
            if partners[one] == other:
                right[one] = probability
    shares = [right[i] if j >= 0 else 1 - paired[i] for i, j in enumerate(partners)]
    return [min(max(share, 0.0), 1.0) for share in shares]


def style_sheet() -> str:
    """Return the CSS of the drawings, for a light background."""
    return files(__package__).joinpath("rna.css").read_text(encoding="utf-8")


def standing_alone(svg: str) -> str:
    """`svg` with its style sheet in it."""
    head, end, rest = svg.partition(">\n")
    return f"{head}{end}<style>\n{style_sheet()}</style>\n{rest}"
