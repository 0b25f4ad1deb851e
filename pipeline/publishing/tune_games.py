"""Tuning of tables of games: a race of temperatures and parameters of a tree search, by matches.

Successive halving, as for puzzles: all that are left play so many games against the search as it
would be without a race, with the same numbers; after each round the worse half leaves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.learning.learn import LearnPlan
from pipeline.matches.methods import Method
from pipeline.publishing.contests import POINTS, Contest, contest_of, gain_of, guided
from pipeline.publishing.digests import read_digest
from pipeline.publishing.tune import FEWEST, TUNING_SEED, Tuned, temperature_in
from pipeline.requests.tune import TEMPERATURE, TunePlan
from solver.algorithms import tree_algorithm_named
from solver.algorithms.tree import PRIOR_IN, game_default, game_options
from solver.algorithms.words import name_in
from solver.contract.domain import Game
from solver.errors import FieldError, quoted
from solver.priors.tables import BIAS, read_metadata
from solver.system.fields import fields_of

#: Name of where the prior acts, among the parameters that race.
WITHIN = "in"


@dataclass(frozen=True)
class _Arm:
    """A temperature and parameters of the search, as they race."""

    facts: dict[str, Any]
    method: Method


def parameters_of(plan: TunePlan, temperature: float) -> list[dict[str, Any]]:
    """Combinations that race; first that which the table would recommend without a race.

    Raises
    ------
    InputError
        If there is no such tree search, or a parameter is not its own.
    """
    cls = tree_algorithm_named(name_in(plan.tune_algorithm))
    method = guided(plan.tune_algorithm, None)
    usual = {option.name: getattr(method.algorithm, option.name) for option in game_options(cls)}
    for option in game_options(cls):
        if usual[option.name] is None:
            usual[option.name] = game_default(option)
    fields = fields_of(cls)
    begin: dict[str, Any] = {TEMPERATURE: temperature}
    parsed: dict[str, list[Any]] = {TEMPERATURE: [temperature]}
    for name, texts in plan.values().items():
        if name == TEMPERATURE:
            parsed[name] = [temperature_in(text) for text in texts]
            continue
        if name == WITHIN:
            parsed[name], begin[name] = [_within(text) for text in texts], PRIOR_IN[0]
            continue
        if name not in usual:
            known = ", ".join([TEMPERATURE, WITHIN, *usual])
            expected = f"{quoted(name)} is unknown, expected one of: {known}"
            raise FieldError("tune_parameters", expected)
        parsed[name], begin[name] = [fields[name].parse(text) for text in texts], usual[name]
    found = [begin]
    for values in itertools.product(*parsed.values()):
        facts = dict(zip(parsed, values, strict=True))
        if facts not in found:
            found.append(facts)
    return found


def _within(text: str) -> str:
    if text not in PRIOR_IN:
        allowed = ", ".join(PRIOR_IN)
        complaint = f"has {WITHIN} {quoted(text)}, expected one of: {allowed}"
        raise FieldError("tune_parameters", complaint)
    return text


def tune_game(
    game: Game,
    plan: LearnPlan,
    tune_plan: TunePlan,
    table: Path,
    *,
    work: Path,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Tuned:
    """Race the parameters of `tune_plan` with the bias table `table`.

    Finished games are kept below `work`: a race that was cut short goes on. The winner depends on
    the plans alone, not on `threads`.

    Raises
    ------
    InputError
        As `parameters_of` and `contest_of`.
    """
    path = work / game.name / "tuning" / f"{read_digest(table, BIAS)[:12]}.jsonl"
    contest = race_of(game, plan, tune_plan, path, threads, progress)
    arms = [
        _Arm(facts, _method(tune_plan.tune_algorithm, table, facts))
        for facts in parameters_of(tune_plan, _temperature_of(table))
    ]
    return _raced(contest, arms, tune_plan)


def race_of(
    game: Game, plan: LearnPlan, tune_plan: TunePlan, path: Path, threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Contest:  # fmt: skip
    """Return the matches of a race.

    Raises
    ------
    InputError
        As `contest_of`.
    """
    return contest_of(
        game, plan, tune_plan.tune_set, "tune-set", playouts=tune_plan.playouts,
        seed=plan.seed + TUNING_SEED, threads=threads, path=path, progress=progress,
    )  # fmt: skip


def _temperature_of(table: Path) -> float:
    import pyarrow.parquet as pq

    metadata = read_metadata(pq.read_schema(table).metadata, str(table), BIAS)
    return float(metadata[TEMPERATURE])


def _method(word: str, table: Path, facts: dict[str, Any]) -> Method:
    more = {name: value for name, value in facts.items() if name not in (TEMPERATURE, WITHIN)}
    within = facts.get(WITHIN, PRIOR_IN[0])
    return guided(word, table, facts[TEMPERATURE], within=within, **more)


def _raced(contest: Contest, arms: list[_Arm], plan: TunePlan) -> Tuned:
    begin, even, rounds = arms[0], contest.even, []
    halvings = max(1, int(np.ceil(np.log2(len(arms)))))
    for number in range(halvings):
        games = max(FEWEST, plan.tune_instances >> (halvings - 1 - number))
        rivals = [arm for arm in arms if arm is not begin]
        scores = contest.scores([(arm.method, begin.method) for arm in rivals], range(games))
        means = iter(scores)
        worth = np.array([even if arm is begin else next(means).mean() for arm in arms])
        order = np.argsort(-worth, kind="stable")  # of equal ones the first, so the usual one
        told = [{**arms[k].facts, "worth": round(float(worth[k]), 6)} for k in order]
        rounds.append({"instances": games, "arms": told})
        arms = [arms[k] for k in order[: max(1, len(arms) // 2 + len(arms) % 2)]]
    best = arms[0]
    facts: dict[str, Any] = {
        "algorithm": type(best.method.algorithm).name,
        "settings": asdict(best.method.algorithm),
        "chosen": best.facts,
        "set": plan.tune_set,
        "seed": contest.seed,
        "playouts": plan.playouts,
        "rounds": rounds,
    }
    facts["gain"] = None if best is begin else _gain(contest, best, begin, plan.tune_instances)
    return Tuned(best.facts[TEMPERATURE], facts)


def _gain(contest: Contest, best: _Arm, begin: _Arm, games: int) -> dict[str, Any]:
    """Hold the winner against the search without a race, in games that did not choose it."""
    (scores,) = contest.scores([(best.method, begin.method)], range(games, 2 * games))
    gain = gain_of(scores, contest.even)
    informative = int((scores != contest.even).sum())
    return {
        "over": begin.facts, "pairs": games, "informative": informative, "unit": POINTS,
        "gain": gain._asdict(),
    }  # fmt: skip
