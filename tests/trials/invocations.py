"""Random invocations of every command: whatever the words and files, it ends in order.

    python -m tests.trials.invocations --count 1000 --seed 0

Options come from the parsers and stand before and behind the problem; values are words that fit or
do not, names of problems, games and files among them. Files are sound, damaged or something else,
and one is a program that must never be run. Each invocation runs in a process forked from this
one, in a folder of its own. Its status must be one of those documented, an error one line, and
nothing may be left behind but what it was asked for.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from pipeline.commands import compare as compare_cli
from pipeline.commands import learn as learn_cli
from pipeline.commands import matches as matches_cli
from pipeline.commands import models as models_cli
from pipeline.commands import report as report_cli
from solver.commands import solve as cli
from solver.commands import solve_parser
from solver.commands.games import solve as games_cli
from solver.commands.subjects import find_game
from solver.domains import BENCHMARKS, DOMAINS
from solver.games import GAMES
from tests.trials.forked import Streams, status_in_fork

ROOT = Path(__file__).parents[2]
MAIN: dict[str, Any] = {
    "solve": cli,
    "learn": learn_cli,
    "compare": compare_cli,
    "report": report_cli,
    "models": models_cli,
}
#: How often each is called.
SHARE = {"solve": 10, "compare": 5, "learn": 4, "report": 2, "models": 2}
OF_GAMES: dict[str, Any] = {"solve": games_cli, "compare": matches_cli}
PARSER = MAIN | {"solve": solve_parser}
#: A program that must not be run, and what it leaves.
TRAP, SPRUNG = "trap.py", "sprung"
STATUSES = (0, 1, 2, 3, 130)
#: Seconds after which it is told to end.
PATIENCE = 20
#: Options that start servers or would go on for hours.
LEFT_OUT = {
    "--play",
    "--gtp",
    "--page",
    "--flow",
    "--runner",
    "--seconds",
    "--level",
    "--iterations",
}
#: What must stay small for an invocation to take a moment.
SMALL = {
    "--playouts": 60, "--instances": 2, "--held-out": 2, "--held-out-playouts": 60, "--effort": 3,
    "--games": 2, "--width": 20, "--customers": 8, "--seeds": 1, "--threads": 2, "--order": 8,
}  # fmt: skip
INTEGERS = [*["1", "2", "3", "7"] * 4, "0", "-1", "1e3", "99999999999999999999", "x", ""]
REALS = [*["0.3", "0.5", "1", "1.4"] * 4, "0", "-1", "nan", "inf", "1e-300", "x", "٣"]
TEXTS = ["", "x", "none", "nemo", "sampling", "a,b", "../evil", "-", "é" * 200, "ngram"]
MODELS_VERBS = ["list", "verify", "show", "publish", "rollback", "check", "versions", "x"]


def files_in(folder: Path, chance: random.Random) -> list[str]:
    """Make the files that an invocation may name."""
    problems = sorted((ROOT / "tests" / "problems").rglob("*.*"))
    tables = sorted((ROOT / "models").glob("*.parquet"))
    names = ["missing.txt", "", "/", str(folder), "-", *DOMAINS, *BENCHMARKS, *GAMES, TRAP]
    (folder / TRAP).write_text(f"open({str(folder / SPRUNG)!r}, 'w').close()\n")
    for source in (*chance.sample(problems, 3), chance.choice(tables)):
        path = folder / source.name
        if source.is_file():
            path.write_bytes(damaged(source.read_bytes(), chance))
            names += [path.name] * 4
    return names


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Leave it, cut it, change bytes of it, repeat it, or put something in."""
    kind, at = chance.randrange(6), chance.randrange(len(content) + 1)
    if kind == 0:
        return content[:at]
    if kind == 1:
        changed = bytearray(content)
        for _ in range(chance.randint(1, 5)):
            if changed:
                changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    if kind == 2:
        odd = [b"9" * 5000, b"\xff\xfe", b"\0", b"\xef\xbb\xbf", b"-1", b"nan", b"#", b"\r\n", b">"]
        return content[:at] + chance.choice(odd) + content[at:]
    return content * 2 if kind == 3 else content


def words_of(command: str, folder: Path, chance: random.Random) -> list[str]:
    """Words of one invocation, most of them such as the parser knows."""
    files = files_in(folder, chance)
    if command == "models":
        return [chance.choice([*MODELS_VERBS, *DOMAINS]) for _ in range(chance.randint(0, 3))]
    if command == "report":
        return [safe(chance.choice(files)) for _ in range(chance.randint(0, 2))]
    subjects = [
        *DOMAINS,
        *(BENCHMARKS if command != "learn" else ()),
        *chance.sample([*GAMES], 2),
        "x",
    ]
    subject = chance.choice(subjects)
    parser = parser_for(command, subject)
    options = [a for a in parser._actions if a.option_strings and a.nargs != 0]
    flags = [a for a in parser._actions if a.option_strings and a.nargs == 0]
    groups = [
        [option, str(value)]
        for option, value in SMALL.items()
        if option in parser._option_string_actions
    ]
    for action in chance.sample(options, min(len(options), chance.randint(0, 3))):
        if action.option_strings[-1] not in LEFT_OUT:
            groups.append([action.option_strings[-1], value_for(action, files, chance)])
    groups += [[a.option_strings[-1]] for a in flags if chance.random() < 0.05]
    positional = [[subject]] if chance.random() < 0.95 else []
    if command != "learn" and chance.random() < 0.5:
        positional.append([safe(chance.choice(files))])
    return among(groups, positional, chance)


def parser_for(command: str, subject: str) -> argparse.ArgumentParser:
    """Return the parser that the command has for a problem, a game or a word that is neither."""
    if subject in GAMES and command != "learn":
        parser: argparse.ArgumentParser = OF_GAMES[command].build_parser(find_game(subject))
    else:
        parser = PARSER[command].build_parser(subject if subject != "x" else None)
    return parser


def among(groups: list[list[str]], positional: list[list[str]], chance: random.Random) -> list[str]:
    """Words in an order of their own: positional ones anywhere among the options."""
    chance.shuffle(groups)
    places = sorted(chance.randint(0, len(groups)) for _ in positional)
    for shift, (place, group) in enumerate(zip(places, positional, strict=True)):
        groups.insert(place + shift, group)
    return [word for group in groups for word in group if word not in LEFT_OUT]


def safe(name: str) -> str:
    """Return a positional argument; the trap may be named as a value only."""
    return "missing.py" if name == TRAP else name


def value_for(action: argparse.Action, files: list[str], chance: random.Random) -> str:
    """Return a value that may fit the option, or not."""
    if chance.random() < 0.1:
        return chance.choice([*INTEGERS, *REALS, *TEXTS])
    if chance.random() < 0.1 and not {"--algorithm", "--prior"} & set(action.option_strings):
        return chance.choice([*DOMAINS, *GAMES, *BENCHMARKS, TRAP])
    if action.choices:
        return str(chance.choice(list(action.choices)))
    name = str(action.metavar)
    if "FILE" in name or "FOLDER" in name:
        return chance.choice([*files, "out", "new/out"])
    if action.type is int or name.startswith("INT"):
        return chance.choice(INTEGERS)
    return chance.choice(REALS if action.type is float or name.startswith("FLOAT") else TEXTS)


def invoke(command: str, words: list[str], folder: Path) -> tuple[int | None, str]:
    """Run it in a forked process; its status, None if it hangs, and its standard error."""
    errors = folder.with_suffix(".err")
    main, called = MAIN[command].main, [command, *words]
    status = status_in_fork(main, called, folder, Streams(errors), PATIENCE)
    return status, errors.read_text(errors="replace")


def fault_of(status: int | None, errors: str, folder: Path) -> str:
    """Say what is wrong with how it ended; nothing if nothing is."""
    lines = [line for line in errors.splitlines() if not line.startswith("compiling for ")]
    if status is None:
        return "hangs"
    if "Traceback" in errors or status not in STATUSES:
        return f"status {status}: {errors[-2000:]}"
    if status == 2 and not lines:
        return "status 2 without a word"
    if any(len(line) > 2000 for line in lines):
        return "a line of more than 2000 characters"
    if (folder / SPRUNG).exists():
        return "a file was run that was a value"
    left = [path.name for path in folder.rglob("*") if path.name.endswith(".part")]
    return f"left behind: {left}" if left else ""


def main() -> None:
    """Run the trial; status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="invocations-"))
    os.environ["NESTOR_CACHE"] = str(base / "cache")
    ended: collections.Counter[tuple[str, int | None]] = collections.Counter()
    faults = 0
    for number in range(arguments.count):
        chance = random.Random(f"{arguments.seed} {number}")
        folder = base / f"{number:05d}"
        folder.mkdir()
        command = chance.choices(list(SHARE), list(SHARE.values()))[0]
        words = words_of(command, folder, chance)
        status, errors = invoke(command, words, folder)
        ended[command, status] += 1
        if fault := fault_of(status, errors, folder):
            faults += 1
            print(f"{number}: {command} {' '.join(map(repr, words))[:400]}\n  {fault}", flush=True)
        else:
            shutil.rmtree(folder)
    for (command, status), count in sorted(ended.items(), key=str):
        print(f"{command}: status {status}: {count}")
    print(f"{arguments.count} invocations, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
