"""Priors that a search can use: none, or a learned table loaded from a file."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.contract import rules as contract
from solver.contract.codes import PriorCode, known_code
from solver.contract.domain import Domain
from solver.contract.rules import prior_code
from solver.errors import FieldError, InputError, cut, quoted
from solver.kernels.policy import MAX_EXPONENT
from solver.priors.layout import (
    CODE,
    column_values,
    dense_rows,
    is_several,
    key_types,
    same_components,
)
from solver.priors.tables import (
    BIAS,
    open_table,
    parquet_errors,
    read_metadata,
    wrong_columns,
    wrong_rules,
)
from solver.system.shipped import shipped_folder

#: Folder of the shipped tables, below the folder that holds the package.
MODELS = "models"
#: End of the names of files of tables.
TABLE = ".parquet"


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
    """A prior ready for a search, and its source."""

    name: str
    """Short name for reports: the file's, without its ending."""
    table: Any
    """Kernel argument: `NoPrior()` or an instance of the domain's table class."""
    temperature: float
    """The factor of ln(frequency); 1 if made by hand, 0 for no prior."""
    path: Path | None = None
    """File of the table; None for a prior without one."""
    metadata: dict[str, Any] | None = None
    """Metadata of the file: domain, code, recommended temperature and origin."""


#: The prior of searches that have none.
NO_PRIOR = Prior("none", NoPrior(), 0.0)


def odds_table(
    bias: npt.NDArray[np.float64], temperature: float, codes: int = 1
) -> npt.NDArray[np.float64]:
    """exp(temperature * bias), float64[rows]; of all `codes` within exp(+-`MAX_EXPONENT`)."""
    most = MAX_EXPONENT / codes
    with np.errstate(over="ignore"):
        exponent = np.clip(temperature * bias, -most, most)
    return np.ascontiguousarray(np.exp(exponent))


def models_folder() -> Path:
    """Folder of the tables that ship; it need not exist where the package was installed alone."""
    return shipped_folder(MODELS)


def shipped_priors(domain: Domain) -> list[str]:
    """Names of the shipped tables for `domain`, in alphabetical order."""
    found = []
    for path in models_folder().glob(f"*{TABLE}"):
        try:
            with open_table(path) as file:
                metadata = read_metadata(file.schema_arrow.metadata, str(path), BIAS)
        except InputError:  # counts, or damaged: whoever names it is told
            continue
        if metadata["domain"] == domain.name:
            found.append(path.stem)
    return sorted(found)


def default_prior(domain: Domain, temperature: float | None = None) -> Prior:
    """Return the prior that is meant for `domain`, or `NO_PRIOR` where its table is not there.

    That is one made by hand, a table that ships, or one in a file beside that of the domain.

    Parameters
    ----------
    domain : Domain
        Its `shipped_prior` names the prior.
    temperature : float, optional
        Factor of the bias of a table, see `load_prior`; one made by hand ignores it.

    Raises
    ------
    InputError
        As `load_prior`.
    """
    if domain.shipped_prior in domain.handmade:
        return named_prior(domain.shipped_prior, domain)
    path = None if domain.shipped_prior is None else _path_of(domain, domain.shipped_prior)
    return NO_PRIOR if path is None else load_prior(path, domain, temperature)


def named_prior(name: str, domain: Domain, temperature: float | None = None) -> Prior:
    """Return the prior that a command line names.

    That is, in this order, none, one made by hand, the table in a file, or a table that ships.

    Parameters
    ----------
    name : str
        "none", a key of `domain.handmade`, a path, or the name of a table that ships.
    domain : Domain
        Domain of the search; a table must have been made for it.
    temperature : float, optional
        Factor of the bias of a table, see `load_prior`; none and those made by hand ignore it.

    Raises
    ------
    InputError
        If there is no such prior, else as `load_prior`.
    """
    if name == NO_PRIOR.name:
        return NO_PRIOR
    if name in domain.handmade:
        return Prior(name, domain.handmade[name], 1.0)
    path = Path(name)
    if not _is_file(path):
        shipped = _shipped_path(name)
        # A folder may be called as a prior is; a path to nothing keeps its message.
        if shipped is None and (not name or (path.name == name and not path.suffix)):
            known = [NO_PRIOR.name, *domain.handmade, *shipped_priors(domain)]
            called, names = quoted(name, known), ", ".join(known)
            raise InputError(f"no prior called {called}: neither a file nor one of: {names}")
        path = shipped or path
    return load_prior(path, domain, temperature)


def _path_of(domain: Domain, name: str) -> Path | None:
    """Path of a table that ships, or that lies beside the file of a domain."""
    if Path(name).suffix != TABLE:
        return _shipped_path(name)
    module = sys.modules[type(domain).__module__]
    path = Path(str(module.__file__)).parent / name
    return path if _is_file(path) else None


def _shipped_path(name: str) -> Path | None:
    """Path of the shipped table called `name`, None where there is none."""
    if not re.fullmatch(r"[A-Za-z0-9][\w-]*", name):
        return None
    path = models_folder() / f"{name}{TABLE}"
    return path if _is_file(path) else None


def _is_file(path: Path) -> bool:
    """Return whether `path` is a file; False for a path that cannot be looked up."""
    try:
        return path.exists() and not path.is_dir()
    except OSError:
        return False


def load_prior(
    path: str | os.PathLike[str], domain: Domain, temperature: float | None = None
) -> Prior:
    """Load a bias table for `domain`.

    Parameters
    ----------
    path : str or path-like
        Parquet file of biases, as `learn` writes it.
    domain : Domain
        Domain that the table must have been made for.
    temperature : float, optional
        Factor of the bias, above 0 and finite; None for the one recommended by the file.

    Returns
    -------
    Prior
        Its `table` is the `prior` of `search` and `solve`.

    Raises
    ------
    InputError
        If the file cannot be read, is no bias table, or one of another domain, code or schema
        version, or its codes were computed by other rules; or `temperature` is out of range.
    """
    path = Path(path)
    code, bias, metadata = read_biases(path, domain)
    if temperature is None:
        temperature = float(metadata["temperature"])
    if not 0 < temperature < np.inf:
        raise FieldError("prior_temperature", f"is {temperature}, expected more than 0")
    odds = odds_table(bias, temperature, len(code.singles))
    return Prior(path.stem, code.new_table(odds), temperature, path, metadata)


def read_biases(
    path: Path, domain: Domain
) -> tuple[PriorCode, npt.NDArray[np.float64], dict[str, Any]]:
    """Read a bias table for `domain`: its code, the bias of each row, and its metadata.

    Raises
    ------
    InputError
        As `load_prior`.
    """
    with open_table(path) as file:
        metadata = read_metadata(file.schema_arrow.metadata, str(path), BIAS)
        code = _fitting_code(metadata, domain, str(path))
        wrong = wrong_rules(metadata, domain, path)
        if wrong is not None:
            raise InputError(f"{path}: {wrong}")
        bias = np.full(code.rows, float(metadata["default_bias"]))
        rows, values = _read_bias(file, path, code)
    bias[rows] = values
    return code, bias, metadata


def _read_bias(
    file: Any, path: Path, code: PriorCode
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Row numbers and biases in an open bias table, int64[n] and float64[n], checked."""
    import pyarrow as pa

    types = {**key_types(code.components), "bias": pa.float64()}
    wrong = wrong_columns(file.schema_arrow, types)
    if wrong is not None:
        raise InputError(f"{path}: {wrong}")
    n_rows = file.metadata.num_rows
    if not 0 < n_rows <= code.rows:  # before they are read: there may be billions
        raise InputError(f"{path}: {n_rows:,} rows, expected 1 ... {code.rows:,} codes")
    with parquet_errors(path):
        table = file.read(columns=list(types))
    for name in (CODE, "bias") if is_several(code.components) else types:
        nulls = table[name].null_count
        if nulls:
            raise InputError(f"{path}: column {name!r} has {nulls} missing values")
    rows = dense_rows(table, code.components, str(path))
    numbers, first, times = np.unique(rows, return_index=True, return_counts=True)
    if len(numbers) < len(rows):
        repeated = int(first[np.argmax(times > 1)])
        raise InputError(f"{path}: the code of row {repeated} occurs more than once")
    values = column_values(table["bias"])
    wrong_rows = np.flatnonzero(~np.isfinite(values))
    if len(wrong_rows):
        row = wrong_rows[0]
        raise InputError(f"{path}: row {row}: bias is {values[row]}, expected a finite number")
    return rows, values


def _fitting_code(metadata: dict[str, Any], domain: Domain, source: str) -> PriorCode:
    if metadata["domain"] != domain.name:
        raise InputError(f"{source}: a prior for {cut(metadata['domain'])}, expected {domain.name}")
    code = known_code(domain.priors, metadata["prior"])
    if code is None:
        raise InputError(
            f"{source}: prior code {quoted(metadata['prior'])} is unknown, "
            f"{domain.name} has: {', '.join(domain.priors)}"
        )
    if not same_components(metadata["components"], code):
        raise InputError(
            f"{source}: code {code.name!r} has components {quoted(metadata['components'])}, "
            f"expected {code.components}"
        )
    return code
