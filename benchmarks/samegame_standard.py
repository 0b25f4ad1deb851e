"""The twenty standard boards of SameGame, ten minutes of a processor each: kept rows.

    python -m benchmarks.samegame_standard FILE --boards 1 20
    python -m benchmarks.samegame_standard FILE --show

The search that `solve samegame` takes, with the prior that ships, one run a board; several
processes may make rows of other boards of the same FILE. The seconds count neither compilation nor
the list of the groups of the start. A line of FILE has the best score after so many seconds and the
game, which is replayed. Boards that it has are not searched again. With `--show` nothing is run.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept import KeptLines
from benchmarks.samegame_sizes import DEFAULT, DOMAIN, searched
from benchmarks.tables import write_markdown
from pipeline.results.statistics import best_so_far
from solver.commands.options import new_parser, run_command
from solver.contract.domain import Problem

BOARDS = 20
AT = (1, 10, 60, 300, 600)
HEADER = ("board", *(f"{at} s" for at in AT), "web")
#: Scores that people have sent to a web page, from the distributed-NRPA paper.
KNOWN = Path(__file__).parents[1] / "docs/results/boards/samegame20.csv"


def boards() -> list[Problem]:
    """The standard boards, in their order."""
    return list(DOMAIN.benchmark("samegame20"))


def make_rows(kept: KeptLines, first: int, last: int, seconds: float = AT[-1]) -> None:
    """Search the boards `first` ... `last`, counted from 1, that are not kept."""
    made = {row["board"] for row in kept.values}
    for number, problem in enumerate(boards(), start=1):
        if first <= number <= last and number not in made:
            found, course = searched(problem, DEFAULT, number, seconds)
            at = np.array(AT) * (seconds / AT[-1])
            scores = best_so_far(np.array(course.seconds), np.array(course.score), at)
            scores[-1] = course.score[-1]  # the last slice ends a little late
            kept.append(
                {
                    "board": number,
                    "playouts": found.search.playouts,
                    "scores": [int(score) for score in np.nan_to_num(scores)],
                    "game": DOMAIN.format(problem, found.answer),
                }
            )


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows that are kept, by board."""
    return sorted(KeptLines(path).values, key=lambda row: int(row["board"]))


def table(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Scores of each board beside the web's, and their sums."""
    with KNOWN.open(newline="", encoding="utf-8") as file:
        web = {int(row["board"]): int(row["web"]) for row in csv.DictReader(file)}
    numbers = [[*row["scores"], web[row["board"]]] for row in rows]
    cells = [
        [str(row["board"])] + [f"{n:,}" for n in line]
        for row, line in zip(rows, numbers, strict=True)
    ]
    sums = np.sum(numbers, axis=0) if numbers else []
    return [*cells, [f"all {len(rows)}", *(f"{total:,}" for total in sums)]]


def run(argv: Sequence[str]) -> int:
    """Make rows, and print the table."""
    parser = new_parser("python -m benchmarks.samegame_standard", __doc__ or "", "")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--boards", type=int, nargs=2, default=(1, BOARDS), metavar=("FIRST", "LAST")
    )
    parser.add_argument("--show", action="store_true", help="print the table of the rows kept")
    arguments = parser.parse_args(argv)
    if not arguments.show:
        make_rows(KeptLines(arguments.file), *arguments.boards)
    write_markdown(HEADER, table(read_rows(arguments.file)), texts=1)
    return 0


if __name__ == "__main__":
    run_command("samegame_standard", run)
