"""The partition function of the project beside ViennaRNA's: is it the same, and how much faster.

    python -m benchmarks.rna_ensemble agree ENGINE [SEQUENCES [FILE]]  # energies, probabilities
    python -m benchmarks.rna_ensemble samples ENGINE [SEQUENCES]  # chi-square tests of samples
    python -m benchmarks.rna_ensemble speed ENGINE  # milliseconds a sequence, as Markdown

`agree` and `samples` end with status 1 if anything differs. What `agree` has compared is kept in
FILE, a line for each walk of changed bases: the same command goes on where it stopped. ENGINE may
have a temperature, as `vienna2@25C`. One engine a process, as everywhere.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import RNA
from scipy import stats

from benchmarks.kept import KeptLines
from benchmarks.rna_fold import (
    LONGEST,
    UNKNOWN,
    Texts,
    milliseconds_of,
    mutated,
    special_sequences,
    walks,
)
from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.domains.rna.engines import engine_called, use_engine
from solver.domains.rna.ensemble.factors import (
    BoltzmannFactors,
    Ensembles,
    load_ensembles,
)
from solver.domains.rna.ensemble.inside import fill
from solver.domains.rna.ensemble.outside import fill_outside
from solver.domains.rna.ensemble.partition import PartitionFunction
from solver.domains.rna.ensemble.workspace import (
    EnsembleWorkspace,
    OutsideWorkspace,
    new_ensemble_workspace,
    new_outside_workspace,
)
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.requests.ensemble import Ensemble
from solver.errors import InputError

SEED = 20_262
#: Largest difference of a free energy in kcal/mol, ViennaRNA's being float32, of a probability.
ENERGY, PROBABILITY = 1e-3, 1e-6
LENGTHS = (50, 100, 200, 400)
ROUNDS = 7
FLOORS = {0: 8, 1: 15}
"""How much sooner whole partition functions, and those with one site changed, have to be."""
SAMPLES = 20_000
#: Least p-value of a set of chi-square tests, after Bonferroni's correction.
SIGNIFICANT = 0.001


def loaded(engine: str) -> Ensembles:
    """Load an engine, or end."""
    found = load_ensembles(engine)
    if found is None:
        raise SystemExit(UNKNOWN)
    return found


class Differences:
    """Largest differences from ViennaRNA so far."""

    def __init__(self, engine: str) -> None:
        self._model = use_engine(engine)
        self.count = 0
        self.found = {"energy": 0.0, "pairs": 0.0, "target": 0.0, "defect": 0.0}

    def add(self, partition: PartitionFunction, sequence: str) -> None:
        """Compare one sequence, and as a target a structure of its ensemble."""
        energy = partition.read(sequence)
        compound = RNA.fold_compound(sequence, self._model)
        compound.exp_params_rescale(energy)
        theirs = compound.pf()[1]
        (structure,) = partition.samples(1, new_stream(SEED, self.count))
        pairs = np.array(compound.bpp())[1:, 1:]
        self.count += 1
        self._note("energy", energy - theirs)
        self._note("pairs", np.abs(partition.pairs() - pairs).max())
        # ViennaRNA's probability of a structure is of a free energy in float32
        exact = Ensemble(sequence, structure, self._model).probability
        self._note("target", (partition.probability(structure) - exact) / max(1.0, abs(theirs)))
        self._note("defect", partition.defect(structure) - compound.ensemble_defect(structure))

    def merge(self, count: int, found: dict[str, float]) -> None:
        """Count in what was compared before."""
        self.count += count
        for name, difference in found.items():
            self._note(name, difference)

    def _note(self, name: str, difference: float) -> None:
        self.found[name] = max(self.found[name], float(abs(difference)))

    def acceptable(self) -> bool:
        """Return whether all differences are within bounds."""
        return self.found["energy"] <= ENERGY and all(
            self.found[name] <= PROBABILITY for name in ("pairs", "target", "defect")
        )


def agreement(
    engine: str, count: int, longest: int = LONGEST, kept: KeptLines | None = None
) -> Differences:
    """Compare special sequences and walks of changed bases, but for those that `kept` has."""
    ensembles, total = loaded(engine), Differences(engine)
    specials = ([sequence] for sequence in special_sequences(ensembles.energies))
    done = 0 if kept is None else len(kept.values)
    for number, walk in enumerate((*specials, *walks(count, SEED, longest))):
        if kept is not None and number < done:
            total.merge(*kept.values[number])
            continue
        partition, differences = PartitionFunction(len(walk[0]), ensembles), Differences(engine)
        differences.count = total.count
        for sequence in walk:
            differences.add(partition, sequence)
        total.merge(len(walk), differences.found)
        if kept is not None:
            kept.append([len(walk), differences.found])
    return total


def chi_square(partition: PartitionFunction, sequence: str, count: int, number: int) -> float:
    """p-value of `count` samples, by structures that are expected five times and all others."""
    partition.read(sequence)
    found = Counter(partition.samples(count, new_stream(SEED, number)))
    expected = {structure: count * partition.probability(structure) for structure in found}
    often = {structure: mean for structure, mean in expected.items() if mean >= 5.0}
    observed = [found[structure] for structure in often]
    means = list(often.values())
    observed.append(count - sum(observed))
    means.append(max(count - sum(means), 1e-9))
    if means[-1] < 5.0 and len(means) > 1:  # too few for a class of their own
        observed[-2:], means[-2:] = [sum(observed[-2:])], [sum(means[-2:])]
    if len(means) == 1:
        return 1.0
    return float(stats.chisquare(observed, np.array(means) * (count / sum(means))).pvalue)


def sampled(engine: str, count: int) -> tuple[list[float], int]:
    """p-values of chi-square tests of sequences of 8 to 60 bases, and how many differ."""
    ensembles, random = loaded(engine), np.random.default_rng(SEED)
    values = []
    for number in range(count):
        if number % 4 == 0:  # a multiloop
            arms = "".join(f"GGC{'A' * int(random.integers(3, 6))}GCC" for _ in range(3))
            sequence = f"GGGA{arms}ACCC"
        else:
            sequence = "".join(random.choice(list("ACGU"), int(random.integers(8, 60))))
        partition = PartitionFunction(len(sequence), ensembles)
        values.append(chi_square(partition, sequence, SAMPLES, number))
    return values, sum(value < SIGNIFICANT / count for value in values)


@kernel
def fill_rows(
    workspace: EnsembleWorkspace,
    energies: FoldParameters,
    factors: BoltzmannFactors,
    sequences: Texts,
) -> None:
    """Compute the partition function of every row."""
    for row in range(len(sequences)):
        fill(workspace, energies, factors, sequences[row])


@kernel
def surround_rows(
    workspace: EnsembleWorkspace,
    outside: OutsideWorkspace,
    energies: FoldParameters,
    factors: BoltzmannFactors,
    sequences: Texts,
) -> None:
    """The same with the probabilities of all pairs."""
    for row in range(len(sequences)):
        fill(workspace, energies, factors, sequences[row])
        fill_outside(workspace, outside, energies)


def vienna_rows(sequences: Texts, model: Any, pairs: bool) -> None:
    """Compute partition functions by ViennaRNA, with probabilities of pairs or without."""
    model.compute_bpp = int(pairs)
    for row in sequences:
        compound = RNA.fold_compound(row[:-1].tobytes().decode(), model)
        compound.exp_params_rescale(-0.25 * (len(row) - 1))
        compound.pf()
    model.compute_bpp = 1


def times_of(engine: str, n: int) -> npt.NDArray[np.float64]:
    """Milliseconds a sequence in each round, float64[ROUNDS, 5].

    ViennaRNA, and with pairs; the project whole, with one site changed, and whole with pairs.
    """
    ensembles, model = loaded(engine), use_engine(engine)
    random = np.random.default_rng([SEED, n])
    count = max(int(4e5 / n**2), 8)
    rows = np.zeros((count, n + 1), np.uint8)
    rows[:, :-1] = random.choice(np.frombuffer(b"ACGU", np.uint8), (count, n))
    few = rows[: max(count // 20, 2)]
    workspace = new_ensemble_workspace(n, ensembles)
    outside = new_outside_workspace(n)
    tables = (ensembles.energies, ensembles.factors)
    times = []
    for _ in range(ROUNDS + 1):
        one = mutated(rows, 1, random)
        found = [
            milliseconds_of(vienna_rows, few, model, pairs, folds=len(few))
            for pairs in (False, True)
        ]
        for changed in (rows, one):
            fill_rows(workspace, *tables, changed[:1])
            found.append(
                milliseconds_of(fill_rows, workspace, *tables, changed[1:], folds=count - 1)
            )
        found.append(
            milliseconds_of(surround_rows, workspace, outside, *tables, few, folds=len(few))
        )
        times.append(found)
    return np.array(times[1:])  # the first compiles


def speed(engine: str) -> Iterator[str]:
    """Yield a table of milliseconds a sequence, each way in turn in every round."""
    yield f"### {engine}: milliseconds a partition function, and how much sooner\n"
    yield (
        "| bases | ViennaRNA | whole | | one site changed | | ViennaRNA, with pairs | with pairs "
        "| | floors |"
    )
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
    for n in LENGTHS:
        times = times_of(engine, n)
        vienna, both, whole, one, pairs = np.median(times, axis=0)
        ratios = np.median(times[:, :1] / times[:, 2:4], axis=0)
        sooner = np.median(times[:, 1] / times[:, 4])
        verdicts = [
            f"{'pass' if ratios[place] >= floor else '**FAIL**'} ({floor}x)"
            for place, floor in FLOORS.items()
        ]
        yield (
            f"| {n} | {vienna:.2f} | {whole:.3f} | {ratios[0]:.1f}x | {one:.3f} | {ratios[1]:.1f}x "
            f"| {both:.2f} | {pairs:.3f} | {sooner:.1f}x | {', '.join(verdicts)} |"
        )


def main(arguments: list[str]) -> int:
    """Compare or time; returns the exit status."""
    if arguments[:1] == ["--help"]:
        sys.stdout.write(f"{__doc__}\n")
        return 0
    if len(arguments) < 2 or arguments[0] not in ("agree", "samples", "speed"):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    what, engine = arguments[:2]
    try:
        engine_called(engine)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if what == "speed":
        for line in speed(engine):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        return 0
    if what == "samples":
        values, differing = sampled(engine, int(arguments[2]) if len(arguments) > 2 else 200)
        uniform = stats.kstest(values, "uniform").pvalue
        facts = {"tests": len(values), "least": min(values), "uniform": uniform}
        sys.stdout.write(f"{json.dumps(facts | {'differing': differing})}\n")
        return int(differing > 0)
    count = int(arguments[2]) if len(arguments) > 2 else 20_000
    kept = KeptLines(Path(arguments[3])) if len(arguments) > 3 else None
    differences = agreement(engine, count, kept=kept)
    sys.stdout.write(f"{json.dumps({'sequences': differences.count} | differences.found)}\n")
    return int(not differences.acceptable())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
