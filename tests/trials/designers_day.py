"""A day of a designer: ten designs of each of 20 riboswitches, beside a plain loop over ViennaRNA.

    python -m tests.trials.designers_day --seconds 10

Asked for are bases as IUPAC letters, 45-55 % GC, no GGGG, no EcoRI site, at least five bases
between two designs of a target, and the least ensemble defect; `riboswitches.tsv` is written by
`generators.rna.riboswitches`. Every design, of `solve` and of the loop, is checked with nothing
but ViennaRNA and what is asked for. Both have the same seconds for each target; `--loop N` gives
the loop N times as many in another row.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import RNA

from tests.solver.domains.rna.plain_designs import LETTERS, differences, gc

TARGETS = Path(__file__).with_name("riboswitches.tsv")
DESIGNS, DISTANCE = 10, 5
REQUESTS = ["--gc", "45-55", "--forbid", "GGGG,EcoRI", "--objective", "defect"]
LEAST_GC, MOST_GC, FORBIDDEN = 45, 55, ("GGGG", "GAAUUC")
PAIRS = ("GC", "CG", "AU", "UA", "GU", "UG")


class Target(NamedTuple):
    """A row of the table."""

    name: str
    structure: str
    letters: str


class Judged(NamedTuple):
    """Properties of a sequence by ViennaRNA, and requests met."""

    wrong: int
    """Requests that it does not meet, each site counted."""
    folds: bool
    defect: float


def targets() -> list[Target]:
    """Read the table."""
    with TARGETS.open() as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    return [Target(name, s, letters.ljust(len(s), "N")) for name, s, letters in rows]


def allows(letter: str, base: str) -> bool:
    """True if an IUPAC letter stands for `base`."""
    return re.fullmatch(LETTERS[letter], base) is not None


def judge(sequence: str, target: Target, others: list[str]) -> Judged:
    """Check a design of `target` beside the `others`."""
    letters = zip(sequence, target.letters, strict=True)
    wrong = sum(not allows(letter, base) for base, letter in letters)
    wrong += not LEAST_GC <= gc(sequence) <= MOST_GC
    wrong += sum(sequence.count(motif) for motif in FORBIDDEN)
    wrong += sum(differences(sequence, other) < DISTANCE for other in others)
    compound = RNA.fold_compound(sequence)
    folded, energy = compound.mfe()
    compound.exp_params_rescale(energy)
    compound.pf()
    defect = compound.ensemble_defect(target.structure)
    return Judged(wrong, folded == target.structure, defect)


def designed(seconds: float) -> dict[str, list[str]]:
    """Ask the command beside this Python; designs by target."""
    command = Path(sys.executable).with_name("solve")
    words = ["rna", str(TARGETS), "--designs", str(DESIGNS), "--min-distance", str(DISTANCE)]
    limits = ["--seconds", str(seconds), "--quiet", "--json"]
    ended = subprocess.run(
        [str(command), *words, *REQUESTS, *limits], check=False, capture_output=True, text=True
    )
    if ended.returncode not in (0, 1):
        sys.exit(ended.stderr)
    found: dict[str, list[str]] = {}
    for line in map(json.loads, ended.stdout.splitlines()):
        if line["solved"]:
            found.setdefault(line["name"], []).append(line["sequence"])
    return found


def sites(target: Target) -> Iterator[tuple[int, int]]:
    """Yield pairs, and unpaired positions twice."""
    opened = []
    for position, character in enumerate(target.structure):
        if character == "(":
            opened.append(position)
        elif character == ")":
            yield opened.pop(), position
        else:
            yield position, position


def looped(target: Target, seconds: float, chance: random.Random) -> list[str]:
    """Designs by a plain loop: change a site, keep what is no worse; an equal time for each."""
    where = list(sites(target))
    found: list[str] = []
    begin = time.perf_counter()

    def change(bases: list[str], first: int, last: int) -> None:
        choices = "ACGU" if first == last else PAIRS
        fit = [
            word
            for word in choices
            if allows(target.letters[first], word[0]) and allows(target.letters[last], word[-1])
        ]
        word = chance.choice(fit)
        bases[first], bases[last] = word[0], word[-1]

    for number in range(DESIGNS):
        bases = ["N"] * len(target.structure)
        for site in where:
            change(bases, *site)
        best = judge("".join(bases), target, found)
        while time.perf_counter() - begin < seconds * (number + 1) / DESIGNS:
            changed = bases.copy()
            change(changed, *chance.choice(where))
            judged = judge("".join(changed), target, found)
            if (judged.wrong, judged.defect) <= (best.wrong, best.defect):
                bases, best = changed, judged
        if best.wrong == 0 and best.folds:
            found.append("".join(bases))
    return found


def row(name: str, found: dict[str, list[str]], seconds: float) -> str:
    """Judge all designs; designs that are all that was asked for, and their defects."""
    right, complete = [], 0
    for target in targets():
        designs = found.get(target.name, [])
        judged = [judge(one, target, designs[:number]) for number, one in enumerate(designs)]
        fit = [one.defect for one in judged if one.wrong == 0 and one.folds]
        complete += len(fit) == DESIGNS
        right += fit
    asked, claimed = DESIGNS * len(targets()), sum(map(len, found.values()))
    mean = statistics.mean(right) if right else float("nan")
    middle = statistics.median(right) if right else float("nan")
    return (
        f"| {name} | {len(right)} of {asked} | {claimed - len(right)} | {complete} | "
        f"{mean:.4f} | {middle:.4f} | {seconds:.0f} |"
    )


def main() -> int:
    """Print a table; status 1 if a claimed design is not what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each target")
    parser.add_argument("--loop", type=float, nargs="*", default=[1.0], metavar="N")
    arguments = parser.parse_args()
    print("| | right | claimed wrongly | targets whole | mean defect | median | seconds |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    begin = time.perf_counter()
    found = designed(arguments.seconds)
    first = row("solve", found, time.perf_counter() - begin)
    print(first, flush=True)
    for times in arguments.loop:
        begin, each = time.perf_counter(), times * arguments.seconds
        found = {t.name: looped(t, each, random.Random(t.name)) for t in targets()}
        name = f"loop, {each:g} s a target"
        print(row(name, found, time.perf_counter() - begin), flush=True)
    return int(first.split("|")[3].strip() != "0")


if __name__ == "__main__":
    sys.exit(main())
