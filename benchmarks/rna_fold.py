"""The fold of our own beside ViennaRNA's: is it the same, and how much faster.

    python -m benchmarks.rna_fold agree ENGINE [FOLDS]    # every energy and structure compared
    python -m benchmarks.rna_fold speed ENGINE            # milliseconds a fold, as Markdown

`agree` ends with status 1 if any fold differs. One engine a process, as everywhere.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import RNA

from solver.compiling.jit import kernel
from solver.domains.rna.engines import ENGINES, use_engine
from solver.domains.rna.fold.check import codes_of, load_fold_parameters, special_hairpins
from solver.domains.rna.fold.loops import structure_loops
from solver.domains.rna.fold.matrices import fold
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.fold.trace import trace
from solver.domains.rna.fold.workspace import FoldWorkspace, new_fold_workspace
from solver.domains.rna.folding import as_text, model_address
from solver.domains.rna.folding import fold as vienna_fold

SEED = 20_261
LONGEST = 400
STEPS = 6
"""Folds of a walk: a random sequence, then changes of one to three bases each."""
LENGTHS = (50, 100, 200, 400)
ROUNDS = 9
FLOORS = {0: 4, 2: 7}
"""How much sooner whole folds, and those with one site changed, have to be."""
UNKNOWN = f"ViennaRNA {RNA.__version__} keeps its energies otherwise than is known"


def special_sequences(parameters: FoldParameters) -> Iterator[str]:
    """Yield sequences with loops that have rules of their own, and what cannot fold."""
    for hairpin in special_hairpins(parameters):
        yield f"GG{hairpin}CC"
    inner = "GGCGCCGAAAGGCGCC"
    for left in range(32):
        for right in {0, 1, 2, 3, 4, 30 - left, 31 - left}:
            if right >= 0:
                yield f"GCGCGGCG{'A' * left}{inner}{'A' * right}CGCCGCGC"
    arm = "GGCGAAAGCC"
    for gap in ("", "A", "AA"):
        for arms in (2, 3, 4):
            yield f"GGGGCG{gap}{gap.join([arm] * arms)}{gap}CGCCCC"
            yield f"UGUGUG{gap}{gap.join([arm] * arms)}{gap}UGUGUG"
            yield gap.join([arm] * arms)
    for length in range(1, 11):
        yield from ("A" * length, "GC" * (length // 2) + "G", "GGGGGCCCCC"[:length])
    yield from ("AC" * 30, "A" * 60, "GUGUGUGUAAAAGUGUGUGU", "GGGAAAUUUU" * 4)


def walks(count: int, seed: int, longest: int = LONGEST) -> Iterator[list[str]]:
    """Yield `count` sequences in walks of `STEPS`, of all compositions, half of them short."""
    random = np.random.default_rng(seed)
    for walk in range(-(-count // STEPS)):
        n = int(random.integers(1, (longest if walk % 2 else min(80, longest)) + 1))
        pairing = random.uniform(0.1, 0.9) / 2
        odds = [0.5 - pairing, pairing, pairing, 0.5 - pairing]
        bases = random.choice(list("ACGU"), n, p=odds)
        sequences = ["".join(bases)]
        for _ in range(STEPS - 1):
            for site in random.integers(0, n, random.integers(1, 4)):
                bases[site] = random.choice(list("ACGU"))
            sequences.append("".join(bases))
        yield sequences


def drawn(workspace: FoldWorkspace) -> str:
    """The traced structure in dot-bracket."""
    ends = enumerate(workspace.pairs.tolist())
    return "".join("." if q == 0 else "(" if q > p else ")" for p, q in ends if p > 0)


def differences(
    engine: str, parameters: FoldParameters, workspace: FoldWorkspace, sequence: str
) -> Iterator[str]:
    """Fold and yield the name of each thing that is not as ViennaRNA has it."""
    energy = fold(workspace, parameters, as_text(sequence))
    trace(workspace, parameters)
    compound = RNA.fold_compound(sequence, use_engine(engine))
    structure, lowest = compound.mfe()
    if energy != round(lowest * 100):
        yield "energies"
    if drawn(workspace) != structure:
        yield "structures"
    if energy != round(compound.eval_structure(drawn(workspace)) * 100):
        yield "evaluated"
    first, energies = np.zeros((2, len(sequence) + 1), np.int32)
    count = structure_loops(parameters, codes_of(sequence), workspace.pairs, first, energies)
    pairs = [len(sequence), *workspace.pairs.tolist()[1:]]
    theirs = [compound.eval_loop_pt(int(i), pairs) for i in first[:count]]
    if energies[:count].tolist() != theirs or energies[:count].sum() != energy:
        yield "loops"


def agreement(engine: str, count: int, seed: int, longest: int = LONGEST) -> dict[str, int]:
    """Fold special sequences and walks; returns how many folds there were and what differed."""
    parameters = load_fold_parameters(engine)
    if parameters is None:
        raise SystemExit(UNKNOWN)
    found = Counter(folds=0, energies=0, structures=0, evaluated=0, loops=0)
    specials = ([sequence] for sequence in special_sequences(parameters))
    for walk in (*specials, *walks(count, seed, longest)):
        workspace = new_fold_workspace(len(walk[0]))
        for sequence in walk:
            found["folds"] += 1
            found.update(differences(engine, parameters, workspace, sequence))
    return dict(found)


Texts = npt.NDArray[np.uint8]
"""uint8[count, n + 1]: sequences of one length."""


@kernel
def fold_rows(workspace: FoldWorkspace, parameters: FoldParameters, sequences: Texts) -> None:
    """Fold and trace every row, as a search does."""
    for row in range(len(sequences)):
        fold(workspace, parameters, sequences[row])
        trace(workspace, parameters)


@kernel
def vienna_rows(sequences: Texts, structures: Texts, model: int) -> None:
    """Fold every row with ViennaRNA, called as C calls it."""
    for row in range(len(sequences)):
        vienna_fold(sequences[row], structures[row], model)


def mutated(sequences: Texts, sites: int, random: np.random.Generator) -> Texts:
    """Return as many sequences, each with `sites` bases changed from the one before."""
    rows = np.repeat(sequences[:1], len(sequences), axis=0)
    for row in range(1, len(rows)):
        rows[row] = rows[row - 1]
        for site in random.choice(rows.shape[1] - 1, sites, replace=False):
            others = [base for base in b"ACGU" if base != rows[row, site]]
            rows[row, site] = random.choice(others)
    return rows


def milliseconds_of(kernel_call: Any, *arguments: Any, folds: int) -> float:
    """Processor time per fold of a call."""
    begin = time.thread_time()
    kernel_call(*arguments)
    return 1e3 * (time.thread_time() - begin) / folds


def times_of(engine: str, parameters: FoldParameters, n: int) -> list[list[float]]:
    """Milliseconds a fold in each round: ViennaRNA, whole, two sites changed, one site changed."""
    random = np.random.default_rng([SEED, n])
    count = max(int(1e6 / n**2), 8)
    others = np.zeros((count, n + 1), np.uint8)
    others[:, :-1] = random.choice(np.frombuffer(b"ACGU", np.uint8), (count, n))
    few = others[: max(count // 20, 2)]
    workspace, structures, model = new_fold_workspace(n), np.zeros_like(few), model_address(engine)
    times = []
    for _ in range(ROUNDS + 1):
        row = [milliseconds_of(vienna_rows, few, structures, model, folds=len(few))]
        for rows in (others, mutated(others, 2, random), mutated(others, 1, random)):
            fold(workspace, parameters, rows[0])
            row.append(milliseconds_of(fold_rows, workspace, parameters, rows[1:], folds=count - 1))
        times.append(row)
    return times[1:]  # the first compiles


def speed(engine: str) -> Iterator[str]:
    """Yield a table of milliseconds a fold, each way in turn in every round."""
    parameters = load_fold_parameters(engine)
    if parameters is None:
        raise SystemExit(UNKNOWN)
    yield f"### {engine}: milliseconds a fold with its structure, and how much sooner\n"
    yield "| bases | ViennaRNA | whole | | 2 sites changed | | 1 site | | floors |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|---|"
    for n in LENGTHS:
        times = np.array(times_of(engine, parameters, n))
        vienna, *project = np.median(times, axis=0)
        sooner = np.median(times[:, :1] / times[:, 1:], axis=0)
        verdicts = [
            f"{'pass' if sooner[place] >= floor else '**FAIL**'} ({floor}x)"
            for place, floor in FLOORS.items()
        ]
        cells = [f"{each:.3f} | {ratio:.1f}x" for each, ratio in zip(project, sooner, strict=True)]
        yield f"| {n} | {vienna:.2f} | {' | '.join(cells)} | {', '.join(verdicts)} |"


def main(arguments: list[str]) -> int:
    """Compare or time; returns the exit status."""
    if arguments[:1] == ["--help"]:
        sys.stdout.write(f"{__doc__}\n")
        return 0
    usage = f"usage: python -m benchmarks.rna_fold agree|speed {'|'.join(ENGINES)} [FOLDS]\n"
    if len(arguments) < 2 or arguments[0] not in ("agree", "speed") or arguments[1] not in ENGINES:
        sys.stderr.write(usage)
        return 2
    if arguments[0] == "speed":
        for line in speed(arguments[1]):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        return 0
    count = int(arguments[2]) if len(arguments) > 2 else 20_000
    found = agreement(arguments[1], count, SEED)
    sys.stdout.write(f"{json.dumps(found)}\n")
    return int(sum(found.values()) > found["folds"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
