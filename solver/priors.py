"""Priors that a search can use: none, or a learned table loaded from a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver import domain as contract
from solver.domain import Domain, PriorCode, prior_code
from solver.errors import InputError
from solver.kernels.policy import MAX_EXPONENT

METADATA_KEY = b"nestor"
SCHEMA_VERSION = 1


class NoPrior(NamedTuple):
    """The prior without a preference: every bias is 0."""

    unused: int = 0


@contract.odds.register(NoPrior)
def _no_odds(prior: NoPrior, instance: Any, state: Any, move: int) -> float:
    return 1.0


def table_odds(prior: Any, instance: Any, state: Any, move: int) -> float:
    """exp(bias) of `move` from a learned table; domains register it for their table classes."""
    return prior.table[prior_code(prior, instance, state, move)]


@dataclass(frozen=True)
class Prior:
    """A prior ready for a search, and where it comes from."""

    name: str
    """Short name for reports: the file's, without its ending."""
    table: Any
    """What kernels take: `NoPrior()` or an instance of the domain's table class."""
    temperature: float
    """The factor of ln(frequency); 0 for no prior."""
    path: Path | None = None
    metadata: dict[str, Any] | None = None


NO_PRIOR = Prior("none", NoPrior(), 0.0)


def odds_table(bias: npt.NDArray[np.float64], temperature: float) -> npt.NDArray[np.float64]:
    """exp(temperature * bias), float64[rows], kept within exp(+-`MAX_EXPONENT`)."""
    exponent = np.clip(temperature * bias, -MAX_EXPONENT, MAX_EXPONENT)
    return np.ascontiguousarray(np.exp(exponent))


def named_prior(name: str, domain: Domain, temperature: float | None = None) -> Prior:
    """Return the prior that a command line names: none, one made by hand, or a table's file.

    Raises
    ------
    InputError
        As `load_prior`, and for a temperature that nothing takes.
    """
    if name != NO_PRIOR.name and name not in domain.handmade:
        return load_prior(Path(name), domain, temperature)
    if name == NO_PRIOR.name:
        return NO_PRIOR
    return Prior(name, domain.handmade[name], 1.0)


def load_prior(path: Path, domain: Domain, temperature: float | None = None) -> Prior:
    """Load a bias table for `domain`.

    Parameters
    ----------
    temperature : float, optional
        Factor of the bias; by default the one recommended by the file.

    Raises
    ------
    InputError
        If the file is no bias table, or one of another domain, code or schema version.
    """
    table = read_table(path)
    metadata = read_metadata(table.schema.metadata, str(path), "bias")
    code = _fitting_code(metadata, domain, str(path))
    missing = {*code.components, "bias"} - set(table.column_names)
    if missing:
        raise InputError(f"{path}: column {sorted(missing)[0]!r} is missing from the bias table")
    components = [table[name].to_numpy() for name in code.components]
    rows = row_numbers(components, code, str(path))
    bias = np.full(code.rows, float(metadata["default_bias"]))
    bias[rows] = table["bias"].to_numpy()
    if np.isnan(bias).any():
        raise InputError(f"{path}: the bias of a code is not a number")
    if temperature is None:
        temperature = float(metadata["temperature"])
    if not 0 < temperature < np.inf:
        raise InputError(f"prior temperature is {temperature}, expected more than 0")
    return Prior(
        path.stem, code.table_class(odds_table(bias, temperature)), temperature, path, metadata
    )


def read_table(path: Path) -> Any:
    """Read a parquet file as a `pyarrow.Table`.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged or something else.
    """
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    if path.is_dir():
        raise InputError(f"{path}: a folder, expected a file made by `learn`")
    try:
        return pq.read_table(path)
    except FileNotFoundError:
        raise InputError(f"cannot read {path}: no such file") from None
    except (OSError, ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: not a readable parquet file ({reason})") from None


def read_metadata(raw: dict[bytes, bytes] | None, source: str, kind: str) -> dict[str, Any]:
    """Metadata of a table of ours, checked for kind ("counts" or "bias") and version."""
    content = (raw or {}).get(METADATA_KEY)
    if content is None:
        raise InputError(f"{source}: not a table made by `learn`, its metadata is missing")
    try:
        metadata: dict[str, Any] = json.loads(content)
    except ValueError:
        raise InputError(f"{source}: its metadata is not JSON, the file is damaged") from None
    if metadata.get("kind") != kind:
        raise InputError(f"{source}: a table of {metadata.get('kind')}, expected one of {kind}")
    if metadata.get("schema_version") != SCHEMA_VERSION:
        raise InputError(
            f"{source}: schema version {metadata.get('schema_version')}, expected {SCHEMA_VERSION}"
        )
    return metadata


def _fitting_code(metadata: dict[str, Any], domain: Domain, source: str) -> PriorCode:
    if metadata["domain"] != domain.name:
        raise InputError(f"{source}: a prior for {metadata['domain']}, expected {domain.name}")
    if metadata["prior"] not in domain.priors:
        raise InputError(
            f"{source}: prior code {metadata['prior']!r} is unknown, "
            f"{domain.name} has: {', '.join(domain.priors)}"
        )
    code = domain.priors[metadata["prior"]]
    if metadata["components"] != code.components:
        raise InputError(
            f"{source}: code {code.name!r} has components {metadata['components']}, "
            f"expected {code.components}"
        )
    return code


def row_numbers(
    components: list[npt.NDArray[np.int64]], code: PriorCode, source: str
) -> npt.NDArray[np.int64]:
    """Row of each code in a dense table, int64[...], from its components.

    Raises
    ------
    InputError
        If a component is out of range.
    """
    rows = np.zeros(len(components[0]), np.int64)
    for values, (name, cardinality) in zip(components, code.components.items(), strict=True):
        outside = np.flatnonzero((values < 0) | (values >= cardinality))
        if len(outside):
            raise InputError(
                f"{source}: row {outside[0]}: {name} is {values[outside[0]]}, "
                f"expected 0 ... {cardinality - 1}"
            )
        rows = rows * cardinality + values
    return rows
