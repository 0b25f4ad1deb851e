"""`kill -9` at ten random moments of `learn --flow` over all domains: the tables stay the same.

`python -m flows.trials.kill_learn [--kills N] [--seed S]`
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from flows.trials.common import say, server, started, tables

#: Arguments of `learn` that make a small run of each domain.
SMALL = {
    "latin-square": ["--instances", "2200", "--order", "12"],
    "kakuro": ["--instances", "1700"],
    "rna": ["--instances", "2600"],
    "samegame": ["--instances", "1200", "--width", "5", "--height", "5", "--effort", "50"],
    "tsptw": ["--instances", "1700", "--customers", "12"],
}
#: Smallest evaluation against no prior, with the widest margin of each kind of score.
JUDGED = ["--held-out", "60", "--held-out-playouts", "200"]
MARGINS = {"samegame": "0.1", "tsptw": "0.1"}
HARDER = {
    "latin-square": ["--held-out-set", "order=30"],
    "kakuro": ["--held-out-set", "rows=12,columns=12,values=14"],
}
NAMES = list(SMALL)


def arguments(domain: str, folder: Path) -> list[str]:
    """Return the command line of one domain, with everything below `folder`."""
    places = ["--out", str(folder / "models" / f"{domain}.parquet"), "--work", str(folder / "work")]
    return [domain, *SMALL[domain], *places]


def learn_all(folder: Path) -> None:
    """Run the flow of every domain, in this process."""
    from flows.learn import run_learn
    from pipeline.commands.learn import read_request

    for domain in NAMES:
        judged = [*JUDGED, "--margin", MARGINS.get(domain, "1"), *HARDER.get(domain, [])]
        words = [*arguments(domain, folder), *judged]
        run_learn(read_request(words, deciding=True)[1], "threads")


def state(folder: Path) -> str:
    """Return the numbers of files left by a killed run, in words."""
    work = folder / "work"
    shards = len(list(work.glob("*/counts-*/[!.]*.parquet")))
    half = len(list(folder.rglob("*.part")))
    published = len(list((folder / "models").glob("[!.]*.counts.parquet")))
    return f"{shards} shards counted, {published} models in use, {half} half-written files"


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(prog="kill_learn")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--once", type=Path, help="only run the flows, into this folder")
    given = parser.parse_args()
    if given.once is not None:
        learn_all(given.once)
        return
    with tempfile.TemporaryDirectory() as name:
        trial(Path(name), given.kills, random.Random(given.seed))


def trial(folder: Path, kills: int, rng: random.Random) -> None:
    """Learn plainly, learn with a flow, then kill and restart until all kills are spent."""
    from pipeline.commands.learn import run

    for domain in NAMES:
        run(arguments(domain, folder / "plain"))
    expected = tables(folder / "plain" / "models", NAMES)
    with server(folder) as env:
        begin = time.monotonic()
        status = _start(folder / "flow", folder, env).wait()
        whole = time.monotonic() - begin
        say(f"plain and flow agree: {_same(folder / 'flow', expected)} (status {status})")
        say(f"an undisturbed run takes {whole:.0f} s")
        rounds, killed = 0, 0
        while killed < kills:
            rounds += 1
            place = folder / f"round-{rounds}"
            ended = False
            while not ended:
                process = _start(place, folder, env)
                # The first seconds only import.
                moment = rng.uniform(0.1, 0.7) * whole if killed < kills else None
                try:
                    status = process.wait(timeout=moment)
                    ended = True
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    killed += 1
                    say(f"kill {killed} after {moment:.1f} s: {state(place)}")
            say(f"round {rounds} ended with status {status}: {state(place)}")
            say(f"tables byte-identical: {_same(place, expected)}")
            shutil.rmtree(place)


def _start(place: Path, folder: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    return started("flows.trials.kill_learn", "--once", place, env=env, log=folder / "flow.log")


def _same(place: Path, expected: dict[str, bytes]) -> bool:
    return tables(place / "models", NAMES) == expected


if __name__ == "__main__":
    main()
