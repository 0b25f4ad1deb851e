"""Requests that a sequence does not meet, beside the verifier's opinion."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from solver.domains.rna.requests.check import Requirements, missing_of
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.states.lacks import lack_of

REQUESTS = [
    RnaRequests(gc="30-50"),
    RnaRequests(forbid="GGNCC,A3", require="GNRA"),
    RnaRequests(forbid="EcoRI", require="UUU,CC", gc="20-80"),
]


@given(
    sequence=st.text("ACGU", min_size=12, max_size=12),
    other=st.text("ACGU", min_size=12, max_size=12),
    asked=st.sampled_from(REQUESTS),
    nick=st.sampled_from([0, 3, 6, 11]),
    distance=st.integers(1, 12),
)
def test_nothing_lacks_where_nothing_is_missing(
    sequence: str, other: str, asked: RnaRequests, nick: int, distance: int
) -> None:
    """The search and the verifier agree, and what lacks has positions to change."""
    requirements: Requirements = asked.requirements._replace(
        nick=nick, others=[other], distance=distance
    )
    lack = lack_of(sequence, requirements, Random(0))
    assert (lack.size == 0) == (missing_of(sequence, requirements) == [])
    assert (lack.size == 0) == (lack.positions == [])
    assert all(0 <= position < 12 for position in lack.positions)


def test_motifs_lie_in_one_strand() -> None:
    """A match over the end of a strand is no motif; positions count bases."""
    requirements = RnaRequests(forbid="GAAUUC", require="CCC").requirements
    sequence = "CCCGAAUUCAAA"
    assert missing_of(sequence, requirements) == ["GAAUUC occurs at position 4, forbidden"]
    assert missing_of(sequence, requirements._replace(nick=6)) == []
    assert missing_of(sequence, requirements._replace(nick=3)) == [
        "GAAUUC occurs at position 4, forbidden"
    ]
    assert missing_of(sequence, requirements._replace(nick=2)) == [
        "GAAUUC occurs at position 4, forbidden",
        "CCC does not occur, required",
    ]
