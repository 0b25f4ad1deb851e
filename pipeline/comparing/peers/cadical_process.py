"""One call of CaDiCaL: clauses come by standard input, a model leaves by standard output.

A script and no module: it imports nothing of ours.
"""

import json
import signal
import sys
import time

if len(sys.argv) > 1:  # seconds until the alarm ends this process, the import included
    signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))

from pysat.solvers import Cadical195


def main() -> None:
    """Solve the clauses of standard input; the seconds are those of the solver alone."""
    clauses = json.load(sys.stdin)
    begin = time.perf_counter()
    with Cadical195(bootstrap_with=clauses) as solver:
        model = solver.get_model() if solver.solve() else None
    json.dump({"model": model, "seconds": time.perf_counter() - begin}, sys.stdout)


if __name__ == "__main__":
    main()
