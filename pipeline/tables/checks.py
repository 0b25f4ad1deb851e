"""Checks of every parquet file that the pipeline reads or writes.

A check is data: its name, whether it passed, the numbers it looked at. The checks of
a run are kept in its summary (`pipeline.learning.summary`); the first that fails is an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from generators.schema import SOLVED_SCHEMA
from pipeline.tables.columns import COLUMNS, RUNS_SCHEMA
from pipeline.tables.decisions import (
    BATCH,
    DECISION,
    decisions_schema,
    whole_decisions,
    wrong_decisions,
)
from pipeline.tables.problems import FEASIBLE_ABOVE, PROBLEMS_SCHEMA
from solver.contract.codes import known_code
from solver.contract.domain import Domain
from solver.errors import InputError, cut, quoted
from solver.priors.layout import (
    NO_COMPONENT,
    component_names,
    dense_rows,
    is_several,
    key_types,
    same_components,
)
from solver.priors.tables import (
    BIAS,
    COUNTS,
    DECISIONS,
    FIT,
    METADATA_KEY,
    NOT_UTF_8,
    open_table,
    parquet_errors,
    parse_metadata,
    read_table,
    wrong_columns,
    wrong_metadata,
)
from solver.system.files import replacing
from solver.system.letters import printable_name

SOLVED, RUNS, PROBLEMS = "solved", "runs", "problems"

#: Key of the digest of solved instances: their other metadata says what they were solved from.
_SOLVED_DIGEST = b"rows_digest"
#: Entries that the metadata of the other kinds of tables must have.
REQUIRED = {
    SOLVED: ("domain", "seed"),
    RUNS: ("command", "machine", "versions", "commit"),
    PROBLEMS: ("kind",),
}


@dataclass(frozen=True)
class Check:
    """The outcome of one check of one file."""

    name: str
    passed: bool
    numbers: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    """Message of the error, in a few words."""


class FailedCheckError(InputError):
    """A file that does not pass; `checks` are all that were made."""

    def __init__(self, source: str, checks: list[Check]) -> None:
        self.checks = checks
        wrong = next(check for check in checks if not check.passed)
        super().__init__(f"{source}: {wrong.message}")


def read_checked(path: Path, kind: str, domain: Domain | None) -> tuple[pa.Table, list[Check]]:
    """Read a parquet file of `kind` and check it.

    Raises
    ------
    InputError
        One line: the file and the first thing wrong with it.
    """
    table = read_table(path)
    with parquet_errors(path):  # a text that is not UTF-8 is found when it is looked at
        return table, checked(table, kind, domain, str(path))


def check_decisions(path: Path, domain: Domain) -> None:
    """Check a file of decisions as `read_checked` does, without all its rows in memory.

    Raises
    ------
    InputError
        As `read_checked`.
    """
    with open_table(path) as file, parquet_errors(path):
        schema, digest = file.schema_arrow, hashlib.sha256()
        head = schema.empty_table()
        for check in (_metadata, _domain, _columns):
            _refuse_failed(check(head, DECISIONS, domain), path)
        for name in schema.names:
            digest.update(f"{name}\n".encode())
            for batch in file.iter_batches(BATCH, columns=[name]):
                digest.update(column_bytes(pa.Table.from_batches([batch]), name))
    decisions, rows = 0, 0
    for table in whole_decisions(path):
        _refuse_failed(_nulls(table, DECISIONS, domain), path)
        _refuse_failed(_decisions(table, DECISIONS, domain, decisions, rows), path)
        decisions, rows = table[DECISION][-1].as_py() + 1, rows + table.num_rows
    _refuse_failed(_same_rows(_said(head), digest.hexdigest()), path)


def _refuse_failed(check: Check, path: Path) -> None:
    if not check.passed:
        raise FailedCheckError(str(path), [check])


def write_table(table: pa.Table, path: Path) -> None:
    """Write `table` as parquet, with checksums, under a temporary name, then rename."""
    try:
        with replacing(path) as temporary:
            pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)
    except UnicodeEncodeError:
        raise InputError(f"{printable_name(str(path))}: {NOT_UTF_8}") from None


def write_checked(table: pa.Table, path: Path, kind: str, domain: Domain | None) -> list[Check]:
    """Check a table, then write it: a table that does not pass is never seen on disk."""
    checks = checked(table, kind, domain, str(path))
    write_table(table, path)
    return checks


def checked(table: pa.Table, kind: str, domain: Domain | None, source: str) -> list[Check]:
    """Check `table` and raise a `FailedCheckError` if one check fails."""
    checks = check_table(table, kind, domain)
    if not all(check.passed for check in checks):
        raise FailedCheckError(source, checks)
    return checks


def check_table(table: pa.Table, kind: str, domain: Domain | None) -> list[Check]:
    """Check a table of `kind` for `domain`; the checks end with the first that fails."""
    made: list[Check] = []
    for check in (_metadata, _domain, _columns, _nulls, *_CONTENT[kind]):
        made.append(check(table, kind, domain))
        if not made[-1].passed:
            break
    return made


def _said(table: pa.Table) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((table.schema.metadata or {}).get(METADATA_KEY, b"{}"))
    return found


def _metadata(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    if METADATA_KEY not in (table.schema.metadata or {}):
        return Check("metadata", False, {}, "its metadata is missing, it was not made by Nestor")
    try:
        said = parse_metadata(table.schema.metadata, "table")
    except InputError as error:
        return Check("metadata", False, {}, str(error).removeprefix("table: "))
    if kind in (COUNTS, BIAS, DECISIONS):
        wrong = wrong_metadata(said, kind)
    elif not isinstance(said, dict):
        wrong = f"its metadata is {quoted(said)}, expected a table of entries"
    else:
        missing = [name for name in REQUIRED[kind] if name not in said]
        wrong = f"{missing[0]!r} is missing from its metadata" if missing else None
    if wrong is not None:
        return Check("metadata", False, {}, wrong)
    return Check("metadata", True, {"entries": len(said)})


def _domain(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    if kind in (RUNS, PROBLEMS) or domain is None:  # these may be of any
        return Check("domain", True)
    said = _said(table)
    if said["domain"] != domain.name:
        wrong = f"a table for {cut(str(said['domain']))}, expected {domain.name}"
        return Check("domain", False, {}, wrong)
    if kind == SOLVED:
        return Check("domain", True)
    code = known_code(domain.priors, said["prior"])
    if code is None:
        wrong = f"prior code {quoted(said['prior'])}, {domain.name} has: {', '.join(domain.priors)}"
        return Check("domain", False, {}, wrong)
    if not same_components(said["components"], code):
        wrong = f"components {quoted(said['components'])}, expected {code.components}"
        return Check("domain", False, {}, wrong)
    return Check("domain", True)


def schema_of(table: pa.Table, kind: str) -> pa.Schema:
    """Return the schema that a table of `kind` must have."""
    if kind == SOLVED:
        return SOLVED_SCHEMA
    if kind == RUNS:
        return RUNS_SCHEMA
    if kind == DECISIONS:
        return decisions_schema(_said(table)["prior"], _said(table)["components"])
    if kind == PROBLEMS:
        later = FEASIBLE_ABOVE in table.column_names
        at = PROBLEMS_SCHEMA.get_field_index(FEASIBLE_ABOVE)
        return PROBLEMS_SCHEMA if later else PROBLEMS_SCHEMA.remove(at)
    fields = [*key_types(_said(table)["components"]).items()]
    fields += [(name, pa.int64()) for name in ("count", "nb")]
    if kind == BIAS:
        fields += [("frequency", pa.float64()), ("bias", pa.float64())]
    return pa.schema(fields)


def _columns(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    schema = schema_of(table, kind)
    wrong = wrong_columns(table.schema, dict(zip(schema.names, schema.types, strict=True)))
    if wrong is not None:
        return Check("columns", False, {}, wrong)
    return Check("columns", True, {"columns": table.num_columns, "rows": table.num_rows})


def _nulls(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    for expected in schema_of(table, kind):
        nulls = table[expected.name].null_count
        if nulls and (_is_filled(table, kind, expected.name) or not expected.nullable):
            wrong = f"column {expected.name!r} has {nulls} missing values"
            return Check("missing values", False, {expected.name: nulls}, wrong)
    return Check("missing values", True)


def _is_filled(table: pa.Table, kind: str, name: str) -> bool:
    """Return whether a column has a value in each row, if only components of other codes have not.

    Those missing that a code should have are found among its rows.
    """
    if kind not in (COUNTS, BIAS):
        return False
    components = _said(table)["components"]
    return not is_several(components) or name not in component_names(components)


def _codes(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    try:
        dense_rows(table, _said(table)["components"], "table")
    except InputError as error:
        return Check("codes in range", False, {}, str(error).removeprefix("table: "))
    return Check("codes in range", True, {"codes": table.num_rows})


def _keys(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    rows = dense_rows(table, _said(table)["components"])
    wrong = np.flatnonzero(np.diff(rows) <= 0)
    if len(wrong):
        said = f"row {wrong[0] + 1}: its codes are not in order, each once"
        return Check("keys unique", False, {"wrong": len(wrong)}, said)
    return Check("keys unique", True, {"keys": table.num_rows})


def _counts(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    count, nb = table["count"].to_numpy(), table["nb"].to_numpy()
    wrong = np.flatnonzero((count < 0) | (count > nb))
    if len(wrong):
        said = f"row {wrong[0]}: played {count[wrong[0]]} times, possible {nb[wrong[0]]} times"
        return Check("count <= nb", False, {"wrong": len(wrong)}, said)
    return Check("count <= nb", True, {"count": int(count.sum()), "nb": int(nb.sum())})


def _decisions(
    table: pa.Table, kind: str, domain: Domain | None, decisions: int = 0, rows: int = 0
) -> Check:
    said = _said(table)
    wrong = wrong_decisions(table, said["prior"], said["components"], decisions, rows)
    return Check("decisions", wrong is None, {"choices": table.num_rows}, wrong or "")


def rows_digest(table: pa.Table) -> str:
    """Return the digest of the rows of a count table, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for name in table.column_names:
        digest.update(f"{name}\n".encode() + column_bytes(table, name))
    return digest.hexdigest()


def column_bytes(table: pa.Table, name: str) -> bytes:
    """Contents of a column of a count table, the same whatever library wrote it."""
    column = table[name]
    if pa.types.is_string(column.type):
        return "\n".join(column.to_pylist()).encode()
    filled = column.fill_null(NO_COMPONENT) if column.null_count else column
    return bytes(filled.to_numpy().astype("<i8").tobytes())


def with_digest(solved: pa.Table) -> pa.Table:
    """Return solved instances with the digest of their rows, apart from where they come from."""
    digest = rows_digest(solved).encode()
    return solved.replace_schema_metadata({**solved.schema.metadata, _SOLVED_DIGEST: digest})


def _solved_rows(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    """Check the texts against their digest, of tables that are not older than it."""
    expected = table.schema.metadata.get(_SOLVED_DIGEST, b"").decode() or None
    if expected in (None, rows_digest(table)):
        return Check("rows", True, {"digest": expected})
    return Check("rows", False, {}, "its instances are others than those that were solved, damaged")


def _rows(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    """Check the rows against their digest, of tables that are not older than it."""
    if "rows_digest" not in _said(table):
        return Check("rows", True, {"digest": None})
    return _same_rows(_said(table), rows_digest(table))


def _same_rows(said: Mapping[str, Any], found: str) -> Check:
    expected = said.get("rows_digest")
    if expected in (None, found):
        return Check("rows", True, {"digest": expected})
    return Check("rows", False, {}, "its rows are others than those that were counted, damaged")


def _frequencies(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    frequency, bias = table["frequency"].to_numpy(), table["bias"].to_numpy()
    most = np.inf if FIT in _said(table) else 0.0  # weights may have either sign
    right = (frequency >= 0) & (frequency <= 1) & np.isfinite(bias) & (bias <= most)
    wrong = np.flatnonzero(~right)
    if len(wrong):
        row = wrong[0]
        said = f"row {row}: frequency {frequency[row]:g} with bias {bias[row]:g}"
        return Check("frequencies", False, {"wrong": len(wrong)}, said)
    spread = {"least": _extreme(frequency, np.min), "most": _extreme(frequency, np.max)}
    return Check("frequencies", True, spread)


def _extreme(values: npt.NDArray[np.float64], of: Callable[..., Any]) -> float | None:
    return float(of(values)) if len(values) else None


def _run_keys(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    different = pc.count_distinct(table["run"]).as_py()
    numbers = {"rows": table.num_rows, "different": different}
    repeated = table.num_rows - different
    wrong = f"{repeated} rows repeat a run" if repeated else ""
    return Check("keys unique", not repeated, numbers, wrong)


def _filled(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    for name in SOLVED_SCHEMA.names:
        empty = pc.sum(pc.equal(pc.utf8_length(table[name]), 0)).as_py()
        if empty:
            return Check("texts", False, {name: empty}, f"{empty} rows have an empty {name}")
    # A corpus may say the same thing twice: told, and no error.
    different = pc.count_distinct(table["name"]).as_py()
    return Check("texts", True, {"instances": table.num_rows, "different names": different})


def _run_ranges(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    quantities = [column for column in COLUMNS if column.unit and not column.has_arrays]
    for name in (column.name for column in quantities):
        least = pc.min(table[name]).as_py()
        if least is not None and not least >= 0:
            return Check("ranges", False, {name: least}, f"{name} is {least}, expected 0 or more")
    solved = pc.sum(table["solved"]).as_py() or 0
    return Check("ranges", True, {"runs": table.num_rows, "solved": solved})


def _problem_keys(table: pa.Table, kind: str, domain: Domain | None) -> Check:
    keys = table.select(["domain", "family", "instance"]).to_pylist()
    different = len({tuple(key.values()) for key in keys})
    numbers = {"rows": table.num_rows, "different": different}
    wrong = f"{table.num_rows - different} rows repeat a problem"
    passed = different == table.num_rows
    return Check("keys unique", passed, numbers, "" if passed else wrong)


_CONTENT: dict[str, tuple[Callable[[pa.Table, str, Domain | None], Check], ...]] = {
    SOLVED: (_filled, _solved_rows),
    COUNTS: (_codes, _keys, _counts, _rows),
    DECISIONS: (_decisions, _rows),
    BIAS: (_codes, _keys, _counts, _frequencies),
    RUNS: (_run_keys, _run_ranges),
    PROBLEMS: (_problem_keys,),
}
