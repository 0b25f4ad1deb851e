"""Results of matches as text and as a report."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from pipeline.matches.rating import bradley_terry
from pipeline.matches.rows import GameRow
from pipeline.results.statistics import wilson_interval

#: In the place of a number that there is none of.
DASH = "\N{EN DASH}"


def share_of(rows: Sequence[GameRow]) -> str:
    """Mean score of the first method with its Wilson interval, in per cent."""
    score = sum(row.score for row in rows)
    low, high = wilson_interval(score, len(rows))
    return f"{100 * score / len(rows):.1f} ({100 * float(low):.1f} to {100 * float(high):.1f})"


def pace_of(rows: Iterable[GameRow], method: str) -> str:
    """Playouts per second of a method."""
    playouts, seconds = 0, 0.0
    for row in rows:
        for name, made, spent in (
            (row.one, row.playouts_one, row.seconds_one),
            (row.other, row.playouts_other, row.seconds_other),
        ):
            if name == method:
                playouts, seconds = playouts + made, seconds + spent
    return f"{playouts / seconds:,.0f}" if seconds else DASH


Pair = tuple[str, str]
"""Names of the two methods of a game."""


class Grid(NamedTuple):
    """A table."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


class Results(NamedTuple):
    """Results of the matches of a game at a budget."""

    title: str
    options: str
    grids: list[Grid]
    warning: str
    """"" where there is none."""

    def markdown(self) -> str:
        """The results in Markdown."""
        grids = "\n".join(grid.markdown() for grid in self.grids)
        warning = f"\n{self.warning}\n" if self.warning else ""
        return f"\n## {self.title}\n\n{self.options}\n\n{grids}{warning}"


def budget_of(row: GameRow) -> str:
    """Budget of a move."""
    return f"{row.playouts:,} playouts" if row.seconds is None else f"{row.seconds:g} s"


def results(rows: Iterable[GameRow]) -> list[Results]:
    """All matches by game and budget: results, ratings, speed."""
    groups: dict[tuple[str, str, str], list[GameRow]] = defaultdict(list)
    for row in rows:
        groups[row.game, row.options, budget_of(row)].append(row)
    found = []
    for (game, options, budget), played in groups.items():
        words = {key: " ".join(str(value).split()) for key, value in json.loads(options).items()}
        values = ", ".join(f"{key} {value}" for key, value in words.items())
        names = _names(played)
        grids = [_scores(played, names)]
        if played[0].players == 2:
            grids += _ratings(played, names)
        found.append(Results(f"{game}, {budget} a move", values, grids, _warning(played)))
    return found


def summary(rows: Iterable[GameRow]) -> str:
    """`results` in Markdown."""
    return "# Matches\n" + "".join(found.markdown() for found in results(rows))


def _scores(rows: Sequence[GameRow], names: Mapping[GameRow, Pair]) -> Grid:
    matches: dict[str, list[GameRow]] = defaultdict(list)
    for row in rows:
        matches[row.match].append(row)
    players = rows[0].players
    lines = []
    for found in matches.values():
        one, other = names[found[0]]
        seats = [_percent([row.score for row in found if row.seat == k]) for k in range(players)]
        length = np.mean([row.length for row in found])
        paces = f"{pace_of(found, found[0].one)} / {pace_of(found, found[0].other)}"
        others = other if players == 2 else f"{players - 1} {other}"
        lines.append(
            [
                one,
                others,
                f"{len(found):,}",
                share_of(found),
                " / ".join(seats),
                f"{length:.1f}",
                paces,
            ]
        )
    header = ["method", "against", "games", "score in % (95 %)", "by seat", "moves", "playouts/s"]
    return Grid(header, lines)


def _percent(scores: Sequence[float]) -> str:
    return f"{100 * np.mean(scores):.1f}" if scores else DASH


def _ratings(rows: Sequence[GameRow], names: Mapping[GameRow, Pair]) -> list[Grid]:
    """A table for each group of methods that games connect: others cannot be told apart."""
    methods = list(dict.fromkeys(name for row in rows for name in names[row]))
    wins = np.zeros((len(methods), len(methods)))
    for row in rows:
        one, other = (methods.index(name) for name in names[row])
        wins[one, other] += row.score
        wins[other, one] += 1.0 - row.score
    n_groups, group_of = connected_components(wins + wins.T, directed=False)
    grids = []
    for group in range(n_groups):
        members = np.flatnonzero(group_of == group)
        ratings = bradley_terry(wins[np.ix_(members, members)])
        order = sorted(range(len(members)), key=lambda place: -ratings[place].points)
        lines = [
            [methods[members[n]], f"{ratings[n].points:+.0f} ± {ratings[n].half:.0f}"]
            for n in order
        ]
        grids.append(Grid(["method", "Elo (Bradley-Terry, 95 %)"], lines))
    return grids


def _names(rows: Sequence[GameRow]) -> dict[GameRow, Pair]:
    """Names of the two methods of each game: with digests if several share a name."""
    digests: dict[str, set[str]] = defaultdict(set)
    found = {}
    for row in rows:
        one, other = re.escape(row.one), re.escape(row.other)
        parts = re.match(rf"{one}((?:@\w+)*) {other}((?:@\w+)*) ", row.match)
        found[row] = (parts[1], parts[2]) if parts else ("", "")
        digests[row.one].add(found[row][0])
        digests[row.other].add(found[row][1])

    def name(word: str, digest: str) -> str:
        return word + digest * (len(digests[word]) > 1)

    return {row: (name(row.one, one), name(row.other, two)) for row, (one, two) in found.items()}


def _warning(rows: Sequence[GameRow]) -> str:
    versions, full = len({row.sources for row in rows}), sum(row.full > 0 for row in rows)
    found = [f"Played with {versions} versions of the sources."] * (versions > 1)
    if full:
        found.append(f"In {full:,} games a tree had too little memory for all states (--memory).")
    return " ".join(found)
