from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.contract.domain import Problem
from solver.domains.kakuro.board import BLACK, Board, framed
from solver.domains.kakuro.domain import KakuroDomain
from solver.domains.kakuro.pzpr import pzpr_rows
from solver.domains.kakuro.text import format_board, parse_boards
from solver.errors import InputError, VerificationError
from tests.solver.domains.kakuro.plain_kakuro import fillable, fillings

SMALL = "   X 16\\ 11\\\n\\17  .   .\n\\10  .   .\n"


def one(text: str, source: str = "file") -> Board:
    ((name, board),) = parse_boards(text, source)
    assert name == source
    assert board.cells.dtype == np.int16
    assert board.clues.dtype == np.int32
    return board


def same(one: Board, two: Board) -> bool:
    return (
        np.array_equal(one.cells, two.cells)
        and np.array_equal(one.clues, two.clues)
        and one[2:] == two[2:]
    )


@pytest.mark.parametrize(
    "text",
    [
        SMALL,
        SMALL.rstrip("\n"),
        "\n\n" + SMALL.replace(" ", "\t") + "\n",
        SMALL.replace(".", "_"),
        SMALL.replace("X", "\\"),
        SMALL.replace("X", "x"),
        SMALL.replace("X", "0\\0"),
        SMALL.replace("\\17", "0\\17"),
        SMALL.replace("\n", "\r\n"),
        "values 1-9\n" + SMALL,
        "columns 16 11\nrows 17 10\n",
        "rows 17 10\ncolumns 16   11",
    ],
)
def test_formats(text: str) -> None:
    """Every sign for a cell, and the sums of a rectangle, read as the same board."""
    board = one(text)
    assert board.cells.tolist() == [[BLACK] * 3, [BLACK, 0, 0], [BLACK, 0, 0]]
    assert board.clues[:, :, 0].tolist() == [[0, 0, 0], [17, 0, 0], [10, 0, 0]]
    assert board.clues[:, :, 1].tolist() == [[0, 16, 11], [0, 0, 0], [0, 0, 0]]
    assert (board.least, board.most) == (1, 9)


def test_values_and_givens() -> None:
    """The header gives the range of values, an entry that is one of them is a given."""
    board = one("values 3-12\nX 8\\ 12\\\n\\20 8 .\n")
    assert (board.least, board.most) == (3, 12)
    assert board.cells.tolist() == [[BLACK] * 3, [BLACK, 8, 0]]


def test_several_boards() -> None:
    """Blank lines separate boards; `#` names the next; others are numbered by the file."""
    text = f"{SMALL}\n# the second\nvalues 1-4\nX 3\\\n\\3 .\n\n# a\n# b\n\n{SMALL}\n#\n{SMALL}"
    boards = parse_boards(text, "set.txt")
    assert [name for name, _ in boards] == ["set.txt", "the second", "b", "set.txt#4"]
    assert [board.most for _, board in boards] == [9, 4, 9, 9]


def test_comments_within_a_board() -> None:
    """Comments may stand between the rows, indented too; before a board the last one names it."""
    assert same(one(SMALL.replace("\n", "\n  # a remark\n")), one(SMALL))
    assert parse_boards(f"# a set\n\n  # first\n{SMALL}", "f")[0][0] == "first"


def test_format_aligns_columns() -> None:
    """Written boards are aligned as a person would; the header only if it is needed."""
    assert format_board(one("X 16\\ 11\\\n\\17 . .\n\\10 . .")) == (
        "  X 16\\ 11\\\n\\17   .   .\n\\10   .   .\n"
    )
    assert format_board(one("values 1-2\n0\\0 2\\\n0\\2 2")) == "values 1-2\n X 2\\\n\\2  2\n"


@given(board=fillable())
def test_format_is_parsed_back(board: Board) -> None:
    """Written boards are read back equal, and so are their answers."""
    assert same(one(format_board(board)), board)
    domain = KakuroDomain()
    problem = Problem("p", board)
    answer = next(fillings(board))
    for partly in (answer, np.where(np.arange(answer.shape[1]) % 2, answer, 0)):
        expected = np.where(board.cells > 0, board.cells, partly)
        text = domain.format(problem, partly)
        assert np.array_equal(domain.parse_answer(problem, text, "a"), expected)


CELL = ". or _ for a white cell, X for a black one or its clues"
BEGINS = "that begins here"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: no board found, expected rows of cells"),
        ("# only a name\n\n", "f: no board found, expected rows of cells"),
        ("values 1-9\n\nX\n", "f: line 1: no board follows"),
        ("values 9\nX\n", "f: line 1: expected `values 1-9` or the like, found 'values 9'"),
        ("values 0-9\nX\n", "f: values 0-9, expected 1 or more, and at most 62 of them"),
        ("values 9-1\nX\n", "f: values 9-1, expected 1 or more, and at most 62 of them"),
        ("values 1-63\nX\n", "f: values 1-63, expected 1 or more, and at most 62 of them"),
        ("X X\n\\ X\n", "f: the board has no white cell"),
        ("# 3\\\n\\3 .\n", "f: line 1: `#` begins a comment, expected X for a black cell"),
        ("X 3\\\n# \\\n", "f: line 2: `#` begins a comment, expected X for a black cell"),
        (
            "X 3\\\n\\3 .\n # X #\n",
            "f: line 3: `#` begins a comment, expected X for a black cell",
        ),
        ("# # #\nX 3\\\n", "f: line 1: `#` begins a comment, expected X for a black cell"),
        (
            f"X {'3' * 5000}\\\n",
            f"f: line 1, entry 2: '{'3' * 80}..., expected a value 1 ... 9, {CELL}",
        ),
        ("X 3\\\n\\3 . .\n", "f: line 2: 3 entries, expected 2 as in line 1"),
        ("\nX 3\\\n\\3\n", "f: line 3: 1 entries, expected 2 as in line 2"),
        ("X 3\\\n\\3 #\n", f"f: line 2, entry 2: '#', expected a value 1 ... 9, {CELL}"),
        ("X 3\\\n\\3 0\n", f"f: line 2, entry 2: '0', expected a value 1 ... 9, {CELL}"),
        ("X 3\\\n\\3 10\n", f"f: line 2, entry 2: '10', expected a value 1 ... 9, {CELL}"),
        ("X 3/\n\\3 .\n", f"f: line 1, entry 2: '3/', expected a value 1 ... 9, {CELL}"),
        (
            "X 3\\3\\\n\\3 .\n",
            f"f: line 1, entry 2: '3\\3\\', expected a value 1 ... 9, {CELL}",
        ),
        (
            "values 2-4\nX 3\\\n\\3 1\n",
            f"f: line 3, entry 2: '1', expected a value 2 ... 4, {CELL}",
        ),
        ("X 3\\\n. .\n", f"f: line 2, entry 1: the run across {BEGINS} has no clue"),
        ("X X\n\\3 .\n", f"f: line 2, entry 2: the run down {BEGINS} has no clue"),
        (". X\nX X\n", f"f: line 1, entry 1: the run across {BEGINS} has no clue"),
        ("X 3\\4\n\\3 .\n", "f: line 1, entry 2: no run across begins at the clue"),
        ("X 3\\\n5\\3 .\n", "f: line 2, entry 1: no run down begins at the clue"),
        (
            "X 3\\ 15\\\n\\18 . .\n",
            f"f: line 2, entry 2: the run across {BEGINS} has the sum 18, expected 3 ... 17 "
            "from 2 different values 1-9",
        ),
        (
            "# n\n\nX 1\\\n\\1 .\n\n# m\n\nvalues 3-5\nX 6\\\n\\6 .\n",
            f"f: line 10, entry 2: the run across {BEGINS} has the sum 6, expected 3 ... 5 "
            "from 1 different values 3-5",
        ),
        (
            "values 1-2\nX 1\\ 2\\ 1\\\n\\4 . . .\n",
            f"f: line 3, entry 2: the run across {BEGINS} has 3 cells, but there are 2 values",
        ),
        (
            "X 3\\ 3\\\n\\6 3 3\n",
            f"f: line 2, entry 2: the run across {BEGINS} holds a value twice",
        ),
        (
            "X 3\\ 4\\\n\\8 . .\n",
            "f: the sums across add up to 8, those down to 7: expected the same, as each cell "
            "is in one of both",
        ),
        ("columns 1 2\n", "f: line 1: sums of the rows or columns are missing"),
        ("rows 1\nrows 1\n", "f: line 2: expected one line `columns ...` and one line `rows ...`"),
        ("rows 1\nX 1\\\n", "f: line 2: expected one line `columns ...` and one line `rows ...`"),
        ("rows\ncolumns 1\n", "f: line 1: 0 sums, expected 1 ... 128"),
        ("columns 1 x\nrows 1\n", "f: line 1, entry 3: 'x', expected a sum"),
        ("columns 1 \\2\nrows 1\n", "f: line 1, entry 3: '\\2', expected a sum"),
        (
            "columns 1 2\nrows 18\n",
            f"f: line 2, entry 2: the run across {BEGINS} has the sum 18, expected 3 ... 17 "
            "from 2 different values 1-9",
        ),
    ],
)
def test_malformed_input(text: str, message: str) -> None:
    """The error is one line with the file, the place and what was expected."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        parse_boards(text, "f")


def test_too_large() -> None:
    """Boards beyond the largest are refused before they are read."""
    with pytest.raises(InputError, match=r"^f: line 1: 1 rows and 130 columns, .* at most 129"):
        parse_boards("X " * 130, "f")


@given(st.text(alphabet="X.\\123 9\n\n#_values-rowcm", max_size=60))
def test_any_text_is_read_or_refused_with_its_source(text: str) -> None:
    """Nothing but an `InputError` that begins with the source comes out of the parser."""
    try:
        boards = parse_boards(text, "any.txt")
    except InputError as raised:
        message, boards = str(raised), []
    else:
        message = "any.txt: "
    assert message.startswith("any.txt: ")
    assert "\n" not in message
    for _, board in boards:
        assert board.cells.shape == board.clues.shape[:2]
        assert board.cells.max() <= board.most


def test_an_answer_is_one_board() -> None:
    """An answer of two boards or none is refused by name, like any malformed file."""
    domain = KakuroDomain()
    problem = Problem("p", one(SMALL))
    for text in ("", f"{SMALL}\n{SMALL}"):
        with pytest.raises(InputError, match=r"^a: "):
            domain.parse_answer(problem, text, "a")


@pytest.mark.parametrize(
    ("board", "text"),
    [
        (SMALL, "X X X\nX 9 8\nX 7 3\n"),
        (SMALL, "9 8\n7 3\n"),
        ("columns 16 11\nrows 17 10\n", "# p\n9, 8\n7, 3\n"),
        ("values 3-9\ncolumns 16 11\nrows 17 10\n", "9 8\n7 3\n"),
        (SMALL, "X 16\\ 11\\\n\\17 9 8\n\\10 7 3\n"),
    ],
)
def test_answers_without_clues(board: str, text: str) -> None:
    """The black cells of an answer may lack their clues, and the first row and column may lack."""
    answer = KakuroDomain().parse_answer(Problem("p", one(board)), text, "a")
    assert answer.tolist() == [[0, 0, 0], [0, 9, 8], [0, 7, 3]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X 8\n7 3\n", "row 2, column 2: no value 1 ... 9"),
        ("8 9\n7 3\n", "the run down after place 1 of line 2 has the sum 15, expected 16"),
        (
            "X X X\nX 9 8\nX 8 3\n",
            "the run across after place 1 of line 3 has the sum 11, expected 10",
        ),
        ("X 9 8\nX 7 3\nX X X\n", "row 1, column 2: a value in a black cell"),
    ],
)
def test_wrong_answers_without_clues(text: str, message: str) -> None:
    """The rules of the problem's own board tell what is wrong."""
    domain = KakuroDomain()
    problem = Problem("p", one(SMALL))
    answer = domain.parse_answer(problem, text, "a")
    with pytest.raises(VerificationError, match=f"^{re.escape(message)}$"):
        domain.verify(problem, answer)


def test_answers_of_another_layout() -> None:
    """The error says which layouts are read."""
    found = "2 rows and 3 columns, expected 3 and 3, those of the board"
    expected = f"{found}, or 2 and 2 without the first ones, which are black"
    with pytest.raises(InputError, match=f"^a: line 2: {expected}$"):
        KakuroDomain().parse_answer(Problem("p", one(SMALL)), "# p\n9 8 1\n7 3 2\n", "a")


PZPR = """pzprv3
kakuro
2
3
0 0 16 11 /
0 0,3 . . /
4 . . . /
. . . /
. 9 . /
"""
SAME = """
X X   16\\  11\\
X 3\\  .     .
\\4 .   .     .
"""


@pytest.mark.parametrize("text", [PZPR, PZPR.replace("\n", "/"), PZPR.replace(" /\n", "\n")])
def test_boards_of_puzz_link(text: str) -> None:
    """Clues above and left of the board, pairs inside; values filled in are no givens."""
    rows = [line for _, line in pzpr_rows(text, "f")]
    assert "\n".join(rows).split() == SAME.split()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pzprv3\nsudoku\n9\n", "f: line 2: found 'sudoku', expected kakuro"),
        ("pzprv3\n", "f: line 1: found 'nothing', expected kakuro"),
        ("pzprv3\nkakuro\n2\nx\n", "f: line 4: 'x', expected the number of columns"),
        ("pzprv3\nkakuro\n2\n3\n0 0 16 11\n", "f: 1 rows, expected 3 with that of the clues"),
        (PZPR.replace("0,3", "0"), "f: line 6, entry 2: '0', expected `.` or clues `across,down`"),
        (PZPR.replace("16", "1\\"), "f: line 5, entry 3: '1\\', expected a clue"),
        (PZPR.replace("16", "."), "f: line 5, entry 3: '.', expected a clue"),
        (PZPR.replace("4 .", ". ."), "f: line 7, entry 1: '.', expected a clue"),
        (PZPR.replace("0 0 16 11", "0 16 11"), "f: line 5: 3 entries, expected 4"),
    ],
)
def test_malformed_boards_of_puzz_link(text: str, message: str) -> None:
    """The error is one line with the file, the place and what was expected."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        parse_boards(text, "f")


def test_commas_and_bars() -> None:
    """Cells may be separated by commas, white ones written as several bars."""
    expected = parse_boards("X 3\\ 4\\\n\\3 . .\n\\4 . .\n", "f")[0][1]
    board = parse_boards("X, 3\\, 4\\\n\\3, ____, ____\n\\4,__,_\n", "f")[0][1]
    assert (board.cells == expected.cells).all()
    assert (board.clues == expected.clues).all()


def test_boards_of_128_cells_are_read() -> None:
    """With the frame for their clues; their sums have six digits at most."""
    white = np.zeros((128, 128), bool)
    white[0] = True
    answer = np.where(white, np.arange(1, 129) % 9 + 1, 0).astype(np.int16)
    white[0, ::9] = False
    answer[0, ::9] = 0
    text = format_board(framed(white, answer, 1, 9))
    assert parse_boards(text, "f")[0][1].cells.shape == (129, 129)
