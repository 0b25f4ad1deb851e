"""Exact covers whose candidates share any number of sets, against plain Python."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.compiling.random import new_stream
from solver.contract import rules
from solver.errors import InputError
from solver.propagation.belief import BELIEF, BELIEF_CAP, belief
from solver.propagation.exact_cover import (
    FAILED,
    MOST_KINDS,
    N_ASSIGNED,
    N_TRAIL,
    Cover,
    CoverState,
    assign,
    is_over,
    list_candidates,
    new_cover,
    new_cover_state,
    propagate_root,
    remove,
    reset_cover,
    undo_to,
)
from solver.propagation.smallest_set import smallest_set

Candidates = list[tuple[int, ...]]


@st.composite
def covers(draw: st.DrawFn) -> tuple[int, int, Candidates]:
    """Sets that must be covered, all sets, and the sets of each candidate, one mandatory at least.

    A cover is hidden among the candidates more often than not.
    """
    exact = draw(st.integers(1, 7))
    n_sets = exact + draw(st.integers(0, 2))
    subsets = st.sets(st.integers(0, n_sets - 1), min_size=1, max_size=4)
    found = [one for one in draw(st.lists(subsets, max_size=12)) if min(one) < exact]
    if draw(st.booleans()):
        order = draw(st.permutations(range(exact)))
        found += [{one} for one in order[:2]] + [set(order[2:])] * (exact > 2)
    return exact, n_sets, [tuple(sorted(one)) for one in found]


def built(exact: int, n_sets: int, candidates: Candidates) -> Cover:
    kinds = max(map(len, candidates), default=1)
    sets = np.full((len(candidates), kinds), n_sets, np.int64)
    for number, one in enumerate(candidates):
        sets[number, : len(one)] = one
    return new_cover(
        sets, n_sets, n_variables=exact, n_propagated=exact,
        n_assignments=min(exact, len(candidates)), random_ties=False,
    )  # fmt: skip


def all_covers(exact: int, candidates: Candidates) -> set[frozenset[int]]:
    """Brute force: subsets of candidates that are disjoint and cover what must be covered."""
    found = set()
    for size in range(exact + 1):
        for chosen in itertools.combinations(range(len(candidates)), size):
            held = [item for one in chosen for item in candidates[one]]
            if len(set(held)) == len(held) and set(range(exact)) <= set(held):
                found.add(frozenset(chosen))
    return found


def snapshot(cover: Cover, state: CoverState) -> Any:
    bins = [sorted(state.by_size[state.start[n] : state.start[n + 1]].tolist())
            for n in range(len(state.start) - 1)]  # fmt: skip
    return (
        state.alive.tolist(), state.covered.tolist(), state.size.tolist(), state.link.tolist(),
        bins, state.scalars[N_ASSIGNED], state.scalars[N_TRAIL],
    )  # fmt: skip


def enumerate_covers(cover: Cover, state: CoverState) -> set[frozenset[int]]:
    """All covers by branching on the smallest set, each state restored by `undo_to`."""
    if is_over(cover, state):
        done = frozenset(state.assigned[: state.scalars[N_ASSIGNED]].tolist())
        return set() if state.scalars[FAILED] else {done}
    moves = np.zeros(max(len(cover.sets), 1), np.int64)
    item = smallest_set(cover, state, new_stream(1))
    count = list_candidates(cover, state, item, moves)
    before, mark = snapshot(cover, state), state.scalars[N_TRAIL]
    found: set[frozenset[int]] = set()
    for move in moves[:count].tolist():
        assign(cover, state, move)
        found |= enumerate_covers(cover, state)
        undo_to(cover, state, mark)
        assert snapshot(cover, state) == before
    return found


@settings(max_examples=150, deadline=None)
@given(problem=covers())
def test_all_covers_are_those_of_brute_force(problem: tuple[int, int, Candidates]) -> None:
    """Search with propagation and undo finds each cover, whatever sets candidates share."""
    exact, _, candidates = problem
    cover = built(*problem)
    state = new_cover_state(cover)
    with np.errstate(over="ignore"):
        propagate_root(cover, state)
        assert enumerate_covers(cover, state) == all_covers(exact, candidates)


@settings(max_examples=100, deadline=None)
@given(problem=covers(), seed=st.integers(0, 99))
def test_sizes_are_those_of_a_recount(problem: tuple[int, int, Candidates], seed: int) -> None:
    """After removals and assignments each open set has the candidates left, in its bin."""
    exact, n_sets, candidates = problem
    cover = built(*problem)
    state = new_cover_state(cover)
    chance = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        reset_cover(cover, state)
        while state.alive.any() and not is_over(cover, state):
            move = int(chance.choice(np.flatnonzero(state.alive)))
            (assign if chance.random() < 0.3 else remove)(cover, state, move)
            if state.scalars[FAILED]:
                break
            assigned = state.assigned[: state.scalars[N_ASSIGNED]].tolist()
            held = {item for one in assigned for item in candidates[one]}
            assert set(np.flatnonzero(state.covered[:-1])) == held
            for item in set(range(n_sets)) - held:
                left = [
                    one for one in np.flatnonzero(state.alive).tolist() if item in candidates[one]
                ]
                assert state.size[item] == len(left)
                assert state.link[item] == np.bitwise_xor.reduce([0, *left])
                if item < exact:
                    at = int(state.place[item])
                    assert state.by_size[at] == item
                    assert state.start[len(left)] <= at < state.start[len(left) + 1]


@settings(max_examples=100, deadline=None)
@given(problem=covers())
def test_belief_is_that_of_messages(problem: tuple[int, int, Candidates]) -> None:
    """The belief equals two steps of messages kept for every pair of a set and a candidate."""
    exact, n_sets, candidates = problem
    cover = built(*problem)
    state = new_cover_state(cover)
    moves = np.zeros(max(len(candidates), 1), np.int64)
    with np.errstate(over="ignore"):
        reset_cover(cover, state)
        for item in range(exact):
            count = list_candidates(cover, state, item, moves)
            if count < 2:
                continue
            expected = message_odds(candidates, n_sets, item)
            for move in moves[:count].tolist():
                odds = belief(cover, state, move)
                assert abs(odds / (1 + odds) - expected[move] / (1 + expected[move])) < 1e-9
                table = BELIEF.table_class(np.ones(BELIEF.rows))
                row = rules.prior_code(table, Instance(cover), state, move) - BELIEF_CAP
                step = min(max(8 * np.log(expected[move]), -BELIEF_CAP), BELIEF_CAP)
                assert abs(row - step) <= 0.501


class Instance:
    """An instance as a prior code sees it."""

    def __init__(self, cover: Cover) -> None:
        self.cover = cover


def message_odds(candidates: Candidates, n_sets: int, item: int) -> dict[int, float]:
    """Odds of the candidates of a set by messages, without any shortcut of the code.

    A first message is 1 / (n - 1), of a set of one as of one of 1.5; the scale of messages to a
    set, the same to all its candidates, does not count.
    """
    of_set = {s: [c for c, one in enumerate(candidates) if s in one] for s in range(n_sets)}
    first = {s: 1 / max(2 * len(of_set[s]) - 2, 1) for s in range(n_sets)}

    def product(candidate: int) -> float:
        return float(np.prod([first[s] for s in candidates[candidate]]))

    worth = {}
    for candidate in of_set[item]:
        worth[candidate] = product(candidate)
        for s in candidates[candidate]:
            rivals = sum(product(rival) for rival in of_set[s] if rival != candidate)
            worth[candidate] /= max(rivals, 1e-12)
    odds = {}
    for candidate, one in worth.items():
        rest = sum(other for rival, other in worth.items() if rival != candidate)
        odds[candidate] = min(max(one / max(rest, 1e-12 * one), 1e-12), 1e12)
    return odds


def test_as_many_kinds_as_an_entry_of_the_trail_can_tell() -> None:
    """A candidate in all of them is assigned, the others are gone, and all comes back."""
    whole = tuple(range(MOST_KINDS))
    cover = built(MOST_KINDS, MOST_KINDS, [whole, *((item,) for item in whole)])
    state = new_cover_state(cover)
    reset_cover(cover, state)
    arrays: list[Any] = [state.alive, state.size, state.link, state.start]
    before = [array.copy() for array in arrays]
    assign(cover, state, 0)
    assert is_over(cover, state)
    assert not state.alive.any()
    undo_to(cover, state, 0)
    assert all(np.array_equal(one, other) for one, other in zip(before, arrays, strict=True))
    with pytest.raises(InputError, match=r"an exact cover of 255 kinds of sets, expected 254 or f"):
        built(MOST_KINDS + 1, MOST_KINDS + 1, [(*whole, MOST_KINDS)])
