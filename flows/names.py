"""Names of runs and tasks on Prefect's page: subject, seed, outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from prefect.client.orchestration import get_client
from prefect.runtime import flow_run, task_run

LEARN, COMPARE = "learn", "compare"
#: Fields of a request that may have the seed of its instances, or of its games.
SEEDS = ("instance_seed", "seed")


def seed_of(request: Mapping[str, Any]) -> int:
    """Return the seed of the instances, or of the games, of a request."""
    return int(next(request[name] for name in SEEDS if name in request))


def run_name(command: str, subject: str, seed: int, outcome: str = "") -> str:
    """Return the name of a run: `learn latin-square, seed 20260101: not worse`."""
    ended = f": {outcome}" if outcome else ""
    return f"{command} {subject}, seed {seed}{ended}"


def flow_namer(command: str) -> Callable[[], str]:
    """Return the function that names runs of a flow whose parameter is a subject."""
    return lambda: f"{command} {flow_run.parameters['subject']}"


def request_namer(command: str) -> Callable[[], str]:
    """Return the function that names runs of a flow whose parameter is a request."""

    def name() -> str:
        request = flow_run.parameters["request"]
        return run_name(command, request["subject"], seed_of(request))

    return name


def task_namer(step: str) -> Callable[[], str]:
    """Return the function that names runs of a task whose first parameter is a request."""
    return lambda: task_name(step, task_run.parameters)


def task_name(step: str, parameters: dict[str, Any]) -> str:
    """Return the name of a task: step, subject, seed, and its instances or the verdict."""
    request = parameters["request"]
    words = [f"{step} {request['subject']}", f"seed {seed_of(request)}"]
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
