"""`serve-flows`: the schedules of `flows/schedules.toml`, on this machine.

It needs a server: `prefect server start`, and PREFECT_API_URL pointing to it.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from prefect import serve
from prefect.client.schemas.schedules import CronSchedule
from pydantic import ValidationError

from flows.compare import benchmark
from flows.dates import dated
from flows.learn import learn_prior, refresh_all_priors
from flows.runners import THREADS, check_name
from pipeline.commands import compare, learn
from solver.commands.options import new_parser, run_command
from solver.errors import InputError, quoted
from solver.system.files import read_toml

SCHEDULES = Path(__file__).with_name("schedules.toml")
FLOWS: dict[str, Any] = {
    "learn": learn_prior,
    "refresh": refresh_all_priors,
    "compare": benchmark,
}
#: Keys of a schedule, and their types.
KEYS = {
    "flow": str, "cron": str, "timezone": str, "subject": str, "arguments": list, "runner": str,
}  # fmt: skip
#: Readers of the subject and the arguments of the flows that have a subject.
READ: dict[str, Callable[[list[str]], object]] = {
    "learn": functools.partial(learn.read_request, deciding=True),
    "compare": compare.read_request,
}


def read_schedules(path: Path) -> dict[str, dict[str, Any]]:
    """Read a file of schedules.

    Raises
    ------
    InputError
        If something in it is missing, unknown or of the wrong type.
    """
    schedules: dict[str, dict[str, Any]] = read_toml(path)
    if not schedules:
        raise InputError(f"{path}: no schedules in it")
    for name, schedule in schedules.items():
        _check(f"{path}: [{name}]", schedule)
    return schedules


def _check(source: str, schedule: Any) -> None:
    if not isinstance(schedule, dict):
        raise InputError(f"{source}: expected a table of {', '.join(KEYS)}")
    for key, value in schedule.items():
        if key not in KEYS:
            raise InputError(
                f"{source}: {quoted(key)} is unknown, expected one of: {', '.join(KEYS)}"
            )
        if not isinstance(value, KEYS[key]):
            raise InputError(f"{source}: {key} is {quoted(value)}, expected a {KEYS[key].__name__}")
    for key in ("flow", "cron"):
        if key not in schedule:
            raise InputError(f"{source}: {quoted(key)} is missing")
    if schedule["flow"] not in FLOWS:
        allowed = ", ".join(FLOWS)
        raise InputError(
            f"{source}: flow is {quoted(schedule['flow'])}, expected one of: {allowed}"
        )
    if (schedule["flow"] in READ) != ("subject" in schedule):
        needed = "is missing" if schedule["flow"] in READ else "is not for refresh"
        raise InputError(f"{source}: 'subject' {needed}")
    try:
        CronSchedule(cron=schedule["cron"], timezone=schedule.get("timezone", "UTC"))
    except ValidationError as error:
        wrong = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InputError(f"{source}: {wrong}") from None
    try:
        check_name(schedule.get("runner", THREADS))
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    if schedule["flow"] in READ:
        try:
            READ[schedule["flow"]]([schedule["subject"], *dated(parameters(schedule)["arguments"])])
        except (InputError, argparse.ArgumentError) as error:
            raise InputError(f"{source}: arguments: {error}") from None


def parameters(schedule: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the flow of a schedule."""
    found: dict[str, Any] = {"arguments": [str(one) for one in schedule.get("arguments", [])]}
    if "subject" in schedule:
        found["subject"] = schedule["subject"]
    if "runner" in schedule:
        found["runner"] = schedule["runner"]
    return found


def deployments(schedules: dict[str, dict[str, Any]]) -> list[Any]:
    """Return a Prefect deployment of every schedule.

    None has a concurrency limit: the server would count a run that was killed as running, and
    start no other ever again.
    """
    from prefect.schedules import Cron

    return [
        FLOWS[schedule["flow"]].to_deployment(
            name,
            schedule=Cron(schedule["cron"], timezone=schedule.get("timezone", "UTC")),
            parameters=parameters(schedule),
        )
        for name, schedule in schedules.items()
    ]


def run(argv: Sequence[str]) -> int:
    """Serve the schedules until interrupted; returns the exit status."""
    parser = new_parser("serve-flows", "Run flows on schedules, on this machine.", "")
    parser.add_argument(
        "--schedules",
        type=Path,
        default=SCHEDULES,
        metavar="FILE",
        help="(default: flows/schedules.toml)",
    )
    parser.add_argument("--list", action="store_true", help="print the schedules and end")
    arguments: argparse.Namespace = parser.parse_args(argv)
    schedules = read_schedules(arguments.schedules)
    for name, schedule in schedules.items():
        words = [schedule.get("subject", "all"), *parameters(schedule)["arguments"]]
        print(f"{schedule['cron']:<16} {name}: {schedule['flow']} {' '.join(words)}")
    sys.stdout.flush()
    if not arguments.list:
        serve(*deployments(schedules), limit=1)  # runs at a time; the others wait for their turn
    return 0


def main() -> None:
    """Entry point."""
    run_command("serve-flows", run)


if __name__ == "__main__":
    main()
