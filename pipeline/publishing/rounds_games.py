"""Rounds of learning of games: self-play with the last table, learned from, and gated by a match.

Expert iteration (T. Anthony, Z. Tian and D. Barber, Thinking fast and slow with deep learning and
tree search, 2017): who plays in a round is the search with the table of the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.learning.learn import LearnPlan
from pipeline.publishing.contests import contest_of, guided, judged
from pipeline.publishing.digests import read_digest
from pipeline.publishing.held_out import HELD_OUT_SEED
from pipeline.requests.evaluation import EvaluationPlan
from solver.contract.domain import Game
from solver.errors import InputError
from solver.priors.tables import BIAS

#: Options of rounds that say nothing of games.
OF_PUZZLES = ("--round-sets", "--round-algorithm", "--round-playouts")


def check_game_rounds(game: Game, plan: LearnPlan, evaluation: EvaluationPlan) -> None:
    """Raise `InputError` if the matches between tables could not be played: before the work."""
    guided(evaluation.held_out_algorithm, None)
    contest_of(
        game, plan, evaluation.held_out_set, "held-out-set",
        playouts=1, seed=0, threads=1, path=Path("evaluations", "x"),
    )  # fmt: skip


def plan_of_games(plan: LearnPlan, table: Path, games: int, seed: int) -> LearnPlan:
    """Plan of games that the search of `plan` plays with `table`."""
    generator: Any = plan.generator
    return replace(plan, generator=replace(generator, guide=str(table)), instances=games, seed=seed)


def evaluate_game(
    game: Game,
    plan: LearnPlan,
    evaluation: EvaluationPlan,
    new: Path,
    old: Path,
    *,
    work: Path,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Hold the search with the bias table `new` against that with `old`, in a match.

    Finished games are kept below `work`: a match that was cut short goes on.

    Returns
    -------
    result : dict
        The verdict and what it rests on, ready for JSON; `publish` says what follows.

    Raises
    ------
    InputError
        As `contest_of`.
    """
    names = [read_digest(table, BIAS)[:12] for table in (new, old)]
    contest = contest_of(
        game, plan, evaluation.held_out_set, "held-out-set",
        playouts=evaluation.held_out_playouts, seed=plan.seed + HELD_OUT_SEED, threads=threads,
        path=work / game.name / "evaluations" / f"{'-'.join(names)}.jsonl", progress=progress,
    )  # fmt: skip
    pair = tuple(guided(evaluation.held_out_algorithm, table) for table in (new, old))
    if pair[0].name == pair[1].name:
        raise InputError(f"{new}: the same table as {old}, expected another one")
    (scores,) = contest.scores([(pair[0], pair[1])], range(evaluation.held_out))
    return judged(scores, contest.even, evaluation.margin)
