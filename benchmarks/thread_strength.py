"""Worth of several threads in one tree in games: `python -m benchmarks.thread_strength`.

Three matches of `--games` games each at wall seconds a move, on an otherwise idle machine:

- `threads`: N threads in a tree against one thread, as many seconds a move;
- `longer`: one thread of N times the seconds against one thread, what N threads are worth at most;
- `between`: N threads against one thread of N times the seconds.

Seats are exchanged from game to game, and trees are not kept between moves. Games are kept in
`--out`; the same command goes on where it was interrupted, or plays more. Scores are in per cent
with 95 % Wilson intervals.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.matches.report import share_of
from pipeline.matches.rows import GameRow
from pipeline.matches.tournament import check_rules, game_journal, sources_of
from solver.algorithms.trees.listed import TREE_ALGORITHMS
from solver.compiling.random import new_stream
from solver.contract.rules import legal_moves, play, player, reset, rewards
from solver.games import GAMES, load_game
from solver.searching.analysis import MEMORY, Analyst
from solver.searching.driver import Budget
from solver.system.interrupt import stop_on_interrupt


class Side(NamedTuple):
    """Threads of a search, and its wall seconds a move."""

    threads: int
    seconds: float


def matches_of(threads: int, seconds: float) -> dict[str, tuple[Side, Side]]:
    """The two sides of each match."""
    one, many = Side(1, seconds), Side(threads, seconds)
    longer = Side(1, threads * seconds)
    return {"threads": (many, one), "longer": (longer, one), "between": (many, longer)}


class Table:
    """Games of a search against itself with other means."""

    def __init__(self, name: str, algorithm: str, seed: int) -> None:
        self.game, self.algorithm, self.seed = load_game(name), algorithm, seed
        options = self.game.options()
        problem = self.game.start(options)
        self.instance = self.game.instance(problem, options)
        self.state = self.game.new_state(self.instance)
        self.moves = np.zeros(max(self.game.limits(self.instance).moves, 1), np.int64)
        self.setting = json.dumps({"position": problem.name})
        self._analysts = dict[int, Analyst]()

    def analyst(self, threads: int) -> Analyst:
        """Search by so many threads, made once and compiled before a clock runs."""
        if threads not in self._analysts:
            parameters = TREE_ALGORITHMS[self.algorithm]()
            new = Analyst(self.game, self.instance, parameters, MEMORY, threads=threads)
            new.compile()
            self._analysts[threads] = new
        return self._analysts[threads]

    def is_over(self) -> bool:
        """Return whether there is no move left."""
        with np.errstate(over="ignore"):
            return not legal_moves(self.instance, self.state, new_stream(0), self.moves)

    def play(
        self, name: str, sides: tuple[Side, Side], number: int, stop: threading.Event
    ) -> GameRow | None:
        """Play a game of the match called `name`; None if it was stopped."""
        seat, words, full = number % 2, list[str](), 0
        for side in sides:
            self.analyst(side.threads)
        spent: list[list[Any]] = [[0, 0.0], [0, 0.0]]
        reset(self.instance, self.state)
        while not self.is_over():
            who = int(player(self.instance, self.state)) != seat
            side, run = sides[who], self.analyst(sides[who].threads)
            key = (zlib.crc32(name.encode()), number, len(words))
            begin = time.perf_counter()
            move = run.choose(self.state, Budget(None, side.seconds), self.seed, *key, stop=stop)
            if stop.is_set():
                return None
            spent[who][0] += run.run.played
            spent[who][1] += time.perf_counter() - begin
            full += run.run.full
            words.append(self.game.format_move(self.instance, self.state, move))
            play(self.instance, self.state, move)
        worth = np.zeros(2)
        rewards(self.instance, self.state, worth)
        one, other = (f"{self.algorithm} x{side.threads} {side.seconds:g}s" for side in sides)
        return GameRow(
            game=self.game.name, options=self.setting, match=f"{one} {other}", one=one,
            other=other, playouts=None, seconds=min(side.seconds for side in sides),
            number=number, seed=self.seed, seat=seat, players=2,
            score=0.5 if worth[0] == worth[1] else float(worth[seat] > worth[1 - seat]),
            moves=" ".join(words), length=len(words),
            playouts_one=spent[0][0], seconds_one=round(spent[0][1], 6),
            playouts_other=spent[1][0], seconds_other=round(spent[1][1], 6),
            sources=sources_of(self.game), full=full, memory=MEMORY,
        )  # fmt: skip


def main() -> int:
    """Play what is missing, and print the scores; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", choices=GAMES, default="hex")
    parser.add_argument("--algorithm", choices=TREE_ALGORITHMS, default="mcps")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of one side")
    parser.add_argument("--seconds", type=float, default=0.1, metavar="T", help="of a move")
    parser.add_argument("--games", type=int, default=400, metavar="N", help="of each match")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("build/threads"), metavar="FOLDER")
    given = parser.parse_args()
    if given.threads < 2:
        parser.error(f"--threads is {given.threads}, expected 2 or more")
    if not given.seconds > 0.0:
        parser.error(f"--seconds is {given.seconds:g}, expected more than 0")
    table = Table(given.game, given.algorithm, given.seed)
    journal, stop = game_journal(given.out), threading.Event()
    check_rules(journal, table.game)
    sys.stdout.write("| match | one | other | games | score | playouts of one by other |\n")
    sys.stdout.write("|---|---|---|--:|--:|--:|\n")
    with stop_on_interrupt(stop):
        for name, sides in matches_of(given.threads, given.seconds).items():
            one, other = (f"{given.algorithm} x{side.threads} {side.seconds:g}s" for side in sides)
            rows = list[GameRow]()
            for number in range(given.games):
                key = (table.game.name, table.setting, f"{one} {other}", number, given.seed)
                row = journal.rows.get(key)
                if row is None and not stop.is_set():
                    row = table.play(name, sides, number, stop)
                    if row is not None:
                        journal.append(row)
                if row is not None:
                    rows.append(row)
            if rows:
                made = [sum(row.playouts_one for row in rows), sum(r.playouts_other for r in rows)]
                ratio = made[0] / max(made[1], 1)
                sys.stdout.write(
                    f"| {name} | {one} | {other} | {len(rows)} | {share_of(rows)} | {ratio:.2f} |\n"
                )
                sys.stdout.flush()
    return 130 if stop.is_set() else 0


if __name__ == "__main__":
    sys.exit(main())
