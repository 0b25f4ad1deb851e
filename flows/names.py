"""Names of runs and tasks on Prefect's page: what for, which seed, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from prefect.client.orchestration import get_client
from prefect.runtime import flow_run, task_run

from flows.dates import dated

LEARN, COMPARE = "learn", "compare"
#: Option with the seed of the instances, and its default, of each command.
SEEDS = {LEARN: ("--seed", "1"), COMPARE: ("--instance-seed", "0")}


def seed_of(command: str, arguments: Sequence[str]) -> str:
    """Return the seed that the arguments of a command give, the last one; else the default."""
    option, seed = SEEDS[command]
    for place, word in enumerate(arguments):
        if word == option and place + 1 < len(arguments):
            seed = arguments[place + 1]
        elif word.startswith(f"{option}="):
            seed = word.partition("=")[2]
    return seed


def run_name(command: str, target: str, arguments: Sequence[str], outcome: str = "") -> str:
    """Return the name of a run: `learn latin-square, seed 20260101: not worse`."""
    ended = f": {outcome}" if outcome else ""
    return f"{command} {target}, seed {seed_of(command, arguments)}{ended}"


def flow_namer(command: str, parameter: str) -> Callable[[], str]:
    """Return what names the runs of a flow when they begin; `parameter` holds the target."""

    def name() -> str:
        given = flow_run.parameters
        return run_name(command, given[parameter], dated(given.get("arguments") or []))

    return name


def task_namer(step: str, command: str = LEARN) -> Callable[[], str]:
    """Return what names the runs of a task, whose first parameter is `arguments`."""

    def name() -> str:
        return task_name(step, command, task_run.parameters)

    return name


def task_name(step: str, command: str, parameters: dict[str, Any]) -> str:
    """Return the name of a task: step, target, seed, and its instances or the verdict."""
    target, *arguments = parameters["arguments"]
    words = [f"{step} {target}", f"seed {seed_of(command, arguments)}"]
    shards = parameters.get("shards")
    if shards:
        words.append(f"{shards[0][0]}-{shards[-1][1]}")
    if parameters.get("runs"):
        words.append(f"{len(parameters['runs'])} runs from {parameters['runs'][0]}")
    verdict = (parameters.get("evaluation") or {}).get("verdict")
    return ", ".join(words) + (f": {verdict}" if verdict else "")


def rename_run(name: str) -> None:
    """Rename the run of the flow that this is called in: at its end the outcome is known."""
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, name=name)
