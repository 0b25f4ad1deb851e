"""Tours in the format of TSPLIB."""

from __future__ import annotations

from typing import Any

import pytest

from solver.domains.tsptw.text import parse_tsptw
from solver.errors import InputError

MATRIX = """\
NAME : three.1
COMMENT : Ascheuer and others
COMMENT : a second comment
TYPE : TSPTW
DIMENSION : 3
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : FULL_MATRIX
EDGE_WEIGHT_SECTION
9999 3 5.5 4
9999 6
7 8 9999
TIME_WINDOW_SECTION
1 0 100
3 10 90
2 5 60
DEPOT_SECTION
1
-1
EOF
what follows is not read
"""
PLANE = """\
NAME: plane
TYPE: TSPTW
DIMENSION: 3
VEHICLES: 1
SERVICE_TIME: 2
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 1 1.2
3 3 4
TIME_WINDOW_SECTION
1 0 100
2 5 60
3 10 90
DEPOT_SECTION
 1
 -1
"""
NOT_HERE = "which is not solved here (PyVRP does)"
ROUTING = f"a vehicle routing problem, {NOT_HERE}"


def read(text: str, distances: Any = "auto") -> list[list[float]]:
    """Costs and windows."""
    rows: list[list[float]] = parse_tsptw(text, "f", distances).tolist()
    return rows


def test_a_matrix() -> None:
    """Lines of the matrix break anywhere, windows are in any order, the diagonal is nothing."""
    expected = [[0, 3, 5.5, 0, 100], [4, 0, 6, 5, 60], [7, 8, 0, 10, 90]]
    assert read(MATRIX) == expected
    lower = MATRIX.replace("DIMENSION : ", "dimension:").replace("SECTION", "SECTION :")
    assert read("\ufeff" + lower.replace("\n", "\r\n")) == expected
    served = MATRIX.replace("DEPOT", "SERVICE_TIME_SECTION\n1 0\n2 1\n3 0.5\n-1\nDEPOT")
    assert read(served) == [[0, 3, 5.5, 0, 100], [5, 0, 7, 5, 60], [7.5, 8.5, 0, 10, 90]]


def test_several_windows() -> None:
    """They stand on one line, or on several lines of a node."""
    expected = [[0, 100, 100, 100], [5, 80, 60, 70], [10, 90, 90, 90]]
    for windows in ("2 70 80 5 60", "2 5 60\n2 70 80"):
        rows = read(MATRIX.replace("2 5 60", windows))
        assert [row[3:] for row in rows] == expected


@pytest.mark.parametrize(
    ("kind", "distances", "first", "last"),
    [
        ("EUC_2D", "auto", [0, 2, 5], [7, 5, 0]),
        ("CEIL_2D", "auto", [0, 2, 5], [7, 6, 0]),
        ("FLOOR_2D", "auto", [0, 1, 5], [7, 5, 0]),
        ("EUC_2D", "truncate", [0, 1.5, 5], [7, 5.4, 0]),
        ("EXACT_2D", "auto", [0, 2.44**0.5, 5], [7, 2 + 11.84**0.5, 0]),
        ("EUC_2D", "exact", [0, 2.44**0.5, 5], [7, 2 + 11.84**0.5, 0]),
    ],
)
def test_a_plane(kind: str, distances: str, first: list[float], last: list[float]) -> None:
    """Distances are rounded as the type says; customers are served, the depot is not."""
    rows = read(PLANE.replace("EUC_2D", kind), distances)
    assert rows[0][:3] == pytest.approx(first)
    assert rows[2][:3] == pytest.approx(last)
    assert [row[3:] for row in rows] == [[0, 100], [5, 60], [10, 90]]


def test_one_node() -> None:
    """A depot alone is an instance."""
    head = "DIMENSION: 1\nSERVICE_TIME: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n"
    assert read(f"{head}NODE_COORD_SECTION\n1 0 0\nTIME_WINDOW_SECTION\n1 0 9\n") == [[0, 0, 9]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TYPE: TSPTW", "TYPE: CVRPTW", f"line 2: TYPE 'CVRPTW', {ROUTING}: expected TSPTW"),
        ("TYPE: TSPTW", "TYPE: TSP", "line 2: TYPE 'TSP': expected TSPTW"),
        ("VEHICLES: 1", "VEHICLES: 4", f"line 4: VEHICLES '4', {ROUTING}: expected 1, whose tour "
         "visits all"),
        ("VEHICLES: 1", "SALESMEN: 2", f"line 4: SALESMEN '2', {ROUTING}: expected 1, whose tour "
         "visits all"),
        (" 1\n -1", " 1\n 2\n -1", f"line 16: 2 depots, {ROUTING}: expected 1 and -1 behind it"),
        (" 1\n -1", " 2\n -1", "line 16: depot '2', expected node 1"),
        (" 1\n -1", "", "line 15: no depot, expected node 1"),
        ("2 5 60", "2 5 60 70", "line 13: 4 entries, expected 3: node, start, end"),
        ("3 10 90", "2 70 60", "line 11: TIME_WINDOW_SECTION has no line for node 3"),
        ("3 10 90\n", "", "line 11: TIME_WINDOW_SECTION has no line for node 3"),
        ("3 10 90", "4 10 90", "line 14: '4', expected a node, 1 ... 3"),
        ("3 10 90", "3 10", "line 14: 2 entries, expected 3: node, start, end"),
        ("3 10 90", "3 90 10", "line 14: the window of node 2 ends before it starts"),
        ("3 10 90", "3 10 inf", "line 14, end: 'inf', expected a finite number"),
        ("3 3 4", "2 3 4", "line 10: node 2 a second time in NODE_COORD_SECTION"),
        ("3 3 4", "3 3 y", "line 10, y: 'y', expected a number"),
        ("SERVICE_TIME: 2", "SERVICE_TIME: -2", "line 5: service time -2, expected 0 or more"),
        ("SERVICE_TIME: 2", "NAME: 2", "line 5: NAME a second time"),
        ("DIMENSION: 3", "DIMENSION: 5001", "line 3: DIMENSION '5001', expected 1 ... 5000"),
        ("DIMENSION: 3\n", "", "no DIMENSION, which a file of TSPLIB with time windows needs"),
        ("EUC_2D", "GEO", "line 6: EDGE_WEIGHT_TYPE 'GEO', expected EXPLICIT, EUC_2D, CEIL_2D, "
         "FLOOR_2D, EXACT_2D"),
        ("EUC_2D", "EXPLICIT", "no EDGE_WEIGHT_SECTION, which a file of TSPLIB with time windows "
         "needs"),
        ("VEHICLES: 1", "CAPACITY: 1", "line 4: 'CAPACITY:', expected a keyword of TSPLIB that "
         "tours with time windows have"),
        ("DEPOT_SECTION", "DEMAND_SECTION", "line 15: 'DEMAND_SECTION' (did you mean "
         "DEPOT_SECTION?), a section that is not read, expected EDGE_WEIGHT_SECTION, "
         "NODE_COORD_SECTION, TIME_WINDOW_SECTION, SERVICE_TIME_SECTION, DEPOT_SECTION"),
        ("1 1.2", "1e308 -1e308", "line 8, entry 2: 1.41421e+308, expected at most 1e+100"),
    ],
)  # fmt: skip
def test_bad_planes(old: str, new: str, message: str) -> None:
    """The error names the line and what was expected."""
    with pytest.raises(InputError) as error:
        read(PLANE.replace(old, new))
    assert str(error.value) == f"f: {message}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("FULL_MATRIX", "LOWER_ROW", "line 7: EDGE_WEIGHT_FORMAT 'LOWER_ROW': expected "
         "FULL_MATRIX"),
        ("7 8 9999", "7 8", "line 8: 8 numbers below EDGE_WEIGHT_SECTION, expected 9: 3 from each "
         "of 3 nodes"),
        ("9999 6", "9999 -6", "line 9, entry 3: a negative cost"),
        ("9999 6", "9999 b", "line 10: 'b', expected a number"),
    ],
)  # fmt: skip
def test_bad_matrices(old: str, new: str, message: str) -> None:
    """Errors of a row of costs name the line where it begins."""
    with pytest.raises(InputError) as error:
        read(MATRIX.replace(old, new))
    assert str(error.value) == f"f: {message}"


def test_distances_are_for_coordinates() -> None:
    """With a matrix there is nothing to round."""
    with pytest.raises(InputError, match=r"^f: a matrix of costs, distances floor is for coord"):
        read(MATRIX, "floor")
