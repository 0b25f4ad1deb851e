"""Tours as comma-separated values."""

from __future__ import annotations

from typing import Any

import pytest

from solver.domains.tsptw.text import parse_tsptw
from solver.errors import InputError

TEXT = """\
# places
name,x,y,ready,due,service
depot,0,0,0,100,0
"Smith, John",3,4,5,60,1.5
,0,8.2,10,90,0
"""
ALL = "x, y, ready, due, service, name"


def read(text: str, distances: str = "auto") -> list[list[float]]:
    """Costs and windows."""
    rows: list[list[float]] = parse_tsptw(text, "f", distances).tolist()
    return rows


def test_columns() -> None:
    """Columns are in any order, separated by commas, semicolons or tabs; names do not matter."""
    there = (3.0**2 + 4.2**2) ** 0.5
    costs = [[0, 5, 8.2, 0, 100], [6.5, 0, 1.5 + there, 5, 60], [8.2, there, 0, 10, 90]]
    expected: list[Any] = [pytest.approx(row) for row in costs]
    assert read(TEXT) == expected
    assert read("\ufeff" + TEXT.replace("\n", "\r\n").replace("name,x", "NAME, X")) == expected
    plain = TEXT.replace('"Smith, John"', "Smith")
    assert read(plain.replace(",", ";")) == expected
    assert read(plain.replace(",", "\t")) == expected
    assert read("due,ready,y,x\n100,0,0,0\n60,5,4,3\n") == [[0, 5, 0, 100], [5, 0, 5, 60]]
    assert [row[:3] for row in read(TEXT, "truncate")] == [
        [0, 5, 8.2],
        [6.5, 0, 6.6],
        [8.2, 5.1, 0],
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("due", "du", f"line 2: column 'du' (did you mean due?), expected {ALL}"),
        (",due", "", "line 2: no column 'due', expected x, y, ready, due"),
        ("service", "x", "line 2: column 'x' a second time"),
        ("service", "due", "line 2: column 'due' a second time"),
        ("service", "Ready 2", "line 2: column 'ready2' without due2"),
        ("service", "vehicle", "line 2: column 'vehicle': a vehicle routing problem, which is not "
         "solved here (PyVRP does)"),
        ("8.2,10", "8,2,10", "line 5: 7 entries, expected 6: name, x, y, ready, due, service"),
        ("8.2,10", "north,10", "line 5, y: 'north', expected a number"),
        ("8.2,10", ",10", "line 5, y: '', expected a number"),
        ("1.5", "-1.5", "line 4: service time -1.5, expected 0 or more"),
        ("60", "4", "line 4: the window of node 1 ends before it starts"),
        ('John"', "John", "line 4: unexpected end of data, expected values and ','"),
    ],
)  # fmt: skip
def test_bad_columns(old: str, new: str, message: str) -> None:
    """The error names line and column and what was expected."""
    with pytest.raises(InputError) as error:
        read(TEXT.replace(old, new, 1))
    assert str(error.value) == f"f: {message}"


def test_rows_that_look_like_comments() -> None:
    """A name with # is refused, and read in quotes; comments may have any number of commas."""
    text = TEXT.replace('"Smith, John"', "#7")
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value) == (
        "f: line 4: '#7' begins a row or a comment, expected the name in quotes or a blank after "
        "the #"
    )
    assert read(TEXT.replace("Smith, John", "#7")) == read(TEXT)
    for comment in ("# old,3,4,5,60,1.5", "#a,b,c,d,e,f", "#3,4", "#", '#"'):
        assert read(f"{comment}\n{TEXT}{comment}\n") == read(TEXT)
    rows = "x,y,ready,due\n0,0,0,99\n3,4,0,99\n"
    assert read(f"{rows}#3,4,0,99\n") == read(rows)


def test_no_rows() -> None:
    """Names of columns alone are no instance."""
    with pytest.raises(InputError, match=r"^f: 0 nodes below line 1, expected 1 \.\.\. 5000$"):
        read("x,y,ready,due\n")


def test_several_windows() -> None:
    """Further windows are columns with a number, empty for a place that has none."""
    text = (
        "x,y,ready,due,Ready 2,due_2,ready3,due3\n0,0,0,99,,,,\n3,4,20,30,0,5,,\n6,8,1,2,3,4,5,6\n"
    )
    assert [row[3:] for row in read(text)] == [
        [0, 99, 99, 99, 99, 99], [0, 30, 5, 20, 30, 30], [1, 6, 2, 3, 4, 5],
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"^f: line 3, due2: '', expected a number$"):
        read(text.replace("0,5,,", "0,,,"))
    with pytest.raises(
        InputError, match=r"^f: line 3: the window of node 1 ends before it starts$"
    ):
        read(text.replace("0,5,,", "7,5,,"))
