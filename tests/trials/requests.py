"""Random requests for RNA designs: a clear error, or an answer that another checker agrees with.

    python -m tests.trials.requests --count 5000 --seed 0 --journal requests.jsonl

Structures (of one strand, of two, of switches, with open positions), states of strands, fixed
bases, GC, motifs, gaps, distances, objectives, temperatures, proteins, windows of GC, stretches in
common, dangles, lonely pairs and modified bases are drawn, some of them wrong. Each request runs in
a process forked from this one, which has the kernels. Status 2 must be one line; a solved answer
must be what was asked for, by a checker that shares nothing with the search. A journal has a line
for each request, and the same command goes on behind its last one.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from solver.commands import solve as cli
from tests.solver.domains.rna.plain_structures import pairs_of
from tests.trials.checked_designs import MOTIFS, lacking, lacking_states
from tests.trials.forked import Streams, status_in_fork

WRONG = ["", "x", "G0", "1-2-3", "nan", "-1", "50-40", "EcoR1", "é", "9" * 400, "GG,,"]
NO_LONELY = "--no-lonely-pairs"
STATUSES = (0, 1, 2)
#: Seconds after which a request is told to end.
PATIENCE = 60
#: Budget of a request, beside its playouts.
SECONDS = ("--seconds", "2")
HEATS = ("25", "37", "55.5")


def drawn_structure(n: int, chance: random.Random) -> str:
    """Nested pairs, most of them in helices, that enclose three bases or more."""
    found = ["."] * n

    def fill(first: int, last: int) -> None:
        while last - first >= 4:
            if chance.random() < 0.35:
                first += 1
                continue
            other = chance.randint(min(first + chance.choice([4, 10, 14]), last), last)
            length, longest = 0, chance.choice([1, 3, 4, 5, 6, 7])
            while other - first - 2 * length >= 4 and length < longest:
                found[first + length], found[other - length] = "(", ")"
                length += 1
            fill(first + length, other - length)
            first = other + 1

    fill(0, n - 1)
    return "".join(found)


def target_of(chance: random.Random) -> str:
    """Draw the structures of a target, a tenth of them wrong."""
    n, kind = chance.randint(5, 60), chance.random()
    word = drawn_structure(n, chance)
    if kind < 0.2:
        nick = chance.randint(1, n - 1)
        word = f"{word[:nick]}&{word[nick:]}"
    elif kind < 0.3:  # nothing is asked of some positions
        start, length = chance.randrange(n), chance.randint(1, 9)
        opened = set(range(start, min(start + length, n)))
        opened |= {j for i, j in pairs_of(word).items() if i in opened}
        word = "".join("N" if i in opened else mark for i, mark in enumerate(word))
    elif kind < 0.45:
        others = [drawn_structure(n, chance) for _ in range(chance.choice([1, 1, 2]))]
        word = "|".join([word, *others])
    if chance.random() < 0.1:
        at = chance.randrange(len(word))
        word = word[:at] + chance.choice("([{<&|)Aa. x") + word[at + 1 :]
    return word


def document_of(chance: random.Random) -> str:
    """Draw strands of domains, alone and with each other, a tenth of them wrong."""
    a, b, linker = chance.randint(3, 12), chance.randint(0, 6), chance.choice(["", "AA", "NNN"])
    free = f" N{b}" if b else ""
    lines = [
        f"domain a = N{a}", f"strand one = a {linker}{free}", "strand two = a*",
        f"state both: one two = ({a}{open_(len(linker) + b)}){a}",
    ]  # fmt: skip
    if chance.random() < 0.7:
        mark = chance.choice(".N.")
        lines.insert(3, f"state alone: one = .{mark}{a + len(linker) + b - 1}")
    if chance.random() < 0.1:
        at = chance.randrange(len(lines))
        lines[at] = lines[at].replace(chance.choice("aNo()*:="), chance.choice(["", "x", "9"]), 1)
    return "\n".join(lines)


def open_(count: int) -> str:
    """Unpaired positions in a document."""
    return f".{count}" if count else ""


def bases_of(word: str, chance: random.Random) -> str:
    """Draw fixed bases, most of them free."""
    n = len(word.split("|")[0].replace("&", ""))
    if chance.random() < 0.6:
        return ""
    free = chance.choice([0.5, 0.9, 0.97])
    return "".join("N" if chance.random() < free else chance.choice("ACGURYSWKM") for _ in range(n))


def words_of(chance: random.Random) -> list[str]:
    """Draw the options of a request."""
    drawn = {
        "--gc": lambda: f"{chance.randint(0, 60)}-{chance.randint(40, 100)}",
        "--forbid": lambda: ",".join(chance.sample(sorted(MOTIFS), chance.randint(1, 3))),
        "--require": lambda: chance.choice(sorted(MOTIFS)),
        "--gap": lambda: chance.choice(["0.5", "1", "3"]),
        "--designs": lambda: chance.choice(["1", "2", "3"]),
        "--min-distance": lambda: chance.choice(["1", "2", "9"]),
        "--objective": lambda: chance.choice(["mfe", "probability", "defect", "both"]),
        "--within": lambda: chance.choice(["0", "0.5", "2"]),
        "--celsius": lambda: chance.choice(HEATS),
        "--engine": lambda: chance.choice(["vienna2", "vienna2", "t99d2", "vienna1", "none"]),
        "--seed": lambda: str(chance.randrange(100)),
        "--protein": lambda: chance.choice(["", "4:"]) + "".join(chance.choices("AGLRSTPKV", k=3)),
        "--gc-window": lambda: f"{chance.randint(0, 30)}-{chance.randint(60, 100)}:10",
        "--max-shared": lambda: chance.choice(["6", "9"]),
        "--dangles": lambda: chance.choice("0123"),
        "--modified": lambda: chance.choice(["pseudouridine", "m6A", "m6A:1:3", "m6A:99"]),
    }
    words = ["--json", "--quiet", *SECONDS, "--playouts", chance.choice(["1", "50", "200"])]
    for option in chance.sample(sorted(drawn), chance.choice([0, 1, 1, 2, 3, 4])):
        wrong = chance.random() < 0.05
        words += [option, chance.choice(WRONG) if wrong else drawn[option]()]
    if chance.random() < 0.1:
        words.append(NO_LONELY)
    return words


def warm() -> None:
    """Load the kernels that the requests need."""
    from solver.domains.rna import engines

    for name, celsius in (
        ("vienna1", "37"),
        *((e, c) for e in ("t99d2", "vienna2") for c in HEATS),
    ):
        objective = [] if name == "vienna1" else ["--objective", "probability"]
        for more in ([], ["--forbid", "none", "--quadruplex"], objective):
            engines._chosen.clear()
            words = ["rna", "((((....))))", "--playouts", "20", "--quiet", "--json", *more]
            with contextlib.redirect_stdout(io.StringIO()):
                cli.run([*words, "--engine", name, "--celsius", celsius])
    engines._chosen.clear()
    with contextlib.redirect_stdout(io.StringIO()):
        cli.run(["rna", "((((&))))", "--quiet"])
    engines._chosen.clear()


def run(words: list[str], folder: Path) -> int | None:
    """Run a request in a forked process; its status, None if it hangs."""
    streams = Streams(folder / "err", folder / "out")
    return status_in_fork(cli.main, ["solve", "rna", *words], folder, streams, PATIENCE)


def fault_of(status: int | None, folder: Path, target: str, bases: str, words: list[str]) -> str:
    """Say what is wrong with how it ended; nothing if nothing is."""
    errors = (folder / "err").read_text(errors="replace")
    lines = (folder / "out").read_text(errors="replace").splitlines()
    if status is None:
        return "hangs"
    if "Traceback" in errors or status not in STATUSES:
        return f"status {status}: {errors[-1500:]}"
    if status == 2:
        clear = errors.startswith("solve: ") and errors.count("\n") == 1 and len(errors) < 600
        if "defect" in errors.partition(": ")[2] and "objective" not in errors:
            return f"called a defect: {errors}"
        return "" if clear and not lines else f"no clear error: {errors!r}"
    stated = [word for word in words[6:] if word != NO_LONELY]
    options = dict(zip(stated[::2], stated[1::2], strict=True))
    found = [json.loads(line) for line in lines]
    if (status == 0) != all(line["solved"] for line in found) or not found:
        return f"status {status} with {lines}"
    designs = [line["sequence"] for line in found if line["solved"]]
    if status == 0 and len(found) != int(options.get("--designs", 1)):
        return "another number of designs"
    for number, one in enumerate(designs):
        for other in designs[:number]:
            if sum(a != b for a, b in zip(one, other, strict=True)) < int(
                options.get("--min-distance", 1)
            ):
                return f"designs {one} and {other} are near"
    for line in found:
        if not line["solved"]:
            continue
        if "state" in target:
            wrong = lacking_states(line, target)
        else:
            wrong = lacking(line, target, bases, options)
        if wrong:
            return f"{line['sequence']} is solved, but not: {wrong}"
    return ""


def kinds_of(target: str, bases: str, words: list[str]) -> list[str]:
    """Forms of the target, and options beside it."""
    found = [word for word in words[6:] if word.startswith("--")]
    found += ["fixed bases"] * bool(bases)
    marks = {"\n": "documents", "|": "switches", "&": "two strands", "N": "open positions"}
    forms = [kind for mark, kind in marks.items() if mark in target]
    return [*(["documents"] if "\n" in target else forms or ["one structure"]), *found]


def tried(seed: int, number: int, base: Path) -> dict[str, Any]:
    """Draw a request, run it and judge how it ended; the line of a journal."""
    chance = random.Random(f"{seed} {number}")
    folder = base / f"{number:05d}"
    folder.mkdir()
    target = document_of(chance) if chance.random() < 0.15 else target_of(chance)
    bases = "" if "\n" in target else bases_of(target, chance)
    words = words_of(chance)
    (folder / "target.txt").write_text(f"{target} {bases}\n")
    begin = time.monotonic()
    status = run(["target.txt", *words], folder)
    seconds = time.monotonic() - begin
    if fault := fault_of(status, folder, target, bases, words):
        print(f"{number}: {target} {bases} {' '.join(words)}\n  {fault}", flush=True)
    else:
        shutil.rmtree(folder)
    line = {"seed": seed, "number": number, "status": status, "seconds": round(seconds, 2)}
    return line | {"kinds": kinds_of(target, bases, words), "fault": fault}


def report(lines: list[dict[str, Any]]) -> None:
    """Print how many requests ended with which status, in all and of each kind."""
    ended = collections.Counter(line["status"] for line in lines)
    kinds = collections.Counter(kind for line in lines for kind in line["kinds"])
    print("| | " + " | ".join(f"status {status}" for status in STATUSES) + " | seconds |")
    for kind in ["all", *sorted(kinds)]:
        these = [line for line in lines if kind == "all" or kind in line["kinds"]]
        counts = collections.Counter(line["status"] for line in these)
        row = " | ".join(str(counts[status]) for status in STATUSES)
        print(f"| {kind} | {row} | {sum(line['seconds'] for line in these):.0f} |")
    for status in sorted(set(ended) - set(STATUSES), key=str):
        print(f"status {status}: {ended[status]}")


def main() -> None:
    """Run the trial; status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--journal", type=Path, help="file to keep lines in, and to go on with")
    arguments = parser.parse_args()
    kept: list[dict[str, Any]] = []
    if arguments.journal and arguments.journal.exists():
        kept = list(map(json.loads, arguments.journal.read_text().splitlines()))
    lines = {line["number"]: line for line in kept if line["seed"] == arguments.seed}
    warm()
    base = Path(tempfile.mkdtemp(prefix="requests-"))
    for number in range(arguments.count):
        if number in lines:
            continue
        lines[number] = tried(arguments.seed, number, base)
        if arguments.journal:
            with arguments.journal.open("a") as file:
                file.write(json.dumps(lines[number]) + "\n")
    done = [lines[number] for number in range(arguments.count)]
    report(done)
    faults = sum(bool(line["fault"]) for line in done)
    print(f"{arguments.count} requests, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
