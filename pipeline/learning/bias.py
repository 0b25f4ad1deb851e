"""Bias table of counts: frequency = count / nb, smoothed, and its logarithm, or fitted weights.

Paper 'learned-prior', section 3: bias = temperature * ln(count / nb). The table
holds ln(frequency); the temperature is applied when the table is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipeline.learning.counts import Counts, counts_metadata, counts_of_parts
from solver.errors import FieldError
from solver.priors.layout import key_columns
from solver.priors.tables import BIAS, FIT, METADATA_KEY

Floats = npt.NDArray[np.float64]


class Weights(NamedTuple):
    """Fitted weights of a table, and what its metadata says of them."""

    values: Floats
    """float64[rows seen]: by row that was possible at least once, in order."""
    facts: dict[str, Any]


#: A frequency of zero counts as this where there is no smoothing.
LEAST_FREQUENCY = 1e-12


def check_parameters(smoothing: float, temperature: float) -> None:
    """Raise `InputError` if a parameter of `compile_bias` is out of range."""
    if not 0 <= smoothing < np.inf:
        raise FieldError("smoothing", f"is {smoothing}, expected 0 or more")
    if not 0 < temperature < np.inf:
        raise FieldError("prior_temperature", f"is {temperature}, expected more than 0")


def compile_bias(
    counts: Counts,
    smoothing: float,
    temperature: float,
    weights: Weights | None = None,
    more: Mapping[str, Any] | None = None,
) -> pa.Table:
    """Return the bias table of `counts`.

    Parameters
    ----------
    smoothing : float
        Number of imagined observations, at the frequency that the code's components
        suggest, or the next coarser code (`PriorCode.back_off`), that are added to every
        code. 0 leaves count / nb as it is, a code never played gets the bias of frequency
        `LEAST_FREQUENCY`.
    temperature : float
        Recommended factor of the bias, kept in the metadata.
    weights : Weights, optional
        Biases that were fitted, in place of logarithms of frequencies. The table has the rows that
        were possible, the others have the weight 0 that the penalty leaves them.
    more : mapping, optional
        Further entries of the metadata: how the table was tuned, and rounds of learning.

    Raises
    ------
    InputError
        If nothing was counted or a parameter is out of range.
    """
    check_parameters(smoothing, temperature)
    counts.refuse_empty()
    mean = counts.count.sum() / counts.nb.sum()
    parts = [_frequencies(part, smoothing, mean) for part in counts_of_parts(counts)]
    frequency, known = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    rows = np.flatnonzero(known if weights is None else counts.nb)
    columns = key_columns(rows, counts.prior)
    columns["count"], columns["nb"] = counts.count[rows], counts.nb[rows]
    columns["frequency"] = frequency[rows]
    logarithms = np.log(np.maximum(frequency[rows], LEAST_FREQUENCY))
    columns["bias"] = logarithms if weights is None else weights.values
    metadata = json.loads(counts_metadata(counts)[METADATA_KEY])
    metadata |= {
        "kind": BIAS,
        "smoothing": smoothing,
        "temperature": temperature,
        "default_bias": float(np.log(max(mean, LEAST_FREQUENCY))),
    }
    if weights is not None:
        metadata |= {"default_bias": 0.0, FIT: weights.facts}
    metadata |= more or {}
    return pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(metadata)})


def _frequencies(
    counts: Counts, smoothing: float, mean: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Smoothed frequency of each row of a single code, and which rows a table has."""
    expected, known = _from_marginals(counts, mean)
    if counts.prior.back_off:
        expected, known = _from_coarser(counts, expected, smoothing)
    with np.errstate(invalid="ignore"):
        frequency = (counts.count + smoothing * expected) / (counts.nb + smoothing)
    return np.where(counts.nb > 0, frequency, expected), known


def _from_marginals(counts: Counts, mean: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Frequency that the components alone suggest, and where all components were seen.

    The geometric mean of the components' own frequencies, each counted as if
    once more at the overall mean. Both arrays have one entry per row.
    """
    shape = tuple(counts.prior.components.values())
    count, nb = counts.count.reshape(shape), counts.nb.reshape(shape)
    logarithm = np.zeros(shape)
    known = np.ones(shape, np.bool_)
    for axis in range(len(shape)):
        others = tuple(other for other in range(len(shape)) if other != axis)
        axis_count, axis_nb = count.sum(others), nb.sum(others)
        along = [-1 if other == axis else 1 for other in range(len(shape))]
        frequency = (axis_count + mean) / (axis_nb + 1)
        logarithm += np.log(np.maximum(frequency, LEAST_FREQUENCY)).reshape(along) / len(shape)
        known &= (axis_nb > 0).reshape(along)
    return np.exp(logarithm).ravel(), known.ravel()


def _from_coarser(
    counts: Counts, expected: Floats, smoothing: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Frequency that the finest of the coarser codes suggests, and where the coarsest was seen.

    Each is smoothed towards the one before it as the code itself is towards the last. Both arrays
    have one entry per row.
    """
    names = list(counts.prior.components)
    shape = tuple(counts.prior.components.values())
    count, nb = counts.count.reshape(shape), counts.nb.reshape(shape)
    frequency, known = expected.reshape(shape), np.zeros(0, np.bool_)
    for code in counts.prior.back_off:
        others = tuple(axis for axis, name in enumerate(names) if name not in code)
        coarse_count, coarse_nb = (one.sum(others, keepdims=True) for one in (count, nb))
        mean = frequency.mean(others, keepdims=True)
        with np.errstate(invalid="ignore"):
            smoothed = (coarse_count + smoothing * mean) / (coarse_nb + smoothing)
        frequency = np.where(coarse_nb > 0, smoothed, mean)
        if not known.size:
            known = coarse_nb > 0
    return np.broadcast_to(frequency, shape).ravel(), np.broadcast_to(known, shape).ravel()
