"""Tables and runs of Dask workers are those of one process, also if one is killed, one is late.

`python -m flows.trials.dask_worker`: a scheduler and workers over loopback, each with a folder and
a cache of its own, as on machines that share the folders of `--work` and `--out` only.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from flows.trials.cluster import Cluster, cluster
from flows.trials.common import say, server, started, tables, wait_for

LEARN = [
    "latin-square", "--instances", "6000", "--code", "triple+dual", "--prior-temperature", "8",
]  # fmt: skip
#: So few searches tell a table from no prior, and with this margin it is published.
JUDGED = ["--held-out", "40", "--held-out-set", "order=30", "--margin", "1"]
COMPARE = [
    "latin-square", "--order", "20", "--instances", "60", "--playouts", "2000",
    "--algorithm", "sampling",
]  # fmt: skip
#: Columns of runs that do not depend on the clock.
TIMELESS = ["run", "solved", "score", "playouts", "trace_playouts", "trace_score", "solution"]
NAME = "latin-square"


def main() -> None:
    """Run the trial."""
    with tempfile.TemporaryDirectory() as name:
        trial(Path(name))


def trial(folder: Path) -> None:
    """Learn and compare plainly, on one worker and two, and with a worker killed and one late."""
    from pipeline.commands import compare as compare_cli
    from pipeline.commands import learn as learn_cli

    learn_cli.run(_learn(folder / "plain"))
    compare_cli.run(_compare(folder / "plain"))
    expected = tables(folder / "plain" / "models", [NAME]), _rows(folder / "plain")
    with server(folder) as env:
        for workers in (1, 2):
            place = folder / f"workers-{workers}"
            begin = time.monotonic()
            with cluster(place, env, own_caches=True) as machines:
                for _ in range(workers):
                    machines.worker()
                flow = _flow(place, machines, "learn", [*_learn(place), *JUDGED], env)
                status = flow.wait(), _flow(place, machines, "compare", _compare(place), env).wait()
            took = time.monotonic() - begin
            say(f"{workers} workers, {took:.0f} s, status {status}: {_identical(place, expected)}")
        _kill_some(folder / "killed", env, expected)


def _kill_some(place: Path, env: dict[str, str], expected: tuple[Any, Any]) -> None:
    """Kill a worker each while they generate, fit and search; another comes a little later."""
    with cluster(place, env, own_caches=True) as machines:
        workers = [machines.worker(), machines.worker()]
        flow = _flow(place, machines, "learn", [*_learn(place), *JUDGED], env)
        for what, pattern, number in (
            ("shards were generated", "work/*/solved-*/[!.]*.parquet", 4),
            ("fits were finished", "work/*/fits-*/[!.]*.npz", 2),
        ):
            wait_for(lambda p=pattern, n=number: len(list(place.glob(p))) >= n, flow)  # type: ignore[misc]
            _replace(machines, workers, f"{len(list(place.glob(pattern)))} {what}")
        before = {path: path.stat().st_mtime_ns for path in place.glob("work/*/solved-*/*.parquet")}
        status = [flow.wait()]
        flow = _flow(place, machines, "compare", _compare(place), env)
        wait_for(lambda: len(list(place.glob("runs/*/*.jsonl"))) >= 4, flow)
        _replace(machines, workers, "4 searches were begun")
        status.append(flow.wait())
    kept = sum(path.stat().st_mtime_ns == moment for path, moment in before.items())
    say(
        f"the flows ended with status {status}: {kept} of {len(before)} shards kept as they were, "
        f"{_identical(place, expected)}"
    )


def _replace(machines: Cluster, workers: list[subprocess.Popen[bytes]], when: str) -> None:
    """Kill the worker that has been there longest, and start another."""
    workers.pop(0).kill()
    say(f"one of 2 workers killed with -9, another begun; {when}")
    workers.append(machines.worker())


def _identical(place: Path, expected: tuple[Any, Any]) -> str:
    if not (place / "models" / f"{NAME}.parquet").exists():
        return f"no table, {(place / 'flow.log').read_text()[-2000:]}"
    same = tables(place / "models", [NAME]) == expected[0], _rows(place) == expected[1]
    return f"tables identical {same[0]}, runs identical {same[1]}"


def _learn(place: Path) -> list[str]:
    out = place / "models" / f"{NAME}.parquet"
    return [*LEARN, "--out", str(out), "--work", str(place / "work")]


def _compare(place: Path) -> list[str]:
    return [*COMPARE, "--out", str(place / "runs")]


def _flow(
    place: Path, machines: Cluster, command: str, arguments: list[str], env: dict[str, str]
) -> subprocess.Popen[bytes]:
    words = [*arguments, "--flow", "--runner", machines.runner]
    return started(f"pipeline.commands.{command}", *words, env=env, log=place / "flow.log")


def _rows(place: Path) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(place / "runs" / "runs.parquet", columns=TIMELESS).to_pylist()


if __name__ == "__main__":
    main()
