"""Learn every model anew, from nothing: `python -m benchmarks.learn_models`.

The commands are those of `models/manifest.json`, each a process of its own with an empty
folder for shards and machine code in the cache. Prints a Markdown table of time and peak memory,
and whether the table has the counts and parameters of the published one. The corpus of `rna` must
be in the data home.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

from benchmarks.processes import run_measured
from benchmarks.workloads import MODELS
from pipeline.commands.flow_options import overridden
from pipeline.publishing.digests import read_contents
from pipeline.publishing.manifest import read_manifest, version_of

#: Peak memory of learning from a corpus that is streamed.
FLOOR_MEGABYTES = 500
CORPUS_DOMAIN = "rna"


def learn(arguments: list[str], folder: Path, threads: int) -> tuple[float, float, float, Path]:
    """Learn into `folder`; wall and processor seconds, megabytes, and the table."""
    out = folder / "table.parquet"
    places = ["--out", str(out), "--work", str(folder / "work"), "--threads", str(threads)]
    command = [sys.executable, "-m", "pipeline.commands.learn", *overridden(arguments, places)]
    return *run_measured(command), out


def main() -> int:
    """Print the table; the status is 1 if a table is another than the published one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learn_models", description=__doc__)
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--only", nargs="+", metavar="MODEL", help="(default: all)")
    arguments = parser.parse_args()
    manifest = read_manifest(MODELS)
    sys.stdout.write(
        "| model | command | instances | seconds | processor s | peak MB | as published |\n"
        "|---|---|--:|--:|--:|--:|---|\n"
    )
    all_alike = True
    for name in arguments.only or manifest["models"]:
        version = version_of(manifest, name)
        words = shlex.split(version["command"])[1:]
        with tempfile.TemporaryDirectory() as folder:
            # A few instances first, so that the kernels are compiled.
            learn(overridden(words, ["--instances", "2"]), Path(folder, "first"), 1)
            seconds, processor, peak, table = learn(words, Path(folder), arguments.threads)
            alike = read_contents(table) == read_contents(MODELS / f"{name}.parquet")
        all_alike &= alike
        floor = ""
        if version["domain"] == CORPUS_DOMAIN:
            floor = f" (floor {FLOOR_MEGABYTES}: {'met' if peak < FLOOR_MEGABYTES else 'missed'})"
        sys.stdout.write(
            f"| {name} | `{version['command']}` | {version['instances']:,} | {seconds:,.0f} "
            f"| {processor:,.0f} | {peak:,.0f}{floor} | {'yes' if alike else '**no**'} |\n"
        )
        sys.stdout.flush()
    return 0 if all_alike else 1


if __name__ == "__main__":
    sys.exit(main())
