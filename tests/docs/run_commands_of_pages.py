"""Commands in blocks of the pages, run with small budgets: `make commands`.

No part of `make test`, which only reads them (`test_commands_of_pages.py`): together they compile
every search of every problem. Here a command has its number of runs, games, instances and seconds
cut; algorithms, priors and what else it compares stay. It writes below a temporary folder, with a
copy of the models in it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from solver.commands.subjects import is_game
from tests.copies import finished
from tests.docs import guide
from tests.docs.scripts import ROOT
from tests.docs.test_commands_of_pages import PAGES, commands
from tests.docs.test_rna_recipes import RECIPES

MODULES = guide.MODULES | {
    "check": "solver.commands.check.command",
    "make-puzzles": "pipeline.commands.make_puzzles",
    "models": "pipeline.commands.models",
}
#: Largest value of an option, which stays a list where it is one.
LARGEST = {
    "--seconds": 0.2, "--playouts": 50, "--iterations": 5, "--beam": 2, "--start": 50,
    "--games": 2, "--instances": 1, "--seeds": 1, "--threads": 1, "--count": 1,
    "--effort": 50, "--openings": 2, "--rounds": 2, "--round-instances": 4, "--round-playouts": 50,
    "--tune-instances": 4, "--tune-playouts": 50, "--held-out": 2, "--held-out-playouts": 50,
}  # fmt: skip
#: Instances to learn from: fewer leave nothing to hold out.
LEARNED = 10
#: Options without which a command would take longer.
BUDGETS = {"solve": ["--seconds"], "compare": ["--instances"], "learn": ["--instances"]}
#: Words that stand for others.
STANDS_FOR = {"SEED": "1", "NAME": "squares", "FILE": "models/latin-square.parquet"}
PROBLEMS = ROOT / "tests" / "problems"
#: Files that commands name, but for those of the recipes.
FILES = {
    "square.txt": PROBLEMS / "latin-square" / "order-04-empty.txt",
    "board.txt": PROBLEMS / "kakuro" / "square-3-one-hole.txt",
    "puzzle.txt": PROBLEMS / "sudoku" / "order-04-empty.txt",
    "puzzles.txt": PROBLEMS / "sudoku" / "order-09-hard.txt",
    "instance.txt": PROBLEMS / "tsptw" / "seven-customers.txt",
}
TEXTS = {
    "answer.txt": "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 2\n",
    "position.txt": "...\n.x.\no..\nx to move\n",
    "targets.fa": ">hairpin\n(((((((...)))))))....\n",
}
#: What a command reads that talks to a program or a person.
TYPED = {"--gtp": "quit\n", "--gomocup": "END\n", "--play": ""}
#: Tables published one after the other, to go back from the last.
PUBLISHED = ("latin-square", "latin-square-belief")
#: Commands of their own tests, which begin and end a server.
LEFT_OUT = {"--page": "serves until it is interrupted: tests/commands/page"}
#: A missing corpus.
NO_DATA = re.compile(r"in the data home, the folder that|cannot download")
PATIENCE = 1200.0
BENCHMARK = re.compile(r"python -m benchmarks\.([a-z_]+)((?: (?!-->)[\w/.-]+)*)")
#: Benchmarks that only read kept rows.
READING = ("corrected", "page", "by_second")


def shrunk(program: str, words: Sequence[str]) -> list[str]:
    """Return the words of a command with its budget cut."""
    words = [STANDS_FOR.get(word, word) for word in words]
    largest = LARGEST | ({"--instances": LEARNED} if program == "learn" else {})
    budgets = BUDGETS.get(program, [])
    if program == "compare":
        games = is_game(words[0])
        budgets = ["--games"] if games else budgets
        if "--seconds" not in words:
            budgets = [*budgets, "--playouts"]
    if program == "solve" and "--playouts" in words:
        budgets = []
    for option in budgets:
        if option not in words and not TYPED.keys() & set(words):
            words += [option, str(largest[option])]
    for place, option in enumerate(words[:-1]):
        if option in largest:
            values = words[place + 1].split(",")
            cut = dict.fromkeys(f"{min(float(value), largest[option]):g}" for value in values)
            words[place + 1] = ",".join(cut)
    if program == "learn":
        words.append("--replace")
    return words


def run(
    folder: Path, module: str, *words: str, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder`."""
    (folder / "typed").write_text(typed)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (folder / "typed").open() as stdin:
        done = finished(
            ["-m", module, *words], cwd=folder, env=environment, stdin=stdin, timeout=PATIENCE
        )
    if NO_DATA.search(done.stderr):
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder with the models, and every file that commands name."""
    for name in ("models", "docs/examples"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name, path in FILES.items():
        shutil.copy(path, tmp_path / name)
    recipes = {shlex.split(command)[2]: content for content, command, _ in RECIPES}
    for name, text in (TEXTS | recipes).items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(("page", "line"), list(commands()))
def test_a_command_runs(page: str, line: str, folder: Path) -> None:
    """A command ends in order: with an answer, or without one in so little time."""
    program, *words = shlex.split(line, comments=True)
    for option, reason in LEFT_OUT.items():
        if option in words:
            pytest.skip(f"{option} {reason}")
    if "mine.txt" in words:
        tour = run(folder, MODULES["solve"], "tsptw", "instance.txt", "--playouts", "50")
        (folder / "mine.txt").write_text(tour.stdout)
    for table in PUBLISHED if "rollback" in words else ():
        publish = ["publish", STANDS_FOR["NAME"], f"models/{table}.parquet", "--replace"]
        assert run(folder, MODULES["models"], *publish).returncode == 0
    words = shrunk(program, words)
    typed = "".join(text for option, text in TYPED.items() if option in words)
    done = run(folder, MODULES[program], *words, typed=typed)
    allowed = (0, 1) if program == "solve" or "answer.txt" in words else (0,)
    assert done.returncode in allowed, f"{shlex.join(words)}: {done.returncode}\n{done.stderr}"


def benchmarks() -> list[tuple[str, str]]:
    """Modules and words of the commands of benchmarks; of those that search, only the help."""
    found = set()
    for page in PAGES:
        for module, rest in BENCHMARK.findall(page.read_text(encoding="utf-8")):
            found.add((module, "--help"))
            reads = module in READING and "--run" not in rest and "build/" not in rest
            if (reads or "--show" in rest) and not re.search("[A-Z]{2}|--sample", rest):
                found.add((module, rest.strip()))
    return sorted(found)


@pytest.mark.parametrize(("module", "words"), benchmarks())
def test_a_benchmark_runs(module: str, words: str) -> None:
    """Those that read kept rows print them; others say how they are called."""
    done = finished(["-m", f"benchmarks.{module}", *words.split()], cwd=ROOT, timeout=PATIENCE)
    assert done.returncode == 0, f"{module} {words}: {done.returncode}\n{done.stderr}"
