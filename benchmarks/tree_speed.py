"""Playouts per second of tree searches of games: `python -m benchmarks.tree_speed`.

Processor time of one thread, the best of some rounds of searches of the start; a search makes as
many playouts as for a move of a game, and begins anew. Random playouts beside them have no tree.
The floors are those for Hex at 1,000 playouts a move. With `--threads N` the speed-up of so many in
one tree, by wall clock on an idle machine: medians of pairs of searches by one thread and by N.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from solver.algorithms.trees.listed import TREE_ALGORITHMS
from solver.compiling.random import new_stream
from solver.games import GAMES, load_game
from solver.games.playouts import random_playouts
from solver.kernels.tree.run import TreeRun

#: Playouts per second on Hex 7x7 at 1,000 a move.
FLOORS = {"uct": 275_000, "grave": 216_000, "mcps": 141_000}
#: Options other than the defaults, in rows of their own.
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in GAMES),
    ("hex", {"size": 11}),
    ("gomoku", {"size": 15}),
    ("nogo", {"players": 3}),
    ("wargame", {"units": 20}),
    ("wargame", {"players": 3}),
    ("investment", {"units": 21}),
]
ROUND_SECONDS = 0.3


def pace(work: Callable[[], int], rounds: int) -> float:
    """Playouts per second of the best of `rounds`; `work` returns how many it makes."""
    work()
    best = 0.0
    for _ in range(rounds):
        begin, made = time.process_time(), 0
        while (spent := time.process_time() - begin) < ROUND_SECONDS:
            made += work()
        best = max(best, made / spent)
    return best


def speed_up(game: Any, instance: Any, algorithm: str, arguments: argparse.Namespace) -> str:
    """Median, least and most of the ratio of playouts per second, a pair of searches a round."""
    parameters = TREE_ALGORITHMS[algorithm]().parameters
    runs = [
        TreeRun(game, instance, parameters, 1 << 30, threads=threads)
        for threads in (1, arguments.threads)
    ]
    ratios = []
    for number in range(1 + arguments.rounds):
        seconds = []
        for run in runs:
            begin = time.perf_counter()
            _search(run, arguments.playouts)
            seconds.append(time.perf_counter() - begin)
        if number > 0:  # the first one compiles
            ratios.append(seconds[0] / seconds[1])
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> int:
    """Print a table of playouts per second; returns 1 if a floor is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--playouts", type=int, default=1000, metavar="N", help="of a search")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--game", choices=GAMES, action="append", help="only this one")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="speed-up of N in a tree"
    )
    arguments = parser.parse_args()
    names, missed = [name for name in TREE_ALGORITHMS if name != "flat"], []
    if arguments.threads > 1:  # second trees are searched by one thread
        names = [n for n in names if TREE_ALGORITHMS[n]().parameters.leaf_playouts == 1]
    titles = ["game", *(["random"] if arguments.threads == 1 else []), *names]
    sys.stdout.write(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}\n")
    for name, options in VARIANTS:
        if arguments.game and name not in arguments.game:
            continue
        game = load_game(name)
        chosen = game.options(**options)
        instance = game.instance(game.start(chosen), chosen)
        words = " ".join(f"{key} {value}" for key, value in options.items())
        if arguments.threads > 1:
            cells = " | ".join(
                speed_up(game, instance, algorithm, arguments) for algorithm in names
            )
            sys.stdout.write(f"| {name} {words} | {cells} |\n".replace("  |", " |"))
            sys.stdout.flush()
            continue
        paces = [pace(partial(_random, game, instance), arguments.rounds)]
        for algorithm in names:
            run = TreeRun(game, instance, TREE_ALGORITHMS[algorithm]().parameters, 1 << 30)
            paces.append(pace(partial(_search, run, arguments.playouts), arguments.rounds))
            floor = FLOORS.get(algorithm, 0) if (name, options) == ("hex", {}) else 0
            if arguments.playouts == 1000 and paces[-1] < floor:
                missed.append(f"{algorithm}: {paces[-1]:,.0f}, expected {floor:,}")
        cells = " | ".join(f"{found:,.0f}" for found in paces)
        sys.stdout.write(f"| {name} {words} | {cells} |\n".replace("  |", " |"))
        sys.stdout.flush()
    sys.stdout.write("".join(f"below the floor: {line}\n" for line in missed))
    return 1 if missed else 0


def _random(game: Any, instance: Any) -> int:
    return len(random_playouts(game, instance, 1000).steps)


def _search(run: TreeRun, playouts: int) -> int:
    run.begin(new_stream(1))
    run.advance(playouts)
    return playouts


if __name__ == "__main__":
    sys.exit(main())
