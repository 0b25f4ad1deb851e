"""Learning as a flow: generate, replay, merge, compile, evaluate, publish.

A task takes the request of `learn`, numbers and paths, and returns a path with what was
checked: tables stay in files. Those are named after everything that they depend on, so a flow
that is run again, whatever ended it, finds the finished shards.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow, task, unmapped
from prefect.cache_policies import NO_CACHE

from flows.artifacts import publish_artifacts
from flows.dates import dated
from flows.names import LEARN, flow_namer, rename_run, request_namer, run_name, task_namer
from flows.passes import workers_here
from flows.runners import THREADS, task_runner
from pipeline.commands.flow_options import EVALUATION, overridden
from pipeline.commands.learn import read_request
from pipeline.learning.counts import Counts, counts_to_table, merge_counts
from pipeline.learning.learn import (
    check_rejected,
    counts_path,
    generate_shard,
    read_counts,
    remove_stale,
    replay_shard,
)
from pipeline.learning.summary import Tally, add_tallies, tally
from pipeline.publishing import refresh
from pipeline.publishing.manifest import Version, read_manifest, version_of
from pipeline.publishing.rounds import check_rounds, learn_all
from pipeline.requests.learn import LearnRequest
from pipeline.tables.checks import read_checked, write_table
from solver.commands.options import new_parser, run_command
from solver.domains import DOMAINS
from solver.errors import DownloadError, InputError, message_of
from solver.priors.tables import COUNTS, DECISIONS

#: At most so many tasks of a kind: each costs milliseconds, whatever it does.
MAX_TASKS = 256

Plain = dict[str, Any]
"""A `LearnRequest` as it travels between processes, see `pipeline.requests`."""


def _learning(request: Plain) -> refresh.Learning:
    return refresh.Learning.of(LearnRequest.of(request))


def _is_download(task: Any, run: Any, state: Any) -> bool:
    """Return whether a failed task is worth another try: bad input stays bad."""
    return isinstance(state.result(raise_on_failure=False), DownloadError)


@task(
    cache_policy=NO_CACHE,
    task_run_name=task_namer("fetch"),
    retries=3,
    retry_delay_seconds=[5, 30, 120],
    retry_condition_fn=_is_download,
)
def fetch(request: Plain) -> list[tuple[int, int]]:
    """Get the corpus, if the instances come from one; returns the numbers of each shard."""
    learning = _learning(request)
    remove_stale(learning.domain, learning.plan, learning.work)
    return [(numbers.start, numbers.stop) for numbers in learning.plan.shards()]


@task(cache_policy=NO_CACHE, task_run_name=task_namer("generate"))
def generate(request: Plain, shards: list[tuple[int, int]]) -> Tally:
    """Make the solved instances of some shards."""
    learning = _learning(request)
    made = [
        generate_shard(learning.domain, learning.plan, range(*numbers), learning.work)
        for numbers in shards
    ]
    return tally((shard.made, shard.checks) for shard in made)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("replay"))
def replay(
    request: Plain, shards: list[tuple[int, int]], generated: Tally
) -> tuple[list[str], Tally]:
    """Replay some shards; returns the files of their counts."""
    learning = _learning(request)
    paths, checks = [], []
    for numbers in shards:
        shard = replay_shard(learning.domain, learning.plan, range(*numbers), learning.work)
        paths.append(str(shard.path))
        checks.append((shard.made, shard.checks))
    return paths, tally(checks)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("merge"))
def merge(request: Plain, paths: list[str]) -> str:
    """Add the counts of all shards, one file after another."""
    learning = _learning(request)
    out = counts_path(learning.candidate)
    total = merge_counts(_read_counts(learning, path) for path in paths)
    write_table(counts_to_table(total), out)
    return str(out)


def _read_counts(learning: refresh.Learning, path: str) -> Counts:
    is_shard = learning.plan.decisions and Path(path) != counts_path(learning.candidate)
    table, _ = read_checked(Path(path), DECISIONS if is_shard else COUNTS, learning.domain)
    return read_counts(table, learning.domain, path)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("compile"))
def compile_table(request: Plain, merged: str) -> dict[str, Any]:
    """Compile the bias table, fitted by all workers; returns its size and coverage."""
    learning = _learning(request)
    counts = _read_counts(learning, merged)
    check_rejected(counts)
    with workers_here() as workers:
        return refresh.compile_candidate(learning, learn_all(learning, counts, workers=workers))


@task(cache_policy=NO_CACHE, task_run_name=task_namer("evaluate"))
def evaluate(request: Plain, compiled: dict[str, Any]) -> dict[str, Any]:
    """Hold the new table against the one in use on held-out instances."""
    return refresh.evaluate_candidate(_learning(request))


@task(cache_policy=NO_CACHE, task_run_name=task_namer("publish"))
def publish(request: Plain, evaluation: dict[str, Any]) -> dict[str, Any] | None:
    """Make the new table current, unless it is worse."""
    return refresh.publish_candidate(_learning(request), evaluation)


@flow(flow_run_name=flow_namer(LEARN), task_runner=task_runner(THREADS, os.cpu_count() or 1))
def learn_prior(
    subject: str, arguments: list[str] | None = None, runner: str | None = None
) -> dict[str, Any]:
    """Learn a prior and publish it unless it is worse than the one in use.

    Parameters
    ----------
    subject : str
        Domain to learn for.
    arguments : list of str, optional
        Further arguments of `learn`; `%Y%m%d` and the like stand for the time the run
        was scheduled for, so that a schedule learns from other instances each time.
    runner : str, optional
        As `--runner`; by default tasks run in threads.

    Returns
    -------
    summary : dict
        As written beside the shards, see `pipeline.learning.summary`.
    """
    _, request = read_request([subject, *dated(arguments or [])], deciding=True)
    if runner in (None, THREADS):
        return _learn(request.plain)
    return learn_requested.with_options(task_runner=task_runner(str(runner), request.threads))(
        request.plain
    )


@flow(flow_run_name=request_namer(LEARN), task_runner=task_runner(THREADS, os.cpu_count() or 1))
def learn_requested(request: Plain) -> dict[str, Any]:
    """`learn_prior` of a request, as `learn --flow` makes one."""
    return _learn(request)


def _learn(asked: Plain) -> dict[str, Any]:
    # Workers may stand in another folder; those on other machines must share these two.
    request = LearnRequest.of(asked).anywhere
    learning = refresh.Learning.of(request)
    refresh.check_destination(learning, evaluated=True)
    check_rounds(learning)
    plain = request.plain
    parts = _chunks(fetch(plain))
    # One task before all others: the rest find their kernels compiled.
    first: Any = generate.submit(plain, parts[0])
    replayed = [replay.submit(plain, parts[0], first)]
    replayed[0].wait()
    rest = generate.map(unmapped(plain), parts[1:])
    replayed += replay.map(unmapped(plain), parts[1:], rest)
    done = [future.result() for future in replayed]
    compiled = compile_table(plain, merge(plain, [path for paths, _ in done for path in paths]))
    evaluation = evaluate(plain, compiled)
    version = publish(plain, evaluation)
    shards = {
        "solved instances": add_tallies(future.result() for future in [first, *rest]),
        "counts": add_tallies(checks for _, checks in done),
    }
    summary = refresh.finish(learning, compiled, shards, evaluation, version)
    publish_artifacts(summary, learning.summary)
    rename_run(run_name(LEARN, asked["subject"], request.seed, summary["outcome"]))
    return summary


def _chunks(shards: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Cut the shards into at most `MAX_TASKS` parts of the same size."""
    size = -(-len(shards) // MAX_TASKS)
    return [shards[k : k + size] for k in range(0, len(shards), size)]


@flow(flow_run_name="refresh all priors")
def refresh_all_priors(
    arguments: list[str] | None = None, models: str = "models", runner: str | None = None
) -> dict[str, str]:
    """Learn every published model anew, and the domains that have none; one after the other.

    Parameters
    ----------
    arguments : list of str, optional
        Put in the place of those in the manifest: `--seed %Y%m%d` for other instances.
    models : str
        Folder of the models and their manifest.

    Returns
    -------
    outcomes : dict
        Outcome of each model. A failed model does not stop the others, but the flow.
    """
    outcomes: dict[str, str] = {}
    failed: list[str] = []
    for name, (domain, given) in _models_to_learn(Path(models)).items():
        out = ["--out", str(Path(models) / f"{name}.parquet")]
        try:
            summary = learn_prior(domain, overridden(given, [*out, *(arguments or [])]), runner)
            outcomes[name] = summary["outcome"]
        except Exception as error:  # also of a worker that died
            outcomes[name] = f"failed: {message_of(error) or type(error).__name__}"
            failed.append(name)
    if failed:
        raise InputError("; ".join(f"{name}: {outcomes[name]}" for name in failed))
    return outcomes


def _models_to_learn(models: Path) -> dict[str, tuple[str, list[str]]]:
    """Domain and arguments of `learn` by name of the model."""
    manifest = read_manifest(models)
    found: dict[str, tuple[str, list[str]]] = {}
    for name in manifest["models"]:
        version = version_of(manifest, name)
        try:
            words = shlex.split(version["command"])
        except ValueError:  # put there by hand
            continue
        # Tables of games are judged by matches, which no flow plays.
        if words[:2] == ["learn", version["domain"]] and version["domain"] in DOMAINS:
            found[name] = version["domain"], [*words[2:], *_evaluated_as(version)]
    learned = {domain for domain, _ in found.values()}
    return found | {domain: (domain, []) for domain in DOMAINS if domain not in learned}


def _evaluated_as(version: Version) -> list[str]:
    """Options of the evaluation that a version was published after, if it says them.

    The margin is not inherited: what one table was let off would be let off for ever.
    """
    evaluation = version["evaluation"] or {}
    options = (option.removeprefix("--") for option in EVALUATION if option != "--margin")
    named = ((option, evaluation.get(option.replace("-", "_"))) for option in options)
    return [f"--{option}={value}" for option, value in named if value not in (None, "")]


def run_learn(request: LearnRequest, runner: str) -> int:
    """`learn --flow`: run the flow with the command's request; returns the exit status."""
    chosen = learn_requested.with_options(task_runner=task_runner(runner, request.threads))
    summary = chosen(request.plain)
    print(f"{request.out}: {summary['outcome']}; {refresh.Learning.of(request).summary.parent}")
    return 0


def refresh_models(argv: Sequence[str]) -> int:
    """Run `refresh-models` with the arguments `argv`; returns the exit status."""
    parser = new_parser("refresh-models", "Learn every published model anew.", "")
    parser.epilog = "Further arguments are those of `learn`, for all models."
    _, arguments = parser.parse_known_args(argv)
    for name, outcome in refresh_all_priors(arguments).items():
        print(f"{name}: {outcome}")
    return 0


def main() -> None:
    """Entry point of `refresh-models`."""
    run_command("refresh-models", refresh_models)


if __name__ == "__main__":
    main()
