from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.contract.domain import Problem
from solver.contract.problems import UnreadableProblem
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.text import MAX_ORDER, format_grid, parse_grids
from solver.errors import InputError, UnsolvableError


def cyclic(order: int) -> Any:
    return ((np.arange(order)[:, None] + np.arange(order)) % order).astype(np.int16)


def one(text: str, source: str = "file") -> list[list[int]]:
    ((name, grid),) = parse_grids(text, source)
    assert name == source
    assert grid.dtype == np.int16
    return grid.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "text",
    [
        "1 . 3\n. . .\n2 . .\n",
        "1 . 3\n. . .\n2 . .",
        "\n\n  1   .\t3  \n. . .\n2 . .\n\n\n",
        "1 0 3\n0 0 0\n2 0 0\n",
        "1 _ 3\n- . 0\n2 - _\n",
        "1.3\n...\n2..\n",
        "103\n000\n2_-\n",
        "1.3\n. . .\n2..\n",
        "1 . 3\r\n. . .\r\n2 . .\r\n",
        "order 3\n0 -1 2\n-1 -1 -1\n1 -1 -1\n",
        "\norder   3\n\n0 -1 2\n-1 -1 -1\n1 -1 -1\n\n",
        "# a benchmark\norder 3\n0 -1 2\n # remark\n-1 -1 -1\n1 -1 -1\n",
        "1 . 3\n  # a remark\n. . .\n2 . .\n",
    ],
)
def test_formats(text: str) -> None:
    """Blanks or none, every sign for a hole, and .pls files read as the same grid."""
    assert one(text) == [[0, -1, 2], [-1, -1, -1], [1, -1, -1]]


def test_smallest_grids() -> None:
    """A grid of one cell, filled or not."""
    assert one("1") == [[0]]
    assert one(".") == [[-1]]
    assert one("order 1\n-1") == [[-1]]
    assert one("order 1\n0") == [[0]]


def test_several_grids() -> None:
    """Blank lines separate grids; `#` names the next; others are numbered by the file."""
    text = "12\n..\n\n# the second\n\n. 2\n2 .\n# a remark\n\n\n1\n\n#\n2 1\n. .\n"
    grids = parse_grids(text, "set.txt")
    assert [name for name, _ in grids] == ["set.txt", "the second", "set.txt#3", "set.txt#4"]
    assert [grid.tolist() for _, grid in grids] == [
        [[0, 1], [-1, -1]], [[-1, 1], [1, -1]], [[0]], [[1, 0], [-1, -1]],
    ]  # fmt: skip


def test_the_last_name_before_a_grid_counts() -> None:
    """The last of several `#` lines before a grid names it."""
    assert parse_grids("# one\n# two\n1\n", "file")[0][0] == "two"


@pytest.mark.parametrize("order", [9, 10, 16, 128])
def test_large_orders(order: int) -> None:
    """Values of order 10 and more have several digits and stand between blanks."""
    grid = cyclic(order)
    text = "\n".join(" ".join(str(value + 1) for value in row) for row in grid.tolist())
    assert one(text) == grid.tolist()
    pls = f"order {order}\n" + "\n".join(" ".join(map(str, row)) for row in grid.tolist())
    assert one(pls) == grid.tolist()


@given(order=st.integers(1, 12), seed=st.integers(0, 2**20))
def test_format_is_parsed_back(order: int, seed: int) -> None:
    """Written grids are read back equal, holes and all."""
    rng = np.random.default_rng(seed)
    grid = cyclic(order)[rng.permutation(order)][:, rng.permutation(order)]
    grid[rng.random(grid.shape) < 0.5] = -1
    assert one(format_grid(grid)) == grid.tolist()


def test_format_aligns_columns() -> None:
    """Values are counted from 1, right-aligned, and a hole is a dot."""
    grid = np.full((10, 10), -1)
    grid[0, :3] = [9, 0, 4]
    assert format_grid(grid).splitlines()[:2] == [
        "10  1  5  .  .  .  .  .  .  .",
        " .  .  .  .  .  .  .  .  .  .",
    ]


TEXT_HOLE = "or - . 0 _ for a hole"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: no grid found, expected lines of values and holes"),
        (" \n\t\n", "f: no grid found, expected lines of values and holes"),
        ("# only a name\n", "f: no grid found, expected lines of values and holes"),
        ("1 2\n2\n", "f: line 2: 1 entries, expected 2 as the grid has 2 lines"),
        ("\n1 2 3\n2 3 1\n", "f: line 2: 3 entries, expected 2 as the grid has 2 lines"),
        ("123\n23\n312\n", "f: line 2: 1 entries, expected 3 as the grid has 3 lines"),
        ("1 2\n2 1\n\n1 2 3\n", "f: line 4: 3 entries, expected 1 as the grid has 1 lines"),
        ("1 2\n2 3\n", f"f: line 2, entry 2: '3', expected 1 ... 2, {TEXT_HOLE}"),
        ("1 2\n-1 .\n", f"f: line 2, entry 1: '-1', expected 1 ... 2, {TEXT_HOLE}"),
        ("1 2\nx .\n", f"f: line 2, entry 1: 'x', expected 1 ... 2, {TEXT_HOLE}"),
        ("1 2\n1.5 .\n", f"f: line 2, entry 1: '1.5', expected 1 ... 2, {TEXT_HOLE}"),
        ("..\n.9\n", f"f: line 2, entry 2: '9', expected 1 ... 2, {TEXT_HOLE}"),
        (". .\n. 1_0\n", f"f: line 2, entry 2: '1_0', expected 1 ... 2, {TEXT_HOLE}"),
        ("2\n", f"f: line 1, entry 1: '2', expected 1 ... 1, {TEXT_HOLE}"),
        (
            "1 2 3\n. . .\n. 1 1\n",
            "f: line 3: the same given stands in columns 2 and 3 of row 3",
        ),
        (
            "# name\n\n1 2 3\n. . .\n. 2 1\n",
            "f: line 5: the same given stands in rows 1 and 3 of column 2",
        ),
        ("order\n0\n", "f: line 1: expected `order N`, found 'order'"),
        ("\norder x\n0\n", "f: line 2: expected `order N`, found 'order x'"),
        ("order -1\n", "f: line 1: expected `order N`, found 'order -1'"),
        (f"order {'9' * 5000}\n0\n", f"f: line 1: expected `order N`, found 'order {'9' * 74}..."),
        ("order ٣\n0\n", "f: line 1: expected `order N`, found 'order ٣'"),
        (
            f"1 2\n{'1' * 5000} 1\n",
            f"f: line 2, entry 1: '{'1' * 80}..., expected 1 ... 2, {TEXT_HOLE}",
        ),
        ("order 2\n0 1\n", "f: 1 rows, expected 2 as line 1 says"),
        ("order 1\n0\n0\n", "f: 2 rows, expected 1 as line 1 says"),
        ("order 1\n0\n\norder 2\n0 1\n", "f: 1 rows, expected 2 as line 4 says"),
        ("order 2\n0 1\n1\n", "f: line 3: 1 entries, expected 2"),
        ("order 2\n0 1\n01\n", "f: line 3: 1 entries, expected 2"),
        ("order 2\n0 1\n2 0\n", "f: line 3, entry 1: '2', expected 0 ... 1, or -1 for a hole"),
        ("order 2\n0 .\n1 0\n", "f: line 2, entry 2: '.', expected 0 ... 1, or -1 for a hole"),
        ("order 2\n0 1\n1 -2\n", "f: line 3, entry 2: '-2', expected 0 ... 1, or -1 for a hole"),
        ("order 2\n0 -1\n0 1\n", "f: line 3: the same given stands in rows 1 and 2 of column 1"),
        ("order 2\n\n1 1\n0 1\n", "f: line 3: the same given stands in columns 1 and 2 of row 1"),
        ("order 0\n", "f: order 0, expected 1 ... 128"),
    ],
)
def test_malformed_input(text: str, message: str) -> None:
    """The error is one line with the file, the place and what was expected."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        parse_grids(text, "f")


def test_too_large() -> None:
    """Orders beyond the largest are refused in both formats."""
    order = MAX_ORDER + 1
    message = "^f: order 129, expected 1 [.]{3} 128$"
    with pytest.raises(InputError, match=message):
        parse_grids("\n".join([". " * order] * order), "f")
    with pytest.raises(InputError, match=message):
        parse_grids(f"order {order}\n" + "\n".join(["-1 " * order] * order), "f")


@given(st.text(alphabet="order12.-_0 9\n\n#x", max_size=60))
def test_any_text_is_read_or_refused_with_its_source(text: str) -> None:
    """Nothing but an `InputError` that begins with the source comes out of the parser."""
    try:
        grids = parse_grids(text, "any.txt")
    except InputError as raised:
        message, grids = str(raised), []
    else:
        message = "any.txt: "
    assert message.startswith("any.txt: ")
    assert "\n" not in message
    for _, grid in grids:
        assert grid.shape == (len(grid), len(grid))
        assert grid.min() >= -1
        assert grid.max() < len(grid)


def test_an_answer_is_one_grid() -> None:
    """An answer of two grids or none is refused by name, like any malformed file."""
    domain = LatinSquareDomain()
    problem = Problem("p", cyclic(2))
    assert domain.parse_answer(problem, "12\n21\n", "a").tolist() == [[0, 1], [1, 0]]
    for text in ("", "12\n21\n\n21\n12\n"):
        with pytest.raises(InputError, match=r"^a: "):
            domain.parse_answer(problem, text, "a")


def test_several_pls_squares() -> None:
    """Each begins with its order, and is numbered by the file; one that is wrong costs no other."""
    grids = parse_grids("order 2\n0 -1\n-1 -1\n\norder 1\n0\norder 1\n-1\n", "set.pls")
    assert [name for name, _ in grids] == ["set.pls", "set.pls#2", "set.pls#3"]
    assert [grid.tolist() for _, grid in grids] == [[[0, -1], [-1, -1]], [[0]], [[-1]]]
    first, second = LatinSquareDomain().parse("order 1\n0\n\norder 2\n0\n", "set.pls")
    assert first.data.tolist() == [[0]]
    assert isinstance(second, UnreadableProblem)
    assert second.message == "set.pls: 1 rows, expected 2 as line 4 says"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# a\n1 2\n2 3\n", "a: line 2: the answer has order 2, the problem 3"),
        ("1 2\n2 1\n", "a: line 1: the answer has order 2, the problem 3"),
        ("order 2\n0 1\n1 0\n", "a: line 2: the answer has order 2, the problem 3"),
        ("1234\n2341\n3412\n4123\n", "a: line 1: the answer has order 4, the problem 3"),
        ("123\n231\n322\n", "a: line 3: the same value stands in columns 2 and 3 of row 3"),
        ("123\n231\n132\n", "a: line 3: the same value stands in rows 1 and 3 of column 1"),
    ],
)
def test_answers_that_are_wrong_in_form(text: str, message: str) -> None:
    """Both orders are told, and values of answers are no givens: wrong, but not unreadable."""
    with pytest.raises(UnsolvableError, match=f"^{re.escape(message)}$"):
        LatinSquareDomain().parse_answer(Problem("p", cyclic(3)), text, "a")


@pytest.mark.parametrize(
    "text",
    [
        "1,.,3\n0, ,2\n3,_,-\n",
        "1,.,3,\n,,2,\n3,,,\n",
        "n = 3; start = [| 1, 0, 3 | 0, 0, 2 | 3, 0, 0 |];",
        "n = 3;\n% [| 2\nstart = [|1, _, 3, |\n0, <>, 2|\n3, 0, 0|];\n",
        "array[1..3, 1..3] of int: start =\n[| 1 , 0, 3\n | 0, 0, 2\n | 3, 0, 0 |];",
    ],
)
def test_commas_and_arrays_of_minizinc(text: str) -> None:
    """Holes are 0, and nothing between two commas."""
    ((name, grid),) = parse_grids(text, "f")
    assert (name, grid.tolist()) == ("f", [[0, -1, 2], [-1, -1, 1], [2, -1, -1]])


def test_several_arrays_have_their_names() -> None:
    """Each is a square."""
    found = parse_grids("a = [|1, 0|0, 1|];\nb = [|0, 0|0, 0|];", "f")
    assert [name for name, _ in found] == ["f: a", "f: b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n = 2;\na = [|1, 0|\n0, 1", "f: line 2: an array begins, expected its end, |]"),
        (
            "a = [|1, 0|\n0, 3|];",
            "f: line 2, entry 2: '3', expected 1 ... 2, or - . 0 _ for a hole"[:0]
            + "f: line 2, entry 2: '3', expected 1 ... 2, or - . 0 _ for a hole",
        ),
        ("a = [|1, 0, 2|\n0, 2|];", "f: line 1: 3 entries, expected 2 as the grid has 2 lines"),
    ],
)
def test_malformed_arrays(text: str, message: str) -> None:
    """The error names the line of the file."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        parse_grids(text, "f")
