"""Fronts in kernels against plain Python: who dominates whom, and crowding distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.compiling.jit import kernel
from solver.kernels.nested.fronts import Fronts, measure_crowding, new_fronts, offer
from solver.searching.fronts import FrontMember, hypervolume, non_dominated

Point = tuple[float, ...]
LEVEL = 1

measure_crowding_kernel, offer_kernel = kernel(measure_crowding), kernel(offer)

points_of_two = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30
)
points_of_three = st.lists(
    st.tuples(*[st.just(0)], *[st.integers(0, 4)] * 3), min_size=1, max_size=30
)


def dominates(one: Any, other: Any) -> bool:
    if one[0] != other[0]:
        return bool(one[0] < other[0])
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def best_of(points: Any) -> set[Any]:
    return {one for one in points if not any(dominates(two, one) for two in points)}


def offered(points: Any, size: int) -> Fronts:
    """Offer points one after the other to a front that holds `size`."""
    fronts = new_fronts(LEVEL, size, len(points[0]) - 1, choices=1)
    for point in points:
        fronts.values[fronts.member[0, 0]] = point
        offer_kernel(fronts, LEVEL, 0)
    return fronts


def members(fronts: Fronts) -> list[Point]:
    rows = fronts.member[LEVEL, : fronts.n_members[LEVEL]]
    return [tuple(values) for values in fronts.values[rows].tolist()]


def distances(front: list[Point]) -> list[float]:
    """Crowding distances of NSGA-II."""
    found = [0.0] * len(front)
    for objective in range(1, len(front[0])):
        order = sorted(range(len(front)), key=lambda place: front[place][objective])
        span = front[order[-1]][objective] - front[order[0]][objective]
        found[order[0]] = found[order[-1]] = math.inf
        for before, place, after in zip(order, order[1:], order[2:], strict=False):
            if span:
                found[place] += (front[after][objective] - front[before][objective]) / span
    return found


@given(points_of_two | points_of_three)
def test_front_is_what_none_dominates(points: Any) -> None:
    """The kernel's front, and that of results, are the points that none dominates, each once."""
    found = members(offered(points, size=40))
    assert sorted(found) == sorted(best_of(points))
    nothing = np.zeros(0, np.int64)
    merged = non_dominated([FrontMember(np.array(point, float), nothing) for point in points])
    assert [tuple(member.values.tolist()) for member in merged] == sorted(best_of(points))


@given(points_of_two | points_of_three)
def test_crowding_distance_is_that_of_nsga_ii(points: Any) -> None:
    """Every member has the distance that plain Python computes."""
    fronts = offered(points, size=40)
    measure_crowding_kernel(fronts, LEVEL)
    found = fronts.crowding[: fronts.n_members[LEVEL]]
    np.testing.assert_allclose(found, distances(members(fronts)))


@given(points_of_two, st.integers(2, 4))
def test_most_crowded_leaves_a_full_front(points: Any, size: int) -> None:
    """A full front is as plain Python's; its ends stay, and no record is lost or there twice."""
    plain: list[Point] = []
    for point in points:
        if any(dominates(old, point) for old in plain):
            continue
        plain = [old for old in plain if not dominates(point, old) and old != point]
        plain.append(point)
        if len(plain) > size:
            crowding = distances(plain)
            least = crowding.index(min(crowding))
            plain[least], plain[-1] = plain[-1], plain[least]
            plain.pop()
    fronts = offered(points, size)
    assert members(fronts) == plain
    ends = sorted(best_of(points))
    assert {ends[0], ends[-1]} <= {*plain}
    assert sorted(fronts.member.ravel().tolist()) == list(range(fronts.member.size))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_hypervolume_counts_unit_squares(points: list[tuple[int, int]]) -> None:
    """The area of whole numbers is the number of squares that some point dominates."""
    squares = [
        (x, y) for x in range(8) for y in range(8) if any(a <= x and b <= y for a, b in points)
    ]
    assert hypervolume(np.array(points, float), np.array([8.0, 8.0])) == len(squares)
