"""Seconds and memory of a fit to a million decisions that are made at random.

python -m benchmarks.fit_speed --decisions 1000000 --moves 8 --codes 4 --room 1024
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from pipeline.learning.blocks import PARTS, Blocks
from pipeline.learning.fit import Fit
from pipeline.tables.checks import rows_digest, write_table
from pipeline.tables.decisions import column_of, decisions_schema
from solver.contract.codes import PriorCode, joined
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.priors import DualTable
from solver.priors.tables import DECISIONS

ROWS = 1024
FILE_DECISIONS = 50_000


class _Domain(LatinSquareDomain):
    """A domain of codes of `ROWS` rows each."""

    priors = {f"c{k}": PriorCode(f"c{k}", {"row": ROWS}, DualTable) for k in range(16)}  # noqa: RUF012


def write_file(path: Path, code: PriorCode, decisions: int, moves: int, seed: int) -> None:
    """Write decisions whose moves are drawn by weights of their rows, the same in all files."""
    weights = np.random.default_rng(0).normal(0.0, 0.5, (len(code.singles), ROWS))
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, ROWS, (len(code.singles), decisions, moves))
    log_odds = sum(weights[k][rows[k]] for k in range(len(code.singles)))
    played = np.argmax(log_odds + rng.gumbel(size=(decisions, moves)), axis=1)
    columns = {
        "decision": np.repeat(np.arange(decisions, dtype=np.int32), moves),
        "instance": np.repeat(rng.integers(0, 2**63, decisions // 50 + 1, np.uint64), 50 * moves)[
            : decisions * moves
        ],
        "group": np.tile(np.arange(moves, dtype=np.int32), decisions),
        "played": (np.arange(moves) == played[:, None]).ravel(),
    }
    columns |= {
        column_of(part.name): rows[k].ravel().astype(np.int32)
        for k, part in enumerate(code.singles)
    }
    table = pa.table(columns, schema=decisions_schema(code.name, code.components))
    said = {
        "kind": DECISIONS, "schema_version": 1, "domain": _Domain.name, "prior": code.name,
        "components": code.components, "options": {}, "source": {}, "instances": 1,
        "instances_digest": "0" * 64, "rejected": 0, "rejected_names": [],
        "rows_digest": rows_digest(table),
    }  # fmt: skip
    write_table(table.replace_schema_metadata({"nestor": json.dumps(said)}), path)


def main() -> None:
    """Write the decisions, fit them, print a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--moves", type=int, default=8)
    parser.add_argument("--codes", type=int, default=4)
    parser.add_argument("--room", type=int, default=1024, help="MB kept in memory")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    domain = _Domain()
    code = joined(domain.priors, [f"c{k}" for k in range(arguments.codes)])
    with tempfile.TemporaryDirectory() as name:
        files = []
        for number in range(max(1, arguments.decisions // FILE_DECISIONS)):
            files.append(Path(name) / f"{number}.parquet")
            write_file(files[-1], code, FILE_DECISIONS, arguments.moves, number + 1)
        size = sum(path.stat().st_size for path in files)
        decisions = len(files) * FILE_DECISIONS
        begin = time.perf_counter()
        room = arguments.room << 20
        blocks = Blocks(files, domain, code, np.arange(code.rows), room)
        fit = Fit(blocks, arguments.threads)
        fit.one_pass(PARTS, np.zeros(code.rows))  # compiled apart
        read = time.perf_counter()
        fitted = fit.weights(PARTS, 1.0)
        end = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = end - read
    sys.stdout.write(
        f"{decisions:,} decisions of {arguments.moves} moves, {arguments.codes} codes: "
        f"{size / decisions:.1f} bytes a decision on disk; read in {read - begin:.1f} s, "
        f"{fitted.passes} passes in {seconds:.1f} s ({seconds / fitted.passes:.2f} s each), "
        f"peak {peak:,.0f} MB\n"
    )


if __name__ == "__main__":
    main()
