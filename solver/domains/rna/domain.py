"""Inverse RNA folding (paper 'learned-prior', section 4.3)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Self

import numpy as np

from solver.contract.codes import PriorCode
from solver.contract.domain import Benchmark, Limits, Problem, Puzzle, read_each
from solver.contract.rules import Moves
from solver.domains.rna.designs import (
    DETAILS,
    RnaDesign,
    check_letters,
    design_record,
    parse_design,
)
from solver.domains.rna.engines import NO_ENGINE, Engine, engine_at, use_engine
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.formats import target_pieces
from solver.domains.rna.gaps.learn import Gaps
from solver.domains.rna.gaps.parts import parts_of
from solver.domains.rna.gaps.requested import RequestedGaps, constraints_of
from solver.domains.rna.kernels import (
    ENGINE_NAMES,
    N_MOVES,
    NO_REQUESTS,
    Rna,
    RnaState,
    engine_number,
    new_rna,
    new_rna_state,
)
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.priors import PRIORS, new_nemo_prior
from solver.domains.rna.refold import Findings, examine, refold
from solver.domains.rna.requests.check import GAP_UNKNOWN, hamming_distance
from solver.domains.rna.requests.contradictions import check_possible, fits_of, sites_of
from solver.domains.rna.requests.kernels import NoRequests, Requests, new_requests
from solver.domains.rna.requests.options import MFE, RnaRequests
from solver.domains.rna.requests.refine import Refinement
from solver.domains.rna.rivals import N_RIVALS
from solver.domains.rna.states.answers import (
    check_states,
    facts_of_switch,
    first_target,
    search_states,
    states_of,
)
from solver.domains.rna.text import (
    RnaTarget,
    format_target,
    is_structure_word,
    new_target,
    pair_partners,
    structure_word,
    with_strands,
)
from solver.errors import (
    InputError,
    UncheckedError,
    UnsolvableError,
    VerificationError,
)
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
    celsius : float
        Temperature of the energies.

    Raises
    ------
    InputError
        If there is no such engine, or it has no energies at that temperature.
    """

    engine: str = "vienna2"
    celsius: float = Engine.celsius

    def __post_init__(self) -> None:
        _ = self.energies

    @property
    def energies(self) -> str:
        """Name of the engine at its temperature."""
        return engine_at(self.engine, self.celsius)


#: Local search guided by counterexamples.
CEGLS = "cegls"
#: Nothing is asked of a design but its fold.
NOTHING_MORE = RnaRequests()


def _target_of(problem: Problem) -> RnaTarget:
    target = RnaTarget(*problem.data)
    return new_target(structure_word(target), target.bases, problem.name)


class RnaDomain(Puzzle):
    """Inverse RNA folding."""

    name: ClassVar[str] = "rna"
    instance_class: ClassVar[type] = Rna
    verification_playouts: ClassVar[float] = 2.0  # a fold, and listing those of its energy
    fact_names: ClassVar[tuple[str, ...]] = (
        "sequence", "structure", "energy", "engine", "unique_mfe", *DETAILS,
    )  # fmt: skip
    priors: ClassVar[dict[str, PriorCode]] = PRIORS
    handmade: ClassVar[dict[str, Any]] = {"nemo": new_nemo_prior()}
    options: ClassVar[type[RnaOptions]] = RnaOptions
    requests: ClassVar[Any] = RnaRequests
    generator: ClassVar[Any] = "generators.rna.generator:RnaGenerator"
    samples: ClassVar[Any] = "generators.rna.generator:benchmark"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.rna"
    pictures: ClassVar[Any] = "solver.domains.rna.drawings.pictures:RnaPictures"
    page: ClassVar[Any] = "solver.design_page.command:run_page"
    peers: ClassVar[Any] = "pipeline.comparing.peers:RNA"
    shipped_prior: ClassVar[str | None] = "ngram"
    target: ClassVar[float | None] = 1.0
    benchmarks: ClassVar[dict[str, Benchmark]] = {
        "eterna100": Benchmark("100 puzzles, version 1", {"engine": "t99d2"}),
        "eterna100-v2": Benchmark("100 puzzles, version 2", {"engine": "vienna2"}),
        "hard-folds": Benchmark("100 made targets of 52 to 351 bases", {"engine": "vienna2"}),
        "hardened-folds": Benchmark("36 made targets with known designs", {"engine": "vienna2"}),
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
        """Read the puzzles of Eterna100, or targets that `generators.rna` made."""
        if name.endswith("-folds"):
            path = dataset_path(f"{name}.fa")
            return self.parse(read_text(path), str(path))
        path = dataset_path("eterna100.tsv")
        version = "v2" if name.endswith("-v2") else "v1"
        rows = csv.DictReader(read_text(path).splitlines(), delimiter="\t")
        return [Problem(row["name"], new_target(row[version], "", str(path))) for row in rows]

    def is_problem_text(self, text: str) -> bool:
        """Whether `text` begins with a structure, as no name of a file does."""
        words = text.split()
        return bool(words) and is_structure_word(words[0])

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read dot-bracket lines, records or a table."""
        return read_each(target_pieces(text, source))

    def instance(self, problem: Problem, options: RnaOptions) -> Rna:
        """Number the steps and load the engine.

        Raises
        ------
        InputError
            If the engine cannot tell what is asked for.
        UnsolvableError
            If the engine cannot form a loop of the target, or no design can be what is asked for.
        """
        target = _target_of(problem)
        if not target.is_simple:
            raise UnsolvableError(
                f"{problem.name}: several structures, or two strands, which only `solve` searches"
            )
        engine = None if options.engine == NO_ENGINE else options.energies
        if engine is not None:
            check_foldable(target.structure, problem.name)
        self.asked.check_engine(options.engine)
        self.asked.check_length(len(target.structure), problem.name)
        return new_rna(target, engine, problem.name, self._requests(problem))

    def begun(self, problem: Problem, options: RnaOptions, algorithm: str) -> Rna | None:
        """Return letters for what is not simple.

        Raises
        ------
        InputError
            As `instance` does, or for an algorithm that does not know switches and strands.
        """
        target = _target_of(problem)
        if target.is_simple:
            return None
        if algorithm != CEGLS and options.engine != NO_ENGINE:
            raise InputError(
                f"{problem.name}: several structures, or two strands, are searched by {CEGLS}, "
                f"not by {algorithm}"
            )
        check_states(target, self.asked, options.engine, problem.name)
        return new_rna(first_target(target), None, problem.name)

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
        folds = options.engine != NO_ENGINE and load_fold_parameters(options.energies) is not None
        return CEGLS if folds else "gnrpa"

    def new_constraints(self, instance: Rna) -> Gaps | RequestedGaps | None:
        """Room for the structures that sequences fold into instead of the target."""
        return constraints_of(instance)

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
        engine = NO_ENGINE
        if instance.engine >= 0:
            engine = engine_at(ENGINE_NAMES[instance.engine], instance.celsius)
        return RnaDesign(state.sequence[:-1].tobytes().decode(), engine)

    def verify(self, problem: Problem, answer: RnaDesign) -> None:
        """Bases and pairs are allowed, and another process folds the sequence into the target."""
        target: RnaTarget = problem.data
        sequence, engine = answer
        check_letters(sequence, target)
        if target.others and engine != NO_ENGINE:
            missing = states_of(target, sequence, self.wanted, engine).missing
        else:
            missing = self._examined(target, answer).missing if self.is_asked else []
        if missing == [GAP_UNKNOWN]:
            raise UncheckedError(GAP_UNKNOWN)
        for lack in missing:
            raise VerificationError(lack)
        if engine == NO_ENGINE or target.others:
            return
        folded = refold(with_strands(sequence, target.nick), engine).structure
        if folded != target.structure:
            differing = sum(a != b for a, b in zip(folded, target.structure, strict=True))
            raise VerificationError(f"{engine} folds it otherwise at {differing} positions")

    def _examined(self, target: RnaTarget, answer: RnaDesign) -> Findings:
        """What another process finds out of a design of one structure, or of its letters."""
        wanted = self.wanted._replace(nick=target.nick)
        sequence = with_strands(answer.sequence, target.nick)
        return examine(sequence, target.structure, wanted, answer.engine)

    def facts(self, problem: Problem, answer: RnaDesign) -> dict[str, Any]:
        """Return what the engine makes of the sequence: fold, energy, and of a design if unique."""
        target: RnaTarget = problem.data
        sequence = with_strands(answer.sequence, target.nick)
        if answer.engine == NO_ENGINE:
            return {"sequence": sequence, "engine": answer.engine}
        fold = refold(sequence, answer.engine)
        if fold.structure in target.structures:
            fold = refold(sequence, answer.engine, unique=True)
        facts = {
            "sequence": sequence,
            "structure": with_strands(fold.structure, target.nick),
            "energy": fold.energy,
            "engine": answer.engine,
            "unique_mfe": fold.unique,
        }
        if target.others:
            facts |= facts_of_switch(states_of(target, sequence, self.wanted, answer.engine))
        return facts

    def details(self, problem: Problem, answer: RnaDesign) -> dict[str, Any]:
        """Return what the ensemble makes of the sequence, its letters, and what it lacks."""
        sequence, engine = answer
        target: RnaTarget = problem.data
        near = [hamming_distance(sequence, other) for other in self.wanted.others]
        facts: dict[str, Any] = {
            "design": len(self.wanted.others) + 1 if self.answers_wanted > 1 else None,
            "distance": min(near, default=None),
        }
        if target.others and engine != NO_ENGINE:
            states = states_of(target, sequence, self.wanted, engine)
            facts |= {"gc": states.gc, "missing": "; ".join(states.missing) or None}
            return facts
        found = self._examined(target, answer)
        return facts | {
            "gap": found.gap,
            "probability": found.probability,
            "defect": found.defect,
            "gc": found.gc,
            "missing": "; ".join(found.missing) or None,
        }

    def refine(
        self, problem: Problem, options: RnaOptions, answer: RnaDesign, random: Random
    ) -> Iterator[tuple[RnaDesign, float]]:
        """Widen the gap to the next structure, and improve what is the objective.

        What is not simple is all searched here.
        """
        target = _target_of(problem)
        if not target.is_simple:
            wanted = self.wanted._replace(nick=target.nick)
            for sequence, score in search_states(
                target, wanted, options.energies, answer.sequence, random
            ):
                yield RnaDesign(sequence, options.energies), score
            return
        if not self.asked.refines:
            yield answer, 1.0
            return
        refinement = Refinement(
            target.structure,
            pair_partners(target.structure, problem.name),
            sites_of(target),
            self.wanted,
            self.asked.objective,
            use_engine(options.energies),
            random,
        )
        for sequence, score in refinement.run(answer.sequence):
            yield RnaDesign(sequence, answer.engine), score

    def record(
        self, problem: Problem, answer: RnaDesign, facts: Mapping[str, Any], *, several: bool
    ) -> str:
        """Return a FASTA record with the facts in its title and the structure below.

        Of several designs each has its number behind the name: records need names of their own.
        """
        return design_record(problem, answer, facts)

    def format_problem(self, problem: Problem) -> str:
        """Return the target as a record."""
        return format_target(problem.name, problem.data)

    def format(self, problem: Problem, answer: RnaDesign) -> str:
        """Return a FASTA record with the engine in its title."""
        sequence = with_strands(answer.sequence, problem.data.nick)
        return f">{problem.name} engine={answer.engine}\n{sequence}\n"

    def parse_answer(self, problem: Problem, text: str, source: str) -> RnaDesign:
        """Read a FASTA record with the engine in its title."""
        return parse_design(text, source)

    def replayed(self, instance: Rna, answer: RnaDesign) -> Rna:
        """Name the engine of the design, which its codes know, though nothing is folded."""
        if answer.engine == NO_ENGINE:
            return instance
        return instance._replace(engine=engine_number(answer.engine))

    def solution(self, problem: Problem, answer: RnaDesign) -> Moves:
        """Letters of the sequence, int64[n]."""
        return np.frombuffer(answer.sequence.encode(), np.uint8).astype(np.int64)
