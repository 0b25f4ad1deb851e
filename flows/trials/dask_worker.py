"""Tables from 1, 2 and 4 Dask workers are the same bytes, also if a worker is killed.

`python -m flows.trials.dask_worker`: a scheduler and workers over loopback.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from flows.trials.common import free_port, say, server, started, stop, tables, wait_for

LEARN = ["latin-square", "--instances", "6000"]
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
    """Learn and compare plainly, on 1, 2 and 4 workers, and with a worker killed."""
    from pipeline.commands import compare as compare_cli
    from pipeline.commands import learn as learn_cli

    learn_cli.run(_learn(folder / "plain"))
    compare_cli.run(_compare(folder / "plain"))
    expected = tables(folder / "plain" / "models", [NAME])
    rows = _rows(folder / "plain")
    with server(folder) as env:
        for workers in (1, 2, 4):
            place = folder / f"workers-{workers}"
            begin = time.monotonic()
            with ExitStack() as stack:
                address, _ = _cluster(stack, folder, workers, env)
                flow = _flow(place, address, "learn", [*_learn(place), *JUDGED], env)
                status = flow.wait(), _flow(place, address, "compare", _compare(place), env).wait()
            say(
                f"{workers} workers, {time.monotonic() - begin:.0f} s, status {status}: tables "
                f"identical {tables(place / 'models', [NAME]) == expected}, runs identical "
                f"{_rows(place) == rows}"
            )
        _kill_one(folder, env, expected)


def _kill_one(folder: Path, env: dict[str, str], expected: dict[str, bytes]) -> None:
    """Kill one of two workers while they generate."""
    place = folder / "killed"
    with ExitStack() as stack:
        address, workers = _cluster(stack, folder, 2, env)
        flow = _flow(place, address, "learn", [*_learn(place), *JUDGED], env)
        wait_for(lambda: _shards(place) >= 4, flow)
        workers[0].kill()
        say(f"one of 2 workers killed with -9; {_shards(place)} of 12 shards were generated")
        before = {path: path.stat().st_mtime_ns for path in _paths(place)}
        status = flow.wait()
    kept = sum(path.stat().st_mtime_ns == moment for path, moment in before.items())
    say(
        f"the flow ended with status {status}: {kept} of {len(before)} shards kept as they were, "
        f"tables identical {tables(place / 'models', [NAME]) == expected}"
    )


def _learn(place: Path) -> list[str]:
    out = place / "models" / f"{NAME}.parquet"
    return [*LEARN, "--out", str(out), "--work", str(place / "work")]


def _compare(place: Path) -> list[str]:
    return [*COMPARE, "--out", str(place / "runs")]


def _flow(
    place: Path, address: str, command: str, arguments: list[str], env: dict[str, str]
) -> subprocess.Popen[bytes]:
    words = [*arguments, "--flow", "--runner", address]
    return started(f"pipeline.commands.{command}", *words, env=env, log=place / "flow.log")


def _cluster(
    stack: ExitStack, folder: Path, workers: int, env: dict[str, str]
) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """Start a scheduler and workers without a nanny: a killed one stays away."""
    port = free_port()
    log = folder / "dask.log"
    common = ["--host", "127.0.0.1", "--no-dashboard"]
    begun = [started("distributed.cli.dask_scheduler", *common, "--port", port, env=env, log=log)]
    stack.callback(stop, begun[0])
    for _ in range(workers):
        options = [*common, "--nthreads", 1, "--no-nanny", "--local-directory", folder / "dask"]
        worker = started(
            "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", *options, env=env, log=log
        )
        stack.callback(stop, worker)
        begun.append(worker)
    return f"dask://127.0.0.1:{port}", begun[1:]


def _paths(place: Path) -> list[Path]:
    return sorted((place / "work").glob("*/solved-*/[!.]*.parquet"))


def _shards(place: Path) -> int:
    return len(_paths(place))


def _rows(place: Path) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(place / "runs" / "runs.parquet", columns=TIMELESS).to_pylist()


if __name__ == "__main__":
    main()
