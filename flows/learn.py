"""Learning as a flow: generate, replay, merge, compile, evaluate, publish.

A task takes the arguments of `learn`, numbers and paths, and returns a path with what was
checked: tables stay in files. Those are named after everything that they depend on, so a flow
that is run again, whatever ended it, finds the finished shards.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from prefect import flow, task, unmapped
from prefect.cache_policies import NO_CACHE

from flows.artifacts import publish_artifacts
from flows.dates import dated
from flows.names import LEARN, flow_namer, rename_run, run_name, task_namer
from flows.runners import THREADS, run_flow, task_runner
from pipeline import refresh
from pipeline.checks import read_checked
from pipeline.counts import counts_from_table
from pipeline.flow_options import EVALUATION, overridden
from pipeline.learn import counts_path, generate_shard, remove_stale, replay_shard
from pipeline.learn_cli import read_request
from pipeline.manifest import Version, read_manifest, version_of
from pipeline.merge import merge_count_files
from pipeline.summary import Tally, add_tallies, tally
from solver.domains import DOMAINS
from solver.errors import DownloadError, InputError
from solver.tables import COUNTS
from solver.targets import absolute

#: At most so many tasks of a kind: each costs milliseconds, whatever it does.
MAX_TASKS = 256

#: Held-out instances that can decide, by domain: hard enough that priors differ on most of them,
#: and so many that a table as good as the one in use is seen to be. Further arguments go before.
HELD_OUT = {
    "latin-square": ["--held-out", "1000", "--held-out-set", "order=40"],
    "kakuro": ["--held-out", "500", "--held-out-set", "rows=14,columns=14,values=16"],
    "rna": ["--held-out", "200", "--held-out-playouts", "500"],
    "samegame": ["--held-out", "500"],
    "tsptw": ["--held-out", "500"],
}


def _is_download(task: Any, run: Any, state: Any) -> bool:
    """Whether a failed task is worth another try: bad input stays bad."""
    return isinstance(state.result(raise_on_failure=False), DownloadError)


@task(
    cache_policy=NO_CACHE,
    task_run_name=task_namer("fetch"),
    retries=3,
    retry_delay_seconds=[5, 30, 120],
    retry_condition_fn=_is_download,
)
def fetch(arguments: list[str]) -> list[tuple[int, int]]:
    """Get the corpus, if the instances come from one; returns the numbers of each shard."""
    _, request = read_request(arguments)
    remove_stale(request.domain, request.plan, request.work)
    return [(numbers.start, numbers.stop) for numbers in request.plan.shards()]


@task(cache_policy=NO_CACHE, task_run_name=task_namer("generate"))
def generate(arguments: list[str], shards: list[tuple[int, int]]) -> Tally:
    """Make the solved instances of some shards."""
    _, request = read_request(arguments)
    made = [
        generate_shard(request.domain, request.plan, range(*numbers), request.work)
        for numbers in shards
    ]
    return tally((shard.made, shard.checks) for shard in made)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("replay"))
def replay(
    arguments: list[str], shards: list[tuple[int, int]], generated: Tally
) -> tuple[list[str], Tally]:
    """Replay some shards; returns the files of their counts."""
    _, request = read_request(arguments)
    paths, checks = [], []
    for numbers in shards:
        shard = replay_shard(request.domain, request.plan, range(*numbers), request.work)
        paths.append(str(shard.path))
        checks.append((shard.made, shard.checks))
    return paths, tally(checks)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("merge"))
def merge(arguments: list[str], paths: list[str]) -> str:
    """Add the counts of all shards, as streams."""
    _, request = read_request(arguments)
    out = counts_path(request.candidate)
    merge_count_files([Path(path) for path in paths], request.domain, out)
    return str(out)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("compile"))
def compile_table(arguments: list[str], merged: str) -> dict[str, Any]:
    """Compile the bias table; returns its size and coverage."""
    _, request = read_request(arguments)
    table, _ = read_checked(Path(merged), COUNTS, request.domain)
    counts = counts_from_table(table, request.domain, merged)
    return refresh.compile_candidate(request, counts)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("evaluate"))
def evaluate(arguments: list[str], compiled: dict[str, Any]) -> dict[str, Any]:
    """Hold the new table against the one in use on held-out instances."""
    _, request = read_request(arguments)
    return refresh.evaluate_candidate(request)


@task(cache_policy=NO_CACHE, task_run_name=task_namer("publish"))
def publish(
    arguments: list[str], command: str, evaluation: dict[str, Any]
) -> dict[str, Any] | None:
    """Make the new table current, unless it is worse."""
    _, request = read_request(arguments, command)
    return refresh.publish_candidate(request, evaluation)


@flow(
    flow_run_name=flow_namer(LEARN, "domain"), task_runner=task_runner(THREADS, os.cpu_count() or 1)
)
def learn_prior(
    domain: str, arguments: list[str] | None = None, runner: str | None = None
) -> dict[str, Any]:
    """Learn a prior and publish it unless it is worse than the one in use.

    Parameters
    ----------
    domain : str
        What to learn for.
    arguments : list of str, optional
        Further arguments of `learn`; `%Y%m%d` and the like stand for the time the run
        was scheduled for, so that a schedule learns from other instances each time.
    runner : str, optional
        As `--runner`; by default tasks run in threads.

    Returns
    -------
    summary : dict
        As written beside the shards, see `pipeline.summary`.
    """
    given = [domain, *HELD_OUT.get(domain, []), *dated(arguments or [])]
    _, request = read_request(given)
    refresh.check_destination(request, evaluated=True)
    if runner not in (None, THREADS):
        within = learn_prior.with_options(task_runner=task_runner(runner, request.threads))
        return within(domain, given[1:])
    # Workers may stand in another folder; those on other machines must share these two.
    request = replace(request, work=request.work.absolute(), out=request.out.absolute())
    argv = [absolute(domain), *given[1:], "--work", str(request.work), "--out", str(request.out)]
    parts = _chunks(fetch(argv))
    # One task before all others: the rest find their kernels compiled.
    first: Any = generate.submit(argv, parts[0])
    replayed = [replay.submit(argv, parts[0], first)]
    replayed[0].wait()
    rest = generate.map(unmapped(argv), parts[1:])
    replayed += replay.map(unmapped(argv), parts[1:], rest)
    done = [future.result() for future in replayed]
    compiled = compile_table(argv, merge(argv, [path for paths, _ in done for path in paths]))
    evaluation = evaluate(argv, compiled)
    version = publish(argv, request.command, evaluation)
    shards = {
        "solved instances": add_tallies(future.result() for future in [first, *rest]),
        "counts": add_tallies(checks for _, checks in done),
    }
    summary = refresh.finish(request, compiled, shards, evaluation, version)
    publish_artifacts(summary, request.summary)
    rename_run(run_name(LEARN, domain, given, summary["outcome"]))
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
        What became of each model. One that fails does not stop the others, but the flow.
    """
    outcomes: dict[str, str] = {}
    failed: list[str] = []
    for name, (domain, given) in _models_to_learn(Path(models)).items():
        out = ["--out", str(Path(models) / f"{name}.parquet")]
        try:
            summary = learn_prior(domain, overridden(given, [*out, *(arguments or [])]), runner)
            outcomes[name] = summary["outcome"]
        except InputError as error:
            outcomes[name] = f"failed: {error}"
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
        if words[:2] == ["learn", version["domain"]]:
            found[name] = version["domain"], [*words[2:], *_evaluated_as(version)]
    learned = {domain for domain, _ in found.values()}
    return found | {domain: (domain, []) for domain in DOMAINS if domain not in learned}


def _evaluated_as(version: Version) -> list[str]:
    """Options of the evaluation that a version was published after, if it says them."""
    evaluation = version["evaluation"] or {}
    options = (option.removeprefix("--") for option in EVALUATION)
    named = ((option, evaluation.get(option.replace("-", "_"))) for option in options)
    return [f"--{option}={value}" for option, value in named if value not in (None, "")]


def run_learn(argv: list[str], runner: str) -> int:
    """`learn --flow`: run the flow with the arguments of the command; returns the exit status."""
    arguments, request = read_request(argv)
    summary = run_flow(learn_prior, argv, arguments, runner)
    print(f"{request.out}: {summary['outcome']}; {request.summary.with_suffix('.md').parent}")
    return 0


def main() -> None:
    """`python -m flows.learn`: learn all models anew, with the arguments given."""
    for name, outcome in refresh_all_priors(sys.argv[1:]).items():
        print(f"{name}: {outcome}")


if __name__ == "__main__":
    main()
