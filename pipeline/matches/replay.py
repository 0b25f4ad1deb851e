"""Games of a tournament to click through: which are shown, and their positions one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pipeline.matches.methods import Match
from pipeline.matches.rows import GameJournal, GameRow
from pipeline.matches.tournament import Tournament
from pipeline.reports.replays import Frame, Replay
from solver.contract.domain import Problem
from solver.contract.references import resolve
from solver.contract.rules import play, player, reset
from solver.games.moves import find_move

#: Matches that a page shows, the first ones.
MOST_MATCHES = 6


def replays(tournament: Tournament, journal: GameJournal, most: int = MOST_MATCHES) -> list[Replay]:
    """Return the shortest game of each match, the one of median length, and the longest.

    The first `most` matches are shown.

    Raises
    ------
    InputError
        If the rules do not have the moves of one.
    """
    found = []
    for match in tournament.matches[:most]:
        for kind, row in chosen(played(tournament, match, journal.rows)).items():
            found.append(_replay(tournament, match, row, kind, journal.where(row)))
    return found


def played(
    tournament: Tournament, match: Match, rows: Mapping[tuple[Any, ...], GameRow]
) -> list[GameRow]:
    """Games of a match that are over."""
    keys = (tournament.key(match, number) for number in range(tournament.games))
    return [rows[key] for key in keys if key in rows]


def chosen(rows: Iterable[GameRow]) -> dict[str, GameRow]:
    """Return the shortest, median and longest game, by these words; each game once."""
    order = sorted(rows, key=lambda row: (row.length, row.number))
    if not order:
        return {}
    places = {"shortest": 0, "median": (len(order) - 1) // 2, "longest": len(order) - 1}
    first = {place: kind for kind, place in reversed(places.items())}
    return {kind: order[place] for kind, place in places.items() if first[place] == kind}


def _replay(tournament: Tournament, match: Match, row: GameRow, kind: str, where: str) -> Replay:
    names = tournament.game.player_names
    score = {1.0: "wins", 0.0: "loses", 0.5: "draws"}.get(row.score, f"scores {row.score:g}")
    title = f"{row.one} ({names[row.seat]}) {score} against {row.other}, {match.budget} a move"
    shown = getattr(resolve(tournament.game.drawing), "NOTE", "")
    note = f"The {kind} game, number {row.number + 1}: {row.length} moves. {shown}"
    return Replay(title, note, list(_frames(tournament, row, where)))


def _frames(tournament: Tournament, row: GameRow, where: str) -> Iterator[Frame]:
    """Positions of a game with the moves that led to them, from the start on."""
    game, drawing = tournament.game, resolve(tournament.game.drawing)
    instance = game.instance(tournament.problem, tournament.options)
    state = game.new_state(instance)
    reset(instance, state)
    before, caption = None, "Start"
    for number, word in enumerate([*row.moves.split(), None], start=1):
        position = Problem(tournament.problem.name, game.position(instance, state))
        svg = None if drawing is None else drawing.draw(game, position, before)
        yield Frame(caption, svg, game.format_problem(position))
        if word is None:
            return
        mover = int(player(instance, state))
        method = row.one if mover == row.seat else row.other
        caption = f"{number} of {row.length}: {game.player_names[mover]} {word} ({method})"
        play(instance, state, find_move(game, instance, state, word, f"{where}, move {number}"))
        before = position
