"""A cron schedule fires on its own while the server, and the process that serves, are killed.

`python -m flows.trials.cron`: every minute a small prior is learned from other instances. After the
first run the server is killed with `kill -9`, in the middle of another the process that
serves and the run itself. Then the schedule gets a mistake, a temperature that makes the prior
as good as none, and what it learns is refused.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from flows.trials.common import environment, free_port, say, start_server, started, stop, wait_for

SCHEDULE = """
[every-minute]
flow = "learn"
cron = "* * * * *"
subject = "latin-square"
arguments = [
  "--order", "18", "--instances", "1500", "--seed", "%Y%m%d%H%M",
  "--prior-temperature", "{temperature}",
  "--prior-code", "dual", "--propagation", "forward", "--variables", "cells",
  "--held-out", "400", "--held-out-algorithm", "sampling", "--margin", "0.5",
  "--out", "{folder}/models/latin-square.parquet", "--work", "{folder}/work",
]
"""
TEMPERATURE, MISTAKE = 3, 0.01


def summaries(folder: Path) -> list[dict[str, Any]]:
    """Summaries of the runs that came to an end, in their order."""
    paths = sorted((folder / "work" / "latin-square" / "summaries").glob("*.json"))
    return [json.loads(path.read_text()) for path in paths]


def tell(folder: Path, number: int) -> None:
    """Say how the run `number` (from 0) ended."""
    summary = summaries(folder)[number]
    gain = summary["evaluation"].get("gain")
    told = f", gain {gain['value']:.3f} [{gain['low']:.3f}, {gain['high']:.3f}]" if gain else ""
    say(f"run {number + 1}: {summary['command'].partition(' --prior')[0]}")
    say(f"       {summary['outcome']}{told}")


def main() -> None:
    """Run the trial."""
    with tempfile.TemporaryDirectory() as name:
        trial(Path(name))


def trial(folder: Path) -> None:
    """Two runs with a killed server between them, one killed and run again, one refused."""
    port = free_port()
    env = environment(folder, port) | {"PREFECT_RUNNER_POLL_FREQUENCY": "2"}
    schedules = folder / "schedules.toml"
    schedules.write_text(SCHEDULE.format(folder=folder, temperature=TEMPERATURE))
    served = None
    server = start_server(folder, port)
    try:
        say("server and schedules are up: * * * * *")
        served = _serve(folder, schedules, env)
        wait_for(lambda: len(summaries(folder)) == 1, server, served)
        tell(folder, 0)
        server.kill()
        server.wait()
        say("server killed with -9")
        server = start_server(folder, port)
        say("server started again; the schedule is in its database")
        wait_for(lambda: len(summaries(folder)) == 2, server, served)
        tell(folder, 1)
        shards = _shards(folder)
        wait_for(lambda: _shards(folder) > shards, server, served)
        os.killpg(served.pid, signal.SIGKILL)
        served.wait()
        say("serving process and the run it was in killed with -9; started again")
        served = _serve(folder, schedules, env)
        done = len(summaries(folder))
        wait_for(lambda: len(summaries(folder)) > done, server, served)
        tell(folder, done)
        stop(served)
        schedules.write_text(SCHEDULE.format(folder=folder, temperature=MISTAKE))
        say(f"a mistake in the schedule, --prior-temperature {MISTAKE}; serving it")
        served = _serve(folder, schedules, env)
        wait_for(lambda: _refused(folder), server, served)
        tell(folder, len(summaries(folder)) - 1)
        _tell_work(folder)
        _tell_models(folder)
    finally:
        for process in (served, server):
            if process is not None and process.poll() is None:
                stop(process)


def _refused(folder: Path) -> bool:
    return "not published" in summaries(folder)[-1]["outcome"]


def _serve(folder: Path, schedules: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    words = ("flows.serve", "--schedules", schedules)
    return started(*words, env=env, log=folder / "serve.log", group=True)


def _shards(folder: Path) -> int:
    return len(list((folder / "work").glob("*/solved-*/[!.]*.parquet")))


def _tell_work(folder: Path) -> None:
    """Say how many shards there are of each run: those of the killed one were kept."""
    found = sorted((folder / "work").glob("*/solved-*"))
    shards = [len(list(path.glob("[!.]*.parquet"))) for path in found]
    say(f"shards kept of {len(shards)} runs: {', '.join(map(str, sorted(shards)))} of 3 each")


def _tell_models(folder: Path) -> None:
    """Print the manifest, and whether the files are those it names."""
    from pipeline.publishing.manifest import read_manifest
    from pipeline.publishing.published import check_models

    manifest = read_manifest(folder / "models")
    (model,) = manifest["models"].values()
    checks = [check for found in check_models(folder / "models").values() for check in found]
    say(
        f"manifest: {len(model['versions'])} versions, current {model['current'][:12]}; "
        f"{sum(check.passed for check in checks)} of {len(checks)} checks of its files passed"
    )


if __name__ == "__main__":
    main()
