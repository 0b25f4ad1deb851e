"""Is a new prior not worse than the one in use? Both search the same held-out instances.

Same playouts, same seeds, paired by instance; the decision rests on the lower end of
a bootstrap interval of the mean gain, and is kept with its numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pipeline.compare import FamilyPlan, Job, Journal, MethodPlan, plan_jobs, run_jobs
from pipeline.evaluation_plan import EvaluationPlan
from pipeline.learn import LearnPlan
from pipeline.runs import ERROR
from pipeline.statistics import Floats, mean_interval
from solver.domain import Domain, Problem
from solver.errors import InputError
from solver.jit import SOURCES
from solver.method import default_algorithm
from solver.priors import NO_PRIOR, Prior, load_prior

#: Added to the seed of the training instances: no table is learned from what it is held against.
HELD_OUT_SEED = 1 << 31
#: Playouts an unsolved run counts as, in budgets: PAR-2.
PENALTY = 2.0

BETTER, NOT_WORSE, UNDECIDED, WORSE, UNCHANGED = (
    "better", "not worse", "undecided", "worse", "unchanged",
)  # fmt: skip
PUBLISHED = (BETTER, NOT_WORSE)
#: Units of a gain.
DOUBLINGS = "doublings of the playouts to a solution"
SHARE = "share of the score"


@dataclass(frozen=True)
class BenchmarkInstances:
    """The instances of `solve DOMAIN`, for domains whose training instances come from a corpus."""

    domain: str
    instances: int
    family: ClassVar[str] = "generated benchmark"
    family_parameters: ClassVar[dict[str, str]] = {"set": "generated benchmark"}

    def problem(self, seed: int, number: int) -> Problem:
        """Return instance `number` of `seed`."""
        return _benchmark(self.domain, self.instances, seed)[number]


@lru_cache(maxsize=4)
def _benchmark(domain: str, instances: int, seed: int) -> list[Problem]:
    (found,) = entry_points(group="nestor.benchmarks", name=domain)
    return list(found.load()(instances, seed))


def held_out_family(domain: Domain, plan: LearnPlan, instances: int) -> FamilyPlan:
    """Instances like those of `plan`, of another seed; options as when solving.

    A corpus has no other seed: every sequence may have been learned from. There the
    generated instances of `solve DOMAIN` are taken.
    """
    generator: Any = plan.generator
    if hasattr(generator, "n_available"):
        generator = BenchmarkInstances(domain.name, instances)
    usual = asdict(domain.options())
    replayed_only = getattr(plan.generator, "replay_defaults", {})
    options = replace(plan.options, **{name: usual[name] for name in replayed_only})
    return FamilyPlan(generator, options, instances, plan.seed + HELD_OUT_SEED)


def evaluation_jobs(
    domain: Domain, plan: LearnPlan, evaluation: EvaluationPlan, priors: list[Prior]
) -> list[Job]:
    """Every search of the evaluation; the priors take turns on each instance."""
    name = evaluation.held_out_algorithm
    methods = [MethodPlan(name, default_algorithm(name, domain), prior) for prior in priors]
    return plan_jobs([held_out_family(domain, plan, evaluation.held_out)], methods, 1)


def evaluate(
    domain: Domain,
    plan: LearnPlan,
    evaluation: EvaluationPlan,
    candidate: Path,
    current: Path | None,
    *,
    work: Path,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Hold the bias table `candidate` against `current`, or against no prior.

    Finished searches are kept below `work`: an evaluation that was cut short goes on.

    Returns
    -------
    result : dict
        The verdict and everything it rests on, ready for JSON; `publish` says what follows.
    """
    from solver.datasets import sha256
    from solver.search import Budget

    new, old = sha256(candidate), sha256(current) if current is not None else NO_PRIOR.name
    result = {"candidate": new, "current": old, **asdict(evaluation)}
    if new == old:
        return {**result, "verdict": UNCHANGED, "publish": False}
    priors = [
        _renamed(load_prior(candidate, domain), new[:12]),
        NO_PRIOR if current is None else _renamed(load_prior(current, domain), old[:12]),
    ]
    jobs = evaluation_jobs(domain, plan, evaluation, priors)
    budget = Budget(playouts=evaluation.held_out_playouts)
    journal = Journal(
        work / domain.name / f"evaluations-{SOURCES}" / f"{new[:12]}-{old[:12]}.jsonl"
    )
    if not run_jobs(jobs, domain, budget, journal, threads=threads, progress=progress):
        raise KeyboardInterrupt
    rows = [journal.rows[job.head(domain, budget)["run"]] for job in jobs]
    for row in rows:
        if row["status"] == ERROR:
            raise InputError(f"held-out instance {row['instance']}: {row['message']}")
    return {**result, "seed": jobs[0].family.seed, "family": rows[0]["family"],
            **judge(rows[::2], rows[1::2], domain, evaluation)}  # fmt: skip


def _renamed(prior: Prior, name: str) -> Prior:
    """Both tables have the same file name; their runs are told apart by checksum."""
    return replace(prior, name=name)


def judge(
    candidate: list[dict[str, Any]],
    current: list[dict[str, Any]],
    domain: Domain,
    evaluation: EvaluationPlan,
) -> dict[str, Any]:
    """Compare runs of two priors on the same instances in the same order.

    A gain is, for a decision problem, log2 of the ratio of playouts to a solution (an
    unsolved run counts as twice its budget), else the difference of the scores as a
    share of the larger of the two.
    """
    if domain.target is not None:
        budget = evaluation.held_out_playouts
        gains = np.log2(_playouts(current, budget)) - np.log2(_playouts(candidate, budget))
    else:
        ours, theirs = _scores(candidate), _scores(current)
        gains = (ours - theirs) / np.maximum(np.maximum(np.abs(ours), np.abs(theirs)), 1e-9)
    gain = mean_interval(gains)
    if gain.low > 0:
        verdict = BETTER
    elif gain.low >= -evaluation.margin:
        verdict = NOT_WORSE
    else:
        verdict = WORSE if gain.high < 0 else UNDECIDED
    return {
        "verdict": verdict,
        "publish": verdict in PUBLISHED,
        "unit": DOUBLINGS if domain.target is not None else SHARE,
        "gain": gain._asdict(),
        "solved": {"candidate": _solved(candidate), "current": _solved(current)},
        "mean_score": {"candidate": float(_scores(candidate).mean()),
                       "current": float(_scores(current).mean())},
        "seconds": {"candidate": round(sum(row["seconds"] for row in candidate), 3),
                    "current": round(sum(row["seconds"] for row in current), 3)},
    }  # fmt: skip


def _playouts(rows: list[dict[str, Any]], budget: int) -> Floats:
    """Playouts to a solution, float64[runs]."""
    return np.array([row["playouts"] if row["solved"] else PENALTY * budget for row in rows], float)


def _scores(rows: list[dict[str, Any]]) -> Floats:
    return np.array([row["score"] for row in rows], np.float64)


def _solved(rows: list[dict[str, Any]]) -> int:
    return sum(row["solved"] for row in rows)
