"""Seconds and memory of a fit to many decisions, made at random or those of `learn`, repeated.

python -m benchmarks.fit_speed --decisions 1000000 --moves 8 --codes 4 --room 1024
python -m benchmarks.fit_speed --decisions 16000000 --room 0 --passes 1
python -m benchmarks.fit_speed --shards WORK/hex/decisions-0123456789ab --decisions 1000000
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
import pyarrow.parquet as pq

from pipeline.learning.blocks import PARTS, Blocks
from pipeline.learning.fit import Fit
from pipeline.learning.passes import LocalPasses
from pipeline.tables.checks import rows_digest, write_table
from pipeline.tables.decisions import column_of, decisions_schema
from solver.contract.codes import PriorCode, code_named, joined
from solver.contract.domain import Domain
from solver.domains import load_rules
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.priors import DualTable
from solver.priors.tables import DECISIONS, open_table, read_metadata

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


def shards_of(folder: Path) -> tuple[Domain, PriorCode, list[Path], int]:
    """Find the domain, the codes, the files and the number of decisions of a folder of `learn`."""
    files = sorted(folder.glob("[!.]*.parquet"))
    with open_table(files[0]) as file:
        said = read_metadata(file.schema_arrow.metadata, str(files[0]), DECISIONS)
    domain = load_rules(said["domain"])
    tables = (pq.read_table(path, columns=["decision"]) for path in files)
    decisions = sum(table["decision"][-1].as_py() + 1 for table in tables)
    return domain, code_named(domain.priors, said["prior"]), files, decisions


def made_up(folder: Path, decisions: int, moves: int, codes: int) -> tuple[PriorCode, list[Path]]:
    """Write decisions at random; their codes and files."""
    code = joined(_Domain.priors, [f"c{k}" for k in range(codes)])
    files = [folder / f"{k}.parquet" for k in range(max(1, decisions // FILE_DECISIONS))]
    for number, path in enumerate(files):
        write_file(path, code, FILE_DECISIONS, moves, number + 1)
    return code, files


def main() -> None:
    """Write the decisions, fit them, print a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--distinct", type=int, default=1_000_000, help="others are repetitions")
    parser.add_argument("--shards", type=Path, help="folder of decisions, in place of made-up ones")
    parser.add_argument("--moves", type=int, default=8)
    parser.add_argument("--codes", type=int, default=4)
    parser.add_argument("--room", type=int, default=1024, help="MB kept in memory")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--passes", type=int, help="in place of a whole fit")
    arguments = parser.parse_args()
    domain: Domain = _Domain()
    with tempfile.TemporaryDirectory() as name:
        if arguments.shards:
            domain, code, files, made = shards_of(arguments.shards)
        else:
            made = min(arguments.decisions, arguments.distinct) // FILE_DECISIONS * FILE_DECISIONS
            code, files = made_up(Path(name), made, arguments.moves, arguments.codes)
        size = sum(path.stat().st_size for path in files)
        times = max(1, round(arguments.decisions / made))
        compiled = Fit(LocalPasses(Blocks(files[:1], domain, code, np.arange(code.rows))))
        compiled.one_pass(PARTS, np.zeros(code.rows))
        begin = time.perf_counter()
        blocks = Blocks(files * times, domain, code, np.arange(code.rows), arguments.room << 20)
        fit = Fit(LocalPasses(blocks, arguments.threads))
        fit.one_pass(PARTS, np.zeros(code.rows))  # what is not kept is checked, too
        read, used = time.perf_counter(), time.process_time()
        passes = arguments.passes
        for _ in range(passes or 0):
            fit.one_pass(PARTS, np.zeros(code.rows))
        if not passes:
            passes = fit.weights(PARTS, 1.0).passes
        end, used = time.perf_counter(), time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = end - read
    sys.stdout.write(
        f"{made * times:,} decisions, {len(code.singles)} codes: "
        f"{size / made:.1f} bytes a decision on disk; read in {read - begin:.1f} s, "
        f"{passes} passes in {seconds:.1f} s ({seconds / passes:.2f} s each, of a processor "
        f"{used / passes:.2f} s), "
        f"{blocks.kept_bytes / 2**20:,.0f} MB kept, peak {peak:,.0f} MB\n"
    )


if __name__ == "__main__":
    main()
