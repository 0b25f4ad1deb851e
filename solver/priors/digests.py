"""Digest of a bias table, by which damage is told from what was learned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

#: Entry of the metadata. Tables that are older lack it.
BIAS_DIGEST = "bias_digest"
_NUMBERS = ("temperature", "default_bias")


def bias_digest(
    rows: npt.NDArray[np.int64], values: npt.NDArray[np.float64], metadata: Mapping[str, Any]
) -> str:
    """Return the digest of all numbers that a search takes from a bias table.

    Parameters
    ----------
    rows : int64[n]
        Rows of the code, in the order of the file.
    values : float64[n]
        Their biases.
    metadata : mapping
        Of the table: its temperature and default bias.
    """
    numbers = json.dumps([float(metadata[name]) for name in _NUMBERS])
    digest = hashlib.sha256(numbers.encode())
    digest.update(rows.astype("<i8").tobytes())
    digest.update(values.astype("<f8").tobytes())
    return digest.hexdigest()
