"""A work pool: `prefect.yaml` is deployed, a run asked for, and one worker runs it.

`python -m flows.trials.work_pool`
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from flows.trials.common import ROOT, say, server

ARGUMENTS = [
    "--order", "8", "--instances", "600", "--seed", "%Y%m%d",
    "--held-out", "40", "--held-out-set", "order=30", "--margin", "1",
]  # fmt: skip


def main() -> None:
    """Run the trial."""
    with tempfile.TemporaryDirectory() as name:
        trial(Path(name))


def trial(folder: Path) -> None:
    """Create the pool, deploy, ask for a run, run a worker once."""
    places = ["--out", str(folder / "models" / "small.parquet"), "--work", str(folder / "work")]
    parameters = json.dumps({"subject": "latin-square", "arguments": [*ARGUMENTS, *places]})
    with server(folder) as env:
        prefect(env, "work-pool", "create", "nestor", "--type", "process")
        prefect(env, "--no-prompt", "deploy", "--all")
        prefect(env, "deployment", "run", "learn-prior/learn", "--params", parameters)
        prefect(env, "worker", "start", "--pool", "nestor", "--run-once")
        prefect(env, "flow-run", "ls")
    for path in sorted((folder / "work").glob("*/summaries/*.json")):
        say(f"published by the worker: {json.loads(path.read_text())['outcome']}")


def prefect(env: dict[str, str], *arguments: str) -> None:
    """Run a command of Prefect's and print its last lines."""
    done = subprocess.run(
        [sys.executable, "-m", "prefect", *arguments],
        cwd=ROOT, env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    say(f"prefect {' '.join(arguments[:4])}")
    for line in done.stdout.strip().splitlines()[-6:]:
        print(f"           {line}", flush=True)


if __name__ == "__main__":
    main()
