"""Files of count and bias tables: the required metadata and columns, and their forms.

A table may come from anywhere, damaged or made by hand: every entry is checked before
anything uses it, and what is wrong is said in one line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from solver.contract.codes import code_named
from solver.contract.domain import Domain
from solver.contract.identity import rules_digest
from solver.errors import InputError, cut, quoted
from solver.system.datasets import sha256
from solver.system.letters import printable_name

#: Key of Nestor's entry in the metadata of a parquet file.
METADATA_KEY = b"nestor"
#: Version of what is in it.
SCHEMA_VERSION = 1

COUNTS, BIAS, DECISIONS = "counts", "bias", "decisions"

#: Entry of the metadata of a bias table whose biases are weights fitted to decisions.
FIT = "fit"
#: Entry of one whose temperature was chosen by a race on held-out instances.
TUNED = "tuned"
#: Entry of one that was learned in several rounds.
ROUNDS = "rounds"

#: Larger numbers of instances are damage: their sum would not fit into int64.
MAX_INTEGER = 1 << 62

#: Error of a path that the library of tables cannot open.
NOT_UTF_8 = "the path is not UTF-8, as that of a table must be"


def is_count(value: Any) -> bool:
    """Return whether `value` is an integer of 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER


def is_number(value: Any) -> bool:
    """Return whether `value` is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond any float
        return False


def is_text(value: Any) -> bool:
    """Return whether `value` is a text."""
    return isinstance(value, str)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_code(value: Any) -> bool:
    """Return whether `value` has the components of a code, or those of several by their names."""
    if not isinstance(value, dict) or not value:
        return False
    numbers = list(value.values())
    if all(isinstance(part, dict) and part for part in numbers):
        numbers = [number for part in numbers for number in part.values()]
    return all(map(is_count, numbers))


def is_digest(value: Any) -> bool:
    """Return whether `value` is a SHA-256 in hexadecimal digits."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _is_smoothing(value: Any) -> bool:
    return is_number(value) and value >= 0


def _is_temperature(value: Any) -> bool:
    return is_number(value) and value > 0


def _is_fit(value: Any) -> bool:
    return isinstance(value, dict) and is_digest(value.get("weights_digest"))


Form = tuple[Callable[[Any], bool], str]
"""Check of a value, and the words for a value that passes it."""

_TRAINED: dict[str, Form] = {
    "domain": (is_text, "a text"),
    "prior": (is_text, "a text"),
    "components": (_is_code, "a number for each component"),
    "options": (_is_table, "a table of options"),
    "source": (_is_table, "a table of parameters"),
    "instances": (is_count, "an integer of 0 or more"),
    "instances_digest": (is_digest, "64 hexadecimal digits"),
    "rejected": (is_count, "an integer of 0 or more"),
    "rejected_names": (_is_list_of_texts, "a list of names"),
}
#: Entries that the metadata of each kind of table must have.
FORMS: dict[str, dict[str, Form]] = {
    COUNTS: _TRAINED,
    DECISIONS: _TRAINED,
    BIAS: {
        **_TRAINED,
        "smoothing": (_is_smoothing, "a number of 0 or more"),
        "temperature": (_is_temperature, "a number more than 0"),
        "default_bias": (is_number, "a number"),
    },
}

#: Entries that tables which are older lack.
_OPTIONAL: dict[str, Form] = {
    "rules": (is_text, "a text"),
    "rows_digest": (is_digest, "64 hexadecimal digits"),
    FIT: (_is_fit, "a table of entries with the digest of the weights"),
    TUNED: (_is_table, "a table of entries"),
    ROUNDS: (_is_list_of_tables, "a list of tables of entries"),
}


def wrong_entry(found: Mapping[str, Any], forms: Mapping[str, Form], where: str) -> str | None:
    """Say which entry of `found` is missing or has another form; None if all are right."""
    for name, (fits, form) in forms.items():
        if name not in found:
            return f"{name!r} is missing from {where}"
        if not fits(found[name]):
            return f"{name!r} in {where} is {quoted(found[name])}, expected {form}"
    return None


def wrong_metadata(metadata: Any, kind: str) -> str | None:
    """Return the error in the metadata of a table of `kind`, counts or bias; None if none."""
    if not isinstance(metadata, dict):
        return f"its metadata is {quoted(metadata)}, expected a table of entries"
    if metadata.get("kind") != kind:
        if "kind" not in metadata:
            return f"no table of codes, expected one of {kind}"
        found = quoted(metadata["kind"]).strip("'")
        return f"a table of {found}, expected one of {kind}"
    version = metadata.get("schema_version")
    if version != SCHEMA_VERSION or isinstance(version, bool):
        return f"schema version {quoted(version)}, expected {SCHEMA_VERSION}"
    said = {name: form for name, form in _OPTIONAL.items() if name in metadata}
    return wrong_entry(metadata, FORMS[kind] | said, "its metadata")


def parse_metadata(raw: Mapping[bytes, bytes] | None, source: str) -> Any:
    """Read Nestor's entry of the metadata of a parquet file; its form is not checked.

    Raises
    ------
    InputError
        If it is missing or no JSON.
    """
    content = (raw or {}).get(METADATA_KEY)
    if content is None:
        raise InputError(f"{source}: not a table made by `learn`, its metadata is missing")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise InputError(f"{source}: its metadata is not JSON, the file is damaged") from None


def is_kind(raw: Mapping[bytes, bytes] | None, kind: str) -> bool:
    """Return whether the metadata of a parquet file say that it is a table of `kind`."""
    said = parse_metadata(raw, "table")
    return isinstance(said, dict) and said.get("kind") == kind


def read_metadata(raw: Mapping[bytes, bytes] | None, source: str, kind: str) -> dict[str, Any]:
    """Metadata of a table of `kind`, "counts" or "bias", every entry in its form.

    Raises
    ------
    InputError
        If an entry is missing or has another form.
    """
    metadata: dict[str, Any] = parse_metadata(raw, source)
    wrong = wrong_metadata(metadata, kind)
    if wrong is not None:
        raise InputError(f"{source}: {wrong}")
    return metadata


@contextmanager
def parquet_errors(path: Path) -> Iterator[None]:
    """Turn errors in reading the parquet file `path` into an `InputError`."""
    from pyarrow import ArrowException

    try:
        yield
    except FileNotFoundError:
        raise InputError(f"cannot read {path}: no such file") from None
    except UnicodeEncodeError:
        raise InputError(f"{printable_name(str(path))}: {NOT_UTF_8}") from None
    # A damaged file can also ask for more memory than there is, or hold no UTF-8.
    except (OSError, ArrowException, MemoryError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path}: not a readable parquet file ({reason})") from None


def open_table(path: Path) -> Any:
    """Open a parquet file as a `pyarrow.parquet.ParquetFile`, a context manager.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged or something else.
    """
    import pyarrow.parquet as pq

    with parquet_errors(path):
        if path.is_dir():
            raise InputError(f"{path}: a folder, expected a file made by `learn`")
        if path.exists() and not path.is_file():  # opening a pipe would wait for its writer
            raise InputError(f"{path}: not a regular file, expected one made by `learn`")
        return pq.ParquetFile(path, page_checksum_verification=True)


def read_table(path: Path) -> Any:
    """Read a parquet file as a `pyarrow.Table`.

    Raises
    ------
    InputError
        As `open_table`.
    """
    with open_table(path) as file, parquet_errors(path):
        return file.read()


def wrong_columns(schema: Any, types: Mapping[str, Any]) -> str | None:
    """Say which column of a `pyarrow.Schema` is missing, twice there, or of another type."""
    for name, expected in types.items():
        places = schema.get_all_field_indices(name)
        if not places:
            return f"column {name!r} is missing"
        if len(places) > 1:
            return f"column {name!r} occurs {len(places)} times"
        found = schema.field(places[0]).type
        if found != expected:
            return f"column {name!r} has type {cut(str(found))}, expected {expected}"
    return None


#: SHA-256 of the bias tables that ship and are older than this digest: they are what they were.
#: The list does not grow, a table that is learned anew leaves it.
OLDER = frozenset(
    {
        "7797d56c3ce4f5caffcfc7e917542ea66fae64ed853a5beb2a76f19080de13f0",  # breakthrough
        "2176599782c503f7f6ce0ef882ab67232eff5269ccfb8eab51f3b4a759317595",  # gomoku
        "8f02258f51fb41aac7866a49f63fb9731d7f1b0ce39d3bb6d4220ee38dc1919f",  # hex
        "0f2cf0647929a41e081d2a6fd0525aea7dcce399a322e77934acc925e39a6000",  # kakuro-hints
        "7dc4a5f875622e64f47cde2843aade03250f5b1b82e0a867be9e9f05561f1887",  # kakuro
        "d44733a9aa6f3fee48b587d211a520d9a5262f4c3795275512ab4648423db181",  # knightthrough
        "53711c2867b84bbc9035787f8172284f01b5c44181cafd2f9fa830a973cae5e5",  # latin-square-dual
        "e8d3c60ea0efaf2b7797ecaa921f03e79a4c3b640e24646d49da7d06540132e5",  # latin-square
        "5021df29365c273946ef8536a0cab9b06557259d515c483981e2c792b5b27145",  # loops
        "80ddd20a8e0855b808a878427d65e40080503cd9b79d39b907b176e92c358155",  # ngram
        "a2eaf4050ea8e4dd6e6039052f467fe9a63a5f0a46050ff960890d3dd09f377c",  # samegame
        "28140780339cd8470354e4aba7751978940b0cf778eb5506076c5905ff148020",  # tsptw
    }
)


def wrong_rules(metadata: Mapping[str, Any], domain: Domain, path: Path) -> str | None:
    """Say why the codes of the bias table `path` may be others than those here; None if not.

    A table is numbers in an order that only the functions know that compute its codes: read with
    other functions it is another table. Each carries their digest.

    Parameters
    ----------
    metadata : mapping
        Metadata of the table, checked.
    """
    made_by = metadata.get("rules")
    if made_by is None:
        if sha256(path) in OLDER:
            return None
        return "it does not say by which rules its codes were computed, expected one learned anew"
    here = rules_digest(domain, code_named(domain.priors, metadata["prior"]))
    if here != made_by:
        return (
            f"its codes were computed by other rules of {domain.name} than those here, "
            "expected one learned anew"
        )
    return None
