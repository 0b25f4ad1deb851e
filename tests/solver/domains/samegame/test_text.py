"""SameGame boards and moves as text."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contract.domain import Problem
from solver.domains.samegame.domain import SameGameDomain
from solver.domains.samegame.text import format_moves, parse_boards, parse_moves
from solver.errors import InputError

DOMAIN = SameGameDomain()


def test_all_ways_to_write_a_board() -> None:
    """Digits with blanks and without; `.` and 0 are empty cells."""
    texts = ["1..\n12.\n", "1 0 .\n 1 2 .", "100\n120\n\n\n"]
    for text in texts:
        ((name, board),) = parse_boards(text, "file")
        assert name == "file"
        assert board.dtype == np.int8
        assert board.tolist() == [[1, 0, 0], [1, 2, 0]]


@pytest.mark.parametrize(
    "text",
    [
        "201\n010\n",
        "2 0 1\n0 1 0\n",
        "# suite\n201\n # between\n010",
        "colours 0-4\n201\n010\n",
        "Colors  0-4\n\n# name\n201\n010\n",
    ],
)
def test_colours_from_0(text: str) -> None:
    """A 0 below a colour, or a line that says so, makes 0 a colour; boards count from 1."""
    ((_, board),) = parse_boards(text, "file")
    assert board.tolist() == [[3, 1, 2], [1, 2, 1]]


def test_what_a_0_is_is_the_same_in_a_whole_file() -> None:
    """One board that shows that 0 is a colour settles it for all; `.` stays empty."""
    boards = parse_boards("0..\n122\n\n1.\n0.\n", "file")
    assert [board.tolist() for _, board in boards] == [[[1, 0, 0], [2, 3, 3]], [[2, 0], [1, 0]]]
    boards = parse_boards("0..\n122\n", "file")
    assert [board.tolist() for _, board in boards] == [[[0, 0, 0], [1, 2, 2]]]
    boards = parse_boards("01\n01\n", "file")
    assert [board.tolist() for _, board in boards] == [[[1, 2], [1, 2]]]


def test_a_line_can_say_that_0_is_empty() -> None:
    """After `colours 1-5` a 0 below a colour is an error, as `.` is."""
    with pytest.raises(InputError, match=r"^f: line 3, cell 1: empty below a filled cell$"):
        parse_boards("colours 1-5\n11\n01\n", "f")


def test_boards_under_their_numbers() -> None:
    """A line `board 1` begins a board and names it, as in the standard set."""
    boards = parse_boards("# a suite\nboard 1\n10\n02\nboard  2\n11\n22\n", "file")
    assert [name for name, _ in boards] == ["board 1", "board  2"]
    assert [board.tolist() for _, board in boards] == [[[2, 1], [1, 3]], [[2, 2], [3, 3]]]


def test_several_boards() -> None:
    """Boards are separated by blank lines and named by the line before them, or numbered."""
    boards = parse_boards("# first one\n11\n\n2\n2\n\n#third\n33\n", "file")
    assert [name for name, _ in boards] == ["first one", "file#2", "third"]
    assert [board.tolist() for _, board in boards] == [[[1, 1]], [[2], [2]], [[3, 3]]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: no board found, expected lines of digits"),
        ("# name\n", "f: no board found, expected lines of digits"),
        ("12\n1x", "f: line 2, position 2: 'x', expected 1 ... 9, or . or 0 for an empty cell"),
        ("1 2\n1 -", "f: line 2, position 3: '-', expected 1 ... 9, or . or 0 for an empty cell"),
        ("\n12\n123", "f: line 3: 3 cells, expected 2 as in line 2"),
        ("12\n1.\n11", "f: line 2, cell 2: empty below a filled cell"),
        ("11\n11\n.1", "f: line 3, cell 1: empty below a filled cell"),
        (".1\n.1", "f: column 1 is empty left of a filled one"),
        ("1.\n# between\n10\n.1", "f: line 4, cell 1: empty below a filled cell"),
        ("colours 0-9\n0\n", "f: line 1: more than 9 colours, expected at most 9"),
        ("colours 2-4\n0\n", "f: line 1: 'colours 2-4', expected one line `colours 0-4` or the "
         "like before the first board"),
        ("1\n\ncolours 0-4\n1", "f: line 3: 'colours 0-4', expected one line `colours 0-4` or the "
         "like before the first board"),
        ("colours 0-4\ncolours 0-4\n1", "f: line 2: 'colours 0-4', expected one line `colours 0-4` "
         "or the like before the first board"),
        ("colours 0-4\n5\n",
         "f: line 2, position 1: '5', expected 0 ... 4, or . for an empty cell"),
        ("colours 1-2\n03\n",
         "f: line 2, position 2: '3', expected 1 ... 2, or . or 0 for an empty cell"),
        ("10\n01\n9.", "f: line 3, position 1: '9', expected 0 ... 8, or . for an empty cell"),
        ("..\n..", "f: every cell of the board is empty"),
        ("1" * 256, "f: a board of 256 x 1, expected 1 ... 255 columns and 1 ... 62 rows"),
        ("1\n" * 63, "f: a board of 1 x 63, expected 1 ... 255 columns and 1 ... 62 rows"),
    ],
)  # fmt: skip
def test_bad_boards(text: str, message: str) -> None:
    """The error names line and position and what was expected."""
    with pytest.raises(InputError) as error:
        DOMAIN.parse(text, "f")
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (np.array([1, 1]), "p: an array of 1 dimensions, expected a board"),
        (np.array([[10, 1]]), "p: a colour is outside 0 ... 9"),
        (np.array([[1], [0]]), "p: row 2 from the top, cell 1: empty below a filled cell"),
    ],
)  # fmt: skip
def test_bad_arrays(board: np.ndarray, message: str) -> None:
    """Problems made in Python are checked too."""
    with pytest.raises(InputError) as error:
        DOMAIN.instance(Problem("p", board), DOMAIN.options())
    assert str(error.value) == message


def test_moves_are_read_back() -> None:
    """Moves are written from 1 and read back, none of them too."""
    for cells in ([[0, 0], [14, 3]], []):
        moves = np.array(cells, np.int64).reshape(-1, 2)
        assert parse_moves(format_moves(moves), "f").tolist() == cells
    assert format_moves(np.array([[0, 0], [14, 3]])) == "1,1 15,4\n"


@pytest.mark.parametrize(
    "word", ["1", "1,2,3", "a,1", "1,", "-1,2", "1;2", "1,٣", "1,99999999999999999999"]
)
def test_bad_moves(word: str) -> None:
    with pytest.raises(InputError) as error:
        parse_moves(f"1,1 {word}", "f")
    assert str(error.value) == f"f: move 2: {word!r}, expected column,row"
