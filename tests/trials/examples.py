"""Examples of each kind of request on RNA designs, recomputed by ViennaRNA alone.

    python -m tests.trials.examples --count 20 --journal examples.jsonl

Of each kind so many requests are drawn as it takes until `--count` are solved (twice as many at
most). Each answer is computed anew by `plain_vienna`, a process that has ViennaRNA, the answer's
letters and the request. A journal has a line for each request, and the same command goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from solver.commands import solve as cli
from solver.domains.rna import engines
from tests.trials import example_documents, example_files
from tests.trials.example_kinds import KINDS, Example
from tests.trials.forked import Streams, status_in_fork

#: Modules whose examples are in the list, too.
__all__ = ["example_documents", "example_files"]
ROOT = Path(__file__).parents[2]
CHECKER = [sys.executable, "-m", "tests.trials.plain_vienna"]
PATIENCE = 60
T7 = "TAATACGACTCACTATA"
DNA = str.maketrans("ACGT", "TGCA")


def wrong_in_order(folder: Path, lines: list[dict[str, Any]]) -> list[str]:
    """Return what is wrong with a table to order by."""
    with (folder / "order.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    strands = [strand for line in lines for strand in line["sequence"].split("&")]
    found = ["rows"] * (len(rows) != len(strands))
    for row, strand in zip(rows, strands, strict=False):
        template = T7 + strand.replace("U", "T")
        turned = template.translate(DNA)[::-1]
        right = (
            row["rna"] == strand
            and (row["template"], row["reverse_complement"]) == (template, turned)
            and row["template_length"] == str(len(template))
            and template.startswith(row["forward_primer"])
            and turned.startswith(row["reverse_primer"])
            and float(row["forward_celsius"]) > 0 < float(row["reverse_celsius"])
        )
        found += [] if right else [f"order of {strand}"]
    return found


def tried(example: Example, seed: int, folder: Path) -> dict[str, Any]:
    """Run a request in a forked process, and check the answers; the line of a journal."""
    for name, text in {example.name: example.target, **example.files}.items():
        (folder / name).write_text(text)
    words = [example.name, *example.words, "--seed", str(seed), "--json", "--quiet"]
    streams = Streams(folder / "err", folder / "out")
    command = ["solve", "rna", *words, "--playouts", "300", "--seconds", "5"]
    status = status_in_fork(cli.main, command, folder, streams, PATIENCE)
    wrong: list[str] = []
    if status == 0:
        lines = [json.loads(line) for line in (folder / "out").read_text().splitlines()]
        question = {"engine": example.engine, "asked": example.asked, "lines": lines}
        done = subprocess.run(
            CHECKER, input=json.dumps(question), capture_output=True, text=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
        wrong = json.loads(done.stdout) if done.returncode == 0 else [done.stderr[-1500:]]
        if "--order" in words:
            wrong += wrong_in_order(folder, lines)
    elif status != 1:
        wrong = [f"status {status}: {(folder / 'err').read_text()[-1500:]}"]
    return {"status": status, "wrong": wrong, "target": example.target, "words": words}


def warm() -> None:
    """Load the kernels that the requests need."""
    for more in ([], ["--objective", "defect"], ["--dangles", "1"]):
        engines._chosen.clear()
        with contextlib.redirect_stdout(io.StringIO()):
            cli.run(["rna", "((((....))))", "--playouts", "20", "--quiet", *more])
    engines._chosen.clear()


def main() -> None:
    """Run the trial; status 1 if an answer is wrong, or a kind has too few."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20, help="solved examples of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=[*KINDS], choices=[*KINDS], metavar="KIND")
    parser.add_argument("--journal", type=Path, help="file to keep lines in, and to go on with")
    arguments = parser.parse_args()
    kept: dict[tuple[int, str, int], dict[str, Any]] = {}
    if arguments.journal and arguments.journal.exists():
        for line in map(json.loads, arguments.journal.read_text().splitlines()):
            kept[line["seed"], line["kind"], line["number"]] = line
    warm()
    failed = 0
    print("| kind | solved and right | wrong | not solved |\n|---|--:|--:|--:|")
    for kind in arguments.kinds:
        right = wrong = number = 0
        while right + wrong < arguments.count and number < 2 * arguments.count:
            key = arguments.seed, kind, number
            if key not in kept:
                chance = random.Random(" ".join(map(str, key)))
                with tempfile.TemporaryDirectory(prefix="examples-") as folder:
                    line = tried(KINDS[kind](chance), number, Path(folder))
                kept[key] = dict(zip(("seed", "kind", "number"), key, strict=True)) | line
                if arguments.journal:
                    with arguments.journal.open("a") as file:
                        file.write(json.dumps(kept[key]) + "\n")
            line = kept[key]
            right += line["status"] == 0 and not line["wrong"]
            wrong += bool(line["wrong"])
            number += 1
            if line["wrong"]:
                print(f"{kind} {number - 1}: {line['target']}{' '.join(line['words'])}\n"
                      f"  {line['wrong']}", file=sys.stderr, flush=True)  # fmt: skip
        failed += wrong > 0 or right < arguments.count
        print(f"| {kind} | {right} | {wrong} | {number - right - wrong} |", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
