"""Memory of long searches of games: `python -m benchmarks.tree_memory --playouts 1000000`.

Each row is a process of its own, `solve GAME --playouts N` as it is typed, under the default
`--memory`: peak resident memory in MB, of the interpreter and the tree together, and processor
seconds. The exit status is 1 if one has more than `--most` MB.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.processes import run_measured

SEARCHES = {"hex": ["hex", "--size", "11"], "gomoku": ["gomoku", "--size", "15"]}
#: MB, millions of bytes.
MOST = 1000.0
SOLVE = Path(sys.executable).with_name("solve")


def main() -> int:
    """Print a table of peaks; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", choices=SEARCHES, action="append", help="only this one")
    parser.add_argument("--playouts", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--most", type=float, default=MOST, metavar="MB", help="that may be used")
    given = parser.parse_args()
    sys.stdout.write("| search | peak MB | processor s | |\n|---|--:|--:|---|\n")
    failed = False
    for name in given.game or SEARCHES:
        words = [*SEARCHES[name], "--playouts", str(given.playouts)]
        _, seconds, peak = run_measured([str(SOLVE), *words])
        failed |= peak > given.most
        verdict = "fail" if peak > given.most else "pass"
        sys.stdout.write(
            f"| `solve {' '.join(words)}` | {peak:,.0f} | {seconds:.1f} | {verdict} |\n"
        )
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
