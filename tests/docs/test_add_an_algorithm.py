"""`docs/add-an-algorithm.md` followed to the letter: one file, outside of the repository."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver.algorithms import AS_PUBLISHED, Gnrpa, Nmcs, Sampling, algorithm_named
from solver.algorithms.run import ListedAlgorithm
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS
from solver.searching.driver import Budget, search
from solver.testing import ContractError, check_algorithm
from tests.docs.guide import ALGORITHM, DOMAIN, INTERPRETED, Outside
from tests.helpers import needs_jit, random_prior, same_search, toy
from tests.toys.sequence import SequenceDomain

FILE = ALGORITHM.file
MAX_LINES = 150
PUZZLE = (DOMAIN.file, "triangle.txt")


def outside_in(folder: Path) -> Outside:
    """Write the file of the guide into a folder."""
    made = Outside(folder, ALGORITHM)
    made.write(ALGORITHM.whole_file())
    return made


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """Return a folder with the file and the square of the guide."""
    made = outside_in(tmp_path_factory.mktemp("outside"))
    (made.folder / "square.txt").write_text(ALGORITHM.blocks()[0])
    return made


@pytest.fixture(scope="module")
def my_search(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the class that the file defines, in this process."""
    path = tmp_path_factory.mktemp("algorithm") / FILE
    path.write_text(ALGORITHM.whole_file())
    return algorithm_named(str(path))


def test_the_file_is_short() -> None:
    """Kernel, run and options are three pages."""
    assert len(ALGORITHM.whole_file().splitlines()) <= MAX_LINES


@needs_jit
def test_the_commands_of_the_guide(outside: Outside) -> None:
    """Each succeeds, and the report has it beside the others, later ones too."""
    commands = next(block for block in ALGORITHM.blocks() if block.startswith("solve"))
    printed = []
    for number, command in enumerate(commands.splitlines()):
        run = outside.run if number else outside.run_anew
        done = run(*shlex.split(command))
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == "1 2 3 4\n2 4 1 3\n3 1 4 2\n4 3 2 1\n"
    for label in ("Sampling, no prior", "My search, no prior"):
        assert label in printed[1]
    assert "my-search, no prior" in (outside.folder / "runs" / "report.md").read_text()


@needs_jit
def test_the_session_of_the_guide(outside: Outside) -> None:
    """`check_algorithm`, called as on the page, finds nothing."""
    script, expected = ALGORITHM.session()
    done = outside.run("-c", script)
    assert (done.stdout, done.stderr) == (expected, "")


@pytest.mark.parametrize("level", [1, 2])
def test_it_is_the_search_that_ships(my_search: Any, level: int) -> None:
    """Playout by playout, with a prior."""
    domain = SequenceDomain()
    prior, instance = random_prior(domain.priors["pair"], seed=1), toy("..3.0")
    one, other = (
        search(domain, instance, algorithm, Budget(playouts=3000), prior=prior, seed=2)
        for algorithm in (my_search(level), Nmcs(level, **AS_PUBLISHED))
    )
    assert same_search(one, other)


@needs_jit
def test_an_edit_shows_in_the_very_next_run(tmp_path: Path) -> None:
    """Machine code of the old text is not used for the new one; nor is a folder of runs."""
    outside = outside_in(tmp_path)
    Outside(tmp_path, DOMAIN).write(DOMAIN.whole_file())
    (tmp_path / "triangle.txt").write_text(DOMAIN.blocks()[0])
    asked = ("--algorithm", FILE, "--playouts", "40")
    before = json.loads(outside.printed("solve", *PUZZLE, "--json", *asked))
    comparing = ("compare", *PUZZLE, *asked, "--out", "runs")
    outside.printed(*comparing, **INTERPRETED)
    outside.printed(*comparing, **INTERPRETED)
    text = ALGORITHM.whole_file()
    old = "            if records.score[LAST] >= course.target:\n                return REACHED\n"
    assert text.count(old) == 1
    outside.write(text.replace(old, ""))
    after = json.loads(outside.printed("solve", *PUZZLE, "--json", *asked))
    assert (before["status"], after["status"]) == ("solved", "budget")
    done = outside.run(*comparing, **INTERPRETED)
    expected = (
        "compare: runs: its runs were made by another version of my-search, choose another --out\n"
    )
    assert (done.returncode, done.stderr) == (2, expected)


Spoil = Callable[[str], str]


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda text: "def f(:\n" + text, "line 1: invalid syntax"),
        (
            lambda text: "x = 1\n",
            f"expected one subclass of {ListedAlgorithm.__module__}.ListedAlgorithm, found: none",
        ),
        (lambda text: text.replace('"my-search"', '"nmcs"'), "is called 'nmcs', as another algo"),
        (
            lambda text: text.replace('"my-search"', '"My"'),
            "is called 'My', expected small letters",
        ),
        (lambda text: text.replace("@dataclass(frozen=True)\n", ""), "MySearch is no dataclass"),
        (lambda text: text.replace("(frozen=True)", ""), "MySearch is no frozen dataclass"),
        (lambda text: text.replace("def new_run", "def new"), "lacks the method 'new_run'"),
        (
            lambda text: text.replace('label: ClassVar[str] = "My search"', "x: int = 1"),
            "MySearch lacks the attribute 'label'",
        ),
        (
            lambda text: text.replace("level: Level = 1", "level: float = 1.0"),
            "level has another type than in ",
        ),
        (lambda text: text.replace("level: Level = 1", "level: int"), "level has no default"),
        (
            lambda text: text.replace("level: Level = 1", "level: list = 1"),
            "level is annotated <class 'list'>, expected bool, int, ",
        ),
    ],
)
def test_a_file_that_is_no_algorithm(tmp_path: Path, spoil: Spoil, expected: str) -> None:
    """One line names the file and what is wrong with it."""
    text = ALGORITHM.whole_file()
    assert spoil(text) != text
    path = tmp_path / f"{tmp_path.name}.py"
    path.write_text(spoil(text).replace('"my-search"', f'"{tmp_path.name.replace("_", "-")}"'))
    with pytest.raises(InputError) as raised:
        algorithm_named(str(path))
    message = str(raised.value)
    assert message.startswith(f"{path}: ")
    assert expected in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "def advance(",
            "def advances(",
            "new_run returns a NestedRun, which lacks 'advance'",
        ),
        (
            "return 4096**self.level",
            "return 0",
            "playouts_per_run is 0, expected a whole number, 1 or more",
        ),
        (
            "if records.score[LAST] >= course.target:",
            "if True:",
            "advance returns REACHED at score ",
        ),
    ],
)
def test_a_run_that_is_wrong(tmp_path: Path, old: str, new: str, expected: str) -> None:
    """One line names the algorithm and what is wrong with its runs."""
    outside, text = outside_in(tmp_path), ALGORITHM.whole_file()
    assert text.count(old) == 1
    outside.write(text.replace(old, new))
    words = ("samegame", "--algorithm", FILE, "--playouts", "20", "--quiet")
    done = outside.run("solve", *words, **INTERPRETED)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"solve: my-search: {expected}")
    assert done.stderr.count("\n") == 1


def test_an_option_that_a_command_has_already(tmp_path: Path) -> None:
    """A field called as an option of all searches is refused in a line."""
    outside = outside_in(tmp_path)
    text = ALGORITHM.whole_file()
    outside.write(text.replace("level: Level = 1", "level: Level = 1\n    seed: int = 1"))
    done = outside.run("solve", "latin-square", "--algorithm", FILE)
    assert done.returncode == 2
    assert done.stderr == "solve: argument --seed: conflicting option string: --seed\n"


def test_a_file_that_is_not_there(outside: Outside) -> None:
    """Both commands say so."""
    for command in ("solve", "compare"):
        done = outside.run(command, "latin-square", "--algorithm", "nothing.py")
        expected = f"{command}: nothing.py: No such file or directory\n"
        assert (done.returncode, done.stderr) == (2, expected)


@pytest.mark.parametrize("algorithm", [Sampling(dead_ends=1), Gnrpa(2, 10), Nmcs(1), Nmcs(2)])
def test_algorithms_that_ship_pass_the_check(algorithm: Any) -> None:
    """The check accepts shipped algorithms, on a problem with forced moves and dead ends."""
    domain = SequenceDomain()
    check_algorithm(algorithm, domain, domain.parse("..3.0", "toy"))


def _without_a_score(run: Any, advance: Any) -> Any:
    status = advance()
    run.records.score[-1] += 1.0
    return status


def _with_a_playout_more(run: Any, advance: Any) -> Any:
    status = advance()
    run.monitor.counters[0] += 1
    return status


def spoilt(spoil: Callable[[Any, Any], Any]) -> Sampling:
    """Sampling whose runs do in place of `advance` what `spoil` makes of it."""

    class Spoilt(Sampling):
        def new_run(self, domain: Any, instance: Any, prior: Any) -> Any:
            run: Any = super().new_run(domain, instance, prior)
            advance = run.advance
            run.advance = lambda *limits: spoil(run, lambda: advance(*limits))
            return run

    return Spoilt()


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        # Which of the runs that are held against each other differ first the threads decide.
        (_without_a_score, "another result|its moves score|two threads find something else"),
        (_with_a_playout_more, "another result"),
        (lambda run, advance: 0, "advance to 1 playouts returns at 0"),
    ],
)
def test_the_check_finds(spoil: Any, expected: str) -> None:
    """A broken promise of a run is reported in a line."""
    domain = SequenceDomain()
    with pytest.raises(ContractError, match=expected):
        check_algorithm(spoilt(spoil), domain, domain.parse("..3.0", "toy"))


def test_a_wrong_trace_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last score of a trace is that of the best playout in the end."""

    def searched(*arguments: Any, **options: Any) -> Any:
        found = search(*arguments, **options)
        return replace(found, trace=replace(found.trace, score=found.trace.score + 1.0))

    monkeypatch.setattr("solver.testing.algorithms.search", searched)
    with pytest.raises(ContractError, match="its trace ends with"):
        check_algorithm(Sampling(), SequenceDomain(), SequenceDomain().parse("..3.0", "toy"))


def test_more_playouts_than_there_are() -> None:
    """A search whose run goes beyond its budget would not end: it is said."""

    def one_too_many(run: Any, advance: Any) -> Any:
        status = advance()
        run.monitor.counters[PLAYOUTS] += run.monitor.counters[PLAYOUTS] == 50
        return status

    instance = toy("..3.0")
    with pytest.raises(InputError, match=r"^a run made 51 playouts, 50 at most were left$"):
        search(SequenceDomain(), instance, spoilt(one_too_many), Budget(playouts=50))
