"""Solved RNA designs: natural sequences with a structure to fold into, and designs by search."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from generators.rna.hardened import hard_design
from generators.rna.rfam import RfamSequence, read_sequences
from solver.compiling.random import new_stream, next_below, shuffle
from solver.contract.domain import Problem
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import RnaDomain
from solver.domains.rna.engines import NO_ENGINE
from solver.domains.rna.folding import fold_structure
from solver.domains.rna.loops import open_large_loops
from solver.domains.rna.refold import refold
from solver.domains.rna.text import RnaTarget
from solver.errors import InputError
from solver.priors.priors import Prior, named_prior
from solver.system.datasets import corpus_path, registry, sha256
from solver.system.fields import Range, check_fields

Targets = Literal["consensus", "t99d2", "vienna2", "vienna1", "hard"]
CONSENSUS = "consensus"
#: Targets that are made and designed by search, under each engine in turn.
HARD = "hard"
#: More would take hours; a shard takes a quarter of a minute.
HARD_AVAILABLE, HARD_SHARD = 1200, 6


@dataclass(frozen=True)
class _Corpus:
    """The usable sequences of a seed file."""

    sequences: list[RfamSequence]
    dropped: dict[str, int]
    digest: str


@functools.cache
def _read_corpus(path: Path, longest: int) -> _Corpus:
    dropped: Counter[str] = Counter()
    sequences = list(read_sequences(path, dropped))
    rows = len(sequences) + dropped.total()
    if rows != registry()["rfam"]["rows"]:
        raise InputError(f"{path}: {rows:,} rows, expected {registry()['rfam']['rows']:,}")
    short = [one for one in sequences if len(one.sequence) <= longest]
    if len(short) < len(sequences):
        dropped[f"longer than {longest}"] = len(sequences) - len(short)
    return _Corpus(short, dict(sorted(dropped.items())), sha256(path))


@functools.cache
def _order(length: int, seed: int) -> Any:
    """Draw the order in which the sequences are taken."""
    order = np.arange(length)
    shuffle(new_stream(seed), order)
    return order


@dataclass(frozen=True)
class RnaGenerator:
    """Generator of sequences of Rfam with structures, or of hard targets with designs.

    Parameters
    ----------
    targets : {"consensus", "t99d2", "vienna2", "vienna1", "hard"}
        The consensus structure of the family as far as the sequence can form it (the paper's
        way; few sequences fold into it), or what the sequence folds into under an engine; or
        made targets that a search was just able to design (`generators.rna.hardened`).
    longest : int
        Longer sequences of Rfam are left out.
    guide : str
        Prior of the search for designs; what was learned from some teaches the next round.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "rna"
    replay_defaults: ClassVar[dict[str, Any]] = {"engine": NO_ENGINE}
    """The solutions are taken as right: they were folded when they were generated, or never."""
    targets: Targets = "consensus"
    longest: Annotated[int, Range(1)] = 500
    guide: str = "ngram"

    def __post_init__(self) -> None:
        check_fields(self)
        if self._is_hard:
            _ = self._guide

    @property
    def _is_hard(self) -> bool:
        return self.targets == HARD

    @property
    def _guide(self) -> Prior:
        return named_prior(self.guide, RnaDomain())

    @property
    def _corpus(self) -> _Corpus:
        return _read_corpus(corpus_path("rfam"), self.longest)

    @property
    def n_available(self) -> int:
        """Number of sequences in the corpus, or of targets."""
        if self._is_hard:
            return HARD_AVAILABLE
        return len(self._corpus.sequences)

    @property
    def shard_instances(self) -> int:
        """Instances to a shard, at most: few where each takes a search."""
        return HARD_SHARD if self._is_hard else self.n_available

    @property
    def source(self) -> dict[str, Any]:
        """Source of the sequences, and the number dropped for each reason."""
        if self._is_hard:
            path = self._guide.path
            return {} if path is None else {"guide_sha256": sha256(path)}
        corpus = self._corpus
        return {"corpus": "rfam", "sha256": corpus.digest, "dropped": corpus.dropped}

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        if self._is_hard:
            return "hard targets, designed under each engine"
        return f"Rfam up to {self.longest} bases, {self.targets} targets"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {"targets": self.targets, "longest": self.longest}

    def generate(self, seed: int, number: int) -> tuple[Problem, RnaDesign]:
        """Return solved instance `number` of `seed`."""
        if self._is_hard:
            return hard_design(self.guide, seed, number)
        sequences = self._corpus.sequences
        if number >= len(sequences):
            raise InputError(
                f"{len(sequences):,} sequences to learn from, asked for {number + 1:,}"
            )
        found = sequences[_order(len(sequences), seed)[number]]
        if self.targets == CONSENSUS:
            structure, engine = found.structure, NO_ENGINE
        else:
            structure, engine = fold_structure(found.sequence, self.targets), self.targets
        target = RnaTarget(structure, "N" * len(structure))
        return Problem(f"{found.family}/{found.name}", target), RnaDesign(found.sequence, engine)

    def problem(self, seed: int, number: int) -> Problem:
        """Return the problem of `generate` for a search: without pairs that no engine can form.

        Some consensus structures have interior loops too large for every engine. Solutions
        are replayed on them as they are; a search could never succeed.
        """
        problem, _ = self.generate(seed, number)
        structure = open_large_loops(problem.data.structure)
        return Problem(problem.name, problem.data._replace(structure=structure))


def benchmark(instances: int, seed: int) -> Iterator[Problem]:
    """Yield the set `solve rna` runs on: folds of random sequences of 60 bases."""
    for number in range(instances):
        stream = new_stream(seed, number)
        with np.errstate(over="ignore"):  # outside of kernels streams wrap around with a warning
            sequence = "".join("ACGU"[next_below(stream, 4)] for _ in range(60))
        structure = refold(sequence, "vienna2").structure
        yield Problem(f"rna-60-{seed}-{number}", RnaTarget(structure, "N" * len(structure)))
