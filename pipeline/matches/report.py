"""What matches came to."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.matches.journal import GameRow
from pipeline.matches.rating import bradley_terry
from pipeline.results.statistics import wilson_interval


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
    return f"{playouts / seconds:,.0f}" if seconds else ""


class Grid(NamedTuple):
    """A table."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


class Results(NamedTuple):
    """What the matches of a game at a budget came to."""

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
        grids = [_scores(played)]
        if played[0].players == 2:
            grids.append(_ratings(played))
        found.append(Results(f"{game}, {budget} a move", values, grids, _warning(played)))
    return found


def summary(rows: Iterable[GameRow]) -> str:
    """`results` in Markdown."""
    return "# Matches\n" + "".join(found.markdown() for found in results(rows))


def _scores(rows: Sequence[GameRow]) -> Grid:
    matches: dict[str, list[GameRow]] = defaultdict(list)
    for row in rows:
        matches[row.match].append(row)
    players = rows[0].players
    lines = []
    for found in matches.values():
        one, other = found[0].one, found[0].other
        seats = [
            f"{100 * np.mean([row.score for row in found if row.seat == seat] or [np.nan]):.1f}"
            for seat in range(players)
        ]
        length = np.mean([row.length for row in found])
        paces = f"{pace_of(found, one)} / {pace_of(found, other)}"
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


def _ratings(rows: Sequence[GameRow]) -> Grid:
    methods = list(dict.fromkeys(name for row in rows for name in (row.one, row.other)))
    wins = np.zeros((len(methods), len(methods)))
    for row in rows:
        one, other = methods.index(row.one), methods.index(row.other)
        wins[one, other] += row.score
        wins[other, one] += 1.0 - row.score
    ratings = bradley_terry(wins)
    order = sorted(range(len(methods)), key=lambda place: -ratings[place].points)
    return Grid(
        ["method", "Elo (Bradley-Terry, 95 %)"],
        [[methods[n], f"{ratings[n].points:+.0f} ± {ratings[n].half:.0f}"] for n in order],
    )


def _warning(rows: Sequence[GameRow]) -> str:
    versions = len({row.sources for row in rows})
    return f"Played with {versions} versions of the sources." if versions > 1 else ""
