"""Workloads of the benchmarks: Latin squares, priors and searches."""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from generators.latin_square import LatinSquareGenerator
from pipeline.learning.learn import LearnPlan, learn_counts, write_prior
from solver.algorithms import Gnrpa, Nrpa, Sampling
from solver.compiling.random import new_stream
from solver.contract.domain import Puzzle
from solver.domains import load_domain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS
from solver.priors.priors import NoPrior, load_prior

MODELS = Path(__file__).parent.parent / "models"
#: Seed of the measured instances; no model is learned from it.
SEED = 20_260
#: A table compiled on the spot needs no more: speed does not depend on what it says.
LEARNED_INSTANCES = 50
FOREVER = 10**15  # playouts

MODES = {
    "forward": LatinSquareOptions(propagation="forward", variables="cells"),
    "channeling": LatinSquareOptions(propagation="channeling", variables="sets"),
}
SEARCHES = ("sampling", "level 1", "level 2")


@dataclass(frozen=True)
class Case:
    """One row of a table of speeds.

    Attributes
    ----------
    mode : str
        Key of `MODES`.
    search : str
        One of `SEARCHES`.
    prior : str
        "none" or a prior code of the domain. A nested search without a prior is NRPA.
    order : int
        Of the squares; 42 % of the cells are holes.
    dead_ends : int
        Dead ends that a playout may back out of.
    """

    mode: str
    search: str
    prior: str = "none"
    order: int = 20
    dead_ends: int = 0

    @property
    def algorithm(self) -> Sampling | Gnrpa:
        """The search with its parameters."""
        if self.search == "sampling":
            return Sampling(self.dead_ends)
        nested = Nrpa if self.prior == "none" else Gnrpa
        return nested(level=int(self.search.split()[1]), dead_ends=self.dead_ends, shaping=False)

    def __str__(self) -> str:
        """Name of the case in pytest's output."""
        return f"{self.mode}-{self.order}-{self.search}-{self.prior}-{self.dead_ends}"


def latin_square() -> Puzzle:
    """Return the domain that is measured."""
    return load_domain("latin-square")


def instance(mode: str, order: int, number: int) -> Any:
    """Return instance `number` of an order: uniform square, 42 % random holes."""
    problem, _ = LatinSquareGenerator(order=order).generate(SEED, number)
    return latin_square().instance(problem, MODES[mode])


@functools.cache
def table(prior: str) -> Any:
    """Return what kernels take for `prior`: the table in models/, else a small new one."""
    if prior == "none":
        return NoPrior()
    for path in sorted(MODELS.glob("*.parquet")):
        try:
            found = load_prior(path, latin_square())
        except InputError:  # counts, or a table of another domain
            continue
        if found.metadata is not None and found.metadata["prior"] == prior:
            return found.table
    return _learned_table(prior)


def _learned_table(prior: str) -> Any:
    domain = latin_square()
    code = domain.priors[prior]
    plan = LearnPlan(LatinSquareGenerator(), LEARNED_INSTANCES, 1, MODES["forward"], code)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / f"{prior}.parquet"
        write_prior(learn_counts(domain, plan, work=Path(folder)), 1.0, code.temperature, out)
        return load_prior(out, domain).table


class Workload:
    """A case on several instances; each call to `repeat` makes the same playouts again.

    Parameters
    ----------
    case : Case
        What to run.
    instances : int
        Number of instances, searched one after the other.
    playouts : int
        Playouts of one instance, to the end of the playout that reaches them. No
        target ends a search: after a solution it goes on.
    """

    def __init__(self, case: Case, instances: int, playouts: int) -> None:
        self.case = case
        self.playouts = playouts
        self.runs: Sequence[Any] = [
            case.algorithm.new_run(
                latin_square(), instance(case.mode, case.order, number), table(case.prior)
            )
            for number in range(instances)
        ]
        for run in self.runs:
            run.target = np.inf

    def repeat(self) -> int:
        """Make all playouts; returns their number."""
        for number, run in enumerate(self.runs):
            run.begin(new_stream(SEED, number))
            run.advance(self.playouts, FOREVER)
        return sum(int(run.monitor.counters[PLAYOUTS]) for run in self.runs)

    def processor_seconds(self) -> float:
        """Repeat, and return the processor time of this thread in seconds."""
        begin = time.thread_time()
        self.repeat()
        return time.thread_time() - begin

    def moves_per_playout(self, playouts: int) -> float:
        """Mean number of moves, forced ones that propagation makes not included, untimed.

        For playouts that do not back out of dead ends.
        """
        moves = 0
        for number, run in enumerate(self.runs):
            run.begin(new_stream(SEED, number))
            for playout in range(playouts):
                row = run.row_of[0]  # where the next playout is recorded
                run.advance(playout + 1, FOREVER)
                moves += int(run.records.steps[row])
        return moves / (playouts * len(self.runs))


def array_bytes(run: Any) -> int:
    """Bytes of the arrays that a run allocated or was given, each counted once."""
    arrays: dict[int, int] = {}
    pending = list(vars(run).values())
    while pending:
        item = pending.pop()
        if isinstance(item, np.ndarray):
            arrays[id(item)] = item.nbytes
        elif isinstance(item, tuple):
            pending.extend(item)
    return sum(arrays.values())
