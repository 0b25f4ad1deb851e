"""Rounds of learning: solve harder problems with the table, learn again, keep what is not worse.

Expert iteration (T. Anthony, Z. Tian and D. Barber, Thinking fast and slow with deep learning and
tree search, 2017): the search with the last table is the expert that the next table is learned
from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from generators.rounds import SolvedBySearch
from pipeline.comparing.jobs import FamilyPlan, MethodPlan, plan_jobs
from pipeline.comparing.journal import RUN_ROWS, Journal
from pipeline.comparing.run_jobs import run_jobs
from pipeline.learning.bias import Weights
from pipeline.learning.counts import Counts
from pipeline.learning.fitted import fit_shards
from pipeline.learning.learn import LearnPlan, learn_counts, plan_digest, write_prior
from pipeline.learning.spread import Workers
from pipeline.publishing.evaluate import evaluate
from pipeline.publishing.held_out import family_of_kind
from pipeline.publishing.refresh import Learned, Learning, learn_table, race
from pipeline.publishing.rounds_games import check_game_rounds, evaluate_game, plan_of_games
from pipeline.publishing.tune import Tuned
from solver.commands.method import default_algorithm
from solver.contract.identity import domain_digest
from solver.errors import InputError
from solver.priors.priors import load_prior
from solver.searching.driver import Budget

#: Added to the seed for each round, and for the problems that show how hard a kind is.
ROUND_SEED, PILOT_SEED = 1 << 24, 1 << 23
#: Option that names kinds of problems.
SETS = "round-sets"
#: Problems of a kind that show how hard it is, and the share of them to be solved.
PILOTS, SOLVED_SHARE = 32, 0.5

Progress = Callable[[str, int], None]
"""Called with what is done now, and how many searches or instances of it are finished."""


@dataclass
class _Rounds:
    learning: Learning
    plans: list[LearnPlan]
    """Plan of each round so far."""
    progress: Progress
    workers: Workers | None

    @property
    def folder(self) -> Path:
        """Folder of the tables of the rounds."""
        return folder_of_rounds(self.learning)

    def table(self, number: int, learned: Learned) -> Path:
        """Write the table of round `number`."""
        request, tuned = self.learning.request, learned.tuned
        path = table_of_round(self.learning, number)
        temperature = request.temperature if tuned is None else tuned.temperature
        write_prior(learned.counts, request.smoothing, temperature, path, learned.weights)
        return path


def folder_of_rounds(learning: Learning) -> Path:
    """Folder of the tables of the rounds, named after what the first one depends on."""
    digest = plan_digest(learning.domain, learning.plan, asdict(learning.request.rounds))
    return learning.folder / f"rounds-{digest}"


def table_of_round(learning: Learning, number: int) -> Path:
    """File of the table of round `number`, which stays there if it is dropped."""
    name = f"{learning.model}-{learning.plan.instances}-{number}.parquet"
    return folder_of_rounds(learning) / name


def learn_all(
    learning: Learning,
    counts: Counts,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> Learned:
    """Learn all that the table of `learning` is made of, from the counts of its first round.

    Parameters
    ----------
    workers : Workers, optional
        Processes that make the passes of fits, in place of threads here.

    Raises
    ------
    InputError
        As `fit_shards`, `tune` and `evaluate`.
    """
    report: Progress = progress or (lambda what, done: None)
    learned = learn_table(learning, counts, lambda done: report("tuning", done), workers)
    if learning.request.rounds.rounds == 1:
        return learned
    return learn_rounds(learning, learned, report, workers)


def learn_rounds(
    learning: Learning, first: Learned, progress: Progress, workers: Workers | None = None
) -> Learned:
    """Learn the further rounds of `learning`; returns what the last table that was kept is made of.

    Finished shards, fits and searches are kept: rounds that were cut short go on.

    Raises
    ------
    InputError
        If the problems come from a corpus, which has no harder ones.
    """
    plan = learning.request.rounds
    rounds = _Rounds(learning, [learning.plan], progress, workers)
    kept, table = first, rounds.table(1, first)
    facts: list[dict[str, Any]] = [{"round": 1, **_facts_of(first)}]
    for number in range(2, plan.rounds + 1):
        kind, solved = "", {}
        if not learning.is_game:
            kind, share = _hardest(rounds, number, table)
            solved = {"set": kind, "solved": share}
        rounds.plans.append(_plan_of(rounds, number, kind, table))
        learned = _learn(rounds, kept)
        new = rounds.table(number, learned)
        evaluation = _evaluated(rounds, kind, new, table)
        told = {name: evaluation.get(name) for name in ("verdict", "gain", "unit", "informative")}
        facts.append({"round": number, **solved, **_facts_of(learned), **told})
        if not evaluation["publish"]:
            break
        kept, table = learned, new
    return replace(kept, rounds=facts)


def check_rounds(learning: Learning) -> None:
    """Raise `InputError` if rounds of `learning` cannot be made: before the work."""
    plan = learning.request.rounds
    if plan.rounds == 1:
        return
    if learning.is_game:
        check_game_rounds(learning.domain, learning.plan, learning.request.evaluation)
        return
    generator = learning.plan.generator
    if "corpus" in getattr(generator, "source", {}):
        raise InputError(
            f"--rounds needs problems that are made, those of {learning.domain.name} come from a "
            "corpus here"
        )
    for kind in plan.kinds:
        family_of_kind(learning.domain, learning.plan, kind, 1, 0, SETS)


def _facts_of(learned: Learned) -> dict[str, Any]:
    held_out = {} if learned.weights is None else learned.weights.facts.get("held_out") or {}
    temperature = {} if learned.tuned is None else {"temperature": learned.tuned.temperature}
    return {
        "instances": learned.counts.instances,
        **{name: held_out[name] for name in ("log_likelihood", "top_1") if name in held_out},
        **temperature,
    }


def _hardest(rounds: _Rounds, number: int, table: Path) -> tuple[str, float]:
    """Return the hardest kind of problems of which half are solved, and the share; or the first."""
    learning, plan = rounds.learning, rounds.learning.request.rounds
    prior = load_prior(table, learning.domain)
    algorithm = default_algorithm(plan.round_algorithm, learning.domain)
    method = MethodPlan(plan.round_algorithm, algorithm, prior)
    sources = domain_digest(learning.domain, "pipeline.comparing.run_job")
    journal = Journal(rounds.folder / f"pilots-{sources}.jsonl", RUN_ROWS)
    budget = Budget(playouts=plan.round_playouts)
    share = 0.0
    for kind in reversed(plan.kinds):
        seed = learning.plan.seed + PILOT_SEED + number * ROUND_SEED
        family = family_of_kind(learning.domain, learning.plan, kind, PILOTS, seed, SETS)
        jobs = plan_jobs([family], [method], 1)
        if not run_jobs(
            jobs, learning.domain, budget, journal, threads=learning.request.threads,
            progress=lambda done: rounds.progress(f"round {number}, how hard", done),
        ):  # fmt: skip
            raise KeyboardInterrupt
        rows = [journal.rows[job.head(learning.domain, budget)["run"]] for job in jobs]
        share = sum(bool(row["solved"]) for row in rows) / len(rows)
        if share >= SOLVED_SHARE:
            break
    return kind, share


def _plan_of(rounds: _Rounds, number: int, kind: str, table: Path) -> LearnPlan:
    """Plan of the answers that a search with `table` finds to problems of a kind."""
    learning, plan = rounds.learning, rounds.learning.request.rounds
    seed = learning.plan.seed + number * ROUND_SEED
    if learning.is_game:
        return plan_of_games(learning.plan, table, plan.round_instances, seed)
    family: FamilyPlan = family_of_kind(learning.domain, learning.plan, kind, 1, seed, SETS)
    generator = learning.plan.generator
    if hasattr(generator, "guide"):  # it searches for answers itself
        solved: Any = replace(generator, guide=str(table))
    else:
        solved = SolvedBySearch(
            learning.request.subject, asdict(family.generator), asdict(family.options), str(table),
            plan.round_algorithm, plan.round_playouts,
        )  # fmt: skip
    return replace(learning.plan, generator=solved, instances=plan.round_instances, seed=seed)


def _evaluated(rounds: _Rounds, kind: str, new: Path, table: Path) -> dict[str, Any]:
    """Hold the table of a round against that of the last."""
    learning, number = rounds.learning, len(rounds.plans)
    judge: Callable[..., dict[str, Any]] = evaluate_game if learning.is_game else evaluate
    return judge(
        learning.domain, _judged_on(learning, kind, number), learning.request.evaluation,
        new, table, work=learning.work, threads=learning.request.threads,
        progress=partial(rounds.progress, f"evaluating round {number}"),
    )  # fmt: skip


def _judged_on(learning: Learning, kind: str, number: int) -> LearnPlan:
    """Plan whose held-out instances judge a round: of its kind."""
    generator: Any = learning.plan.generator
    if kind:
        generator = family_of_kind(learning.domain, learning.plan, kind, 1, 0, SETS).generator
    return replace(learning.plan, generator=generator, seed=learning.plan.seed + number)


def _learn(rounds: _Rounds, before: Learned) -> Learned:
    """Learn from the answers of all rounds so far, beginning with the weights of the last."""
    learning, request, number = rounds.learning, rounds.learning.request, len(rounds.plans)
    counts = learn_counts(
        learning.domain, rounds.plans[-1], work=learning.work, threads=request.threads,
        progress=lambda done: rounds.progress(f"round {number}, solving", done),
    )  # fmt: skip
    total = _sum([before.counts, counts])
    weights: Weights | None = None
    if request.fit.fit:
        weights = fit_shards(
            learning.domain, rounds.plans, request.fit, total,
            work=learning.work, threads=request.threads, subject=request.subject,
            workers=rounds.workers,
        )  # fmt: skip
    tuned: Tuned | None = before.tuned
    if request.tune.tune:
        path = rounds.folder / f"untuned-{number}.parquet"
        write_prior(total, request.smoothing, request.temperature, path, weights)
        tuned = race(learning, path, lambda done: rounds.progress(f"round {number}, tuning", done))
    return Learned(total, weights, tuned)


def _sum(parts: Sequence[Counts]) -> Counts:
    """Counts of all parts, with what the first one says of itself."""
    total = parts[0]
    for part in parts[1:]:
        total = replace(
            total,
            count=total.count + part.count,
            nb=total.nb + part.nb,
            instances=total.instances + part.instances,
            digest=(total.digest + part.digest) % 2**256,
            n_rejected=total.n_rejected + part.n_rejected,
        )
    return total
