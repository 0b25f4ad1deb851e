"""Tables of totals: a row of a file for each match, or for each method at a time."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.results.plan import FOLDER, KeptTable, Lines
from pipeline.matches.rows import GameRow
from pipeline.matches.tournament import game_journal
from pipeline.results.statistics import wilson_interval

Row = dict[str, Any]

#: p-value below which a cell is bold.
LEVEL = 0.05


def read_totals(path: Path) -> list[Row]:
    """Read the rows of a CSV file, or a row for each match of a folder of games.

    Rows with `score`, a sum, and `games` get `share`, `low` and `high`: the score in per cent and
    its 95 % Wilson interval.
    """
    if path.is_dir():
        rows = _matches(path)
    else:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    for row in rows:
        if "score" in row:
            score, games = float(row["score"]), int(row["games"])
            low, high = (100 * float(end) for end in wilson_interval(score, games))
            row |= {"share": 100 * score / games, "low": low, "high": high}
    return rows


def _matches(path: Path) -> list[Row]:
    """Totals of the matches of a folder, in the order first met.

    `board` is that of the start, empty for the usual one, and `number` that of the match among
    those of its game, smaller boards first.
    """
    found: dict[tuple[str, str, str, float | None, str], list[GameRow]] = defaultdict(list)
    for game in game_journal(path).rows.values():
        found[game.game, game.one, game.other, game.seconds, game.options].append(game)
    boards = {match: _board_of(json.loads(match[-1])) for match in found}
    totals = []
    for match, rows in found.items():
        name, one, against, seconds, _ = match
        smaller = [other for other in found if other[0] == name and boards[other] < boards[match]]
        totals.append(
            {"game": name, "one": one, "other": against}
            | {"seconds": f"{seconds:g}", "games": len(rows)}
            | {"score": sum(row.score for row in rows), "number": str(1 + len(smaller))}
            | {"board": " x ".join(map(str, boards[match]))}
        )
    return totals


def _board_of(options: dict[str, Any]) -> tuple[int, ...]:
    """Return rows and columns of a board; nothing where no option says them."""
    rows = options.get("size", options.get("rows"))
    return () if rows is None else (rows, options.get("columns", rows))


def totals(table: KeptTable, read: Any) -> Lines:
    """Totals, spread over columns.

    Keys: `rows`, a file, or a folder of games; `where`, values that fields may have; `heads` of the
    first cells and their formats, `by`; `across`, the field of which each value has its `columns`,
    pairs of a head and a format; `bold`, a field that makes the first of these bold where it is
    below 0.05; `names`, of first cells as they are formatted; `usual`, an end of these that
    is left out.
    """
    options = table.options
    names, usual = options.get("names", {}), options.get("usual", "")
    bold = options.get("bold")
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in read_totals(FOLDER / options["rows"]):
        if all(row[key] in values for key, values in options.get("where", {}).items()):
            first = tuple(form.format_map(row) for form in options["by"])
            found.setdefault(first, {})[row[options["across"]]] = row
    lines, last = [], ""
    for first, rows in found.items():
        cells = [names.get(cell, cell.removesuffix(usual)) for cell in first]
        if len(cells) > 1 and first[0] == last:
            cells[0] = ""
        last = first[0]
        for value, pairs in options["columns"].items():
            here = rows.get(value)
            texts = [form.format_map(here) if here else "" for _, form in pairs]
            if here and bold and float(here[bold]) < LEVEL:
                texts[0] = f"**{texts[0]}**"
            cells += texts
        lines.append(cells)
    heads = [head for pairs in options["columns"].values() for head, _ in pairs]
    return [*options["heads"], *heads], lines
