"""Tours in the JSON of VROOM."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain
from solver.domains.tsptw.ends import is_open
from solver.domains.tsptw.text import parse_tsptw
from solver.errors import InputError

TEXT = """\
{
  "vehicles": [{"id": 1, "start": [0, 0], "end": [0, 0], "time_window": [0, 100]}],
  "jobs": [
    {"id": 7, "location": [3, 4], "service": 1.5, "time_windows": [[5, 60]]},
    {"id": 8, "location": [6, 8], "time_windows": [[20, 30], [0, 3]]},
    {"id": 9, "location": [0, 8], "description": "no window"}
  ]
}
"""
ROUTING = "a vehicle routing problem, which is not solved here (PyVRP does)"


def read(found: Any) -> Any:
    """Costs and windows of a file with this content."""
    return parse_tsptw(json.dumps(found), "f")


def content() -> Any:
    return json.loads(TEXT)


def test_coordinates() -> None:
    """Jobs follow the start in their order; without a window they have the vehicle's."""
    data = parse_tsptw(TEXT, "f")
    far = 5.0
    assert data[:, :4] == pytest.approx(
        np.array([[0, 5, 10, 8], [6.5, 0, 6.5, 1.5 + far], [10, 5, 0, 6], [8, far, 6, 0]])
    )
    assert data[:, 4:].tolist() == [
        [0, 100, 100, 100], [5, 60, 60, 60], [0, 30, 3, 20], [0, 100, 100, 100],
    ]  # fmt: skip
    assert not is_open(data)


@pytest.mark.parametrize("legacy", [False, True])
def test_matrices(legacy: bool) -> None:
    """Rows are chosen by index, in the order of the jobs."""
    durations = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    found: dict[str, Any] = {
        "vehicles": [{"id": 1, "start_index": 2, "end_index": 2}],
        "jobs": [{"id": 1, "location_index": 1, "service": 10}, {"id": 2, "location_index": 0}],
    }
    found |= {"matrix": durations} if legacy else {"matrices": {"car": {"durations": durations}}}
    assert read(found)[:, :3].tolist() == [[0, 6, 5], [14, 0, 13], [2, 1, 0]]


def test_other_ends() -> None:
    """Without an end the way back is free; another end is the last node, reached at last.

    The last service ends within the vehicle's time.
    """
    found = content()
    del found["vehicles"][0]["end"]
    data = read(found)
    assert is_open(data)
    assert data[1:, 0].tolist() == [0, 0, 0]
    found["vehicles"][0]["time_window"] = [0, 50]
    assert read(found)[1, 5] == 48.5
    found = content()
    found["vehicles"][0]["end"] = [3, 0]
    data = read(found)
    assert len(data) == 5
    assert is_open(data)
    assert data[4, 0] == 0
    assert data[1:4, 0].min() > 100


@pytest.mark.parametrize("end", [None, [0, 0], [3, 0]])
def test_job_that_ends_late(end: list[int] | None) -> None:
    """A job that cannot end within the vehicle's time is a proof, wherever the tour ends."""
    found = content()
    vehicle, job = found["vehicles"][0], found["jobs"][0]
    vehicle["end"] = end
    vehicle["time_window"], job["time_windows"] = [0, 80], [[79, 90]]
    domain = TsptwDomain()
    why = domain.why_infeasible(Problem("f", read(found)), domain.options())
    assert why is not None
    assert "the depot is due at 80, from node 1 that is" in why
    job["service"] = 1
    found["jobs"] = [job]
    if end is None:
        assert domain.why_infeasible(Problem("f", read(found)), domain.options()) is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"id": 1,', '"id": 1, "breaks": [],', f"vehicles[0]: key 'breaks', which is not read, "
         f"{ROUTING}: expected id, description, profile, start, end, start_index, end_index, "
         "time_window"),
        ('"service": 1.5', '"service": -1', "jobs[0].service: -1, expected 0 or more"),
        ('"service": 1.5', '"service": "1"', "jobs[0].service: '1', expected a number"),
        ('[3, 4]', '[3]', "jobs[0].location: [3], expected two numbers"),
        ('[3, 4]', '[3, true]', "jobs[0].location[1]: True, expected a number"),
        ('[[5, 60]]', '[[60, 5]]', "jobs[0].time_windows[0]: 60 to 5, a window that ends before it "
         "starts"),
        ('"location": [3, 4]', '"location_index": 3', "jobs[0]: no location, and no matrix for an "
         "index"),
        ('"start": [0, 0], ', "", "vehicles[0]: no start, where the tour begins"),
        ('[{"id": 1,', '[{"id": 2}, {"id": 1,', f"2 vehicles, {ROUTING}: expected 1"),
        ('"jobs"', '"job"', "key 'job' (did you mean jobs?), which is not read: expected vehicles, "
         "jobs, matrix, matrices"),
        ('"jobs"', '"shipments": [{}], "jobs"', f"shipments: pickups and deliveries, {ROUTING}"),
    ],
)  # fmt: skip
def test_bad_files(old: str, new: str, message: str | None) -> None:
    """The error names the path in the file and what was expected."""
    assert old in TEXT
    with pytest.raises(InputError) as error:
        parse_tsptw(TEXT.replace(old, new, 1), "f")
    if message is None:
        assert str(error.value).startswith("f: line 4, column ")
    else:
        assert str(error.value) == f"f: {message}"
