"""Folds of random sequences, as targets: `python -m benchmarks.random_folds 500 > FILE`.

Records of 50 to 400 bases, what ViennaRNA folds uniformly drawn letters into under `vienna2`, for
`compare rna FILE`; `--shortest` and `--longest` give other lengths. Those without a pair are left
out. The same command gives the same targets.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from random import Random

from solver.commands.options import new_parser, run_command
from solver.domains.rna.folding import fold_structure

SEED, SHORTEST, LONGEST = 50_400, 50, 400


def run(argv: Sequence[str]) -> int:
    """Print the records."""
    parser = new_parser("python -m benchmarks.random_folds", __doc__ or "", "")
    parser.add_argument("count", type=int, metavar="COUNT")
    parser.add_argument("--shortest", type=int, default=SHORTEST, metavar="BASES")
    parser.add_argument("--longest", type=int, default=LONGEST, metavar="BASES")
    arguments = parser.parse_args(argv)
    random, written = Random(SEED), 0
    while written < arguments.count:
        bases = random.randint(arguments.shortest, arguments.longest)
        structure = fold_structure("".join(random.choices("ACGU", k=bases)), "vienna2")
        if "(" in structure:
            sys.stdout.write(f">random-{bases}-{written}\n{structure}\n")
            written += 1
    return 0


if __name__ == "__main__":
    run_command("random_folds", run)
