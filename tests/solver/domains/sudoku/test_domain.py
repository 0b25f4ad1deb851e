"""Sudokus against plain Python: all completions, and what the reader takes and refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.sudoku import SudokuGenerator
from solver.algorithms import Sampling
from solver.compiling.random import new_stream
from solver.contract import rules
from solver.contract.domain import Problem, UnreadableProblem
from solver.domains.sudoku.board import Sudoku
from solver.domains.sudoku.domain import SudokuDomain
from solver.domains.sudoku.text import parse_sudokus
from solver.errors import InputError, VerificationError
from solver.searching.driver import Budget
from solver.searching.solution import solve
from tests.instances import problems

DOMAIN = SudokuDomain()
LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
ANSWER = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def format_line(grid: Any) -> str:
    """Write a grid in one line of characters, `.` in holes; orders up to 35."""
    symbols = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ."
    return "".join(symbols[value] for value in grid.ravel().tolist())


def conflicts(board: Sudoku, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """True if two cells must differ, by the rules as people say them."""
    diagonals = []
    if board.diagonals:
        last = len(board.grid) - 1
        diagonals = [
            {r - c for r, c in (one, other)} == {0},
            {r + c for r, c in (one, other)} == {last},
        ]
    return (
        one[0] == other[0]
        or one[1] == other[1]
        or board.regions[one] == board.regions[other]
        or any(diagonals)
    )


def completions(board: Sudoku) -> Iterator[Any]:
    """All completions, cell by cell from the first, without any propagation."""
    order = len(board.grid)
    cells = [(r, c) for r in range(order) for c in range(order)]
    rivals = {
        cell: [other for other in cells if other != cell and conflicts(board, cell, other)]
        for cell in cells
    }
    grid = board.grid.copy()

    def fill(number: int) -> Iterator[Any]:
        if number == len(cells):
            yield grid.copy()
            return
        cell = cells[number]
        for value in range(order) if board.grid[cell] < 0 else [int(board.grid[cell])]:
            grid[cell] = -1
            if all(grid[other] != value for other in rivals[cell]):
                grid[cell] = value
                yield from fill(number + 1)
        grid[cell] = board.grid[cell]

    return fill(0)


def enumerated(board: Sudoku) -> list[str]:
    """All completions by the rules of the domain, with `undo`."""
    instance = DOMAIN.instance(Problem("board", board), DOMAIN.options())
    state = DOMAIN.new_state(instance)
    buffer = np.zeros(DOMAIN.limits(instance).moves, np.int64)
    stream = new_stream(3)
    found: list[str] = []

    def search() -> None:
        n = rules.legal_moves(instance, state, stream, buffer)
        if n == 0:
            if rules.score(instance, state) == 0:
                found.append(format_line(DOMAIN.answer(instance, state)))
            return
        mark = rules.mark(instance, state)
        for move in buffer[:n].tolist():
            rules.play(instance, state, move)
            search()
            rules.undo(instance, state, mark)

    with np.errstate(over="ignore"):
        rules.reset(instance, state)
        search()
    return found


@pytest.mark.parametrize(
    ("settings", "holes"),
    [
        ({"order": 4}, 0.9),
        ({"order": 4, "diagonals": True}, 1.0),
        ({"order": 6}, 0.7),
        ({"order": 6, "diagonals": True}, 0.75),
        ({"order": 5, "shape": "jigsaw"}, 0.8),
        ({"order": 6, "shape": "jigsaw"}, 0.7),
    ],
)
def test_all_completions_are_those_of_brute_force(settings: dict[str, Any], holes: float) -> None:
    """Every completion is found once, none besides."""
    for number in range(4):
        problem, answer = SudokuGenerator(**settings, holes=holes).generate(7, number)
        DOMAIN.verify(problem, answer)
        found = enumerated(problem.data)
        expected = [format_line(grid) for grid in completions(problem.data)]
        assert sorted(found) == sorted(expected)
        assert format_line(answer) in found


def test_impossible_boards_are_proved() -> None:
    """Two cells of a box that need the same value: no playout, whatever the budget."""
    problem = problems("sudoku")["order-04-contradiction"]
    assert not list(completions(problem.data))
    solution = solve(DOMAIN, problem, DOMAIN.options(), Sampling(), Budget(10))
    assert solution.status == "infeasible"


HOLES = ". . . .\n" * 4


def read(text: str) -> Sudoku:
    ((_, board),) = parse_sudokus(text, "test")
    return board


def grid_text(separator: str, hole: str) -> str:
    rows = [LINE[row * 9 : row * 9 + 9] for row in range(9)]
    return "\n".join(separator.join(row).replace(".", hole) for row in rows) + "\n"


RULED = "\n".join(
    ("------+-------+------\n" if row in (3, 6) else "")
    + " | ".join(" ".join(LINE[row * 9 + box : row * 9 + box + 3]) for box in (0, 3, 6))
    for row in range(9)
)


@pytest.mark.parametrize(
    "text",
    [
        LINE, LINE.replace(".", "0"), f"# name\n{LINE}\n", grid_text(" ", "."), grid_text("", "0"),
        grid_text(",", ""), grid_text(", ", "0"), grid_text(",", "").replace("\n", ",\n"), RULED,
        RULED.replace(" ", ""), f"boxes 3x3\n{LINE}", grid_text(" ", "_").replace(" ", "\t"),
    ],
)  # fmt: skip
def test_usual_formats_are_read(text: str) -> None:
    """Lines of 81 cells and grids, with blanks, commas or rules, and any usual sign of a hole."""
    board = read(text)
    assert format_line(board.grid) == LINE
    assert board.regions[4, 4] == 4
    assert not board.diagonals


def ruled(holes: str, rule: str) -> str:
    """Text of a grid whose last row is `holes`, with `rule` between its boxes."""
    rows = RULED.replace("------+-------+------", rule).replace(".", "-").split("\n")
    return "\n".join([*rows[:-1], holes]) + "\n"


ROW = "- - - | - - - | - - -"


@pytest.mark.parametrize("holes", [ROW, ROW.replace(" |", ""), "---|---|---", "---------"])
@pytest.mark.parametrize(
    "rule", ["------+-------+------", "------|-------|------", "=" * 21, "-" * 21, "- " * 11]
)
def test_a_row_of_holes_is_no_rule(holes: str, rule: str) -> None:
    """Rows of dashes, with `|` between boxes or not, make the grid square; rules do not."""
    assert format_line(read(ruled(holes, rule)).grid) == LINE[:72] + "." * 9


def test_empty_grids_and_rules_as_wide_as_rows() -> None:
    """A grid may be of dashes only; nine dashes are a rule where there are nine rows without."""
    empty = "\n-----+-----\n".join(["- - | - -\n- - | - -"] * 2)
    assert format_line(read(empty).grid) == "." * 16
    compact = RULED.replace("------+-------+------", "---|---|---").replace(" ", "")
    assert format_line(read(compact).grid) == LINE


def test_several_puzzles_have_names() -> None:
    """Lines are puzzles of their own; unnamed ones are called after the file."""
    text = f"{LINE}\n{ANSWER}\n\n# third\n{grid_text(' ', '.')}\n{LINE}\n"
    names = [problem.name for problem in DOMAIN.parse(text, "file")]
    assert names == ["file", "file#2", "third", "file#3"]


@pytest.mark.parametrize(
    ("order", "puzzles"), [(4, 1), (6, 1), (8, 64), (9, 81), (10, 100), (16, 256)]
)
def test_as_many_lines_as_cells(order: int, puzzles: int) -> None:
    """They are one compact grid as long as there are grids so large, then a puzzle each."""
    found = DOMAIN.parse(("." * order**2 + "\n") * order**2, "test")
    assert len(found) == puzzles
    assert {len(one.data.grid) for one in found} == {order**2 if puzzles == 1 else order}


@pytest.mark.slow
def test_large_boards_are_written_and_read() -> None:
    """Orders up to 36, in numbers; compact up to 35 with letters."""
    for order in (16, 25, 36):
        problem, answer = SudokuGenerator(order=order, holes=0.4).generate(1, 0)
        (again,) = DOMAIN.parse(DOMAIN.format_problem(problem), "test")
        assert (again.data.grid == problem.data.grid).all()
        assert (
            DOMAIN.parse_answer(problem, DOMAIN.format(problem, answer), "test") == answer
        ).all()
        if order < 36:
            assert (read(format_line(problem.data.grid)).grid == problem.data.grid).all()


SIDES = "expected ROWSxCOLUMNS with"
NO_BOXES = "order 5 has no boxes of equal sides, expected `regions` and 5 lines that name the box"
ERRORS = [
    ("", ": no Sudoku found, expected lines of values and holes"),
    (LINE[:-1], ": line 1: a grid of 1 line, expected 4 ... 36, or a line of 81 cells"),
    (f"{LINE}\n{LINE}5\n", ": line 2: 82 characters, expected 81 or those of another square"),
    (
        LINE.replace("7", "x", 1),
        ": line 1, entry 5: 'x', expected 1 ... 9, or . 0 _ - * for a hole",
    ),
    (f"55{LINE[2:]}", ": line 1: the same given stands in row 1, column 1 and in row 1, column 2"),
    (grid_text(" ", ".").replace("8 . . . 6", "8 . . 9 6 ."), ": line 4: 10 entries, expected 9"),
    (f"boxes 2x3\n{LINE}", ": line 1: boxes '2x3', expected ROWSxCOLUMNS with 9 cells, as 3x3"),
    *(
        (
            "boxes 3x3\n" + ("." * n + "\n") * n,
            f": line 1: boxes '3x3', {SIDES} {n} cells, as {fit}",
        )
        for n, fit in ((4, "2x2"), (5, "1x5"), (6, "2x3"))
    ),
    ("1 . . . .\n" + ". . . . .\n" * 4, f": line 1: {NO_BOXES}"),
    (HOLES + "regions\nAABB\nAABB\nCCDD\n", ": line 5: 3 lines of regions, expected 4"),
    (HOLES + "regions\nAABB\nAABB\nCCDD\nCCCD\n", ": line 5: region 'C' has 5 cells, expected 4"),
    ("diagonals\n1 . . .\n. . . .\n. . . .\n. . . 1\n", ": line 5: the same given stands in row 1"),
    (HOLES + "diagonals\n", ": line 5: 'diagonals', expected `regions` alone behind the cells"),
    *(
        (
            RULED.replace(RULED.split("\n")[row], "- - - | - - - | - -"),
            f": line {row + 1}: 8 entries, expected 9 as the grid has 9 lines",
        )
        for row in (0, 10)
    ),
    ("x y\n" + HOLES, ": line 1: 'x y', expected `diagonals` or `boxes 2x2`"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors_name_the_line(text: str, message: str) -> None:
    """One line: file, line, entry, and what was expected."""
    with pytest.raises(InputError, match=f"^test{re.escape(message)}"):
        parse_sudokus(text, "test")


def test_a_damaged_puzzle_costs_only_itself() -> None:
    """Others of the file are read."""
    one, two, three = DOMAIN.parse(f"{LINE}\n{LINE[:-1]}?\n{LINE}\n", "test")
    assert isinstance(two, UnreadableProblem)
    assert two.message.startswith("test: line 2, entry 81: '?'")
    assert one.data.grid.tolist() == three.data.grid.tolist()


def test_verify_knows_boxes_and_diagonals() -> None:
    """A Latin square is no Sudoku, a Sudoku none with diagonals."""
    answer = read(ANSWER).grid
    empty = Sudoku(np.full((9, 9), -1, np.int16), read(ANSWER).regions)
    DOMAIN.verify(Problem("empty", empty), answer)
    with pytest.raises(VerificationError, match=r"^a diagonal does not hold every value once$"):
        DOMAIN.verify(Problem("x", empty._replace(diagonals=1)), answer)
    latin = (np.add.outer(np.arange(9), np.arange(9)) % 9).astype(np.int16)
    with pytest.raises(VerificationError, match=r"^box 1 does not hold every value once$"):
        DOMAIN.verify(Problem("latin", empty), latin)


@pytest.mark.parametrize("order", [12, 20, 30])
def test_a_framed_row_is_no_puzzle_of_a_line(order: int) -> None:
    """Cells and bars together are a square number here; without bars the grid is the same."""
    width = {12: 4, 20: 5, 30: 6}[order]
    symbols = "123456789ABCDEFGHIJKLMNOPQRSTU"
    height = order // width
    shifts = [(row % height) * width + row // height for row in range(order)]
    rows = [symbols[k:order] + symbols[:k] for k in shifts]
    framed = ["|" + "|".join(re.findall("." * width, row)) + "|" for row in rows]
    assert len(framed[0]) in (16, 25, 36)
    boxes = f"boxes {height}x{width}\n"
    grids = [read(boxes + "\n".join(lines) + "\n").grid for lines in (framed, rows)]
    assert grids[0].tolist() == grids[1].tolist()


def test_the_example_of_the_formats_has_one_solution() -> None:
    """Diagonals and boxes of any shape, as the page shows them."""
    page = (Path(__file__).parents[4] / "docs" / "formats.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```\n(diagonals\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    board = read(text)
    assert board.diagonals
    (found,) = enumerated(board)
    assert [found] == [format_line(grid) for grid in completions(board)]
