"""Evaluation of a new prior against the one in use, on the same held-out instances.

Instances are of every kind that one of them was learned from. Same playouts, same seeds, paired by
instance; the decision rests on the lower end of a bootstrap interval of the mean gain over those
instances that tell the two apart, and is kept with its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.comparing.jobs import FamilyPlan, Job, MethodPlan, plan_jobs
from pipeline.comparing.journal import RUN_ROWS, Journal
from pipeline.comparing.run_jobs import run_jobs
from pipeline.learning.learn import LearnPlan
from pipeline.publishing.digests import read_contents, read_digest
from pipeline.publishing.held_out import held_out_families
from pipeline.publishing.replacement import load_used
from pipeline.requests.evaluation import MOST_DOUBLINGS, MOST_SHARE, EvaluationPlan
from pipeline.results.statistics import Floats, mean_interval
from pipeline.tables.runs import ERROR
from solver.commands.method import default_algorithm
from solver.contract.domain import Puzzle
from solver.contract.identity import domain_digest
from solver.errors import FieldError, InputError, WriteError
from solver.priors.priors import NO_PRIOR, Prior, load_prior
from solver.priors.tables import BIAS
from solver.searching.driver import Budget

#: Playouts an unsolved run counts as, in budgets: PAR-2.
PENALTY = 2.0

BETTER, NOT_WORSE, UNDECIDED, WORSE, UNCHANGED = (
    "better", "not worse", "undecided", "worse", "unchanged",
)  # fmt: skip
PUBLISHED = (BETTER, NOT_WORSE)
#: Instances that must tell the priors apart: of fewer even three in four for one prior are no
#: evidence (15 of 20 are, sign test at 5 %).
FEWEST_PAIRS = 20
#: Solved within this part of the budget an instance is solved at once: by chance, by any prior.
AT_ONCE = 64
#: Units of a gain.
DOUBLINGS = "doublings of the playouts to a solution"
SHARE = "share of the score"


def evaluation_jobs(
    domain: Puzzle, families: list[FamilyPlan], evaluation: EvaluationPlan, priors: list[Prior]
) -> list[Job]:
    """Every search of the evaluation; the priors take turns on each instance."""
    name = evaluation.held_out_algorithm
    methods = [MethodPlan(name, default_algorithm(name, domain), prior) for prior in priors]
    return plan_jobs(families, methods, 1)


def evaluate(
    domain: Puzzle,
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
    new = read_digest(candidate, BIAS)
    old = NO_PRIOR.name if current is None else read_digest(current, BIAS)
    result = {"candidate": new, "current": old, **asdict(evaluation)}
    check_margin(domain, evaluation)
    in_use = NO_PRIOR if current is None else _renamed(load_used(current, domain), old[:12])
    priors = [_renamed(load_prior(candidate, domain), new[:12]), in_use]
    if current is not None and read_contents(candidate) == read_contents(current):
        return {**result, "verdict": UNCHANGED, "publish": False}
    families = held_out_families(domain, plan, evaluation, in_use.metadata)
    jobs = evaluation_jobs(domain, families, evaluation, priors)
    budget = Budget(playouts=evaluation.held_out_playouts)
    sources = domain_digest(domain, type(plan.generator), "pipeline.comparing.run_job")
    path = work / domain.name / f"evaluations-{sources}" / f"{new[:12]}-{old[:12]}.jsonl"
    try:
        journal = Journal(path, RUN_ROWS)
        complete = run_jobs(jobs, domain, budget, journal, threads=threads, progress=progress)
    except OSError as error:
        raise WriteError(path, error) from error
    if not complete:
        raise KeyboardInterrupt
    kinds, every = [], []
    for family in families:
        mine = [job for job in jobs if job.family == family]
        rows = [journal.rows[job.head(domain, budget)["run"]] for job in mine]
        _refuse_failed(rows)
        kinds.append(
            {"family": rows[0]["family"], **judge(rows[::2], rows[1::2], domain, evaluation)}
        )
        every += rows
    pooled = judge(every[::2], every[1::2], domain, evaluation)
    verdict = decide(pooled, kinds, evaluation.margin)
    return {**result, "seed": families[0].seed, **pooled, "verdict": verdict,
            "publish": verdict in PUBLISHED, "families": kinds}  # fmt: skip


def _refuse_failed(rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise `InputError` if one of the runs failed."""
    for row in rows:
        if row["status"] == ERROR:
            raise InputError(f"held-out instance {row['instance']}: {row['message']}")


def check_margin(domain: Puzzle, evaluation: EvaluationPlan) -> None:
    """Raise `InputError` if the margin is more than any gain that matters for `domain`."""
    most = MOST_DOUBLINGS if domain.target is not None else MOST_SHARE
    if evaluation.margin > most:
        expected = f"expected {most:g} {_unit(domain)} at most"
        raise FieldError("margin", f"is {evaluation.margin:g}, {expected}")


def _unit(domain: Puzzle) -> str:
    return DOUBLINGS if domain.target is not None else SHARE


def decide(pooled: dict[str, Any], kinds: list[dict[str, Any]], margin: float) -> str:
    """Return the verdict: that on all instances, unless the candidate loses on one kind of them.

    Parameters
    ----------
    pooled : dict
        Result of `judge` on the instances of all kinds.
    kinds : list of dict
        Its results on each kind. A kind on which the mean gain is below minus the margin, though
        not surely, leaves it undecided; one that too few instances of tell has no say.
    """
    if any(kind["verdict"] == WORSE for kind in kinds):
        return WORSE
    doubtful = any(
        kind["informative"] >= FEWEST_PAIRS and kind["gain"]["value"] < -margin for kind in kinds
    )
    return UNDECIDED if doubtful and pooled["verdict"] != WORSE else str(pooled["verdict"])


def _renamed(prior: Prior, name: str) -> Prior:
    """Rename a prior: both tables have one file name, and checksums tell their runs apart."""
    return replace(prior, name=name)


def judge(
    candidate: list[dict[str, Any]],
    current: list[dict[str, Any]],
    domain: Puzzle,
    evaluation: EvaluationPlan,
) -> dict[str, Any]:
    """Compare runs of two priors on the same instances in the same order.

    A gain is, for a decision problem, log2 of the ratio of playouts to a solution (an
    unsolved run counts as twice its budget), else the difference of the scores as a
    share of the larger of the two. Only instances that can tell the priors apart are
    averaged: those that both solve at once, or neither, and equal scores, would hide a
    loss on the others.
    """
    if domain.target is not None:
        budget = evaluation.held_out_playouts
        ours, theirs = _playouts(candidate, budget), _playouts(current, budget)
        gains = np.log2(theirs) - np.log2(ours)
        at_once = max(1.0, budget / AT_ONCE)
        telling = (np.maximum(ours, theirs) > at_once) & (np.minimum(ours, theirs) <= budget)
    else:
        ours, theirs = _scores(candidate), _scores(current)
        gains = (ours - theirs) / np.maximum(np.maximum(np.abs(ours), np.abs(theirs)), 1e-9)
        telling = ours != theirs
    informative = int(telling.sum())
    gain = mean_interval(gains[telling]) if informative > 1 else None
    if gain is None or informative < FEWEST_PAIRS:
        verdict = UNDECIDED
    elif gain.low > 0:
        verdict = BETTER
    elif gain.low >= -evaluation.margin:
        verdict = NOT_WORSE
    else:
        verdict = WORSE if gain.high < 0 else UNDECIDED
    return {
        "verdict": verdict,
        "publish": verdict in PUBLISHED,
        "pairs": len(candidate),
        "informative": informative,
        "unit": _unit(domain),
        "gain": None if gain is None else gain._asdict(),
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
