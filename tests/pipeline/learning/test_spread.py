"""Passes by other processes: the parts, and what a worker keeps in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pipeline.learning import spread
from pipeline.learning.assessment import fit_prior
from pipeline.learning.fit import Fit
from pipeline.learning.passes import Answer, LocalPasses, Question
from pipeline.learning.spread import Part, Source, SpreadPasses, answer_of, forget
from tests.pipeline.learning.fits import (
    BOTH,
    DOMAIN,
    files_of,
    new_blocks,
    random_decisions,
    seen_rows,
)

DECISIONS = random_decisions(2, 300, instances=80)


class OneWorker:
    """A worker in this process, with so much room."""

    def __init__(self, room: int) -> None:
        self.room = room

    def answers(
        self, source: Source, parts: Sequence[Part], question: Question
    ) -> Iterator[Answer]:
        return (answer_of(source, part, question, self.room) for part in parts)


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    forget()


def passes_of(folder: Path, room: int) -> SpreadPasses:
    folder.mkdir(exist_ok=True)
    files = files_of(DECISIONS, folder, 7)
    seen = seen_rows(DECISIONS)
    return SpreadPasses(OneWorker(room), files, DOMAIN.name, DOMAIN, BOTH, seen, folder)


def kept() -> list[int]:
    """Bytes that are kept of each part."""
    return [passes.blocks.kept_bytes for passes in spread._held.passes.values()]


@pytest.mark.parametrize("most", [1, 3, 64])
def test_the_same_bytes_in_any_number_of_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Each file is in one part, of which there are no more than allowed."""
    monkeypatch.setattr("pipeline.learning.spread.MAX_PARTS", most)
    weights, facts = fit_prior(Fit(LocalPasses(new_blocks(DECISIONS, tmp_path))), None, None)
    passes = passes_of(tmp_path / "spread", 1 << 30)
    assert len(passes.parts) == min(most, 7)
    assert len({name for part in passes.parts for name in part}) == 7
    others, same = fit_prior(Fit(passes), None, None)
    assert (others.tobytes(), same) == (weights.tobytes(), facts)


def test_all_parts_of_a_fit_share_the_room(tmp_path: Path) -> None:
    """Files without room are read again at each pass, and give the same sums."""
    plenty = passes_of(tmp_path / "plenty", 1 << 30)
    expected = plenty.occurrences(["training"])
    whole = kept()
    assert len(whole) == 7
    assert min(whole) > 0
    few = passes_of(tmp_path / "few", whole[0] + 1)
    found = few.occurrences(["training"])
    assert kept() == [*whole[:2], 0, 0, 0, 0, 0]  # the file that goes beyond it is kept
    assert found.possible.tolist() == expected.possible.tolist()
    forget()
    assert kept() == []


def test_another_fit_takes_the_place_of_the_last(tmp_path: Path) -> None:
    """A worker holds the decisions of one fit."""
    one, other = passes_of(tmp_path / "one", 1 << 30), passes_of(tmp_path / "other", 1 << 30)
    before = one.occurrences(["training"])
    other.occurrences(["training"])
    assert {name for part in spread._held.passes for name in part} == {
        name for part in other.parts for name in part
    }
    again = one.total(Question("occurrences", ("training",)))
    assert [array.tolist() for array in again[1:]] == [array.tolist() for array in before[1:]]
