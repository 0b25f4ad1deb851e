"""Times in the arguments of scheduled flows."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from prefect.runtime import flow_run


def dated(arguments: Sequence[str]) -> list[str]:
    """Put the time that this run was scheduled for in the place of `%Y` and the like."""
    if not any("%" in argument for argument in arguments):
        return list(arguments)
    moment = flow_run.scheduled_start_time or datetime.datetime.now(datetime.UTC)
    return [moment.strftime(argument) for argument in arguments]
