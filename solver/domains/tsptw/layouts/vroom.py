"""Tours in the JSON of VROOM: one of `vehicles`, `jobs`, and perhaps a matrix.

Node 0 is where the vehicle starts, the jobs follow in their order; if it ends elsewhere, that is
the last node. Without a matrix, locations are places in the plane.

References
----------
VROOM API documentation, docs/API.md of VROOM-Project/vroom.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from solver.domains.tsptw.coordinates import (
    COLUMNS,
    MAX_NODES,
    ROUTING,
    SERVICE,
    Floats,
    Table,
    X,
    Y,
    matrix_of,
)
from solver.domains.tsptw.ends import ending_at, open_ended
from solver.domains.tsptw.windows import pack_windows
from solver.errors import InputError, quoted

OF_FILE = ("vehicles", "jobs", "matrix", "matrices")
OF_VEHICLE = (
    "id", "description", "profile", "start", "end", "start_index", "end_index", "time_window",
)  # fmt: skip
#: Numbers beyond them are refused.
MOST, MOST_INDEX = 1e100, 1 << 30
OF_JOB = ("id", "description", "location", "location_index", "service", "time_windows")


class _Place(NamedTuple):
    """A place that the tour visits."""

    where: str
    """Path to it in the file, for messages."""
    at: tuple[float, float] | None
    """Coordinates, if it has some."""
    row: int | None
    """Row of the matrix, if it has one."""
    service: float = 0.0
    windows: tuple[tuple[float, float], ...] = ()


def is_vroom(text: str) -> bool:
    """Return whether a file is an object of JSON."""
    return text.removeprefix("\ufeff").lstrip().startswith("{")


def read_vroom(text: str, source: str, distances: str) -> Floats:
    """Read costs and windows, float64[n, n + 2 + 2 g].

    Raises
    ------
    InputError
        For what is no JSON, keys that are not read, several vehicles, shipments, and values that
        do not fit; the message names the path to it, as `jobs[2].service`.
    """
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source}: line {error.lineno}, column {error.colno}: no JSON: {error.msg}"
        ) from None
    except (RecursionError, ValueError):
        raise InputError(f"{source}: no JSON that can be read") from None
    if found.get("shipments"):
        raise InputError(f"{source}: shipments: pickups and deliveries, {ROUTING}")
    _check_keys(found, OF_FILE, ("shipments",), source)
    vehicles, jobs = (_list(found.get(key, []), f"{source}: {key}") for key in ("vehicles", "jobs"))
    if len(vehicles) != 1:
        routing = f", {ROUTING}" if len(vehicles) > 1 else ""
        raise InputError(f"{source}: {len(vehicles)} vehicles{routing}: expected 1")
    if not 0 < len(jobs) < MAX_NODES - 1:
        raise InputError(f"{source}: {len(jobs)} jobs, expected 1 ... {MAX_NODES - 2}")
    vehicle = _object(vehicles[0], OF_VEHICLE, f"{source}: vehicles[0]")
    start = _end_of(vehicle, "start", source)
    end = _end_of(vehicle, "end", source)
    if start is None:
        raise InputError(f"{source}: vehicles[0]: no start, where the tour begins")
    places = [start, *(_job(job, f"{source}: jobs[{k}]") for k, job in enumerate(jobs))]
    is_round = end is not None and (end.at, end.row) == (start.at, start.row)
    if end is not None and not is_round:
        places.append(end)
    cost = _costs(found, places, vehicle, source, distances)
    shift = (0.0, _latest(places, cost))
    if "time_window" in vehicle:
        shift = _window(vehicle["time_window"], f"{source}: vehicles[0].time_window")
    windows = [list(place.windows) or [shift] for place in places]
    windows[0] = [shift]
    if not is_round:
        windows[1:] = map(_ending_by, windows[1:], places[1:], [shift[1]] * (len(places) - 1))
    data = np.hstack([cost, pack_windows(windows, [place.where for place in places])])
    if is_round:
        return data
    return open_ended(data) if end is None else ending_at(data, len(data) - 1, source)


def _check_keys(found: Any, known: tuple[str, ...], empty: tuple[str, ...], where: str) -> None:
    """Refuse keys other than those known; those that are `empty` say nothing."""
    for key in found:
        if key not in known and key not in empty:
            routing = f", {ROUTING}" if key in ("breaks", "capacity", "skills") else ""
            raise InputError(
                f"{where}: key {quoted(key, known)}, which is not read{routing}: expected "
                f"{', '.join(known)}"
            )


def _list(found: Any, where: str) -> list[Any]:
    if not isinstance(found, list):
        raise InputError(f"{where}: {quoted(found)}, expected a list")
    return found


def _object(found: Any, known: tuple[str, ...], where: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise InputError(f"{where}: {quoted(found)}, expected an object")
    _check_keys(found, known, (), where)
    return found


def _number(found: Any, where: str) -> float:
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    if not is_number or not abs(found) <= MOST:
        raise InputError(f"{where}: {quoted(found)}, expected a number")
    return float(found)


def _index(found: Any, where: str) -> int:
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < MOST_INDEX:
        raise InputError(f"{where}: {quoted(found)}, expected an index, 0 or more")
    return found


def _pair(found: Any, where: str) -> tuple[float, float]:
    if not isinstance(found, list) or len(found) != 2:
        raise InputError(f"{where}: {quoted(found)}, expected two numbers")
    one, other = (_number(number, f"{where}[{k}]") for k, number in enumerate(found))
    return one, other


def _window(found: Any, where: str) -> tuple[float, float]:
    start, end = _pair(found, where)
    if end < start:
        raise InputError(f"{where}: {start:g} to {end:g}, a window that ends before it starts")
    return start, end


def _end_of(vehicle: dict[str, Any], name: str, source: str) -> _Place | None:
    """Place where the vehicle starts or ends; None if it is open."""
    where = f"{source}: vehicles[0].{name}"
    at, index = vehicle.get(name), vehicle.get(f"{name}_index")
    if at is None and index is None:
        return None
    return _Place(
        where,
        None if at is None else _pair(at, where),
        None if index is None else _index(index, f"{where}_index"),
    )


def _job(found: Any, where: str) -> _Place:
    job = _object(found, OF_JOB, where)
    at, index = job.get("location"), job.get("location_index")
    service = _number(job.get("service", 0), f"{where}.service")
    if service < 0:
        raise InputError(f"{where}.service: {service:g}, expected 0 or more")
    windows = _list(job.get("time_windows", []), f"{where}.time_windows")
    return _Place(
        where,
        None if at is None else _pair(at, f"{where}.location"),
        None if index is None else _index(index, f"{where}.location_index"),
        service,
        tuple(_window(each, f"{where}.time_windows[{k}]") for k, each in enumerate(windows)),
    )


def _costs(
    found: dict[str, Any],
    places: list[_Place],
    vehicle: dict[str, Any],
    source: str,
    distances: str,
) -> Floats:
    """Costs with service times, float64[n, n], from a matrix of the file or from coordinates."""
    service = np.array([place.service for place in places])
    if "matrix" not in found and "matrices" not in found:
        rows = np.zeros((len(places), len(COLUMNS)))
        rows[:, SERVICE] = service
        for row, place in zip(rows, places, strict=True):
            if place.at is None:
                raise InputError(f"{place.where}: no location, and no matrix for an index")
            row[[X, Y]] = place.at
        return matrix_of(Table(rows, [], is_closed=False), distances)[:, : len(places)]
    if distances != "auto":
        raise InputError(f"{source}: a matrix of costs, distances {distances} is for coordinates")
    matrix = _matrix(found, vehicle.get("profile", "car"), source)
    for place in places:
        if place.row is None:
            raise InputError(f"{place.where}: no index of a row of the matrix")
        if place.row >= len(matrix):
            raise InputError(f"{place.where}: index {place.row}, the matrix has {len(matrix)} rows")
    rows_of = np.array([place.row for place in places])
    cost = matrix[np.ix_(rows_of, rows_of)] + service[:, None]
    np.fill_diagonal(cost, 0.0)
    return cost


def _matrix(found: dict[str, Any], profile: Any, source: str) -> Floats:
    """Durations of the file, float64[rows, rows]."""
    where, matrix = f"{source}: matrix", found.get("matrix")
    if "matrices" in found:
        where = f"{source}: matrices"
        profiles = found["matrices"]
        if not isinstance(profiles, dict) or not isinstance(profiles.get(str(profile)), dict):
            raise InputError(f"{where}: no matrices of the profile {quoted(profile)}")
        where = f"{where}.{profile}"
        of_profile = _object(profiles[str(profile)], ("durations", "costs"), where)
        matrix = of_profile.get("durations")
        if of_profile.get("costs", matrix) != matrix:
            raise InputError(f"{where}: costs other than the durations, {ROUTING}")
        where = f"{where}.durations"
    rows = [_list(row, f"{where}[{k}]") for k, row in enumerate(_list(matrix, where))]
    for k, row in enumerate(rows):
        if len(row) != len(rows):
            raise InputError(f"{where}[{k}]: {len(row)} numbers, expected {len(rows)}")
    costs = [
        [_number(cost, f"{where}[{k}][{j}]") for j, cost in enumerate(row)]
        for k, row in enumerate(rows)
    ]
    negative = [(k, j) for k, row in enumerate(costs) for j, cost in enumerate(row) if cost < 0]
    if negative:
        raise InputError(f"{where}[{negative[0][0]}][{negative[0][1]}]: a negative cost")
    return np.array(costs)


def _latest(places: list[_Place], cost: Floats) -> float:
    """End of a shift without end: no tour takes longer."""
    opens = [start for place in places for start, _ in place.windows]
    return max([0.0, *opens]) + float(np.ceil(cost.max(axis=1).sum()))


def _ending_by(
    windows: list[tuple[float, float]], place: _Place, end: float
) -> list[tuple[float, float]]:
    """Windows of a job whose service must end by `end`.

    If none is soon enough, the one of the end of its service: then no tour is in time.
    """
    latest = end - place.service
    cut = [(start, min(closes, latest)) for start, closes in windows if start <= latest]
    served = min(start for start, _ in windows) + place.service
    return cut or [(served, served)]
