"""Games as words: the moves, where those at random end, and the visits of each search's root."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

#: Word between the moves of a game that were made at random, and those of who plays.
OPENING = "|"
#: Words around the visits of a search, before the move that it chose: numbers and moves in turns.
BEGIN, END = "[", "]"


class GameRecord(NamedTuple):
    """A game that was played, in words."""

    moves: list[str]
    opening: int
    """So many of the moves, the first ones, were made at random."""
    visits: list[dict[str, int]]
    """For each move, playouts of the moves of its search; empty where none are written."""


def written_visits(visits: Mapping[str, int]) -> list[str]:
    """Words of the visits of a search, the most visited move first."""
    order = sorted(visits.items(), key=lambda item: -item[1])
    return [BEGIN, *(word for move, number in order for word in (str(number), move)), END]


def read_record(words: Iterable[str]) -> GameRecord:
    """Read the words of a game.

    Raises
    ------
    ValueError
        If visits are not numbers and moves in turns, or end nowhere.
    """
    record, visits = GameRecord([], 0, []), dict[str, int]()
    each = iter(words)
    for word in each:
        if word == OPENING:
            record = record._replace(opening=len(record.moves))
        elif word == BEGIN:
            visits = {}
            while (number := next(each, "")) != END:
                visits[next(each, "")] = int(number)
        else:
            record.moves.append(word)
            record.visits.append(visits)
            visits = {}
    return record


def apportioned(visits: Mapping[str, int], votes: int) -> dict[str, int]:
    """Share out `votes` in proportion to `visits`, by largest remainders; of equals the first."""
    total = sum(visits.values())
    whole = {move: votes * number // total for move, number in visits.items()}
    rest = {move: votes * number % total for move, number in visits.items()}
    first = sorted(rest, key=lambda move: -rest[move])[: votes - sum(whole.values())]
    return {move: n + (move in first) for move, n in whole.items() if n + (move in first)}
