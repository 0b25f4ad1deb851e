"""Values of all openings of small Hex: `python -m benchmarks.hex_openings --size 5`.

MCPS with proofs searches each opening until its value is proved, and a depth-first search that
shares nothing with it (`benchmarks.hex_must_play`) says who wins. Seconds are of the processor, by
one thread. Rows are kept in `--out`; the same command goes on where it was interrupted. The exit
status is 1 if the values differ, or one is not proved within `--seconds`.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.hex_must_play import MustPlay
from solver.algorithms.tree import Mcps
from solver.games import load_game
from solver.searching.analysis import Analyst
from solver.searching.driver import Budget

#: More playouts than a search makes.
WITHOUT_END = 1 << 40


def word_of(cell: int, size: int) -> str:
    """Name of a cell."""
    return f"{'abcde'[cell % size]}{cell // size + 1}"


def search(cell: int, size: int, seconds: float) -> dict[str, Any]:
    """Search an opening for so many seconds of processor time; returns its row."""
    game, word = load_game("hex"), word_of(cell, size)
    options = game.options(size=size, first=word)
    analyst = Analyst(game, game.instance(game.start(options), options), Mcps(proofs=True))
    analyst.compile()
    stop, begin = threading.Event(), time.process_time()

    def look(playouts: int) -> None:
        if time.process_time() - begin > seconds:
            stop.set()

    found = analyst.analyse(Budget(playouts=WITHOUT_END), stop=stop, progress=look)
    value = "not proved" if found.proved is None else ("lost" if found.proved == 1.0 else "won")
    spent = round(time.process_time() - begin, 3)
    return {
        "size": size, "opening": word, "mcps": value, "playouts": found.playouts, "seconds": spent,
    }  # fmt: skip


def rows_of(path: Path, size: int) -> dict[str, dict[str, Any]]:
    """Rows that are kept of a size, by opening."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {row["opening"]: row for row in map(json.loads, lines) if row["size"] == size}


def main() -> int:
    """Search openings that have no row, and print a table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=4, choices=(2, 3, 4, 5))
    parser.add_argument("--seconds", type=float, default=60.0, metavar="T", help="of an opening")
    parser.add_argument("--out", type=Path, default=Path("build/hex-openings"), metavar="FOLDER")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "hex-openings.jsonl"
    kept, reference = rows_of(path, given.size), MustPlay(given.size)
    failed = False
    sys.stdout.write("| opening | MCPS | must-play | playouts | seconds | of must-play |\n")
    sys.stdout.write("|---|---|---|--:|--:|--:|\n")
    for cell in range(given.size**2):
        word = word_of(cell, given.size)
        if word not in kept:
            row = search(cell, given.size, given.seconds)
            begin = time.process_time()
            row["must_play"] = "lost" if reference.wins((1 << cell, 0), 1) else "won"
            row["seconds_must_play"] = round(time.process_time() - begin, 3)
            with path.open("a") as file:
                file.write(f"{json.dumps(row)}\n")
            kept[word] = row
        row = kept[word]
        failed |= row["mcps"] != row["must_play"]
        sys.stdout.write(
            f"| {word} | {row['mcps']} | {row['must_play']} | {row['playouts']:,} "
            f"| {row['seconds']:.1f} | {row['seconds_must_play']:.1f} |\n"
        )
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
