"""The table of the problems of a folder of runs; one row each."""

from __future__ import annotations

import pyarrow as pa

PROBLEMS_FILE = "problems.parquet"
FEASIBLE_ABOVE = "feasible_above"

PROBLEMS_SCHEMA = pa.schema(
    [
        pa.field("domain", pa.string(), nullable=False),
        pa.field("family", pa.string(), nullable=False),
        pa.field("instance", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("problem", pa.string(), nullable=False),  # as the domain's `parse` reads it
        pa.field("best_known", pa.float64()),  # score, where the domain knows one
        # Scores above it are feasible; none where all are, and in tables of earlier versions.
        pa.field(FEASIBLE_ABOVE, pa.float64()),
    ]
)
