"""Random requests for RNA designs: a clear error, or an answer that another checker agrees with.

    python -m tests.trials.requests --count 5000 --seed 0

Structures (of one strand, of two, of switches), fixed bases, GC, motifs, gaps, distances,
objectives and temperatures are drawn, some of them wrong. Each request runs in a process forked
from this one, which has the kernels and the folding processes. Status 2 must be one line; a
solved answer must be what was asked for, by a checker that shares nothing with the search.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import random
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from solver.commands import solve as cli
from tests.solver.domains.rna.plain_designs import LETTERS
from tests.trials.forked import Streams, status_in_fork

#: Motifs that are drawn, with the letters that a checker looks for.
MOTIFS = {
    "GGNCC": ["GG[ACGU]CC"], "G4": ["GGGG"], "A-run": ["AAAAAA"], "EcoRI": ["GAAUUC"],
    "GNRA": ["G[ACGU][AG]A"], "BsaI": ["GGUCUC", "GAGACC"], "UUU": ["UUU"], "C3": ["CCC"],
}  # fmt: skip
WRONG = ["", "x", "G0", "1-2-3", "nan", "-1", "50-40", "EcoR1", "é", "9" * 400, "GG,,"]
STATUSES = (0, 1, 2)
#: Seconds after which a request is told to end.
PATIENCE = 60
#: Folding processes are begun anew after a request that took longer: it may have given one up.
SLOW = 4.0
HEATS = ("25", "37", "55.5")
SAME = 0.011  # kcal/mol: energies are printed with two digits


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
    elif kind < 0.45:
        others = [drawn_structure(n, chance) for _ in range(chance.choice([1, 1, 2]))]
        word = "|".join([word, *others])
    if chance.random() < 0.1:
        at = chance.randrange(len(word))
        word = word[:at] + chance.choice("([{<&|)Aa. x") + word[at + 1 :]
    return word


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
        "--objective": lambda: chance.choice(["mfe", "probability", "defect"]),
        "--within": lambda: chance.choice(["0", "0.5", "2"]),
        "--celsius": lambda: chance.choice(HEATS),
        "--engine": lambda: chance.choice(["vienna2", "vienna2", "t99d2", "vienna1", "none"]),
        "--seed": lambda: str(chance.randrange(100)),
    }
    words = ["--json", "--quiet", "--playouts", chance.choice(["1", "50", "200"])]
    for option in chance.sample(sorted(drawn), chance.choice([0, 1, 1, 2, 3, 4])):
        wrong = chance.random() < 0.05
        words += [option, chance.choice(WRONG) if wrong else drawn[option]()]
    return words


def warm() -> None:
    """Load kernels and start a folding process for each engine, which all requests share."""
    from solver.domains.rna import engines, refold

    refold.end_refolding()
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


def model_of(engine: str) -> Any:
    """ViennaRNA's model details of an engine's name; Turner 2004 is all that this process has."""
    import RNA

    name, _, celsius = engine.partition("@")
    if name != "vienna2":
        return None
    model = RNA.md()
    model.dangles, model.temperature = 2, float(celsius.removesuffix("C") or 37)
    return model


def hard_to_make(
    sequence: str, forbidden: str, options: dict[str, str], text: str
) -> list[tuple[str, int]]:
    """Runs and repeats that no fixed bases force and no required motif has, and places from 1."""
    named = {(word, int(at)) for word, at in re.findall(r"([ACGU]+) at (\d+)", forbidden)}
    required = MOTIFS.get(options.get("--require", ""), [])
    found = []
    for match in re.finditer(r"(?=(GGGG|CCCC|A{6}|U{6}|(?:(?!(.)\2)(..))\3{3}))", text):
        place = match.start() + 1 - text[: match.start()].count("&")
        if match[1] and not any(match[1] in motif for motif in required):
            found.append((match[1], place))
    return [one for one in found if one not in named]


def lacking(line: dict[str, Any], target: str, bases: str, options: dict[str, str]) -> list[str]:
    """Return the requests that a sequence does not meet, computed anew."""
    import RNA

    text, structures = line["sequence"], [part.replace("&", "") for part in target.split("|")]
    sequence = text.replace("&", "")
    found = []
    if len(sequence) != len(structures[0]) or text.find("&") != target.split("|")[0].find("&"):
        return ["length"]
    letters = "".join(LETTERS[letter] for letter in bases) or "." * len(sequence)
    if not re.fullmatch(letters, sequence):
        found.append("bases")
    for structure in structures:
        opened = []
        for position, character in enumerate(structure):
            if character == "(":
                opened.append(position)
            elif character == ")":
                pair = sequence[opened.pop()] + sequence[position]
                found += ["pairs"] * (pair not in ("AU", "UA", "GC", "CG", "GU", "UG"))
    least, most = map(float, options.get("--gc", "0-100").split("-"))
    share = 100 * sum(base in "GC" for base in sequence) / len(sequence)
    found += ["gc"] * (not least - 1e-6 <= share <= most + 1e-6)
    for option, wanted in (("--forbid", False), ("--require", True)):
        for motif in filter(None, options.get(option, "").split(",")):
            has = any(re.search(pattern, text) for pattern in MOTIFS[motif])
            found += [option] * (has != wanted)
    if "--forbid" not in options:
        found += ["synthesis"] * bool(hard_to_make(sequence, line["forbidden"], options, text))
    model = model_of(line["engine"])
    if model is not None:
        model.gquad = 1
        with_quadruplex = RNA.fold_compound(text, model)
        fold, _ = with_quadruplex.mfe_dimer() if "&" in text else with_quadruplex.mfe()
        found += ["quadruplex"] * ("+" in fold)
        model.gquad = 0
        compound = RNA.fold_compound(text, model)
        fold, lowest = compound.mfe_dimer() if "&" in text else compound.mfe()
        energies = [compound.eval_structure(structure) for structure in structures]
        within = float(options.get("--within", 1)) if len(structures) > 1 else 0.0
        if max(energies) - lowest > within + SAME or (
            len(structures) == 1 and fold not in structures
        ):
            found.append("fold")
        gap = float(options.get("--gap", 0))
        if gap and "fold" not in found:
            near = [other.structure for other in compound.subopt(int(100 * gap) - 2)]
            found += ["gap"] * (set(near) > {structures[0]})
    return found


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
    options = dict(zip(words[4::2], words[5::2], strict=True))
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
        if line["solved"] and (wrong := lacking(line, target, bases, options)):
            return f"{line['sequence']} is solved, but not: {wrong}"
    return ""


def main() -> None:
    """Run the trial; status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warm()
    base = Path(tempfile.mkdtemp(prefix="requests-"))
    ended: collections.Counter[int | None] = collections.Counter()
    faults = 0
    for number in range(arguments.count):
        chance = random.Random(f"{arguments.seed} {number}")
        folder = base / f"{number:05d}"
        folder.mkdir()
        target = target_of(chance)
        bases, words = bases_of(target, chance), words_of(chance)
        (folder / "target.txt").write_text(f"{target} {bases}\n")
        begin = time.monotonic()
        status = run(["target.txt", *words], folder)
        if time.monotonic() - begin > SLOW:
            warm()  # its question may have been given up, and its answer still to come
        ended[status] += 1
        if fault := fault_of(status, folder, target, bases, words):
            faults += 1
            print(f"{number}: {target} {bases} {' '.join(words)}\n  {fault}", flush=True)
        else:
            shutil.rmtree(folder)
    for status, count in sorted(ended.items(), key=str):
        print(f"status {status}: {count}")
    print(f"{arguments.count} requests, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
