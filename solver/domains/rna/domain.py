"""Inverse RNA folding (paper 'learned-prior', section 4.3)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from solver.contract.codes import PriorCode
from solver.contract.domain import Benchmark, Limits, Problem, Puzzle, read_each
from solver.contract.rules import Moves
from solver.domains.rna.designs import (
    DETAILS,
    RnaDesign,
    check_letters,
    check_modified_letters,
    design_record,
    parse_design,
    read_design,
    stranded,
    written,
)
from solver.domains.rna.engines import NO_ENGINE, Engine, check_readable, engine_at, engine_called
from solver.domains.rna.files.formats import target_pieces
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.folding import engine_of_model
from solver.domains.rna.gaps.learn import Gaps
from solver.domains.rna.gaps.parts import parts_of
from solver.domains.rna.gaps.requested import RequestedGaps, constraints_of
from solver.domains.rna.kernels import (
    N_MOVES,
    NO_REQUESTS,
    Rna,
    RnaState,
    engine_number,
    new_rna,
    new_rna_state,
)
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.plans.documents import document_target
from solver.domains.rna.priors import PALETTES, PRIORS, new_nemo_prior
from solver.domains.rna.refold import Findings, examine, refold
from solver.domains.rna.requests.check import GAP_UNKNOWN, Requirements
from solver.domains.rna.requests.contradictions import (
    check_possible,
    fits_of,
    requirements_for,
    sites_of,
)
from solver.domains.rna.requests.kernels import NoRequests, Requests, new_requests
from solver.domains.rna.requests.motifs import forbidden_text
from solver.domains.rna.requests.options import RnaRequests, requests_for
from solver.domains.rna.requests.stretches import with_stretches
from solver.domains.rna.requests.tables import asked_tables, preferred_facts
from solver.domains.rna.rivals import N_RIVALS
from solver.domains.rna.states.answers import (
    check_requests,
    composed_of,
    facts_of_composed,
    facts_of_switch,
    is_compiled,
    states_of,
    uncompiled_kind,
)
from solver.domains.rna.text import (
    RnaTarget,
    format_target,
    is_structure_word,
    new_target,
    structure_word,
    with_strands,
)
from solver.errors import UncheckedError, UnsolvableError, VerificationError
from solver.system.datasets import dataset_path
from solver.system.fields import Range, check_fields
from solver.system.files import read_text


@dataclass(frozen=True)
class RnaOptions:
    """Options of the score of a sequence.

    Parameters
    ----------
    engine : str
        Energies and dangles: vienna2 (Turner 2004 with dangles 2), t99d2 (Turner 1999 with dangles
        2), vienna1 (with dangles 1), dna (Mathews 2004), or a file of parameters in ViennaRNA's
        format, FILE.par. With none nothing is folded.
    celsius : float
        Temperature of the energies.
    dangles : int, optional
        How bases that dangle on a helix count, in place of what the engine does: 0 not at all, 1
        where they are free, 2 always, 3 with helices that stack on each other.
    lonely_pairs : bool
        Form pairs that stack on no other.
    modified : str
        Modified bases: pseudouridine for every U, or m6A, each perhaps with positions, as
        m6A:12:30.

    Raises
    ------
    InputError
        If there is no such engine, or it has no energies at that temperature.
    """

    engine: str = "vienna2"
    celsius: float = Engine.celsius
    dangles: Annotated[int, Range(0, 3)] | None = None
    lonely_pairs: bool = True
    modified: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        check_readable(self.energies)

    @property
    def energies(self) -> str:
        """Name of the engine at its temperature, and with what else is its own."""
        return engine_at(
            self.engine,
            self.celsius,
            self.dangles,
            lonely_pairs=self.lonely_pairs,
            modified=self.modified,
        )


#: Local search guided by counterexamples.
CEGLS = "cegls"
#: A design needs only its fold.
NO_FURTHER_REQUESTS = RnaRequests()


def target_of(problem: Problem) -> RnaTarget:
    """Return the target of `problem`, checked."""
    target = RnaTarget(*problem.data)
    if target.plan:
        return document_target(target.plan)
    checked = new_target(structure_word(target), target.bases, problem.name)
    return checked._replace(asked=target.asked)


class RnaDomain(Puzzle):
    """Inverse RNA folding.

    Parameters
    ----------
    requests : RnaRequests
        Requests that sequences must meet; `RnaDesigner` makes the domain for them.
    excluded : sequence of RnaDesign
        Earlier designs, from which the next one must differ.
    """

    name: ClassVar[str] = "rna"
    instance_class: ClassVar[type] = Rna
    verification_playouts: ClassVar[float] = 2.0  # a fold, and listing those of its energy
    fact_names: ClassVar[tuple[str, ...]] = (
        "sequence", "structure", "energy", "engine", "unique_mfe", "quadruplex", *DETAILS,
    )  # fmt: skip
    priors: ClassVar[dict[str, PriorCode]] = PRIORS
    handmade: ClassVar[dict[str, Any]] = {"nemo": new_nemo_prior()}
    palettes: ClassVar[dict[str, tuple[float, ...]]] = PALETTES
    guided_parameters: ClassVar[dict[str, Any]] = {"palettes": ",".join(("plain", *PALETTES))}
    options: ClassVar[type[RnaOptions]] = RnaOptions
    generator: ClassVar[Any] = "generators.rna.generator:RnaGenerator"
    samples: ClassVar[Any] = "generators.rna.generator:benchmark"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.rna"
    designer: ClassVar[Any] = "solver.domains.rna.designer:RnaDesigner"
    peers: ClassVar[Any] = "pipeline.comparing.peers:RNA"
    shipped_prior: ClassVar[str | None] = "ngram"
    answer_mark: ClassVar[str] = ">"
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
        self, requests: RnaRequests = NO_FURTHER_REQUESTS, excluded: Sequence[RnaDesign] = ()
    ) -> None:
        self.requests = requests
        self.requirements = requests.requirements._replace(
            others=[design.sequence for design in excluded]
        )

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
        """True if `text` begins with a structure, as no name of a file does."""
        words = text.split()
        return bool(words) and is_structure_word(words[0])

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read dot-bracket lines, records or a table."""
        return read_each(target_pieces(text, source, self.requests.conserved))

    def instance(self, problem: Problem, options: RnaOptions) -> Rna:
        """Number the steps and load the engine.

        Raises
        ------
        InputError
            If the engine cannot tell what is asked for.
        UnsolvableError
            If the engine cannot form a loop of the target, or no design can be what is asked for.
        """
        target = target_of(problem)
        if not is_compiled(target, self.requests, options.energies):
            kind = uncompiled_kind(target, options.energies)
            raise UnsolvableError(f"{problem.name}: {kind}, which only `solve` searches")
        engine = None if options.engine == NO_ENGINE else options.energies
        if engine is not None:
            check_foldable(target.structure, problem.name)
        check_requests(target, self.requests, options.energies, problem.name)
        return new_rna(target, engine, problem.name, self._requests(problem))

    def _requests(self, problem: Problem) -> Requests | NoRequests:
        """Return the requests as kernels read them, checked against the target."""
        target = target_of(problem)
        if not requests_for(target, self.requests).constrains:
            return NO_REQUESTS
        check_possible(target, self.requests, problem.name)
        n, sites = len(target.structure), sites_of(target)
        requirements = with_stretches(self.requirements_for(target))
        patterns = [pattern for _, forms in requirements.required for pattern in forms]
        fits = [fits_of(pattern, sites, n) for pattern in patterns]
        return new_requests(requirements, fits, n)

    def requirements_for(self, target: RnaTarget) -> Requirements:
        """Return the requests on one sequence for `target`, with what its bases force."""
        asked = requests_for(target, self.requests)
        requirements = asked.requirements._replace(
            others=self.requirements.others, tables=asked_tables(target, asked)
        )
        return requirements_for(target, requirements)

    def new_state(self, instance: Rna) -> RnaState:
        """Allocate a state."""
        return new_rna_state(instance, self.n_rivals)

    def best_algorithm(self, options: RnaOptions) -> str:
        """Local search, where the energies of an engine are known."""
        if options.engine != NO_ENGINE and not engine_called(options.energies).is_compiled:
            return CEGLS
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
            engine = engine_of_model(instance.model)
        return RnaDesign(state.sequence[:-1].tobytes().decode(), engine)

    def verify(self, problem: Problem, answer: RnaDesign) -> None:
        """Bases and pairs are allowed, and another process folds the sequence into the target."""
        target: RnaTarget = problem.data
        sequence, engine = answer
        check_letters(sequence, target)
        check_modified_letters(sequence, engine)
        missing: list[str] = []
        if target.is_composed:
            missing = composed_of(target, sequence, self.requirements_for(target), engine).missing
        elif target.others and engine != NO_ENGINE:
            missing = states_of(target, sequence, self.requirements_for(target), engine).missing
        elif requests_for(target, self.requests) != NO_FURTHER_REQUESTS:
            missing = self.examined(target, answer).missing
        if missing == [GAP_UNKNOWN]:
            raise UncheckedError(GAP_UNKNOWN)
        for lack in missing:
            raise VerificationError(lack)
        if engine == NO_ENGINE or target.others or target.is_composed:
            return
        folded = refold(with_strands(sequence, target.nick), engine).structure
        if folded != target.structure:
            pairs = enumerate(zip(folded, target.structure, strict=True), start=1)
            differing = [position for position, (a, b) in pairs if a != b]
            raise VerificationError(
                f"{engine} folds it differently at {len(differing)} positions, "
                f"the first {differing[0]}"
            )

    def examined(self, target: RnaTarget, answer: RnaDesign) -> Findings:
        """Return the findings of another process on a design, or on its letters alone."""
        requirements = self.requirements_for(target)
        sequence = with_strands(answer.sequence, target.nick)
        return examine(sequence, target.structure, requirements, answer.engine)

    def facts(self, problem: Problem, answer: RnaDesign) -> dict[str, Any]:
        """Return what the engine makes of the sequence: fold, energy, and of a design if unique."""
        target: RnaTarget = problem.data
        sequence, requirements = answer.sequence, self.requirements_for(target)
        sequence = stranded(sequence, target)
        asked = requests_for(target, self.requests)
        words = forbidden_text(asked.forbid, requirements.permitted, asked.lifted)
        forbidden = {"forbidden": words} if words else {}
        forbidden |= preferred_facts(answer.sequence, asked)
        if answer.engine == NO_ENGINE:
            return {"sequence": written(answer, target), "engine": answer.engine} | forbidden
        if target.is_composed:
            found = composed_of(target, answer.sequence, requirements, answer.engine)
            return (
                {"sequence": written(answer, target)}
                | facts_of_composed(found, answer.engine)
                | forbidden
            )
        fold = refold(sequence, answer.engine)
        if fold.structure in target.structures:
            fold = refold(sequence, answer.engine, unique=True)
        facts = {
            "sequence": written(answer, target),
            "structure": with_strands(fold.structure, target.nick),
            "energy": fold.energy,
            "engine": answer.engine,
            "unique_mfe": fold.unique,
            "quadruplex": fold.quadruplex,
        } | forbidden
        if target.others:
            facts |= facts_of_switch(states_of(target, sequence, requirements, answer.engine))
        return facts

    def record(
        self, problem: Problem, answer: RnaDesign, facts: Mapping[str, Any], *, several: bool
    ) -> str:
        """Return a FASTA record with the facts in its title and the structure below.

        Several designs have numbers behind the name: records need names of their own.
        """
        return design_record(problem, answer, facts)

    def format_problem(self, problem: Problem) -> str:
        """Return the target as a record."""
        return format_target(problem.name, problem.data)

    def format(self, problem: Problem, answer: RnaDesign) -> str:
        """Return a FASTA record with the engine in its title."""
        sequence = written(answer, problem.data)
        return f">{problem.name} engine={answer.engine}\n{sequence}\n"

    def parse_answer(self, problem: Problem, text: str, source: str) -> RnaDesign:
        """Read a FASTA record with the engine in its title."""
        return parse_design(text, source)

    def read_answer(
        self, problem: Problem, text: str, source: str, options: RnaOptions
    ) -> RnaDesign:
        """Read a FASTA record, or a sequence alone; folded by the engine that its title names."""
        return read_design(text, source, options.energies, target_of(problem))

    def replayed(self, instance: Rna, answer: RnaDesign) -> Rna:
        """Name the engine of the design, which its codes know, though nothing is folded."""
        if answer.engine == NO_ENGINE:
            return instance
        return instance._replace(engine=engine_number(answer.engine))

    def solution(self, problem: Problem, answer: RnaDesign) -> Moves:
        """Letters of the sequence, int64[n]."""
        return np.frombuffer(answer.sequence.encode(), np.uint8).astype(np.int64)
