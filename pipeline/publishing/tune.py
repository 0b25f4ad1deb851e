"""Tuning: a race of temperatures, and of parameters of a search, on held-out instances.

Successive halving (K. Jamieson and A. Talwalkar, Non-stochastic best arm identification and
hyperparameter optimization, 2016): after each round the worse half leaves, and those that are left
search twice as many instances, all the same ones with the same seeds.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from generators.given import GivenProblems, read_given
from pipeline.comparing.jobs import FamilyPlan, MethodPlan, plan_jobs
from pipeline.comparing.journal import RUN_ROWS, Journal, RunJournal
from pipeline.comparing.run_jobs import run_jobs
from pipeline.learning.learn import LearnPlan
from pipeline.publishing.digests import read_digest
from pipeline.publishing.evaluate import PENALTY, judge
from pipeline.publishing.held_out import family_of_kind
from pipeline.requests.evaluation import EvaluationPlan
from pipeline.requests.tune import TEMPERATURE, TunePlan
from pipeline.results.statistics import Floats
from pipeline.tables.runs import ERROR
from solver.algorithms import ListedAlgorithm, algorithm_named, options_of, suited
from solver.algorithms.words import name_in, parsed_settings, settings_in
from solver.contract.domain import Puzzle
from solver.contract.identity import domain_digest
from solver.errors import FieldError, InputError, WriteError, quoted
from solver.priors.priors import Prior, load_prior
from solver.priors.tables import BIAS
from solver.searching.driver import Budget
from solver.system.fields import fields_of

#: Added to the seed of the training instances: neither these nor those of an evaluation.
TUNING_SEED = 1 << 30
#: Fewest instances of a round.
FEWEST = 4


@dataclass(frozen=True)
class Arm:
    """A temperature and parameters of the search, as they race."""

    temperature: float
    parameters: dict[str, Any]
    algorithm: ListedAlgorithm

    @property
    def facts(self) -> dict[str, Any]:
        """Temperature and parameters, for the metadata of a table."""
        return {TEMPERATURE: self.temperature, **self.parameters}


@dataclass(frozen=True)
class Tuned:
    """The winner of a race."""

    temperature: float
    facts: dict[str, Any]
    """Entry on the race in the metadata of the table."""


def arms_of(plan: TunePlan, domain: Puzzle, temperature: float) -> list[Arm]:
    """Combinations that race; first that which the table would recommend without a race.

    Raises
    ------
    InputError
        If there is no such search, it takes no prior, or a parameter is not its own.
    """
    word = plan.tune_algorithm
    cls = algorithm_named(name_in(word))
    if not cls.takes_prior:
        raise FieldError("tune_algorithm", f"is {quoted(word)}, which takes no prior")
    fields, names = fields_of(cls), [option.name for option in options_of(cls)]
    usual = suited(cls(**parsed_settings(word, settings_in(word, names), fields)), domain)
    values = plan.values()
    temperatures = [temperature_in(text) for text in values.pop(TEMPERATURE, [])]
    parsed: dict[str, list[Any]] = {}
    for name, texts in values.items():
        if name not in names:
            known = ", ".join(dict.fromkeys([TEMPERATURE, *names]))
            expected = f"{quoted(name)} is unknown, expected one of: {known}"
            raise FieldError("tune_parameters", expected)
        parsed[name] = [fields[name].parse(text) for text in texts]
    begin = Arm(temperature, {name: getattr(usual, name) for name in parsed}, usual)
    found = [begin]
    for factor, *chosen in itertools.product(temperatures or [temperature], *parsed.values()):
        parameters = dict(zip(parsed, chosen, strict=True))
        arm = Arm(factor, parameters, replace(usual, **parameters))
        if arm.facts != begin.facts:
            found.append(arm)
    return found


def temperature_in(text: str) -> float:
    """Return the temperature that races as `text`; raises `InputError` if it is none."""
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0 < value < np.inf:
        raise FieldError("tune_parameters", f"has temperature {quoted(text)}, expected above 0")
    return value


def tune(
    domain: Puzzle,
    plan: LearnPlan,
    tune_plan: TunePlan,
    table: Path,
    *,
    work: Path,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Tuned:
    """Race the parameters of `tune_plan` with the bias table `table`.

    Finished searches are kept below `work`: a race that was cut short goes on. The winner depends
    on the plans alone, not on `threads`.

    Raises
    ------
    InputError
        As `arms_of`; or if an instance cannot be made or searched.
    """
    prior = load_prior(table, domain)
    arms = arms_of(tune_plan, domain, prior.temperature)
    family = race_family(domain, plan, tune_plan)
    digest = read_digest(table, BIAS)
    sources = domain_digest(domain, type(plan.generator), "pipeline.comparing.run_job")
    path = work / domain.name / f"tuning-{sources}" / f"{digest[:12]}.jsonl"
    budget = Budget(playouts=tune_plan.playouts)
    try:
        race = _Race(domain, family, budget, Journal(path, RUN_ROWS), prior, threads, progress)
        return _raced(race, arms, tune_plan)
    except OSError as error:
        raise WriteError(path, error) from error


def race_family(domain: Puzzle, plan: LearnPlan, tune_plan: TunePlan) -> FamilyPlan:
    """Instances of a race: of a file, in its order; or like those learned from, but for a set.

    Raises
    ------
    InputError
        If the file cannot be read, or the set does not fit the problems learned from.
    """
    changes, seed = tune_plan.tune_set, plan.seed + TUNING_SEED
    of_file = Path(changes).is_file()
    if changes and not of_file and "=" not in changes:
        expected = "NAME=VALUE,... or a file of problems"
        raise FieldError("tune_set", f"is {quoted(changes)}, expected {expected}")
    family = family_of_kind(
        domain, plan, "" if of_file else changes, tune_plan.tune_instances, seed, "tune-set"
    )
    if not of_file:
        return family
    given = read_given(domain, [changes])
    return replace(family, generator=given, instances=min(given.n_available, family.instances))


@dataclass
class _Race:
    """Searches of a race, and their results."""

    domain: Puzzle
    family: FamilyPlan
    budget: Budget
    journal: RunJournal
    prior: Prior
    threads: int
    progress: Callable[[int], None] | None
    finished: int = 0

    def rows(self, arms: Sequence[Arm], instances: int) -> list[list[dict[str, Any]]]:
        """Runs of each arm on the first `instances`, in their order."""
        methods = [
            MethodPlan(name_in(type(arm.algorithm).name), arm.algorithm, self._prior(arm))
            for arm in arms
        ]
        jobs = plan_jobs([replace(self.family, instances=instances)], methods, 1)
        before = self.finished

        def count(done: int) -> None:
            self.finished = before + done
            if self.progress is not None:
                self.progress(self.finished)

        if not run_jobs(
            jobs, self.domain, self.budget, self.journal, threads=self.threads, progress=count
        ):
            raise KeyboardInterrupt
        found = [self.journal.rows[job.head(self.domain, self.budget)["run"]] for job in jobs]
        for row in found:
            if row["status"] == ERROR:
                raise InputError(f"tuning instance {row['instance']}: {row['message']}")
        return [found[number :: len(arms)] for number in range(len(arms))]

    def _prior(self, arm: Arm) -> Prior:
        assert self.prior.path is not None
        loaded = load_prior(self.prior.path, self.domain, arm.temperature)
        return replace(loaded, name=f"{self.prior.name}-{arm.temperature:g}")


def _raced(race: _Race, arms: list[Arm], plan: TunePlan) -> Tuned:
    begin, rounds, most = arms[0], [], race.family.instances
    halvings = max(1, int(np.ceil(np.log2(len(arms)))))
    for number in range(halvings):
        instances = min(most, max(FEWEST, most >> (halvings - 1 - number)))
        rows = race.rows(arms, instances)
        worth = values(rows, race.domain, plan.playouts).mean(axis=1)
        order = np.argsort(-worth, kind="stable")  # of equal ones the first, so the usual one
        rounds.append(
            {
                "instances": instances,
                "arms": [{**arms[k].facts, "worth": round(float(worth[k]), 6)} for k in order],
            }
        )
        arms = [arms[k] for k in order[: max(1, len(arms) // 2 + len(arms) % 2)]]
    best = arms[0]
    facts: dict[str, Any] = {
        "algorithm": type(best.algorithm).name,
        "settings": asdict(best.algorithm),
        "chosen": best.facts,
        **_said_of(race.family, plan.tune_set),
        "seed": race.family.seed,
        "playouts": plan.playouts,
        "rounds": rounds,
    }
    facts["gain"] = _gain(race, best, begin, plan)
    return Tuned(best.temperature, facts)


def _said_of(family: FamilyPlan, changes: str) -> dict[str, Any]:
    """Facts of the instances: of a file its name and a digest of its problems."""
    if not isinstance(family.generator, GivenProblems):
        return {"set": changes}
    keys = "\n".join(family.generator.keys[: family.instances])
    return {"set": family.generator.family, "set_sha256": hashlib.sha256(keys.encode()).hexdigest()}


def _gain(race: _Race, best: Arm, begin: Arm, plan: TunePlan) -> dict[str, Any] | None:
    """Hold the winner against what the table would have recommended; None if it is the same."""
    if best.facts == begin.facts:
        return None
    ours, theirs = race.rows([best, begin], race.family.instances)
    found = judge(ours, theirs, race.domain, EvaluationPlan(held_out_playouts=plan.playouts))
    kept = ("pairs", "informative", "unit", "gain", "solved", "mean_score")
    return {"over": begin.facts, **{name: found[name] for name in kept}}


def values(rows: Sequence[Sequence[dict[str, Any]]], domain: Puzzle, playouts: int) -> Floats:
    """Worth of runs of each arm on each instance, float64[arms, instances]; more is better.

    For a decision problem it is minus log2 of the playouts to a solution, an unsolved run counting
    twice its budget; else the score, less the best of the arms, as a share of it.
    """
    if domain.target is not None:
        most = PENALTY * playouts
        spent = [[row["playouts"] if row["solved"] else most for row in arm] for arm in rows]
        return -np.log2(np.maximum(np.array(spent, np.float64), 1.0))
    scores = np.array([[row["score"] for row in arm] for arm in rows], np.float64)
    best = scores.max(axis=0)
    shares: Floats = (scores - best) / np.maximum(np.abs(best), 1e-9)
    return shares
