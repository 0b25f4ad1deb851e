"""Forced wins that tree searches find: `python -m benchmarks.forced_wins --plies 3 --positions 20`.

Positions come from random games. Who moves wins by force in so many plies, and in no fewer, as an
exhaustive search of its own says, which asks the rules for moves and ends alone. A search is right
if its move is one of those, and wins if that search finds its move to win by force in up to
`MORE_PLIES` more. Searches are that of `solve`, MCPS with proofs and decisive moves, and MCPS as
papers have it. Rows are kept in `--out`, a line each; the same command goes on where it was
interrupted. `--show` prints what `solve` wins by game, as the documentation has it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np

from benchmarks.kept import KeptLines
from pipeline.results.statistics import wilson_interval
from solver.algorithms.tree import Mcps
from solver.commands.games.options import tree_algorithm, usual_search
from solver.compiling.parts import begin_compiling
from solver.compiling.random import new_stream
from solver.contract.domain import Game
from solver.contract.rules import copy_state, legal_moves, play, player, reset, rewards
from solver.games import load_game
from solver.kernels.tree.run import UNGUIDED
from solver.searching.analysis import Analyst, usual_guides

GAMES = ("knightthrough", "breakthrough", "gomoku", "hex", "atarigo", "nogo")
#: Options of boards on which the exhaustive search takes no more than seconds.
OPTIONS: dict[str, dict[str, Any]] = {
    "gomoku": {"size": 7}, "hex": {"size": 5}, "atarigo": {"size": 5}, "nogo": {"size": 4},
}  # fmt: skip
SEARCHES = ("default", "proofs", "papers")
SEED = 1
FILE = "forced-wins.jsonl"
#: Plies more than those of the shortest win in which longer ones are looked for.
MORE_PLIES = 6


@numba.njit
def _winning(
    instance: Any, states: Any, lists: Any, killers: Any, stream: Any, worth: Any, at: int,
    plies: int, most: int,
) -> Any:  # fmt: skip
    """Move the moves of `states[at]` that win within so many plies to the front, count them.

    Not more than `most` are looked for: of one that is, shorter wins are looked for first. Of the
    replies the one that refuted a move last is tried first.
    """
    arrays = states, lists, killers, stream, worth
    if most == 1 and plies >= 3 and _winning(instance, *arrays, at, plies - 2, 1) > 0:
        return 1
    state, after, found = states[at], states[at + 1], 0
    n, mover = legal_moves(instance, state, stream, lists[at]), player(instance, state)
    for place in range(n):
        copy_state(instance, state, after)
        play(instance, after, lists[at, place])
        n_replies = legal_moves(instance, after, stream, lists[at + 1])
        wins = n_replies > 0 and plies >= 3 and player(instance, after) != mover
        if n_replies == 0:
            rewards(instance, after, worth)
            wins = worth[mover] == 1.0
        for reply in range(n_replies if wins else 0):
            if lists[at + 1, reply] == killers[at]:
                lists[at + 1, reply], lists[at + 1, 0] = lists[at + 1, 0], killers[at]
        for reply in range(n_replies if wins else 0):
            copy_state(instance, after, states[at + 2])
            play(instance, states[at + 2], lists[at + 1, reply])
            if _winning(instance, *arrays, at + 2, plies - 2, 1) == 0:
                wins, killers[at] = False, lists[at + 1, reply]
                break
        if wins:
            lists[at, found], lists[at, place] = lists[at, place], lists[at, found]
            found += 1
            if found == most:
                break
    return found


class Exhaustive:
    """All moves of a position that win in so many plies."""

    def __init__(self, game: Game, instance: Any, plies: int) -> None:
        begin_compiling()
        self.game, self.instance, self.plies = game, instance, plies
        self.moves_at_most = max(game.limits(instance).moves, 1)
        levels = plies + MORE_PLIES + 2
        self.states = tuple(game.new_state(instance) for _ in range(levels))
        self.lists = np.zeros((levels, self.moves_at_most), np.int64)
        self.killers = np.full(levels, -1, np.int64)
        self.stream, self.worth = new_stream(0), np.zeros(2)

    def moves(self, state: Any) -> list[int]:
        """All moves."""
        found = np.zeros(self.moves_at_most, np.int64)
        with np.errstate(over="ignore"):
            n = int(legal_moves(self.instance, state, self.stream, found))
        return [int(move) for move in found[:n]]

    def after(self, state: Any, move: int) -> Any:
        """The state after a move."""
        below = self.game.new_state(self.instance)
        copy_state(self.instance, state, below)
        play(self.instance, below, move)
        return below

    def winning(self, state: Any, plies: int, most: int = 1000) -> list[int]:
        """Moves that win in so many plies at most, `most` of them at most."""
        copy_state(self.instance, state, self.states[0])
        arrays = self.states, self.lists, self.killers, self.stream, self.worth
        n = int(_winning(self.instance, *arrays, 0, plies, most))
        return [int(move) for move in self.lists[0, :n]]

    def wins_with(self, state: Any, move: int, plies: int) -> bool:
        """Return whether a move wins in so many plies."""
        after, mover = self.after(state, move), int(player(self.instance, state))
        replies = self.moves(after)
        if not replies:
            rewards(self.instance, after, self.worth)
            return bool(self.worth[mover] == 1.0)
        return plies >= 3 and all(
            self.winning(self.after(after, reply), plies - 2, 1) for reply in replies
        )

    def position(self, number: int) -> tuple[Any, list[int]]:
        """State of a random game in which who moves wins in so many plies, and the moves."""
        random, plies = np.random.default_rng([SEED, self.plies, number]), self.plies
        while True:
            state, states = self.game.new_state(self.instance), []
            reset(self.instance, state)
            while moves := self.moves(state):
                states.append(state)
                state = self.after(state, int(random.choice(moves)))
            # One of a game, among its last: they are alike, and early ones have no forced wins.
            state = states[-min(len(states), int(random.integers(plies, plies + 4)))]
            sooner = plies > 1 and self.winning(state, plies - 2, 1)
            if not sooner and (right := self.winning(state, plies)):
                return state, right


def analyst_of(search: str, game: Game, instance: Any) -> Analyst:
    """Return the search of a name of `SEARCHES`."""
    if search == "default":
        algorithm = tree_algorithm(*usual_search(game))
        return Analyst(game, instance, algorithm, guides=usual_guides(game))
    algorithm = Mcps(proofs=True, decisive=True) if search == "proofs" else Mcps()
    return Analyst(game, instance, algorithm, guides=UNGUIDED)


def measure(
    name: str, plies: int, numbers: list[int], playouts: int, search: str
) -> Iterator[dict[str, Any]]:
    """Search the positions of these numbers; yields a row each."""
    game = load_game(name)
    options = game.options(**OPTIONS.get(name, {}))
    instance = game.instance(game.start(options), options)
    exhaustive, analyst = Exhaustive(game, instance, plies), analyst_of(search, game, instance)
    for number in numbers:
        state, winning = exhaustive.position(number)
        analyst.run.begin(new_stream(SEED, number), state)
        analyst.run.advance(playouts)
        move = int(analyst.run.moves_of().move[analyst.run.best()])
        right, longer = move in winning, range(plies + 2, plies + MORE_PLIES + 1, 2)
        wins = right or any(exhaustive.wins_with(state, move, within) for within in longer)
        yield {
            "game": name, "options": OPTIONS.get(name, {}), "plies": plies, "search": search,
            "playouts": playouts, "number": number, "right": right, "wins": wins,
            "proved": bool(analyst.run.is_proved()), "winning": len(winning),
            "moves": len(exhaustive.moves(state)),
        }  # fmt: skip


def table(rows: list[dict[str, Any]]) -> str:
    """Shares of moves that win by game, plies, search and playouts."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["game"], row["plies"], row["search"], row["playouts"]].append(row)
    titles = (
        "game", "plies", "search", "playouts", "positions", "wins in % (95 %)", "right in %",
        "proved in %", "moves that are right in %",
    )  # fmt: skip
    lines = [f"| {' | '.join(titles)} |", "|---|--:|---|--:|--:|--:|--:|--:|--:|"]
    for (game, plies, search, playouts), of in sorted(groups.items()):
        n, wins = len(of), sum(row["wins"] for row in of)
        low, high = (100 * float(end[0]) for end in wilson_interval([wins], [n]))
        share = f"{100 * wins / n:.1f} ({low:.1f} to {high:.1f})"
        right, proved = (100 * sum(row[of_row] for row in of) / n for of_row in ("right", "proved"))
        chance = 100 * sum(row["winning"] / row["moves"] for row in of) / n
        numbers = (f"{number:.0f}" for number in (right, proved, chance))
        words = (game, plies, search, f"{playouts:,}", n, share, *numbers)
        lines.append(f"| {' | '.join(map(str, words))} |")
    return "\n".join(lines) + "\n"


def short_table(rows: list[dict[str, Any]]) -> str:
    """Moves of the search of `solve` that win, of how many, by game, plies and playouts.

    Behind them the mean share of the moves that win, in per cent: that of moves drawn at random.
    """
    groups = defaultdict(list)
    for row in rows:
        if row["search"] == "default":
            groups[row["plies"], row["playouts"], row["game"]].append(row)
    columns = sorted({key[:2] for key in groups})
    titles = (f"in {plies}, {playouts:,} playouts" for plies, playouts in columns)
    lines = [f"|  | {' | '.join(titles)} |", f"|---|{'--:|' * len(columns)}"]
    for game in dict.fromkeys(row["game"] for row in rows):
        cells = []
        for column in columns:
            of = groups.get((*column, game), [])
            wins, n = sum(row["wins"] for row in of), len(of)
            low, high = (100 * float(end[0]) for end in wilson_interval([wins], [n or 1]))
            drawn = 100 * sum(row["winning"] / row["moves"] for row in of) / (n or 1)
            cells.append(f"{wins} of {n} ({low:.0f} to {high:.0f}); {drawn:.0f}" if of else "")
        lines.append(f"| {game.title()} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Search positions that have no row, and print shares of moves that win."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--game", choices=GAMES, action="append", help="only this one")
    parser.add_argument("--plies", type=int, choices=(1, 3, 5, 7), action="append")
    parser.add_argument("--search", choices=SEARCHES, action="append", help="(default: default)")
    parser.add_argument("--positions", type=int, default=20, metavar="N")
    parser.add_argument("--playouts", type=int, default=1000, metavar="N")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="T", help="a row may take")
    parser.add_argument("--out", type=Path, default=Path("build/forced-wins"), metavar="FOLDER")
    parser.add_argument("--show", action="store_true", help="print what is kept")
    given = parser.parse_args()
    kept = KeptLines(given.out / FILE)
    for name in () if given.show else given.game or GAMES:
        for plies in given.plies or (1, 3):
            for search in given.search or SEARCHES[:1]:
                key = (name, plies, search, given.playouts)
                of = [
                    row["number"]
                    for row in kept.values
                    if (row["game"], row["plies"], row["search"], row["playouts"]) == key
                ]
                missing = [number for number in range(given.positions) if number not in of]
                begin = time.process_time()
                for row in measure(name, plies, missing, given.playouts, search) if missing else ():
                    kept.append(row)
                    if time.process_time() - begin > given.seconds:
                        break
    sys.stdout.write((short_table if given.show else table)(kept.values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
