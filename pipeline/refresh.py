"""From counts to a published model: compile a candidate, evaluate it, publish it or not."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from generators.solved import describe
from pipeline import published
from pipeline.checks import read_checked
from pipeline.counts import Counts
from pipeline.evaluate import evaluate
from pipeline.evaluation_plan import EvaluationPlan
from pipeline.held_out import held_out_families
from pipeline.learn import LearnPlan, counts_path, plan_digest, write_prior
from pipeline.manifest import (
    Version,
    check_name,
    current_version,
    has_manifest,
    read_manifest,
)
from pipeline.replacement import refuse_other
from pipeline.runs import surroundings
from pipeline.summary import Tally, coverage, tally, write_summary
from solver.domain import Domain
from solver.errors import InputError
from solver.priors import load_prior
from solver.sources import rules_digest
from solver.tables import BIAS, COUNTS


@dataclass(frozen=True)
class LearnRequest:
    """Everything `learn` was asked for."""

    domain: Domain
    plan: LearnPlan
    smoothing: float
    temperature: float
    out: Path
    work: Path
    threads: int
    replace: bool
    """Whether a model that was learned in another way may be replaced without an evaluation."""
    evaluation: EvaluationPlan
    command: str
    """What makes the same table again."""
    begin: float = field(default_factory=time.time, compare=False)

    @property
    def model(self) -> str:
        """Name of the model in the manifest beside it."""
        return self.out.stem

    @property
    def candidate(self) -> Path:
        """Where the bias table lies before it is published, named after what it depends on."""
        made_of = [self.plan.instances, self.smoothing, self.temperature]
        digest = plan_digest(self.domain, self.plan, json.dumps(made_of))
        return self.work / self.domain.name / "candidates" / f"{self.model}-{digest}.parquet"

    @property
    def summary(self) -> Path:
        """Where the summary of this run is written."""
        moment = datetime.datetime.fromtimestamp(self.begin, datetime.UTC)
        name = f"{self.model}-{moment:%Y%m%dT%H%M%S.%fZ}.json"
        return self.work / self.domain.name / "summaries" / name


def check_destination(request: LearnRequest, *, evaluated: bool) -> None:
    """Raise `InputError` if the table could not be published: before the work, not after it."""
    if not evaluated and not has_manifest(request.out.parent):
        return
    check_name(request.model)
    if request.out.name != f"{request.model}.parquet":
        raise InputError(f"--out is {request.out}, expected NAME.parquet to publish to")
    if evaluated:
        used = published.current_model(request.out.parent, request.model)
        learned = None if used is None else load_prior(used, request.domain).metadata
        held_out_families(request.domain, request.plan, request.evaluation, learned)
        return
    current = current_version(read_manifest(request.out.parent), request.model)
    if current is None or request.replace:
        return
    plan = request.plan
    planned = {
        "domain": request.domain.name,
        "rules": rules_digest(request.domain),
        "prior": plan.code.name,
        "source": describe(plan.generator),
        "options": asdict(plan.options),
        "smoothing": request.smoothing,
        "temperature": request.temperature,
        "instances": plan.instances,
        "rejected": 0,
    }
    refuse_other(current, planned, request.out)


def compile_candidate(request: LearnRequest, counts: Counts) -> dict[str, Any]:
    """Write the candidate; returns its size and coverage and the checks of its files."""
    table = write_prior(counts, request.smoothing, request.temperature, request.candidate)
    return {"table": coverage(counts, table.num_rows), "files": check_candidate(request)}


def check_candidate(request: LearnRequest) -> dict[str, Tally]:
    """Read the candidate's files again, checked."""
    found = {}
    for kind, path in ((BIAS, request.candidate), (COUNTS, counts_path(request.candidate))):
        _, checks = read_checked(path, kind, request.domain)
        found[f"candidate {kind}"] = tally([(True, checks)])
    return found


def evaluate_candidate(
    request: LearnRequest, progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Hold the candidate against the model in use, or against no prior where there is none."""
    return evaluate(
        request.domain, request.plan, request.evaluation, request.candidate,
        published.current_model(request.out.parent, request.model),
        work=request.work, threads=request.threads, progress=progress,
    )  # fmt: skip


def publish_candidate(request: LearnRequest, evaluation: dict[str, Any] | None) -> Version | None:
    """Publish the candidate unless its evaluation says otherwise."""
    if evaluation is not None and not evaluation["publish"]:
        return None
    return published.publish(
        request.out.parent, request.model, request.candidate,
        command=request.command, evaluation=evaluation, replace=request.replace,
    )  # fmt: skip


def finish(
    request: LearnRequest,
    compiled: dict[str, Any],
    shards: dict[str, Tally],
    evaluation: dict[str, Any] | None,
    version: Version | None,
) -> dict[str, Any]:
    """Write the summary of the run, and return it."""
    verdict = f"{evaluation['verdict']}, " if evaluation else ""
    outcome = (
        f"{verdict}published as {version['version']}" if version else f"{verdict}not published"
    )
    summary = {
        "model": request.model,
        "domain": request.domain.name,
        "outcome": outcome,
        "command": request.command,
        "started": datetime.datetime.fromtimestamp(request.begin, datetime.UTC).isoformat(
            timespec="seconds"
        ),
        "seconds": round(time.time() - request.begin, 1),
        "table": compiled["table"],
        "evaluation": evaluation,
        "published": version["version"] if version else None,
        "files": {**shards, **compiled["files"]},
        "smoothing": request.smoothing,
        "temperature": request.temperature,
        "replay": asdict(request.plan.options),
        **surroundings(),
    }
    write_summary(request.summary, summary)
    return summary
