"""Fitting of the decisions that `learn` has kept in its shards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pipeline.learning.assessment import fit_prior
from pipeline.learning.bias import Weights
from pipeline.learning.blocks import Blocks
from pipeline.learning.counts import Counts
from pipeline.learning.fit import Fit
from pipeline.learning.learn import LearnPlan, plan_digest, shard_files
from pipeline.learning.passes import LocalPasses, Passes
from pipeline.learning.spread import SpreadPasses, Workers
from pipeline.requests.fit import FitPlan
from solver.contract.domain import Domain
from solver.contract.identity import domain_digest
from solver.errors import InputError
from solver.priors.priors import read_biases
from solver.system.files import remove_partial

Floats = npt.NDArray[np.float64]


def fit_shards(
    domain: Domain,
    plans: Sequence[LearnPlan],
    fit_plan: FitPlan,
    counts: Counts,
    *,
    work: Path,
    threads: int,
    subject: str = "",
    workers: Workers | None = None,
) -> Weights:
    """Fit the weights of `plans`, whose shards are finished; finished fits are kept below `work`.

    Parameters
    ----------
    plans : sequence of LearnPlan
        One, or those of several rounds, of the same code.
    counts : Counts
        Counts of all their shards.
    subject : str
        Name by which `workers` find the domain.
    workers : Workers, optional
        Processes that make the passes, in place of threads here.

    Raises
    ------
    InputError
        If the table that the fit begins with cannot be read, or has other codes.
    """
    counts.refuse_empty()
    seen = np.flatnonzero(counts.nb)
    start = None
    if fit_plan.fit_from:
        start = weights_of(Path(fit_plan.fit_from), domain, plans[0])[seen]
    made_by = domain_digest(domain, "pipeline.learning.assessment")
    others = [plan_digest(domain, plan, plan.instances) for plan in plans[1:]]
    folder = f"fits-{plan_digest(domain, plans[0], plans[0].instances, made_by, *others)}"
    kept = work / domain.name / folder
    remove_partial(kept)
    files = [path for plan in plans for path in shard_files(domain, plan, work)]
    code = plans[0].code
    passes: Passes
    if workers is None:
        passes = LocalPasses(Blocks(files, domain, code, seen), threads)
    else:
        passes = SpreadPasses(workers, files, subject, domain, code, seen, kept)
    return Weights(*fit_prior(Fit(passes, kept), fit_plan.l2, start))


def weights_of(path: Path, domain: Domain, plan: LearnPlan) -> Floats:
    """Biases of a table as weights, float64[rows]; 0 for rows that are not in it.

    Raises
    ------
    InputError
        If it is no bias table, or one of other codes or rules.
    """
    code, bias, _ = read_biases(path, domain)
    if code.name != plan.code.name:
        raise InputError(f"{path}: a table of {code.name}, expected one of {plan.code.name}")
    return bias
