"""Tables of coordinates in the layouts of Dumas and Solomon."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.algorithms import Gnrpa
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.errors import InputError
from solver.searching.driver import Budget
from solver.searching.solution import solve

DOMAIN = TsptwDomain()
#: Without decimals the way from node 1 to 2 is 9, over node 3, which loses most, 8.
DUMAS = """\
!! n4w20.001   16.75 391

CUST NO.   XCOORD.   YCOORD.    DEMAND   [READY TIME]   [DUE DATE]   [SERVICE TIME]

    1       0.00      0.00      0.00        0.00          408.00          0.00
    2       0.00      9.90      0.00       62.00           68.00          0.00
    3       0.00      4.95      0.00      181.00          205.00          0.00
    4       7.00     24.00      0.00      306.00          324.00          0.00
  999       0.00      0.00      0.00        0.00            0.00          0.00
"""
SOLOMON = """\
R101

VEHICLE
NUMBER     CAPACITY
   1         200

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME

    0      35         35          0          0       230          0
    1      41         49         10        161       171         10
    2      35         17          7         50        60          5
"""
ROOT = np.hypot(6.0, 14.0)  # from node 0 to 1: 15.23
LONG = np.hypot(6.0, 32.0)  # from node 1 to 2: 32.56


def read(text: str, distances: Any = "auto") -> list[list[float]]:
    """Costs and windows of the only instance in `text`."""
    domain = DOMAIN.with_options(TsptwOptions(distances=distances))
    (problem,) = domain.parse(text, "f")
    return [[float(value) for value in row] for row in problem.data]


def test_a_table_that_node_999_closes() -> None:
    """Integer parts, shortened over other nodes as in the collections; the node is none."""
    expected = [[0, 8, 4, 23, 0, 408], [8, 0, 4, 15, 62, 68], [4, 4, 0, 19, 181, 205]]
    assert read(DUMAS) == [*expected, [23, 15, 19, 0, 306, 324]]
    assert read(DUMAS, "floor") == read(DUMAS)
    assert read(DUMAS, "exact")[0][1:3] == [9.9, 4.95]
    assert read(DUMAS, "truncate")[0][1:3] == [9.9, 4.9]


def test_a_table_of_solomon() -> None:
    """All decimals; the service time at a node is part of the costs of leaving it."""
    assert read(SOLOMON) == [
        [0, ROOT, 18, 0, 230],
        [ROOT + 10, 0, LONG + 10, 161, 171],
        [18 + 5, LONG + 5, 0, 50, 60],
    ]
    assert read(SOLOMON, "exact") == read(SOLOMON)
    assert [row[:3] for row in read(SOLOMON, "truncate")] == [
        [0, 15.2, 18], [25.2, 0, 42.5], [23, 37.5, 0],
    ]  # fmt: skip
    assert [row[:3] for row in read(SOLOMON, "floor")] == [[0, 15, 18], [25, 0, 42], [23, 37, 0]]


def test_a_whole_distance_stays_whole() -> None:
    """Rounding down takes nothing off a distance that is computed as a little less."""
    table = f"CUST NO. XCOORD.\n1 0 0 0 0 99 0\n2 {1.1 * 3} {1.1 * 4} 0 0 99 0\n"
    assert read(table, "truncate")[0][1] == 5.5
    far = "CUST NO. XCOORD.\n1 0 0 0 0 99 0\n2 0.3 0.4 0 0 99 0\n3 -6.3 -8.4 0 0 99 0\n"
    assert read(far, "floor")[0][1:3] == [0, 10]
    assert read(far, "floor")[1][2] == 10  # 11 over nothing, 10 over node 0


def test_byte_order_mark_and_comments() -> None:
    """They do not matter, nor how lines end."""
    text = "\ufeff# from the web\n" + DUMAS.replace("     0.00\n", "     0.00 # minutes\n")
    assert text.count("minutes") == 5
    assert read(text.replace("\n", "\r\n")) == read(DUMAS)


def test_rows_without_a_header() -> None:
    """Rows of seven numbers are the table that they would be below a header."""
    for table in (DUMAS, SOLOMON):
        rows = [
            line for line in table.splitlines() if len(line.split()) == 7 and "CUST" not in line
        ]
        assert read("# customers\n\n" + "\n".join(rows)) == read(table)
    with pytest.raises(InputError) as error:
        read(f"{ROW}\n{ROW.replace('1', '2', 1)} 7\n")
    assert str(error.value) == (
        "f: line 2: 8 entries, expected 7: number, x, y, demand, ready time, due date, service time"
    )
    with pytest.raises(InputError, match=r"^f: 0 nodes, expected 1 \.\.\. 5000$"):
        read("999 0 0 0 0 0 0\n")


def test_coordinates_beyond_all_numbers() -> None:
    """Distances that no number holds are refused."""
    for rounding in ("auto", "floor", "truncate", "exact"):
        with pytest.raises(
            InputError, match=r"^f: line 1, entry 2: inf, expected at most 1e\+100$"
        ):
            read("1 1e308 0 0 0 9 0\n2 -1e308 0 0 0 9 0\n", rounding)


def test_a_table_is_solved() -> None:
    """A table of coordinates leads to a verified tour."""
    (problem,) = DOMAIN.parse(DUMAS, "f")
    found = solve(DOMAIN, problem, TsptwOptions(), Gnrpa(level=1), Budget(50))
    assert found.solved
    assert found.answer.tolist() == [0, 1, 2, 3, 0]
    assert DOMAIN.facts(problem, found.answer) == {"cost": 54, "makespan": 329, "violations": 0}


@pytest.mark.parametrize(
    ("vehicles", "message"),
    [
        (" 1 17", None),
        (" 1 17.0", None),
        (" 25 200", "f: line 5: 25 vehicles, a vehicle routing problem, which is not solved here "
         "(PyVRP does): expected 1, whose tour visits all"),
        (" 0 200", "f: line 5: 0 vehicles, a vehicle routing problem, which is not solved here "
         "(PyVRP does): expected 1, whose tour visits all"),
        (" 1 16", "f: line 5: capacity 16, but all demands are 17, so that one tour cannot visit "
         "all: a vehicle routing problem, which is not solved here (PyVRP does)"),
        (" 1", "f: line 5: '1', expected number and capacity of the vehicles"),
        (" one 200", "f: line 5: 'one', expected a number"),
        ("", "f: line 7: 'CUSTOMER', expected number and capacity of the vehicles"),
    ],
)  # fmt: skip
def test_vehicles(vehicles: str, message: str | None) -> None:
    """One vehicle that can carry all is a tour; others are another problem, and are refused."""
    text = SOLOMON.replace("   1         200", vehicles)
    if message is None:
        assert read(text) == read(SOLOMON)
        return
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value) == message


def test_the_title_of_vehicles() -> None:
    """The lines above the table are read by their titles."""
    for title in ("CAPACITY NUMBER", "CAPACITY"):
        with pytest.raises(InputError, match=r"^f: line 4: expected NUMBER CAPACITY and two num"):
            read(SOLOMON.replace("NUMBER     CAPACITY", title))


ROW = "1 0 0 0 0 9 0"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", "f: 0 nodes below line 2, expected 1 ... 5000"),
        ("999 0 0 0 0 0 0", "f: 0 nodes below line 2, expected 1 ... 5000"),
        (f"{ROW}\n2 0 0 0 0 9", "f: line 4: 6 entries, expected 7: number, x, y, demand, ready "
         "time, due date, service time"),
        (f"{ROW}\n2 0 y 0 0 9 0", "f: line 4, y: 'y', expected a number"),
        (f"{ROW}\n2 0 0 0 0 inf 0", "f: line 4, due date: 'inf', expected a finite number"),
        (f"{ROW}\n2 0 0 0 0 9 -1", "f: line 4: service time -1, expected 0 or more"),
        (f"{ROW}\n2 0 0 0 8 7 0", "f: line 4: the window of node 1 ends before it starts"),
        (f"{ROW}\n\n{ROW}", "f: line 5: node 1 after node 1, expected numbers that rise"),
        (f"{ROW}\n999 0 0 0 0 0 0\n{ROW}", "f: line 4: 999 closes the table, but more follows"),
        ("\n".join(f"{k} 1 0 0 0 9 0" for k in range(5001)), "f: 5001 nodes below line 2, expected "
         "1 ... 5000"),
    ],
)  # fmt: skip
def test_bad_tables(rows: str, message: str) -> None:
    """The error names the line and what was expected."""
    with pytest.raises(InputError) as error:
        read(f"TITLE\nCUST NO. XCOORD. YCOORD.\n{rows}\n")
    assert str(error.value) == message


def test_distances_are_for_coordinates() -> None:
    """With a matrix there is nothing to round."""
    with pytest.raises(InputError, match=r"^f: a matrix of costs, distances floor is for coord"):
        read("1\n0\n0 9\n", "floor")
