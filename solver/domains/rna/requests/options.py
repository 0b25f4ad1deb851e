"""Options of `solve rna` that ask for more than a fold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from solver.contract.references import OF_FILES
from solver.domains.rna.engines import ALL_ENGINES, NO_ENGINE, engine_called
from solver.domains.rna.plans.codons import check_code, protein_tables
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.ensemble import MOST_BASES
from solver.domains.rna.requests.motifs import NOTHING, SYNTHESIS, Motif, parse_motifs
from solver.domains.rna.requests.others import read_foreign, read_usage
from solver.domains.rna.text import RnaTarget
from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Range, check_fields

Objective = Literal["mfe", "probability", "defect", "both"]
MFE, PROBABILITY, DEFECT, BOTH = OBJECTIVES = get_args(Objective)
#: More designs, or a wider gap, are a slip of the fingers.
MOST_DESIGNS, MOST_GAP = 10_000, 20.0
#: mol/L, in umol/L.
MOST_CONCENTRATION = 1e6
ANY_GC = "0-100"
#: Requests on new designs unless others are stated; the class alone has none.
DESIGN_DEFAULTS: dict[str, Any] = {"forbid": SYNTHESIS, "quadruplex": False}


@dataclass(frozen=True)
class RnaRequests:
    """Additional requirements on a design.

    A request that has no effect on a target, as a distance between designs on one of which a single
    design is wanted, is left out there.

    Parameters
    ----------
    designs : int
        Number of different designs of each target; they share its budget.
    min_distance : int
        Hamming distance that each two designs of a target have at least.
    gc : str
        Share of G and C in per cent, LEAST-MOST.
    forbid : str
        Motifs that must not occur, separated by commas: IUPAC letters (GGNCC), a letter and a
        number (G4 is GGGG), G-run, A-run, C-run, U-run, or restriction sites by name (EcoRI,
        BsaI), on either strand; synthesis, for runs and repeats that are hard to make, and
        palindromes, for 8 bases that pair with a copy of themselves, where the bases are free; or
        none.
    require : str
        Motifs that must occur somewhere, each at least once.
    quadruplex : bool
        Permit designs whose fold is another one, with a G-quadruplex, once ViennaRNA may form one.
    gap : float
        Energy that the second-best structure has above the target, at least, in kcal/mol.
    within : float
        For a switch: energy that each of its structures has above the minimum free energy, at
        most, in kcal/mol.
    protein : str
        Protein that the bases code for, in letters of amino acids, * for a stop; a position before
        it, as 31:MKV*, is that of its first base.
    genetic_code : int
        Number of the genetic code at NCBI.
    codon_usage : str
        File of codons and how often each is used, to prefer those that are used more.
    near : str
        Sequence to be as near to as possible, N where any base will do.
    gc_window : str
        Share of G and C in per cent of each stretch of so many bases, as 30-70:20.
    max_shared : int
        Bases of the longest stretch that two designs have in common, on either strand, at most; 0
        for any. Fixed bases may be shared.
    apart_from : str
        File of sequences that designs share no longer stretch with, either.
    conserved : float
        Share of the sequences of a family in Stockholm format, in per cent, that have the bases
        which are fixed, as IUPAC letters; 0 to fix none.
    concentration : float
        Concentration of each of two strands, in umol/L, at which the share of them that is bound
        to the other is computed; 0 to leave that out.
    objective : {"mfe", "probability", "defect", "both"}
        Quantity to improve in most of the budget, whether or not the minimum free energy is right:
        the target's probability in the ensemble, or the normalised ensemble defect; or both, their
        difference, with the right fold first where one is found.

    Raises
    ------
    InputError
        If one makes no sense.
    """

    designs: Annotated[int, Range(1, MOST_DESIGNS)] = 1
    min_distance: Annotated[int, Range(1)] = 1
    gc: str = ANY_GC
    forbid: str = ""
    require: str = ""
    quadruplex: bool = True
    gap: Annotated[float, Range(0, MOST_GAP, "kcal/mol")] = 0.0
    within: Annotated[float, Range(0, MOST_GAP, "kcal/mol")] = Requirements().within
    protein: str = ""
    genetic_code: int = 1
    codon_usage: str = ""
    near: str = ""
    gc_window: str = ""
    max_shared: Annotated[int, Range(0, 1000)] = 0
    apart_from: str = ""
    conserved: Annotated[float, Range(0, 100, "%")] = field(default=0.0, metadata=OF_FILES)
    concentration: Annotated[float, Range(0, MOST_CONCENTRATION, "umol/L")] = 0.0
    objective: Objective = "mfe"

    def __post_init__(self) -> None:
        check_fields(self)
        if self.forbid.strip().lower() == NOTHING:  # the same requests, whichever way
            object.__setattr__(self, "forbid", "")
        if 0 < self.conserved <= 1:
            raise FieldError("conserved", f"is {self.conserved:g}, expected per cent, such as 90")
        check_code(self.genetic_code)
        if self.apart_from and not self.max_shared:
            raise FieldError("apart_from", "has no effect without --max-shared")
        if self.protein:
            protein_tables(self.coding[1], 0, self.genetic_code)
        _ = self.requirements, self.near_bases, self.usage

    @cached_property
    def coding(self) -> tuple[int, str]:
        """Position, from 0, of the first base of the protein, and its residues."""
        found = re.fullmatch(r"(?:(\d{1,6}):)?\s*([^\s:]+)", self.protein.strip(), re.ASCII)
        if found is None or found[1] == "0":
            expected = "expected residues, or the position of their first base before: 31:MKV*"
            raise FieldError("protein", f"is {quoted(self.protein)}, {expected}")
        return int(found[1] or 1) - 1, found[2].upper()

    @cached_property
    def near_bases(self) -> str:
        """Letters A, C, G, U and N of the sequence to be near to."""
        letters = self.near.strip().upper().replace("T", "U").replace("&", "")
        if wrong := next((c for c in letters if c not in "ACGUN"), ""):
            raise FieldError("near", f"has {quoted(wrong)}, expected A, C, G, U and N")
        return letters

    @cached_property
    def window(self) -> tuple[float, float, float] | tuple[()]:
        """Least and most share of G and C in per cent, and bases of a window."""
        if not self.gc_window:
            return ()
        text, colon, length = self.gc_window.partition(":")
        if not colon or not re.fullmatch(r"[1-9]\d{0,3}", length.strip(), re.ASCII):
            expected = "expected LEAST-MOST:BASES, such as 30-70:20"
            raise FieldError("gc_window", f"is {quoted(self.gc_window)}, {expected}")
        return *_gc_range(text, "gc_window"), float(length)

    @cached_property
    def usage(self) -> dict[str, float]:
        """Frequency of each codon; empty if that does not matter."""
        return read_usage(self.codon_usage) if self.codon_usage else {}

    @property
    def has_tables(self) -> bool:
        """True if a request is on several positions at once: the search for states takes those."""
        return bool(self.protein or self.near or self.gc_window)

    @property
    def prefers(self) -> bool:
        """True if some sequences are better than others that are right, too."""
        return bool(self.near or self.codon_usage)

    @cached_property
    def lifted(self) -> list[str]:
        """Motifs of presets that are permitted, as a required motif has them."""
        required = parse_motifs(self.require, "require")
        return [
            motif.word
            for motif in parse_motifs(self.forbid, "forbid")
            if motif.preset and any(_has(motif, other) for other in required)
        ]

    @cached_property
    def requirements(self) -> Requirements:
        """Requests on a single sequence.

        Raises
        ------
        InputError
            If the range of GC or a motif cannot be read.
        """
        required = parse_motifs(self.require, "require")
        motifs = parse_motifs(self.forbid, "forbid")
        stated = {pattern for motif in motifs if not motif.preset for pattern in motif.patterns}
        forbidden = [
            motif
            for motif in motifs
            if not motif.preset or motif.word not in (*stated, *self.lifted)
        ]
        return Requirements(
            gc=_gc_range(self.gc),
            forbidden=[(motif.word, motif.patterns) for motif in forbidden],
            required=[(motif.word, motif.patterns) for motif in required],
            presets=[motif.word for motif in forbidden if motif.preset],
            quadruplex=self.quadruplex,
            window=self.window,
            shared=self.max_shared,
            foreign=read_foreign(self.apart_from) if self.apart_from else (),
            distance=self.min_distance,
            gap=self.gap,
            within=self.within,
            concentration=self.concentration,
        )

    @property
    def constrains(self) -> bool:
        """True if a request constrains the letters, beyond the fold."""
        letters = replace(
            self, gap=0.0, within=Requirements().within, objective=MFE, quadruplex=True,
            concentration=0.0, conserved=0.0,
        )  # fmt: skip
        return letters != RnaRequests()

    @property
    def refines(self) -> bool:
        """True if a request is on the ensemble, beyond the minimum free energy."""
        return self.gap > 0 or self.objective != MFE

    @property
    def refinement(self) -> str:
        """Field by which it `refines`."""
        return "gap" if self.gap > 0 else "objective"

    def check_length(self, n: int, name: str) -> None:
        """Raise `InputError` if the ensemble of `n` bases takes too long to search in."""
        if self.refines and n > MOST_BASES:
            raise InputError(
                f"{name}: {n} bases, expected {MOST_BASES} at most with --{self.refinement}"
            )

    def check_engine(self, engine: str) -> None:
        """Raise `InputError` if `engine` cannot evaluate the requests."""
        asked = self.refinement if self.refines else "concentration" if self.concentration else ""
        if not asked:
            return
        chosen = None if engine == NO_ENGINE else engine_called(engine)
        if chosen is not None and chosen.has_ensemble:
            return
        if chosen is not None and (chosen.modified or not chosen.lonely_pairs):
            lack = "with modified bases" if chosen.modified else "without lonely pairs"
            raise FieldError(asked, f"is not known {lack}")
        known = ", ".join(name for name, known in ALL_ENGINES.items() if known.dangles == 2)
        raise FieldError(asked, f"needs an engine with dangles 2 or 0, not {engine}: {known}")


def requests_for(target: RnaTarget, requests: RnaRequests) -> RnaRequests:
    """Return the requests on designs of `target`: its own in place of those of the command.

    Those of the command that have no effect on this target are left out.
    """
    own = own_requests(target.asked)
    if own.get("designs", requests.designs) == 1 and requests.min_distance > 1:
        own["min_distance"] = 1
    if requests.codon_usage and not own.get("protein", requests.protein):
        own["codon_usage"] = ""
    return replace(requests, **own) if own else requests


def own_requests(asked: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the requests of a target alone, which are texts, as `RnaRequests` has them.

    Raises
    ------
    FieldError
        If the number of designs is none.
    """
    found: dict[str, Any] = dict(asked)
    if "designs" in found:
        if not re.fullmatch(r"[1-9]\d{0,8}", found["designs"], re.ASCII):
            raise FieldError("designs", f"is {quoted(found['designs'])}, expected a number")
        found["designs"] = int(found["designs"])
    return found


def _has(motif: Motif, required: Motif) -> bool:
    """Return whether a form of `required` contains the letters of a motif of a preset."""
    return any(motif.patterns[0] in pattern for pattern in required.patterns)


def _gc_range(text: str, field: str = "gc") -> tuple[float, float]:
    numbers = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)-(\d{1,3}(?:\.\d+)?) ?%?", text.strip(), re.ASCII)
    expected = "expected LEAST-MOST in per cent, such as 45-55"
    if numbers is None:
        raise FieldError(field, f"is {quoted(text)}, {expected}")
    least, most = float(numbers[1]), float(numbers[2])
    if not least <= most <= 100 or (0 < most <= 1):
        raise FieldError(field, f"is {quoted(text)}, {expected}")
    return least, most


def gc_counts(gc: tuple[float, float], n: int) -> tuple[int, int]:
    """Fewest and most G and C among `n` bases for a share in per cent; none if first > second."""
    least, most = gc
    return math.ceil(least * n / 100 - 1e-9), math.floor(most * n / 100 + 1e-9)
