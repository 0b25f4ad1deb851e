"""Publication of a model from counts: compile a candidate, evaluate it, publish it or not."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from generators.solved import describe
from pipeline.learning.bias import Weights
from pipeline.learning.counts import Counts
from pipeline.learning.fitted import fit_shards, weights_of
from pipeline.learning.learn import LearnPlan, counts_path, plan_digest, write_prior
from pipeline.learning.spread import Workers
from pipeline.learning.summary import Tally, coverage, tally, write_summary
from pipeline.publishing import published
from pipeline.publishing.evaluate import check_margin, evaluate
from pipeline.publishing.held_out import held_out_families
from pipeline.publishing.manifest import (
    Version,
    check_name,
    current_version,
    has_manifest,
    read_manifest,
)
from pipeline.publishing.replacement import (
    load_used,
    refuse_changed_sources,
    refuse_foreign,
    refuse_other,
)
from pipeline.publishing.tune import Tuned, arms_of, race_family, tune
from pipeline.publishing.tune_games import parameters_of, race_of, tune_game
from pipeline.requests.learn import LearnRequest
from pipeline.requests.tune import TEMPERATURE
from pipeline.tables.checks import read_checked
from pipeline.tables.runs import surroundings
from solver.commands.subjects import find_rules
from solver.contract.codes import code_named
from solver.contract.domain import Game
from solver.contract.identity import rules_digest
from solver.contract.references import load_generator
from solver.errors import InputError
from solver.priors.tables import BIAS, COUNTS, FIT, ROUNDS, TUNED


@dataclass(frozen=True)
class Learning:
    """A request to learn, with the objects that it names."""

    request: LearnRequest
    domain: Any
    """A `Puzzle`; or a `Game`, which is never evaluated."""
    plan: LearnPlan
    begin: float = field(default_factory=time.time, compare=False)

    @classmethod
    def of(cls, request: LearnRequest) -> Self:
        """Find the domain and the other objects that `request` names.

        Raises
        ------
        InputError
            If there is none, or a parameter does not fit.
        """
        domain = find_rules(request.subject)
        plan = LearnPlan(
            generator=load_generator(domain)(**request.generator),
            instances=request.instances,
            seed=request.seed,
            options=domain.options(**request.options),
            code=code_named(domain.priors, request.prior_code),
            decisions=request.fit.fit,
        )
        return cls(request, domain, plan)

    @property
    def is_game(self) -> bool:
        """True if the table is one of a game."""
        return isinstance(self.domain, Game)

    @property
    def out(self) -> Path:
        """File of the table."""
        return Path(self.request.out)

    @property
    def work(self) -> Path:
        """Folder of shards."""
        return Path(self.request.work)

    @property
    def folder(self) -> Path:
        """Folder of the files learned of the domain."""
        return self.work / str(self.domain.name)

    @property
    def model(self) -> str:
        """Name of the model in the manifest beside it."""
        return self.out.stem

    @property
    def candidate(self) -> Path:
        """Path of the bias table before it is published, named after its inputs."""
        request = self.request
        made_of: list[Any] = [request.instances, request.smoothing, request.temperature]
        if request.fit.fit:
            made_of += [request.fit.l2, request.fit.fit_from]
        if request.tune.tune:
            made_of += [asdict(request.tune)]
        if request.rounds.rounds > 1:
            made_of += [asdict(request.rounds)]
        digest = plan_digest(self.domain, self.plan, json.dumps(made_of))
        return self.folder / "candidates" / f"{self.model}-{digest}.parquet"

    @property
    def summary(self) -> Path:
        """Path of the summary of this run."""
        moment = datetime.datetime.fromtimestamp(self.begin, datetime.UTC)
        name = f"{self.model}-{moment:%Y%m%dT%H%M%S.%fZ}.json"
        return self.folder / "summaries" / name


def check_destination(learning: Learning, *, evaluated: bool) -> None:
    """Raise `InputError` if the table could not be published: before the work, not after it."""
    if learning.request.tune.tune:
        _check_race(learning)
    if learning.request.fit.fit_from:
        weights_of(Path(learning.request.fit.fit_from), learning.domain, learning.plan)
    if not evaluated and not has_manifest(learning.out.parent):
        if not learning.request.replace:
            refuse_foreign(learning.out, learning.domain)
        return
    check_name(learning.model)
    current = current_version(read_manifest(learning.out.parent), learning.model)
    if current is not None and not learning.request.replace:
        refuse_changed_sources(learning.out)
    if learning.out.name != f"{learning.model}.parquet":
        raise InputError(f"--out is {learning.out}, expected NAME.parquet to publish to")
    if evaluated:
        check_margin(learning.domain, learning.request.evaluation)
        used = published.current_model(learning.out.parent, learning.model)
        learned = None if used is None else load_used(used, learning.domain).metadata
        held_out_families(learning.domain, learning.plan, learning.request.evaluation, learned)
        return
    if current is None or learning.request.replace:
        return
    plan = learning.plan
    planned = {
        "domain": learning.domain.name,
        "rules": rules_digest(learning.domain, plan.code),
        "prior": plan.code.name,
        "source": describe(plan.generator),
        "options": asdict(plan.options),
        "smoothing": learning.request.smoothing,
        "temperature": learning.request.temperature,
        "fit": learning.request.fit.fit,
        "instances": plan.instances,
        "rejected": 0,
    }
    refuse_other(current, planned, learning.out)


def _check_race(learning: Learning) -> None:
    tune_plan, domain, plan = learning.request.tune, learning.domain, learning.plan
    if learning.is_game:
        parameters_of(tune_plan, learning.request.temperature)
        race_of(domain, plan, tune_plan, Path("tuning", "x"))
        return
    arms_of(tune_plan, domain, learning.request.temperature)
    race_family(domain, plan, tune_plan)


def fit_weights(
    learning: Learning, counts: Counts, workers: Workers | None = None
) -> Weights | None:
    """Fit the weights of the table to the decisions in its shards; None without a fit.

    Raises
    ------
    InputError
        As `fit_shards`.
    """
    request = learning.request
    if not request.fit.fit:
        return None
    return fit_shards(
        learning.domain, [learning.plan], request.fit, counts,
        work=learning.work, threads=request.threads, subject=request.subject, workers=workers,
    )  # fmt: skip


def tune_table(
    learning: Learning,
    counts: Counts,
    weights: Weights | None,
    progress: Callable[[int], None] | None = None,
) -> Tuned | None:
    """Choose the temperature of the table by a race; None unless that is asked for.

    Raises
    ------
    InputError
        As `tune`.
    """
    request = learning.request
    if not request.tune.tune:
        return None
    path = learning.candidate.with_stem(f"{learning.candidate.stem}-untuned")
    write_prior(counts, request.smoothing, request.temperature, path, weights)
    return race(learning, path, progress)


def race(learning: Learning, table: Path, progress: Callable[[int], None] | None = None) -> Tuned:
    """Race temperatures of the bias table `table`: by searches, or matches.

    Raises
    ------
    InputError
        As `tune` and `tune_game`.
    """
    request = learning.request
    run: Callable[..., Tuned] = tune_game if learning.is_game else tune
    return run(
        learning.domain, learning.plan, request.tune, table,
        work=learning.work, threads=request.threads, progress=progress,
    )  # fmt: skip


@dataclass(frozen=True)
class Learned:
    """All that a table is made of."""

    counts: Counts
    weights: Weights | None = None
    tuned: Tuned | None = None
    rounds: list[dict[str, Any]] | None = None
    """Rounds of learning, if there were several."""

    @property
    def facts(self) -> dict[str, Any]:
        """Entries of the metadata, and of a summary, besides those of counts."""
        facts: dict[str, Any] = {} if self.tuned is None else {TUNED: self.tuned.facts}
        return facts if self.rounds is None else {**facts, ROUNDS: self.rounds}


def learn_table(
    learning: Learning,
    counts: Counts,
    progress: Callable[[int], None] | None = None,
    workers: Workers | None = None,
) -> Learned:
    """Fit the weights of a table, and choose its temperature, as far as that is asked for."""
    weights = fit_weights(learning, counts, workers)
    return Learned(counts, weights, tune_table(learning, counts, weights, progress))


def write_learned(learning: Learning, learned: Learned, out: Path) -> pa.Table:
    """Write the table and its counts to `out`; returns the bias table."""
    request, tuned = learning.request, learned.tuned
    temperature = request.temperature if tuned is None else tuned.temperature
    parameters = request.smoothing, temperature
    return write_prior(learned.counts, *parameters, out, learned.weights, learned.facts)


def compile_candidate(learning: Learning, learned: Learned) -> dict[str, Any]:
    """Write the candidate; returns its size and coverage and the checks of its files."""
    table = write_learned(learning, learned, learning.candidate)
    size = coverage(learned.counts, table.num_rows)
    compiled = {"table": size, "files": check_candidate(learning), **learned.facts}
    return compiled if learned.weights is None else {**compiled, FIT: learned.weights.facts}


def check_candidate(learning: Learning) -> dict[str, Tally]:
    """Read the candidate's files again, checked."""
    found = {}
    for kind, path in ((BIAS, learning.candidate), (COUNTS, counts_path(learning.candidate))):
        _, checks = read_checked(path, kind, learning.domain)
        found[f"candidate {kind}"] = tally([(True, checks)])
    return found


def evaluate_candidate(
    learning: Learning, progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Hold the candidate against the model in use, or against no prior where there is none."""
    return evaluate(
        learning.domain, learning.plan, learning.request.evaluation, learning.candidate,
        published.current_model(learning.out.parent, learning.model),
        work=learning.work, threads=learning.request.threads, progress=progress,
    )  # fmt: skip


def publish_candidate(learning: Learning, evaluation: dict[str, Any] | None) -> Version | None:
    """Publish the candidate unless its evaluation says otherwise."""
    if evaluation is not None and not evaluation["publish"]:
        return None
    return published.publish(
        learning.out.parent, learning.model, learning.candidate,
        command=learning.request.command, evaluation=evaluation, replace=learning.request.replace,
    )  # fmt: skip


def finish(
    learning: Learning,
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
        "model": learning.model,
        "domain": learning.domain.name,
        "outcome": outcome,
        "command": learning.request.command,
        "started": datetime.datetime.fromtimestamp(learning.begin, datetime.UTC).isoformat(
            timespec="seconds"
        ),
        "seconds": round(time.time() - learning.begin, 1),
        "table": compiled["table"],
        FIT: compiled.get(FIT),
        TUNED: compiled.get(TUNED),
        ROUNDS: compiled.get(ROUNDS),
        "evaluation": evaluation,
        "published": version["version"] if version else None,
        "files": {**shards, **compiled["files"]},
        "smoothing": learning.request.smoothing,
        "temperature": compiled.get(TUNED, {})
        .get("chosen", {})
        .get(TEMPERATURE, learning.request.temperature),
        "replay": asdict(learning.plan.options),
        **surroundings(),
    }
    write_summary(learning.summary, summary)
    return summary
