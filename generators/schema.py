"""Columns of the files of solved instances."""

from __future__ import annotations

import pyarrow as pa

#: One row per solved instance: its name, the problem as text and the answer as
#: text, both in the format that the domain's `parse` reads.
SOLVED_SCHEMA = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("problem", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
    ]
)
