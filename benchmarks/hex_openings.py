"""Values of all openings of small Hex: `python -m benchmarks.hex_openings --size 4`.

MCPS with proofs searches each opening until its value is proved, and a plain alpha-beta over sets
of stones, which shares nothing with it, says who wins. The exit status is 1 if they differ, or one
is not proved within `--seconds`.
"""

from __future__ import annotations

import argparse
import sys
import time

from solver.algorithms.tree import Mcps
from solver.games import load_game
from solver.searching.analysis import analyse
from solver.searching.driver import Budget


class AlphaBeta:
    """Winner of small boards: values are won or lost, so the first win cuts."""

    def __init__(self, size: int) -> None:
        self.size, self.known = size, dict[tuple[int, int, int], bool]()
        column = sum(1 << row * size for row in range(size))
        self.all, self.left, self.right = (1 << size * size) - 1, column, column << size - 1
        row = (1 << size) - 1
        self.sides = ((row, row << size * (size - 1)), (self.left, self.right))
        middle = (size - 1) / 2
        self.order = sorted(
            range(size * size),
            key=lambda cell: sum(abs(place - middle) for place in divmod(cell, size)),
        )

    def beside(self, cells: int) -> int:
        """Neighbours of a set of cells."""
        size, not_left, not_right = self.size, cells & ~self.left, cells & ~self.right
        found = not_left >> 1 | not_right << 1 | cells >> size | cells << size
        return (found | not_left << size - 1 | not_right >> size - 1) & self.all

    def connecting(self, stones: int, free: int, player: int) -> int:
        """Free cells that connect upper and lower side (0), or left and right (1), if taken."""
        for side in self.sides[player]:
            reached, more = 0, stones & side
            while more:
                reached |= more
                more = self.beside(reached) & stones & ~reached
            free &= side | self.beside(reached)
        return free

    def wins(self, stones: tuple[int, int], mover: int) -> bool:
        """True if who moves wins; nobody has connected yet."""
        key = (*stones, mover)
        if key not in self.known:
            self.known[key] = self._wins(stones, mover)
        return self.known[key]

    def _wins(self, stones: tuple[int, int], mover: int) -> bool:
        mine, others = stones[mover], stones[1 - mover]
        free = self.all & ~(mine | others)
        if self.connecting(mine, free, mover):
            return True
        threats = self.connecting(others, free, 1 - mover)
        if threats & (threats - 1):  # several
            return False
        for cell in self.order:
            if not (threats or free) >> cell & 1:
                continue
            after = mine | 1 << cell
            both = (after, others) if mover == 0 else (others, after)
            if not self.wins(both, 1 - mover):
                return True
        return False


def main() -> int:
    """Print a row for each opening; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=4, choices=(2, 3, 4, 5))
    parser.add_argument("--seconds", type=float, default=60.0, metavar="T", help="of an opening")
    given = parser.parse_args()
    game, plain, failed = load_game("hex"), AlphaBeta(given.size), False
    sys.stdout.write("| opening | who opened | alpha-beta | playouts | seconds |\n")
    sys.stdout.write("|---|---|---|--:|--:|\n")
    for cell in range(given.size**2):
        word = f"{'abcde'[cell % given.size]}{cell // given.size + 1}"
        options = game.options(size=given.size, first=word)
        instance = game.instance(game.start(options), options)
        begin = time.perf_counter()
        found = analyse(game, instance, Mcps(proofs=True), Budget(None, given.seconds))
        seconds = time.perf_counter() - begin
        right = "lost" if plain.wins((1 << cell, 0), 1) else "won"
        ours = "not proved" if found.proved is None else ("lost" if found.proved == 1.0 else "won")
        failed |= ours != right
        sys.stdout.write(f"| {word} | {ours} | {right} | {found.playouts:,} | {seconds:.2f} |\n")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
