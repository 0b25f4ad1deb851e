"""Inverse RNA folding (paper 'learned-prior', section 4.3)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from solver.domain import Benchmark, Limits, Moves, PriorCode, Problem, Puzzle
from solver.domains.rna.engines import NO_ENGINE, check_engine, use_engine
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.formats import parse_targets
from solver.domains.rna.gaps.learn import Gaps, new_gaps
from solver.domains.rna.gaps.parts import parts_of
from solver.domains.rna.gaps.requested import RequestedGaps, new_requested_gaps
from solver.domains.rna.kernels import (
    ENGINE_NAMES,
    N_MOVES,
    NO_REQUESTS,
    Rna,
    RnaState,
    new_rna,
    new_rna_state,
)
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.priors import NgramTable, new_nemo_prior
from solver.domains.rna.refold import examine, refold
from solver.domains.rna.requests.check import hamming_distance
from solver.domains.rna.requests.contradictions import check_possible, fits_of, sites_of
from solver.domains.rna.requests.kernels import NoRequests, Requests, new_requests
from solver.domains.rna.requests.options import MFE, RnaRequests
from solver.domains.rna.requests.refine import Refinement
from solver.domains.rna.rivals import N_RIVALS
from solver.domains.rna.text import (
    BRACKETS,
    IUPAC,
    PAIRS,
    RnaTarget,
    format_target,
    new_target,
    pair_partners,
)
from solver.errors import InputError, VerificationError, quoted
from solver.system.datasets import dataset_path
from solver.system.files import read_text


@dataclass(frozen=True)
class RnaOptions:
    """How a sequence is judged.

    Parameters
    ----------
    engine : {"vienna2", "t99d2", "vienna1", "none"}
        Energies and dangles: Turner 2004 with dangles 2, Turner 1999 with dangles 2, or with
        dangles 1. With `none` nothing is folded.

    Raises
    ------
    InputError
        If there is no such engine.
    """

    engine: str = "vienna2"

    def __post_init__(self) -> None:
        check_engine(self.engine)


class RnaDesign(NamedTuple):
    """A sequence and the engine that judged it."""

    sequence: str
    engine: str


#: Keys of `RnaDomain.details`.
DETAILS = ("gap", "probability", "defect", "gc", "design", "distance", "missing")
#: Nothing is asked of a design but its fold.
NOTHING_MORE = RnaRequests()


def _target_of(problem: Problem) -> RnaTarget:
    structure, bases = problem.data
    return new_target(structure, bases, problem.name)


class RnaDomain(Puzzle):
    """Inverse RNA folding."""

    name: ClassVar[str] = "rna"
    instance_class: ClassVar[type] = Rna
    verification_playouts: ClassVar[float] = 2.0  # a fold, and listing those of its energy
    fact_names: ClassVar[tuple[str, ...]] = (
        "sequence",
        "structure",
        "energy",
        "engine",
        "unique_mfe",
        *DETAILS,
    )
    priors: ClassVar[dict[str, PriorCode]] = {
        "ngram": PriorCode(
            "ngram",
            {"target": 2, "target_before": 4, "base_before": 5, "move": N_MOVES},
            NgramTable,
            temperature=16.0,
        ),
    }
    handmade: ClassVar[dict[str, Any]] = {"nemo": new_nemo_prior()}
    options: ClassVar[type[RnaOptions]] = RnaOptions
    requests: ClassVar[Any] = RnaRequests
    generator: ClassVar[Any] = "generators.rna:RnaGenerator"
    samples: ClassVar[Any] = "generators.rna:benchmark"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.rna"
    pictures: ClassVar[Any] = "solver.domains.rna.drawings.pictures:RnaPictures"
    page: ClassVar[Any] = "solver.commands.page.command:run_page"
    peers: ClassVar[Any] = "pipeline.comparing.peers:RNA"
    shipped_prior: ClassVar[str | None] = "ngram"
    target: ClassVar[float | None] = 1.0
    benchmarks: ClassVar[dict[str, Benchmark]] = {
        "eterna100": Benchmark("100 puzzles, version 1", {"engine": "t99d2"}),
        "eterna100-v2": Benchmark("100 puzzles, version 2", {"engine": "vienna2"}),
        "hard-folds": Benchmark("100 made targets of 52 to 351 bases", {"engine": "vienna2"}),
    }
    n_rivals: ClassVar[int] = N_RIVALS
    """Room for structures that tell soon which sequences need not be folded."""

    def __init__(
        self, requests: RnaRequests = NOTHING_MORE, others: Sequence[RnaDesign] = ()
    ) -> None:
        self.asked = requests
        self.wanted = requests.wanted._replace(others=[other.sequence for other in others])
        self.answers_wanted = requests.designs
        self.is_asked = requests != NOTHING_MORE
        self.improves = requests.objective != MFE

    def with_requests(self, requests: RnaRequests) -> Self:
        """Return the domain of designs that are what `requests` ask for."""
        return type(self)(requests)

    def besides(self, answers: Sequence[RnaDesign]) -> Self:
        """Return the domain of a design that differs from `answers`."""
        return type(self)(self.asked, answers)

    def benchmark(self, name: str) -> list[Problem]:
        """Read the puzzles of Eterna100, or the targets of `generators.hard_folds`."""
        if name == "hard-folds":
            path = dataset_path("hard-folds.fa")
            return self.parse(read_text(path), str(path))
        path = dataset_path("eterna100.tsv")
        version = "v2" if name.endswith("-v2") else "v1"
        rows = csv.DictReader(read_text(path).splitlines(), delimiter="\t")
        return [Problem(row["name"], new_target(row[version], "", str(path))) for row in rows]

    def is_problem_text(self, text: str) -> bool:
        """Whether `text` begins with a structure, as no name of a file does."""
        words = text.split()
        return bool(words) and set(words[0]) <= BRACKETS and len(words[0]) > 2

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read dot-bracket lines, records or a table."""
        return [Problem(name, target) for name, target in parse_targets(text, source)]

    def instance(self, problem: Problem, options: RnaOptions) -> Rna:
        """Number the steps and load the engine.

        Raises
        ------
        InputError
            If the engine cannot tell what is asked for.
        UnsolvableError
            If the engine cannot form a loop of the target, or no design can be what is asked for.
        """
        engine = None if options.engine == NO_ENGINE else options.engine
        if engine is not None:
            structure, _ = problem.data
            check_foldable(structure, problem.name)
        self.asked.check_engine(options.engine)
        return new_rna(problem.data, engine, problem.name, self._requests(problem))

    def _requests(self, problem: Problem) -> Requests | NoRequests:
        """What kernels are told of the requests, which are checked against the target."""
        if not self.asked.constrains:
            return NO_REQUESTS
        target = _target_of(problem)
        check_possible(target, self.asked, problem.name)
        n, sites = len(target.structure), sites_of(target)
        patterns = [pattern for _, forms in self.wanted.required for pattern in forms]
        fits = [fits_of(pattern, sites, n) for pattern in patterns]
        return new_requests(self.wanted, fits, n)

    def new_state(self, instance: Rna) -> RnaState:
        """Allocate a state."""
        return new_rna_state(instance, self.n_rivals)

    def best_algorithm(self, options: RnaOptions) -> str:
        """Local search, where the energies of an engine are known."""
        folds = options.engine != NO_ENGINE and load_fold_parameters(options.engine) is not None
        return "cegls" if folds else "gnrpa"

    def new_constraints(self, instance: Rna) -> Gaps | RequestedGaps | None:
        """Room for the structures that sequences fold into instead of the target."""
        if not len(instance.energies):
            return None
        asked = isinstance(instance.requests, Requests)
        return new_requested_gaps(instance) if asked else new_gaps(instance)

    def parts(self, instance: Rna) -> Iterator[tuple[Rna, Moves]]:
        """Yield what helices close, from small to large."""
        return parts_of(instance)

    def limits(self, instance: Rna) -> Limits:
        """A step for each unpaired base and each pair, with the same moves in every playout."""
        choices = [int(moves).bit_count() for moves in instance.allowed]
        return Limits(
            steps=len(choices),
            moves=max(choices),
            choices=sum(choices),
            codes=len(instance.partner) * N_MOVES,
        )

    def answer(self, instance: Rna, state: RnaState) -> RnaDesign:
        """Return the sequence, and the engine that it was scored with."""
        engine = NO_ENGINE if instance.engine < 0 else ENGINE_NAMES[instance.engine]
        return RnaDesign(state.sequence[:-1].tobytes().decode(), engine)

    def verify(self, problem: Problem, answer: RnaDesign) -> None:
        """Bases and pairs are allowed, and another process folds the sequence into the target."""
        target: RnaTarget = problem.data
        sequence, engine = answer
        if len(sequence) != len(target.structure):
            raise VerificationError(
                f"{len(sequence)} bases, expected {len(target.structure)}, one a position"
            )
        for position, (base, letter) in enumerate(zip(sequence, target.bases, strict=True)):
            if base not in "ACGU" or base not in IUPAC[letter]:
                raise VerificationError(f"position {position + 1}: {base} where {letter} is given")
        for position, partner in enumerate(pair_partners(target.structure, problem.name)):
            if partner > position and sequence[position] + sequence[partner] not in PAIRS:
                raise VerificationError(
                    f"positions {position + 1} and {partner + 1}: "
                    f"{sequence[position]} and {sequence[partner]} do not pair"
                )
        if self.is_asked:
            for missing in examine(sequence, target.structure, self.wanted, engine).missing:
                raise VerificationError(missing)
        if engine == NO_ENGINE:
            return
        folded = refold(sequence, engine).structure
        if folded != target.structure:
            differing = sum(a != b for a, b in zip(folded, target.structure, strict=True))
            raise VerificationError(f"{engine} folds it otherwise at {differing} positions")

    def facts(self, problem: Problem, answer: RnaDesign) -> dict[str, Any]:
        """Return what the engine makes of the sequence: fold, energy, and of a design if unique."""
        if answer.engine == NO_ENGINE:
            return {"sequence": answer.sequence, "engine": answer.engine}
        fold = refold(answer.sequence, answer.engine)
        if fold.structure == problem.data.structure:
            fold = refold(answer.sequence, answer.engine, unique=True)
        return {
            "sequence": answer.sequence,
            "structure": fold.structure,
            "energy": fold.energy,
            "engine": answer.engine,
            "unique_mfe": fold.unique,
        }

    def details(self, problem: Problem, answer: RnaDesign) -> dict[str, Any]:
        """Return what the ensemble makes of the sequence, its letters, and what it lacks."""
        sequence, engine = answer
        found = examine(sequence, problem.data.structure, self.wanted, engine)
        near = [hamming_distance(sequence, other) for other in self.wanted.others]
        return {
            "gap": found.gap,
            "probability": found.probability,
            "defect": found.defect,
            "gc": found.gc,
            "design": len(self.wanted.others) + 1 if self.answers_wanted > 1 else None,
            "distance": min(near, default=None),
            "missing": "; ".join(found.missing) or None,
        }

    def refine(
        self, problem: Problem, options: RnaOptions, answer: RnaDesign, random: Random
    ) -> Iterator[tuple[RnaDesign, bool]]:
        """Widen the gap to the next structure, and improve what is the objective."""
        if not self.asked.refines:
            yield answer, True
            return
        target = _target_of(problem)
        refinement = Refinement(
            target.structure,
            pair_partners(target.structure, problem.name),
            sites_of(target),
            self.wanted,
            self.asked.objective,
            use_engine(options.engine),
            random,
        )
        for sequence, met in refinement.run(answer.sequence):
            yield RnaDesign(sequence, answer.engine), met

    def record(
        self, problem: Problem, answer: RnaDesign, facts: Mapping[str, Any], *, several: bool
    ) -> str:
        """Return a FASTA record with the facts in its title and the structure below.

        Of several designs each has its number behind the name: records need names of their own.
        """
        lines = {"sequence", "structure"}
        shown = {key: value for key, value in facts.items() if key not in lines}
        for key in DETAILS:
            if key in shown and shown[key] is None:
                del shown[key]
        if "missing" in shown:
            shown["missing"] = f'"{shown["missing"]}"'
        title = " ".join(f"{key}={value}" for key, value in shown.items())
        name = f"{problem.name}_{shown['design']}" if "design" in shown else problem.name
        structure = f"{facts['structure']}\n" if "structure" in facts else ""
        return f">{name} {title}\n{answer.sequence}\n{structure}"

    def format_problem(self, problem: Problem) -> str:
        """Return the target as a record."""
        return format_target(problem.name, problem.data)

    def format(self, problem: Problem, answer: RnaDesign) -> str:
        """Return a FASTA record with the engine in its title."""
        return f">{problem.name} engine={answer.engine}\n{answer.sequence}\n"

    def parse_answer(self, problem: Problem, text: str, source: str) -> RnaDesign:
        """Read a FASTA record with the engine in its title."""
        lines = text.split("\n")
        title, _, engine = lines[0].rpartition(" engine=")
        if len(lines) < 2 or not title.startswith(">"):
            raise InputError(f"{source}: line 1: {quoted(lines[0])}, expected >NAME engine=NAME")
        check_engine(engine, f"{source}: line 1: ")
        return RnaDesign(lines[1].strip(), engine)

    def solution(self, problem: Problem, answer: RnaDesign) -> Moves:
        """Letters of the sequence, int64[n]."""
        return np.frombuffer(answer.sequence.encode(), np.uint8).astype(np.int64)
