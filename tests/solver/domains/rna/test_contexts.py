"""Contexts of bases, in words, and their loops codes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.rna.contexts import ACROSS, BESIDE, N_PLACES, PLACE, contexts, place_name
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.kernels import MOVES
from solver.domains.rna.priors import PRIORS, LoopsTable
from solver.domains.rna.text import RnaTarget
from tests.solver.domains.rna.plain_structures import pairs_of

CODE = PRIORS["loops"]
TABLE = LoopsTable(np.zeros(0))

structures = st.recursive(
    st.sampled_from(["...", "....", "....."]),
    lambda inside: st.tuples(
        st.lists(inside.map(lambda s: f"(({s}))"), min_size=1, max_size=3),
        st.sampled_from(["", "."]),
    ).map(lambda parts: parts[1] + parts[1].join(parts[0])),
    max_leaves=6,
)


def places(structure: str) -> list[str]:
    """Return the context of each unpaired base, and of each '('."""
    table = contexts(structure)
    return [place_name(int(table[i, PLACE])) for i, c in enumerate(structure) if c != ")"]


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (".", ["exterior, inside"]),
        (
            "(.(...))",
            [
                "pair between outside and bulge of 1",
                "bulge of 1, alone, 5' side",
                "pair between bulge of 1 and hairpin of 3",
                "hairpin of 3, behind a helix",
                "hairpin of 3, inside",
                "hairpin of 3, before a helix",
            ],
        ),
        (
            "((....)(...).)",
            [
                "pair between outside and junction, 5' end taken",
                "pair between junction, both ends taken and hairpin of 4",
                "hairpin of 4, behind a helix",
                "hairpin of 4, inside",
                "hairpin of 4, inside",
                "hairpin of 4, before a helix",
                "pair between junction, 5' end taken and hairpin of 3",
                "hairpin of 3, behind a helix",
                "hairpin of 3, inside",
                "hairpin of 3, before a helix",
                "junction of 3, alone",
            ],
        ),
        (
            "(..(......).)",
            [
                "pair between outside and larger interior loop",
                "1 x 2, behind a helix, 5' side",
                "1 x 2, before a helix, 5' side",
                "pair between larger interior loop and larger hairpin",
                "hairpin of 6, behind a helix",
                *["hairpin of 6, inside"] * 4,
                "hairpin of 6, before a helix",
                "1 x 2, alone, 3' side",
            ],
        ),
    ],
)
def test_places(structure: str, expected: list[str]) -> None:
    """Kind and size of the loop, where in it, and of a pair both of its loops."""
    assert places(structure) == expected


@given(structures)
def test_names_of_places_differ(structure: str) -> None:
    """Places and their names belong together."""
    found = set(contexts(structure)[[c != ")" for c in structure], PLACE].tolist())
    assert len({place_name(place) for place in found}) == len(found)
    assert max(found) < N_PLACES


@given(structures)
def test_only_what_is_placed_is_known(structure: str) -> None:
    """The pair beside and the base across are placed before the base: they begin left of it."""
    table = contexts(structure)
    partner = pairs_of(structure)
    for i, c in enumerate(structure):
        if c == ")":
            continue
        beside, across = table[i, BESIDE], table[i, ACROSS]
        assert beside < 0 or (abs(beside - i) == 1 and min(beside, partner[beside]) < i)
        assert across < 0 or (across < i and structure[across] == "." and c == ".")
        assert 0 <= table[i, PLACE] < N_PLACES


def row(structure: str, moves: list[str], move: str, engine: int = -1) -> dict[str, int]:
    """Components of the code of `move` after `moves`."""
    domain = RnaDomain()
    problem = Problem("p", RnaTarget(structure, "N" * len(structure)))
    instance = domain.instance(problem, RnaOptions(engine="none"))._replace(engine=engine)
    state = domain.new_state(instance)
    contract.reset(instance, state)
    for played in moves:
        contract.play(instance, state, MOVES.index(played))
    number = int(contract.prior_code(TABLE, instance, state, MOVES.index(move)))
    found = np.unravel_index(number, tuple(CODE.components.values()))
    return {name: int(value) for name, value in zip(CODE.components, found, strict=True)}


@pytest.mark.parametrize(
    ("structure", "moves", "beside", "across"),
    [
        ("(...)", [], 0, 0),  # nothing beside
        (".(...)", ["C"], 2, 0),  # a base that does not pair
        ("((...))", ["UG"], 5 + 5, 0),  # the pair outside
        ("(...)", ["CG"], 5 + 1, 0),  # the pair that closes; what faces it comes later
        ("(...)", ["CG", "A", "U"], 5 + 0, 1),  # the same pair from its other base, A across
        ("(.(...).)", ["GC", "G", "AU", "A", "A", "A"], 5 + 3, 3),  # the inner pair, G across
    ],
)
def test_what_is_beside(structure: str, moves: list[str], beside: int, across: int) -> None:
    """Nothing, a base or a pair beside, and the base across."""
    for number, move in itertools.product(
        (-1, 1), ["A"] if structure[len(moves)] != "(" else ["GC"]
    ):
        found = row(structure, moves, move, number)
        assert (found["beside"], found["across"]) == (beside, across)
        assert (found["engine"], found["move"]) == (number + 1, MOVES.index(move))


def test_the_table_has_a_row_for_every_code() -> None:
    """Codes lie within the table, the greatest of each component included."""
    assert CODE.rows == np.prod(list(CODE.components.values()))
    assert row("(...)", [], "UG", 2)["engine"] == CODE.components["engine"] - 1
