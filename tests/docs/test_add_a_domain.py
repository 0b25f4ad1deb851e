"""`docs/add-a-domain.md` followed to the letter: one file, outside of the repository."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.docs.guide import DOMAIN, INTERPRETED, Outside
from tests.helpers import needs_jit

FILE, blocks, whole_file = DOMAIN.file, DOMAIN.blocks, DOMAIN.whole_file
#: Lines of the whole file, at most.
MAX_LINES = 120
SAMPLING = ("solve", FILE, "--json", "--algorithm", "sampling", "--playouts", "200")
NESTED = ("solve", FILE, "--json", "--level", "1", "--playouts", "200")
#: Plays two moves and prints where they lead: less is compiled for it than for a search.
REPLAYING = (
    "-c",
    """
import numpy as np
from solver.commands.subjects import find_domain
from solver.kernels.replay import replay_moves
domain = find_domain("FILE")
(problem,) = domain.parse("3 4 1 2 1 3 2 3 3 4", "test")
instance = domain.instance(problem, domain.options())
state = domain.new_state(instance)
score = replay_moves(instance, state, np.array([0, 1]))
print(score, state.of.tolist(), state.taken.tolist())
""".replace("FILE", FILE),
)
LEARNING = ("learn", FILE, "--instances", "20", "--threads", "1")
MODEL = "models/graph-colouring.parquet"

#: By function: text that is there once, another in its place, and what shows the difference.
EDITS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "reset": ("state.taken[:] = 0", "state.taken[:] = 0\n    state.taken[0, 0] = 1", REPLAYING),
    "legal_moves": ("    return n\n", "    return min(n, 1)\n", SAMPLING),
    "play": ("] = move\n", "] = instance.colours - 1 - move\n", REPLAYING),
    "score": ("return float(state.n[0]", "return float(state.n[0] - 1", REPLAYING),
    "code": ("return state.n[0] * instance.colours + move", "return move", NESTED),
    "is_solution_move": ("return solution[step] == move", "return move == 0", LEARNING),
    "prior_code": ("return min(spoilt, 9)", "return min(spoilt, 1)", LEARNING),
    "odds": (
        "rules.odds.register(SpoiltTable)(table_odds)",
        "@rules.odds.register(SpoiltTable)\ndef odds(prior, instance, state, move):\n"
        "    return 1.0 + move\n",
        (*SAMPLING, "--prior", MODEL),
    ),
    "generate": ("default_rng([seed, number])", "default_rng([seed, number, 1])", LEARNING),
}
PYTHON_EDITS = {
    "parse": (
        "Graph(colours, near | near.T))]",
        "Graph(colours, np.zeros_like(near)))]",
    ),
    "instance": ("Graph(int(problem.data.colours)", "Graph(1 + int(problem.data.colours)"),
    "limits": ("return Limits(steps,", "return Limits(steps + 10**15,"),
    "verify": ("colours, near = problem.data\n        if", "near = 1 / 0\n        if"),
    "answer": ("state.of[: state.n[0]].copy()", "state.of[: state.n[0]].copy() * 0"),
    "format": ("map(str, answer + 1)", "map(str, answer + 7)"),
}


@pytest.fixture
def outside(tmp_path: Path) -> Outside:
    """Return a folder with the file and the triangle of the guide."""
    made = Outside(tmp_path)
    made.write(whole_file())
    (tmp_path / "triangle.txt").write_text(blocks()[0], encoding="utf-8")
    return made


def shown(outside: Outside, command: tuple[str, ...]) -> Any:
    """Return the output of a command, without the time."""
    done = outside.run(*command)
    if not done.stdout.startswith("{"):
        return done.returncode, re.sub(r"\d+\.\d s\n", "", done.stdout)
    row = json.loads(done.stdout)
    return [row[name] for name in ("status", "score", "playouts", "answer")]


def test_the_file_is_short() -> None:
    """Rules, text, verifier, generator and prior are a page or two."""
    assert len(whole_file().splitlines()) <= MAX_LINES


def test_every_function_of_the_file_is_edited() -> None:
    """No function of the rules is left out below."""
    assert set(re.findall(r"domain\.(\w+)\.register", whole_file())) < set(EDITS)


@needs_jit
def test_the_commands_of_the_guide(outside: Outside) -> None:
    """Each succeeds, and the report has the runs and the answers in it."""
    commands = next(block for block in blocks() if block.startswith("solve")).splitlines()
    assert [command.split()[0] for command in commands] == ["solve", "learn", "compare", "report"]
    printed = []
    for command in commands:
        done = outside.run_anew(*shlex.split(command))
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    colours = printed[0].split()
    assert len(set(colours[:3])) == 3
    assert colours[3] != colours[2]
    assert ", 500 solved instances replayed, 0 rejected, " in printed[1]
    assert "GNRPA + graph-colouring" in printed[2]
    assert printed[3] == "report: build/compare/graph-colouring/report.html\n"
    report = (outside.folder / "build/compare/graph-colouring/report.md").read_text()
    assert "Graph colouring" in report
    again = outside.run("report", "build/compare/graph-colouring")
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("text", "status", "colours"),
    [("2 3", 0, 3), *((text, 2, 0) for text in ("2 3 1", "3 4 0 2", "3 4 1 1", "3 4 1 5", "-1 4"))],
)
def test_a_graph_without_edges(outside: Outside, text: str, status: int, colours: int) -> None:
    """It is read and solved; an edge without two ends is refused."""
    (outside.folder / "few.txt").write_text(text, encoding="utf-8")
    command = ("solve", FILE, "few.txt", "--algorithm", "sampling", "--playouts", "1")
    done = outside.run(*command, **INTERPRETED)
    assert done.returncode == status, done.stderr
    assert len(done.stdout.split()) == colours
    assert ("few.txt: expected colours, vertices and edges" in done.stderr) == bool(status)
    assert done.stderr.count("\n") == 1


@needs_jit
def test_the_check_of_the_guide(outside: Outside) -> None:
    """`check_domain`, called as on the page, finds nothing; a wrong limit it finds."""
    session = next(block for block in blocks() if block.startswith(">>>"))
    script = "\n".join(line.removeprefix(">>> ") for line in session.splitlines())
    done = outside.run("-c", script)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    outside.write(whole_file().replace("choices=steps * colours", "choices=steps"))
    done = outside.run("-c", script)
    assert "ContractError: triangle.txt: a playout had" in done.stderr
    assert "Limits.choices is 4" in done.stderr


@pytest.fixture(scope="module")
def unedited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outside, dict[Any, Any]]:
    """A folder with the file as it is and a model, and what each command found there."""
    made = Outside(tmp_path_factory.mktemp("unedited"))
    made.write(whole_file())
    made.printed(*LEARNING)
    commands = {command for _, _, command in EDITS.values()}
    return made, {command: shown(made, command) for command in commands}


@needs_jit
@pytest.mark.parametrize("function", EDITS)
def test_an_edit_shows_in_the_very_next_run(
    unedited: tuple[Outside, dict[Any, Any]], function: str
) -> None:
    """Machine code and shards of the old text are not used for the new one, nor the other way."""
    outside, before = unedited
    old, new, command = EDITS[function]
    assert whole_file().count(old) == 1
    outside.write(whole_file().replace(old, new))
    try:
        assert shown(outside, command) != before[command]
    finally:
        outside.write(whole_file())
    assert shown(outside, command) == before[command]


@pytest.mark.parametrize("function", PYTHON_EDITS)
def test_an_edit_of_the_python_side_shows(outside: Outside, function: str) -> None:
    """The same of what is not compiled."""
    old, new = PYTHON_EDITS[function]
    assert whole_file().count(old) == 1
    command = ("solve", FILE, "triangle.txt", "--algorithm", "sampling", "--playouts", "5")
    before = outside.run(*command, **INTERPRETED)
    assert before.returncode == 0, before.stderr
    outside.write(whole_file().replace(old, new))
    after = outside.run(*command, **INTERPRETED)
    assert (after.returncode, after.stdout) != (0, before.stdout)


@needs_jit
def test_other_commands_need_no_file_of_users(outside: Outside, tmp_path: Path) -> None:
    """With kernels of a foreign domain in the cache, those that ship are solved without it."""
    cache = {"NESTOR_CACHE": str(tmp_path / "cache")}
    script = """
from pathlib import Path
import numpy as np
from solver.kernels.replay import replay_moves
from solver.commands.subjects import find_domain
domain = find_domain({name!r})
(problem,) = domain.parse(Path({text!r}).read_text(), "test")
instance = domain.instance(problem, domain.options())
print(replay_moves(instance, domain.new_state(instance), np.zeros(0, np.int64)))
print(sum(replay_moves.stats.cache_hits.values()))
"""
    (tmp_path / "square.txt").write_text("1 .\n. .\n")
    foreign = script.format(name=FILE, text="triangle.txt")
    ours = script.format(name="latin-square", text="square.txt")
    assert outside.printed("-c", foreign, **cache) == "-4.0\n0\n"
    (outside.folder / FILE).rename(outside.folder / "away")
    first = outside.printed("-c", ours, **cache)
    assert first.endswith("\n0\n")
    assert outside.printed("-c", ours, **cache) == first.replace("\n0\n", "\n1\n")
    (outside.folder / "away").rename(outside.folder / FILE)
    assert outside.printed("-c", foreign, **cache) == "-4.0\n1\n"


@needs_jit
def test_a_folder_of_runs_is_of_one_text(outside: Outside) -> None:
    """Runs of an edited domain are not added to those of the old one."""
    command = (
        "compare", FILE, "triangle.txt", "--algorithm", "sampling", "--playouts", "5",
        "--out", "runs",
    )  # fmt: skip
    outside.printed(*command)
    outside.printed(*command)
    outside.write(whole_file().replace("return float(state.n[0]", "return float(state.n[0] - 1"))
    done = outside.run(*command)
    expected = (
        "compare: runs: its runs were made by another version of graph-colouring, "
        "choose another --out\n"
    )
    assert (done.returncode, done.stderr) == (2, expected)


Spoil = Callable[[str], str]


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda text: "def f(:\n" + text, "line 1: invalid syntax"),
        (lambda text: "import nowhere\n" + text, "line 1: ModuleNotFoundError: No module named"),
        (
            lambda text: "x = 1\n",
            "expected one subclass of solver.contract.domain.Puzzle or "
            "solver.contract.domain.Game, found: none",
        ),
        (
            lambda text: text + "class Other(Puzzle):\n    pass\n",
            "expected one subclass of solver.contract.domain.Puzzle or "
            "solver.contract.domain.Game, found: "
            "GraphColouring, Other",
        ),
        (lambda text: text.replace("def verify", "def verifies"), "lacks the methods: verify"),
        (
            lambda text: text.replace("@rules.play.register(Graph)\n", ""),
            "graph-colouring: no play is registered for Graph\n",
        ),
        (
            lambda text: text.replace("target = 0.0", "target = None"),
            "lacks the methods: objective, as its target is None",
        ),
        (
            lambda text: text.replace('    name = "graph-colouring"\n', ""),
            "GraphColouring lacks the attribute 'name'",
        ),
        (
            lambda text: text.replace('name = "graph-colouring"', 'name = "rna"'),
            "GraphColouring is called 'rna', as a domain that ships",
        ),
        (
            lambda text: text.replace('name = "graph-colouring"', 'name = "../evil"'),
            "GraphColouring is called '../evil', expected small letters, digits and '-'",
        ),
        (
            lambda text: text.replace("def play(instance, state, move)", "def play(i, s, m)"),
            "TypeError: play for Graph: parameters are ['i', 's', 'm'], expected",
        ),
    ],
)
def test_a_file_that_is_no_domain(outside: Outside, spoil: Spoil, expected: str) -> None:
    """One line names the file and what is wrong with it."""
    outside.write(spoil(whole_file()))
    done = outside.run("solve", FILE)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"solve: {FILE}: ")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["numpy.py", "json.py", "solver.py", "my.puzzle.py"])
def test_a_file_cannot_stand_for_another_module(outside: Outside, name: str) -> None:
    """A file called as a module is that everybody imports is refused, and imported by nobody."""
    (outside.folder / FILE).rename(outside.folder / name)
    done = outside.run("solve", name)
    stem = name.removesuffix(".py")
    expected = f"solve: {name}: {stem!r} names another module, rename the file\n"
    assert (done.returncode, done.stderr) == (2, expected)


def test_a_file_that_is_not_there(outside: Outside) -> None:
    """Every command says so."""
    for command in ("solve", "learn", "compare", "report"):
        done = outside.run(command, "nothing.py")
        expected = f"{command}: nothing.py: No such file or directory\n"
        assert (done.returncode, done.stderr) == (2, expected)


@needs_jit
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("state.n[0] = 0\n", "state.n[0] = np.zeros(3, np.int64)[0]\n", ": Numba cannot "
         "compile: an array is allocated, sliced or returned, which rules must not do"),
        ("@rules.code.register(Graph)\n", "", "code: Numba cannot compile: no code for Graph"),
    ],
)  # fmt: skip
def test_a_reason_is_said_in_words(outside: Outside, old: str, new: str, expected: str) -> None:
    """Reasons that Numba words for others are told as an author knows them."""
    outside.write(whole_file().replace(old, new))
    done = outside.run("solve", FILE, "triangle.txt", "--quiet", "--playouts", "9")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert expected in done.stderr


@needs_jit
def test_what_cannot_be_compiled_is_said_in_a_line(outside: Outside) -> None:
    """It names the line of the rules, and the reason."""
    text = whole_file().replace("    state.n[0] += 1\n", "    state.nn[0] += 1\n")
    outside.write(text)
    done = outside.run("solve", FILE, "triangle.txt", "--quiet", "--algorithm", "sampling")
    line = text.split("state.nn")[0].count("\n") + 1
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"solve: {outside.folder / FILE}, line {line}: Numba cannot compile: "
        "Unknown attribute 'nn' of type Colouring"
    )
    assert done.stderr.count("\n") == 1


@needs_jit
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return Limits(steps,", "return Limits(steps - 1,", "a playout is longer than Limits.st"),
        ("] = move\n", " + 100 * (move == 2)] = move\n", "reach beyond an array"),
    ],
)
def test_authors_can_have_bounds_checked(
    outside: Outside, old: str, new: str, expected: str
) -> None:
    """Under NESTOR_CHECK=1 wrong limits and what lies beyond an array are said in a line."""
    command = ("solve", FILE, "triangle.txt", "--quiet", "--algorithm", "sampling")
    assert outside.run(*command, NESTOR_CHECK="1").returncode == 0
    outside.write(whole_file().replace(old, new))
    done = outside.run(*command, NESTOR_CHECK="1")
    assert done.returncode == 2
    assert done.stderr.startswith("solve: triangle.txt: ")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


MORE = """
    from solver.contract.domain import Benchmark

    benchmarks = {"small": Benchmark("a triangle", {})}

    def benchmark(self, name):
        return self.parse("3 3 1 2 1 3 2 3", "the triangle")

    class drawing:
        TITLE = "Colours of graphs"

        def draw(problem, answer):
            colours = "".join(map(str, sorted(answer)))
            return f'<svg xmlns="http://www.w3.org/2000/svg" class="mine-{colours}"></svg>'
"""


def test_sets_and_drawings_of_a_file(outside: Outside) -> None:
    """A set is named behind the file; reports draw answers where they are told of the file."""
    outside.write(whole_file() + MORE)
    words = (f"{FILE}:small", "--algorithm", "sampling", "--playouts", "9")
    solved = outside.run("solve", *words, **INTERPRETED)
    assert "the triangle: solved and verified" in solved.stderr
    done = outside.run("compare", *words, "--instances", "1", **INTERPRETED)
    assert done.returncode == 0, done.stderr
    runs = "build/compare/graph-colouring-small"
    page = outside.folder / runs / "report.html"
    assert "mine-012" in page.read_text()
    for files, drawn in (((), False), ((FILE,), True)):
        done = outside.run("report", *files, runs, **INTERPRETED)
        assert done.returncode == 0, done.stderr
        assert ("mine-012" in page.read_text()) == drawn
        assert ("Colours of graphs" in page.read_text()) == drawn
    done = outside.run("solve", f"{FILE}:large")
    expected = "solve: graph-colouring has no set called 'large', there are: small\n"
    assert (done.returncode, done.stderr) == (2, expected)
