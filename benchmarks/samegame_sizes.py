"""Scores of SameGame by size of the board and processor seconds, paired by board: kept rows.

    python -m benchmarks.samegame_sizes FILE --boards 20
    python -m benchmarks.samegame_sizes FILE --show

Random boards of three sizes, each searched once by each method for 60 s of a processor: the search
that `solve` takes, with the prior that ships; tempering; GNRPA with that prior and without. The
seconds count neither compilation nor the list of the groups of the start. Board by board, all sizes
and methods take their turn, so that a file that ends anywhere is a fair comparison. FILE is CSV
with the best score after so many seconds, `nan` before any; the last one is verified. Rows that it
has are not made again. With `--show` nothing is run.

Scores are means over the boards that all methods have been on, with 95 % BCa bootstrap intervals
over the boards; differences are paired by board.
"""

from __future__ import annotations

import csv
import math
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import write_markdown
from generators.samegame import SameGameGenerator
from pipeline.reports.result_tables import DASH, with_interval
from pipeline.results.statistics import Floats, best_so_far, mean_interval
from solver.algorithms import Algorithm, algorithm_named
from solver.commands.options import new_parser, run_command
from solver.contract.domain import Problem
from solver.domains.samegame.domain import SameGameDomain
from solver.errors import VerificationError
from solver.priors.priors import NO_PRIOR, Prior, default_prior
from solver.searching.driver import Budget
from solver.searching.solution import Solution, solve

SIZES = (
    SameGameGenerator(width=5, height=5, colours=3),
    SameGameGenerator(width=15, height=15, colours=5),
    SameGameGenerator(width=25, height=25, colours=5),
)
SEED, BOARDS = 47_300, 20
AT = (1, 3, 10, 60)
SCORES = tuple(f"score_{at}" for at in AT)
COLUMNS = ("size", "board", "method", "playouts", *SCORES)
DEFAULT, TEMPERING, GUIDED, PLAIN = "solve", "tempering", "GNRPA + samegame", "GNRPA"
METHODS = (DEFAULT, TEMPERING, GUIDED, PLAIN)
#: Which are subtracted.
PAIRS = ((DEFAULT, TEMPERING), (DEFAULT, GUIDED), (TEMPERING, GUIDED), (GUIDED, PLAIN))
DOMAIN = SameGameDomain()
OPTIONS = DOMAIN.options()
HEADER = ("size", "score, or difference", "boards", *(f"{at} s" for at in AT))
#: Columns of words.
TEXTS = 2
Row = dict[str, str]


class Course(threading.Event):
    """Event that is set after so many seconds of a processor, and best scores until then."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.limit, self.begin = seconds, math.nan
        self.seconds: list[float] = []
        self.score: list[float] = []

    def is_set(self) -> bool:
        """Return whether the time is over; it begins when this is asked first."""
        if math.isnan(self.begin):
            self.begin = time.process_time()
        return time.process_time() - self.begin >= self.limit

    def note(self, playouts: int, score: float) -> None:
        """Keep the best score, if it is better than before."""
        if math.isfinite(score) and (not self.score or score > self.score[-1]):
            self.seconds.append(time.process_time() - self.begin)
            self.score.append(score)


def method_named(name: str) -> tuple[Algorithm, Prior]:
    """Return the algorithm and the prior of a method."""
    best = DOMAIN.best_algorithm(OPTIONS)
    algorithm = algorithm_named({DEFAULT: best, TEMPERING: TEMPERING}.get(name, "gnrpa"))()
    return algorithm, default_prior(DOMAIN) if name in (DEFAULT, GUIDED) else NO_PRIOR


def searched(problem: Problem, method: str, number: int, seconds: float) -> tuple[Solution, Course]:
    """Search a board with this seed; returns what was found and the scores by seconds.

    Raises
    ------
    KeyboardInterrupt
        If the search was interrupted before its time was over.
    VerificationError
        If the game is not worth its score, or no game at all.
    """
    algorithm, prior = method_named(method)
    course = Course(seconds)
    found = solve(
        DOMAIN, problem, OPTIONS, algorithm, Budget(seconds=math.inf),
        prior=prior.table, seed=number, stop=course, progress=course.note,
    )  # fmt: skip
    if not course.is_set():  # Ctrl-C ends a search in order
        raise KeyboardInterrupt
    score = DOMAIN.objective(problem, found.answer)
    if not found.verified or score != course.score[-1]:
        raise VerificationError(f"{problem.name}: {score} points, not {course.score[-1]}")
    return found, course


def read_rows(path: Path) -> list[Row]:
    """Rows that are kept."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def searches(boards: int) -> Iterator[tuple[SameGameGenerator, int, str]]:
    """Size, board and method of each search, in their order."""
    for number in range(boards):
        for size in SIZES:
            for method in METHODS:
                yield size, number, method


def make_rows(path: Path, boards: int, seconds: float = AT[-1]) -> None:
    """Make the rows that are missing, each written when it is made."""
    if path.exists():  # a row that was cut off is made again
        path.write_text(_whole_lines(path.read_text(encoding="utf-8")), encoding="utf-8")
    made = {(row["size"], row["board"], row["method"]) for row in read_rows(path)}
    is_new = not path.exists() or path.stat().st_size == 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
            file.flush()
        for size, number, method in searches(boards):
            if (size.family, str(number), method) in made:
                continue
            found, course = searched(size.problem(SEED, number), method, number, seconds)
            at = np.array(AT) * (seconds / AT[-1])
            scores = best_so_far(np.array(course.seconds), np.array(course.score), at)
            scores[-1] = course.score[-1]  # the last slice ends a little late
            row = (
                size.family,
                number,
                method,
                found.search.playouts,
                *(f"{score:.0f}" for score in scores),
            )
            writer.writerow(row)
            file.flush()


def _whole_lines(text: str) -> str:
    return text[: text.rfind("\n") + 1]


def scores_of(rows: Sequence[Row], size: str) -> dict[str, Floats]:
    """Scores of each method, float64[boards, seconds], on the boards that all have been on."""
    found = {
        method: {
            int(row["board"]): [float(row[name]) for name in SCORES]
            for row in rows
            if (row["size"], row["method"]) == (size, method)
        }
        for method in METHODS
    }
    common = sorted(set.intersection(*(set(boards) for boards in found.values())))
    return {
        method: np.array([boards[number] for number in common]).reshape(-1, len(AT))
        for method, boards in found.items()
    }


def table(rows: Sequence[Row]) -> list[list[str]]:
    """Cells: for each size a row for each method, and for each difference of two."""
    cells = []
    for size in SIZES:
        scores = scores_of(rows, size.family)
        boards = len(scores[DEFAULT])
        if boards == 0:
            continue
        for method in METHODS:
            columns = scores[method].T
            shown = [with_interval(mean_interval(column), _mean_cell) for column in columns]
            cells.append([size.family, method, f"{boards}", *shown])
        for first, second in PAIRS:
            columns = (scores[first] - scores[second]).T
            shown = [with_interval(mean_interval(column), _difference_cell) for column in columns]
            cells.append([size.family, f"{first} less {second}", f"{boards}", *shown])
    return cells


def _mean_cell(value: float) -> str:
    return DASH if np.isnan(value) else f"{value:,.0f}"


def _difference_cell(value: float) -> str:
    return DASH if np.isnan(value) else f"{value:+z,.0f}"


def run(argv: Sequence[str]) -> int:
    """Make rows, and print the table."""
    parser = new_parser("python -m benchmarks.samegame_sizes", __doc__ or "", "")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--boards", type=int, default=BOARDS, metavar="N", help=f"of each size (default: {BOARDS})"
    )
    parser.add_argument("--show", action="store_true", help="print the table of the rows kept")
    arguments = parser.parse_args(argv)
    if not arguments.show:
        make_rows(arguments.file, arguments.boards)
    write_markdown(HEADER, table(read_rows(arguments.file)), texts=TEXTS)
    return 0


if __name__ == "__main__":
    run_command("samegame_sizes", run)
