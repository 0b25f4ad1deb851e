"""Identity of a model, whatever made it: a digest of its counts, parameters and rules.

Counts are integers, the same everywhere. Biases are logarithms, whose last bit depends on
the processor, and bytes of a file depend on the library that wrote it: neither is part of a
digest. Biases are compared with those that the counts give.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pipeline.learning.assessment import weights_digest
from pipeline.learning.bias import Weights, compile_bias
from pipeline.learning.counts import counts_from_table
from pipeline.learning.learn import counts_path
from pipeline.tables.checks import column_bytes, read_checked
from solver.domains import load_rules
from solver.errors import InputError
from solver.priors.layout import key_types
from solver.priors.tables import BIAS, COUNTS, FIT, open_table, parquet_errors, read_metadata

#: Biases and frequencies differ by some 1e-16 between processors.
TOLERANCE = 1e-9

#: Entries of the metadata that say what was counted.
_COUNTED = (
    "domain", "prior", "components", "options", "source", "instances", "instances_digest",
    "rejected",
)  # fmt: skip


class Model(NamedTuple):
    """A bias table with its counts, checked."""

    digest: str
    """Digest of counts, smoothing and temperature, 64 hexadecimal digits."""
    counts_digest: str
    """Digest of the counts alone."""
    metadata: dict[str, Any]
    """Metadata of the bias table."""
    rows: int
    """Codes in the bias table."""


def counts_digest(table: pa.Table, metadata: dict[str, Any]) -> str:
    """Return the digest of the counts in a count table or a bias table, 64 hexadecimal digits."""
    names = sorted(key_types(metadata["components"]))
    said = {name: metadata[name] for name in _COUNTED}
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    nb = table["nb"].to_numpy()
    # A bias table has rows besides, of codes that were never possible.
    possible = table.filter(pa.array(nb > 0))
    for name in (*names, "count", "nb"):
        digest.update(column_bytes(possible, name))
    return digest.hexdigest()


def model_digest(counts: str, metadata: Mapping[str, Any]) -> str:
    """Return the digest of a model from that of its counts and the metadata of its bias table.

    Weights that were fitted are part of it: counts do not give them.

    The rules count that its codes were computed by; tables that ship may be older than these say.
    """
    said: list[Any] = [counts, float(metadata["smoothing"]), float(metadata["temperature"])]
    said += [metadata["rules"]] if "rules" in metadata else []
    said += [metadata[FIT]["weights_digest"]] if FIT in metadata else []
    text = json.dumps(said)
    return hashlib.sha256(text.encode()).hexdigest()


def read_digest(path: Path, kind: str) -> str:
    """Return the digest of the model in a bias table, or of the counts in a count table.

    Raises
    ------
    InputError
        If the table does not pass its checks.
    """
    table, metadata = _read(path, kind)
    counts = counts_digest(table, metadata)
    if kind == COUNTS:
        return counts
    return model_digest(counts, metadata)


def stored_digest(path: Path, kind: str) -> str | None:
    """Return the digest of a table whose code may be another by now; None where it is damaged.

    Its columns and rows are not checked: who reads another table as this one finds another digest.
    """
    try:
        with open_table(path) as file, parquet_errors(path):
            metadata = read_metadata(file.schema_arrow.metadata, str(path), kind)
            table = file.read()
        counts = counts_digest(table, metadata)
    except (InputError, KeyError, pa.ArrowException):
        return None
    return counts if kind == COUNTS else model_digest(counts, metadata)


def read_contents(bias: Path) -> str:
    """Return the digest of a bias table's counts and parameters.

    Raises
    ------
    InputError
        If the table does not pass its checks.
    """
    table, metadata = _read(bias, BIAS)
    metadata.pop("rules", None)
    return model_digest(counts_digest(table, metadata), metadata)


def _read(path: Path, kind: str) -> tuple[pa.Table, dict[str, Any]]:
    """Read a table and its metadata, both checked."""
    with open_table(path) as file:
        metadata = read_metadata(file.schema_arrow.metadata, str(path), kind)
    table, _ = read_checked(path, kind, load_rules(metadata["domain"]))
    return table, metadata


def read_model(bias: Path) -> Model:
    """Read a bias table with the counts beside it.

    Raises
    ------
    InputError
        If one does not pass its checks, or the table is not made of these counts.
    """
    table, metadata = _read(bias, BIAS)
    path = counts_path(bias)
    counted, counted_metadata = _read(path, COUNTS)
    digest = counts_digest(table, metadata)
    if digest != counts_digest(counted, counted_metadata):
        raise InputError(f"{path}: not the counts that {bias} was made from")
    wrong = wrong_biases(table, counted)
    if wrong is not None:
        raise InputError(f"{bias}: {wrong}")
    whole = model_digest(digest, metadata)
    return Model(whole, digest, metadata, table.num_rows)


def wrong_biases(bias: pa.Table, counts: pa.Table) -> str | None:
    """Say which bias is not what the counts give, beyond rounding; None if all are."""
    metadata = read_metadata(bias.schema.metadata, "table", BIAS)
    domain = load_rules(metadata["domain"])
    weights = None
    if FIT in metadata:
        weights = Weights(bias["bias"].to_numpy(), metadata[FIT])
        if weights_digest(weights.values) != metadata[FIT].get("weights_digest"):
            return "its weights are others than those that were fitted, damaged"
    expected = compile_bias(
        counts_from_table(counts, domain, "counts"),
        metadata["smoothing"],
        metadata["temperature"],
        weights,
    )
    default = read_metadata(expected.schema.metadata, "table", BIAS)["default_bias"]
    if expected.num_rows != bias.num_rows:
        return f"{bias.num_rows} codes, its counts give {expected.num_rows}"
    for name in key_types(metadata["components"]):
        if column_bytes(bias, name) != column_bytes(expected, name):
            return f"its column {name!r} is not that which its counts give"
    for name in ("count", "nb", "frequency", "bias"):
        found, given = bias[name].to_numpy(), expected[name].to_numpy()
        different = np.flatnonzero(~(np.abs(found - given) <= TOLERANCE))
        if len(different):
            row = different[0]
            return f"row {row}: {name} is {found[row]}, its counts give {given[row]}"
    if not abs(metadata["default_bias"] - default) <= TOLERANCE:
        return f"the default bias is {metadata['default_bias']}, its counts give {default}"
    return None
