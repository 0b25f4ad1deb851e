"""Inverse RNA folding (paper 'learned-prior', section 4.3)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from solver.domain import Benchmark, Limits, Moves, PriorCode, Problem, Puzzle
from solver.domains.rna.engines import NO_ENGINE, check_engine
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.formats import parse_targets
from solver.domains.rna.gaps.learn import Gaps, new_gaps
from solver.domains.rna.gaps.parts import parts_of
from solver.domains.rna.kernels import (
    ENGINE_NAMES,
    N_MOVES,
    Rna,
    RnaState,
    new_rna,
    new_rna_state,
)
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.priors import NgramTable, new_nemo_prior
from solver.domains.rna.refold import refold
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
    generator: ClassVar[Any] = "generators.rna:RnaGenerator"
    samples: ClassVar[Any] = "generators.rna:benchmark"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.rna"
    shipped_prior: ClassVar[str | None] = "ngram"
    target: ClassVar[float | None] = 1.0
    benchmarks: ClassVar[dict[str, Benchmark]] = {
        "eterna100": Benchmark("100 puzzles, version 1", {"engine": "t99d2"}),
        "eterna100-v2": Benchmark("100 puzzles, version 2", {"engine": "vienna2"}),
    }
    n_rivals: ClassVar[int] = N_RIVALS
    """Room for structures that tell soon which sequences need not be folded."""

    def benchmark(self, name: str) -> list[Problem]:
        """Read the puzzles of Eterna100."""
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
        UnsolvableError
            If the engine cannot form a loop of the target.
        """
        engine = None if options.engine == NO_ENGINE else options.engine
        if engine is not None:
            structure, _ = problem.data
            check_foldable(structure, problem.name)
        return new_rna(problem.data, engine, problem.name)

    def new_state(self, instance: Rna) -> RnaState:
        """Allocate a state."""
        return new_rna_state(instance, self.n_rivals)

    def best_algorithm(self, options: RnaOptions) -> str:
        """Local search, where the energies of an engine are known."""
        folds = options.engine != NO_ENGINE and load_fold_parameters(options.engine) is not None
        return "cegls" if folds else "gnrpa"

    def new_constraints(self, instance: Rna) -> Gaps | None:
        """Room for the structures that sequences fold into instead of the target."""
        return new_gaps(instance) if len(instance.energies) else None

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

    def record(
        self, problem: Problem, answer: RnaDesign, facts: Mapping[str, Any], *, several: bool
    ) -> str:
        """Return a FASTA record with the facts in its title and the structure below."""
        lines = {"sequence", "structure"}
        title = " ".join(f"{key}={value}" for key, value in facts.items() if key not in lines)
        structure = f"{facts['structure']}\n" if "structure" in facts else ""
        return f">{problem.name} {title}\n{answer.sequence}\n{structure}"

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
