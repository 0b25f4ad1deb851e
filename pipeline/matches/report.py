"""What matches came to, as Markdown."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

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


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def budget_of(row: GameRow) -> str:
    """Budget of a move."""
    return f"{row.playouts:,} playouts" if row.seconds is None else f"{row.seconds:g} s"


def summary(rows: Iterable[GameRow]) -> str:
    """All matches by game and budget: results, ratings, speed."""
    groups: dict[tuple[str, str, str], list[GameRow]] = defaultdict(list)
    for row in rows:
        groups[row.game, row.options, budget_of(row)].append(row)
    parts = ["# Matches\n"]
    for (game, options, budget), found in groups.items():
        values = ", ".join(f"{key} {value}" for key, value in json.loads(options).items())
        parts.append(f"\n## {game}, {budget} a move\n\n{values}\n\n{_results(found)}")
        if found[0].players == 2:
            parts.append(f"\n{_ratings(found)}")
        parts.append(_warning(found))
    return "".join(parts)


def _results(rows: Sequence[GameRow]) -> str:
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
    return table(header, lines)


def _ratings(rows: Sequence[GameRow]) -> str:
    methods = list(dict.fromkeys(name for row in rows for name in (row.one, row.other)))
    wins = np.zeros((len(methods), len(methods)))
    for row in rows:
        one, other = methods.index(row.one), methods.index(row.other)
        wins[one, other] += row.score
        wins[other, one] += 1.0 - row.score
    ratings = bradley_terry(wins)
    order = sorted(range(len(methods)), key=lambda place: -ratings[place].points)
    return table(
        ["method", "Elo (Bradley-Terry, 95 %)"],
        [[methods[n], f"{ratings[n].points:+.0f} ± {ratings[n].half:.0f}"] for n in order],
    )


def _warning(rows: Sequence[GameRow]) -> str:
    versions = len({row.sources for row in rows})
    return f"\nPlayed with {versions} versions of the sources.\n" if versions > 1 else ""
