"""SameGame boards and moves as text."""

from __future__ import annotations

import numpy as np
import pytest

from solver.domain import Problem
from solver.domains.samegame import SameGameDomain
from solver.domains.samegame_text import format_moves, parse_boards, parse_moves
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
        ("12\n1.\n11", "f: line 2, cell 2: empty below a filled cell (0 is empty, colours are "
         "1 ... 9)"),
        ("11\n11\n.1", "f: line 3, cell 1: empty below a filled cell (0 is empty, colours are "
         "1 ... 9)"),
        (".1\n.1", "f: column 1 is empty left of a filled one"),
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
        (np.array([[1], [0]]), "p: row 2 from the top, cell 1: empty below a filled cell "
         "(0 is empty, colours are 1 ... 9)"),
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


@pytest.mark.parametrize("word", ["1", "1,2,3", "a,1", "1,", "-1,2", "1;2"])
def test_bad_moves(word: str) -> None:
    with pytest.raises(InputError) as error:
        parse_moves(f"1,1 {word}", "f")
    assert str(error.value) == f"f: move 2: {word!r}, expected column,row"
