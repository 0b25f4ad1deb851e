"""Forced wins that tree searches find: `python -m benchmarks.forced_wins --plies 3 --positions 20`.

Positions come from random games. Who moves wins by force in so many plies, and in no fewer, as an
exhaustive search of its own says, which asks the rules for moves and ends alone. A search is right
if its move is one of those that win in so many plies.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from solver.algorithms.tree import Mcps
from solver.compiling.random import new_stream
from solver.contract.domain import Game
from solver.contract.rules import copy_state, legal_moves, play, player, reset, rewards
from solver.games import load_game
from solver.searching.analysis import Analyst
from solver.searching.driver import Budget

GAMES = ("knightthrough", "breakthrough", "gomoku", "hex", "atarigo", "nogo")
#: Options of boards on which the exhaustive search takes no more than seconds.
OPTIONS: dict[str, dict[str, Any]] = {
    "gomoku": {"size": 7}, "hex": {"size": 5}, "atarigo": {"size": 5}, "nogo": {"size": 4},
}  # fmt: skip


class Exhaustive:
    """All moves of a position that win in so many plies."""

    def __init__(self, game: Game, instance: Any) -> None:
        self.game, self.instance = game, instance

    def moves(self, state: Any) -> list[int]:
        """All moves."""
        found = np.zeros(max(self.game.limits(self.instance).moves, 1), np.int64)
        with np.errstate(over="ignore"):
            n = int(legal_moves(self.instance, state, new_stream(0), found))
        return [int(move) for move in found[:n]]

    def after(self, state: Any, move: int) -> Any:
        """The state after a move."""
        below = self.game.new_state(self.instance)
        copy_state(self.instance, state, below)
        play(self.instance, below, move)
        return below

    def wins(self, state: Any, move: int, plies: int) -> bool:
        """True if a move of the player to move wins within so many plies."""
        mover, below = int(player(self.instance, state)), self.after(state, move)
        replies = self.moves(below)
        if not replies:
            worth = np.zeros(2)
            rewards(self.instance, below, worth)
            return bool(worth[mover] == 1.0)
        if plies < 3 or int(player(self.instance, below)) == mover:
            return False
        return all(self.winning(self.after(below, reply), plies - 2, 1) for reply in replies)

    def winning(self, state: Any, plies: int, most: int = 1000) -> list[int]:
        """Moves that win in so many plies at most, `most` of them at most."""
        found: list[int] = []
        for move in self.moves(state):
            if self.wins(state, move, plies):
                found.append(move)
                if len(found) == most:
                    break
        return found


def positions(game: Game, instance: Any, plies: int, seed: int) -> Iterator[tuple[Any, list[int]]]:
    """Yield states of random games in which who moves wins in so many plies, and the moves."""
    random, exhaustive = np.random.default_rng(seed), Exhaustive(game, instance)
    while True:
        state, states = game.new_state(instance), []
        reset(instance, state)
        while moves := exhaustive.moves(state):
            states.append(state)
            state = exhaustive.after(state, int(random.choice(moves)))
        # One of a game, among its last: they are alike, and early ones have no forced wins.
        state = states[-min(len(states), int(random.integers(plies, plies + 4)))]
        sooner = plies > 1 and exhaustive.winning(state, plies - 2, 1)
        if not sooner and (right := exhaustive.winning(state, plies)):
            yield state, right


def main() -> int:
    """Print shares of right moves; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", choices=GAMES, action="append", help="only this one")
    parser.add_argument("--plies", type=int, choices=(1, 3, 5), action="append")
    parser.add_argument("--positions", type=int, default=20, metavar="N")
    parser.add_argument("--playouts", type=int, default=1000, metavar="N")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="T", help="a row may take")
    given = parser.parse_args()
    header = "| game | plies | right, with proofs | as in papers | all moves won |"
    sys.stdout.write(f"{header}\n|---|--:|--:|--:|--:|\n")
    for name in given.game or GAMES:
        game = load_game(name)
        options = game.options(**OPTIONS.get(name, {}))
        instance = game.instance(game.start(options), options)
        searches = [Mcps(proofs=True, decisive=True), Mcps()]
        analysts = [Analyst(game, instance, search) for search in searches]
        for plies in given.plies or (1, 3):
            right, trivial, n, begin = [0, 0], 0, 0, time.process_time()
            for state, winning in positions(game, instance, plies, seed=1):
                for number, analyst in enumerate(analysts):
                    move = analyst.choose(state, Budget(given.playouts), 1, n)
                    right[number] += move in winning
                trivial += len(winning) == len(Exhaustive(game, instance).moves(state))
                n += 1
                if n == given.positions or time.process_time() - begin > given.seconds:
                    break
            shares = " | ".join(f"{count} of {n}" for count in right)
            sys.stdout.write(f"| {name} | {plies} | {shares} | {trivial} |\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
