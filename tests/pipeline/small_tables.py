"""Count tables, solved instances and doctored files, for the tests of the pipeline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.learning.counts import Counts
from solver.contract.codes import PriorCode
from solver.contract.identity import rules_digest
from solver.domains.latin_square.domain import LatinSquareDomain

DUAL = LatinSquareDomain.priors["dual"]

SMALL = PriorCode("small", {"a": 3, "b": 2}, tuple)
"""A code of six rows, for tables that are computed by hand."""
SMALL_METADATA = {
    "schema_version": 1,
    "domain": "toy",
    "prior": "small",
    "components": {"a": 3, "b": 2},
    "options": {"option": 1},
    "source": {"seed": 2},
}
"""What tables made of `small_counts` say of where they come from."""


def small_counts(count: Sequence[int], nb: Sequence[int], **values: Any) -> Counts:
    """Counts of the code `SMALL`, row by row."""
    arrays = np.array(count, np.int64), np.array(nb, np.int64)
    return Counts("toy", SMALL, {"option": 1}, {"seed": 2}, *arrays, **{"instances": 9} | values)


def fields(counts: Counts) -> dict[str, Any]:
    """Everything in `counts`, comparable."""
    return vars(counts) | {"count": counts.count.tolist(), "nb": counts.nb.tolist()}


def metadata_of(table: pa.Table) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(table.schema.metadata[b"nestor"])
    return found


def with_metadata(table: pa.Table, **changes: Any) -> pa.Table:
    """`table` with some entries of its metadata replaced."""
    changed = json.dumps(metadata_of(table) | changes)
    return table.replace_schema_metadata({"nestor": changed})


def with_column(table: pa.Table, name: str, values: Sequence[Any]) -> pa.Table:
    """`table` with the values of one column replaced."""
    return table.set_column(table.column_names.index(name), name, pa.array(values))


def saved(table: pa.Table, path: Path, compression: str = "snappy") -> Path:
    pq.write_table(table, path, compression=compression)
    return path


def random_counts(seed: int, share: float, **values: Any) -> Counts:
    """Counts of the dual code, so many of its rows possible."""
    rng = np.random.default_rng(seed)
    nb = rng.integers(1, 50, DUAL.rows) * (rng.random(DUAL.rows) < share)
    count = rng.integers(0, nb + 1)
    given: dict[str, Any] = {
        "instances": seed,
        "digest": seed * 2**250,
        "rejected": [f"name-{seed}"],
        "rules": rules_digest(LatinSquareDomain(), DUAL),
    }
    given |= {"options": {"option": 1}, "source": {"seed": 2}, "n_rejected": 1}
    return Counts(domain=LatinSquareDomain.name, prior=DUAL, count=count, nb=nb, **given | values)
