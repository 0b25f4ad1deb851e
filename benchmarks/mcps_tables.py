"""Tables 1 to 6 of Monte Carlo Permutation Search: `python -m benchmarks.mcps_tables`.

Every row is a match of MCPS against GRAVE; games are kept in `--out`, and the same command goes on
where it was interrupted, or plays more games. `--show` plays nothing. Beside each row of the paper
are the difference and the p-value of the two-sample z-test, alone and, by Holm's method, corrected
for the number of rows.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results.plan import kept_rows
from benchmarks.results.repeats import FIRST_SEED, Repeated, kept_mean
from pipeline.matches.methods import Match, Method
from pipeline.matches.play import play_games
from pipeline.matches.rows import GameJournal, GameRow
from pipeline.matches.tournament import Tournament, game_journal
from pipeline.results.statistics import holm, two_proportions, wilson_interval
from solver.commands.options import comma_list
from solver.games import load_game
from solver.system.interrupt import stop_on_interrupt

#: Games of a row of the paper.
GAMES = 800
REFS = (50, 100, 200, 400)
#: Bytes of a tree: statistics of a node take 9.5 MB with the exact codes of the Video Game.
MEMORY = 4 << 30
#: Table 1: win rates in per cent for each of `REFS`, at 1,000 and 5,000 playouts.
BOARDS = {
    "atarigo": ((56.50, 55.62, 58.50, 59.50), (60.25, 59.38, 60.25, 65.25)),
    "breakthrough": ((54.75, 54.75, 56.12, 53.12), (57.00, 58.25, 57.25, 57.38)),
    "gomoku": ((53.31, 50.25, 52.94, 52.75), (61.19, 60.50, 58.88, 56.69)),
    "hex": ((65.88, 68.50, 71.75, 70.38), (74.12, 75.38, 77.12, 77.50)),
    "knightthrough": ((52.62, 53.50, 52.75, 47.88), (56.38, 53.87, 56.00, 55.00)),
    "nogo": ((59.62, 59.38, 58.38, 55.62), (63.25, 64.62, 61.75, 57.12)),
}
#: Options other than the usual. The paper's first stone at (2, 2), counted from 1: from 0, at c3,
#: random playouts are shorter than its table 7 has them and MCPS is further ahead than in table 1.
OPENINGS: dict[str, dict[str, Any]] = {"hex": {"first": "b2"}}
#: Tables 2 to 6: game, options, the two methods, and win rates at 1,000, 5,000 and 10,000.
OTHERS: list[tuple[int, str, dict[str, Any], str, str, tuple[float, ...]]] = [
    (2, "wargame", {"units": 10}, "mcps", "grave", (52.50, 55.88, 58.50)),
    (2, "wargame", {"units": 20}, "mcps", "grave", (49.00, 55.00, 54.50)),
    (3, "investment", {"units": 11, "codes": "exact"}, "mcps", "grave", (56.38, 60.12)),
    (3, "investment", {"units": 21, "codes": "exact"}, "mcps", "grave", (56.12, 58.63)),
    (3, "investment", {"units": 11}, "mcps", "grave", (55.12, 58.25)),
    (3, "investment", {"units": 21}, "mcps", "grave", (56.38, 65.25)),
    (4, "video-game", {}, "mcps", "grave", (49.38, 54.25)),
    (5, "nogo", {"players": 3}, "mcps", "grave", (35.75, 34.83)),
    (5, "wargame", {"players": 3}, "mcps", "grave", (33.50, 32.88)),
    (5, "investment", {"units": 10, "players": 3}, "mcps", "grave", (35.08, 33.12)),
    (6, "wargame", {"units": 10}, "mcps", "grave:codes=exact", (65.75, 72.12)),
    (6, "wargame", {"units": 20}, "mcps", "grave:codes=exact", (57.00, 72.50)),
    (6, "video-game", {}, "mcps", "grave:codes=exact", (49.50, 63.38)),
    (6, "video-game", {}, "mcps:codes=specific", "grave:codes=exact", (72.75, 84.50)),
]
PLAYOUTS = (1000, 5000, 10_000)
HEADER = ["table", "game", "methods", "playouts", "games", "ours, %", "paper, %", "points", "p"]
HEADER += ["p, Holm"]


@dataclass(frozen=True)
class Row:
    """A row of a table, or a cell of table 1."""

    table: int
    game: str
    one: str
    other: str
    playouts: int
    paper: float
    options: dict[str, Any] = field(default_factory=dict)

    def tournament(self, games: int, seed: int = 0) -> Tournament:
        """The match that it is of."""
        game = load_game(self.game)
        options = game.options(**self.options)
        match = Match(Method.parse(self.one), Method.parse(self.other), self.playouts, None)
        start = game.start(options)
        return Tournament(game, start, options, [match], games, seed, MEMORY)

    @property
    def described(self) -> str:
        """Game with its options."""
        options = ", ".join(f"{key} {value}" for key, value in self.options.items())
        return f"{self.game} {options}".strip()

    def p_value(self, rows: list[GameRow]) -> float:
        """p-value that the paper's games and `rows` have one mean score; 1 without rows."""
        if not rows:
            return 1.0
        score = sum(row.score for row in rows)
        return two_proportions(score, len(rows), self.paper / 100 * GAMES, GAMES)

    def shown(self, rows: list[GameRow], corrected: float) -> list[str]:
        """Cells of a line: ours beside the paper's; `corrected` is the p-value after Holm."""
        cells = [str(self.table), self.described, f"{self.one} / {self.other}"]
        cells += [f"{self.playouts:,}", str(len(rows))]
        if not rows:
            return [*cells, "", f"{self.paper:.2f}", "", "", ""]
        score = sum(row.score for row in rows)
        share = 100 * score / len(rows)
        low, high = (100 * float(end) for end in wilson_interval(score, len(rows)))
        ours = f"{share:.1f} ({low:.1f} to {high:.1f})"
        tests = [f"{self.p_value(rows):.2g}", f"{corrected:.2g}"]
        return [*cells, ours, f"{self.paper:.2f}", f"{share - self.paper:+.1f}", *tests]


def all_rows() -> Iterator[Row]:
    """Yield the rows of all tables, those of few playouts and of ref 50 first."""
    for place, playouts in enumerate(PLAYOUTS):
        for number, ref in enumerate(REFS):
            for game, rates in BOARDS.items() if place < 2 else ():
                one = "mcps" if ref == REFS[0] else f"mcps:ref={ref}"
                options = OPENINGS.get(game, {})
                yield Row(1, game, one, "grave", playouts, rates[place][number], options)
            if number == 0:
                for table, game, options, one, other, shares in OTHERS:
                    if place < len(shares):
                        yield Row(table, game, one, other, playouts, shares[place], options)


def repeat(sample: int, out: Path) -> Iterator[Repeated]:
    """Play one of `sample` games again of table 1 with ref 50 at 1,000 playouts."""
    kept = {
        (row["game"], row["methods"], row["playouts"]): row for row in kept_rows("games/mcps.csv")
    }
    journal, stop = game_journal(out), threading.Event()
    rows = [row for row in all_rows() if row.table == 1 and row.one == "mcps"]
    for row in (row for row in rows if row.playouts == PLAYOUTS[0]):
        found = kept[row.described, f"{row.one} / {row.other}", str(row.playouts)]
        tournament = row.tournament(-(-int(found["games"]) // sample), FIRST_SEED)
        with stop_on_interrupt(stop):
            if not play_games(tournament.jobs, journal, threads=1, stop=stop):
                raise KeyboardInterrupt
        scores = [100 * journal.rows[job.key].score for job in tournament.jobs]
        mean = kept_mean(found, "ours")
        yield Repeated(row.described, mean, int(found["games"]), np.array(scores))


def main() -> int:
    """Play what is missing, then print all tables; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/mcps-tables"), metavar="FOLDER")
    parser.add_argument("--games", type=int, default=GAMES, metavar="N", help="of a row")
    parser.add_argument("--tables", type=comma_list(int), default=[], metavar="N,...")
    parser.add_argument("--playouts", type=comma_list(int), default=[], metavar="N,...")
    parser.add_argument("--game", type=comma_list(str), default=[], metavar="NAME,...")
    parser.add_argument("--refs", action="store_true", help="of table 1 all columns, not ref 50")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--show", action="store_true", help="play nothing")
    arguments = parser.parse_args()
    journal, stop = game_journal(arguments.out), threading.Event()
    chosen = [
        row
        for row in all_rows()
        if (not arguments.tables or row.table in arguments.tables)
        and (not arguments.playouts or row.playouts in arguments.playouts)
        and (not arguments.game or row.game in arguments.game)
        and (arguments.refs or ":ref=" not in row.one)
    ]
    complete = True
    with stop_on_interrupt(stop):
        for row in chosen if not arguments.show else ():
            jobs = row.tournament(arguments.games).jobs
            complete = play_games(jobs, journal, threads=arguments.threads, stop=stop)
            if not complete:
                break
            sys.stderr.write(f"table {row.table}, {row.game}: done\n")
    kept = [_kept(row, journal) for row in chosen]
    p_values = np.array([row.p_value(games) for row, games in zip(chosen, kept, strict=True)])
    lines = zip(chosen, kept, holm(p_values).tolist(), strict=True)
    cells = [row.shown(games, corrected) for row, games, corrected in lines]
    for line in (HEADER, ["---"] * len(HEADER), *cells):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
    return 0 if complete else 130


def _kept(row: Row, journal: GameJournal) -> list[GameRow]:
    """Return the kept games of a row, 800 at most."""
    tournament = row.tournament(GAMES)
    keys = (tournament.key(tournament.matches[0], number) for number in range(GAMES))
    return [journal.rows[key] for key in keys if key in journal.rows]


if __name__ == "__main__":
    sys.exit(main())
