"""Count tables: how often a code was possible, and how often it was played.

Replay is paper 'learned-prior', Algorithm 4. Counts of shards add up to the
counts, and the bytes, of one run over everything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipeline.learning.replays import Record, replay
from pipeline.tables.checks import rows_digest
from solver.compiling.random import new_stream
from solver.contract.codes import PriorCode, known_code
from solver.contract.domain import Domain, Limits
from solver.contract.identity import rules_digest
from solver.errors import InputError, cut, quoted
from solver.kernels.replay import Counted, new_counted
from solver.priors.layout import dense_rows, key_columns, same_components
from solver.priors.tables import COUNTS, METADATA_KEY, SCHEMA_VERSION, read_metadata

#: Names of rejected solutions that are kept.
MAX_NAMED = 20


@dataclass
class Counts:
    """A dense count table and its sources."""

    domain: str
    prior: PriorCode
    options: dict[str, Any]
    """Options of the domain while the solutions were replayed."""
    source: dict[str, Any]
    """Parameters of the generator, or the files read."""
    count: npt.NDArray[np.int64]
    """int64[rows]: times played."""
    nb: npt.NDArray[np.int64]
    """int64[rows]: times possible."""
    instances: int = 0
    digest: int = 0
    """Sum of the SHA-256 of the solved instances: the same in any order, and it adds up."""
    n_rejected: int = 0
    """Solutions that are wrong or could not be replayed."""
    rejected: list[str] = field(default_factory=list)
    """Names of the first `MAX_NAMED` of them, in alphabetical order."""
    rules: str = ""
    """Digest of the functions that compute the codes; empty if that is not known."""

    def reject(self, name: str) -> None:
        """Count the solution called `name` as one that is wrong or cannot be replayed."""
        self.n_rejected += 1
        self.rejected = sorted([*self.rejected, name])[:MAX_NAMED]

    def refuse_empty(self) -> None:
        """Raise `InputError` if nothing was counted: games that nobody wins teach no moves."""
        if self.nb.any():
            return
        reason = ": nobody won a game" if self.source.get("learn_from") == "winner" else ""
        if openings := self.source.get("openings"):
            joined = f"{reason}, or" if reason else ":"
            reason = f"{joined} no game went on after its opening of up to {openings} moves"
        raise InputError(f"no decision was counted in {self.instances} solved instances{reason}")

    def key(self) -> dict[str, Any]:
        """Return the settings that must be equal for counts to be added."""
        return {
            "domain": self.domain,
            "prior": self.prior.name,
            "components": self.prior.components,
            "options": self.options,
            "source": self.source,
            **({"rules": self.rules} if self.rules else {}),
        }


def new_counts(domain: Domain, options: Any, code: PriorCode, solved: pa.Table) -> Counts:
    """Return counts of nothing, to which those of `solved` can be added."""
    source = json.loads((solved.schema.metadata or {}).get(METADATA_KEY, b"{}"))
    return Counts(
        domain.name, code, asdict(options), source,
        np.zeros(code.rows, np.int64), np.zeros(code.rows, np.int64),
        rules=rules_digest(domain, code),
    )  # fmt: skip


def count_solved(domain: Domain, options: Any, code: PriorCode, solved: pa.Table) -> Counts:
    """Replay every solution in `solved` (see `generators.schema.SOLVED_SCHEMA`) and count."""
    counts = new_counts(domain, options, code, solved)

    def new_record(limits: Limits) -> Counted:
        return new_counted(code.rows)

    for _, counted in replay_each(domain, options, counts, solved, new_record):
        counts.count += counted.played
        counts.nb += counted.nb
    return counts


def replay_each(
    domain: Domain,
    options: Any,
    counts: Counts,
    solved: pa.Table,
    new_record: Callable[[Limits], Record],
) -> Iterator[tuple[bytes, Record]]:
    """Replay the solutions in `solved`; yield the SHA-256 and the record of each that is right.

    `counts` gets the numbers of instances, right and wrong, and their digest.
    """
    prior = counts.prior.new_table(np.ones(counts.prior.rows))
    columns = (solved[name].to_pylist() for name in ("name", "problem", "answer"))
    for name, problem_text, answer_text in zip(*columns, strict=True):
        digest = hashlib.sha256(f"{problem_text}\n{answer_text}".encode()).digest()
        counts.digest = (counts.digest + int.from_bytes(digest)) % 2**256
        (problem,) = domain.parse(problem_text, name)
        stream = new_stream(int.from_bytes(digest[:8]))
        # Recorded apart, so that a solution that turns out wrong adds nothing.
        record = replay(domain, problem, answer_text, options, prior, stream, new_record)
        if record is None:
            counts.reject(name)
            continue
        counts.instances += 1
        yield digest, record


def merge_counts(parts: Iterable[Counts]) -> Counts:
    """Add the counts of shards, one after another.

    Raises
    ------
    InputError
        If there are none, or they count different things.
    """
    total: Counts | None = None
    for part in parts:
        if total is None:
            total = replace(part, count=part.count.copy(), nb=part.nb.copy())
        else:
            add_counts(total, part)
    if total is None:
        raise InputError("no counts to merge")
    return total


def add_counts(total: Counts, part: Counts) -> None:
    """Add `part` to `total`, in place.

    Raises
    ------
    InputError
        If they count different things.
    """
    if part.key() != total.key():
        raise InputError(f"counts of {part.key()} cannot be added to those of {total.key()}")
    total.count += part.count
    total.nb += part.nb
    total.instances += part.instances
    total.digest = (total.digest + part.digest) % 2**256
    total.n_rejected += part.n_rejected
    total.rejected = sorted([*total.rejected, *part.rejected])[:MAX_NAMED]


def counts_of_parts(counts: Counts) -> list[Counts]:
    """Return the counts of each code; of one code these themselves."""
    code = counts.prior
    ends = [*code.first_rows[1:], code.rows]
    return [
        replace(counts, prior=part, count=counts.count[first:end], nb=counts.nb[first:end])
        for part, first, end in zip(code.singles, code.first_rows, ends, strict=True)
    ]


def counts_to_table(counts: Counts) -> pa.Table:
    """Return the rows that were possible at least once, with the metadata of design section 4."""
    rows = np.flatnonzero(counts.nb)
    columns = key_columns(rows, counts.prior)
    columns["count"] = counts.count[rows]
    columns["nb"] = counts.nb[rows]
    table = pa.table(columns)
    digest = rows_digest(table)
    return table.replace_schema_metadata(counts_metadata(counts, rows_digest=digest))


def counts_metadata(counts: Counts, **more: Any) -> dict[bytes, str]:
    """Return the metadata of the count table of `counts`, with `more` entries."""
    metadata: dict[str, Any] = {
        "kind": COUNTS,
        "schema_version": SCHEMA_VERSION,
        **counts.key(),
        "instances": counts.instances,
        "instances_digest": f"{counts.digest:064x}",
        "rejected": counts.n_rejected,
        "rejected_names": counts.rejected,
        **more,
    }
    return {METADATA_KEY: json.dumps(metadata)}


def counts_from_table(table: pa.Table, domain: Domain, source: str) -> Counts:
    """Read a table of `counts_to_table`.

    Raises
    ------
    InputError
        If the table does not fit; the message begins with `source`.
    """
    counts = _counts_without_rows(table.schema, domain, source)
    code = counts.prior
    rows = dense_rows(table, code.components, source)
    counts.count[rows] = table["count"].to_numpy()
    counts.nb[rows] = table["nb"].to_numpy()
    wrong = np.flatnonzero((counts.count < 0) | (counts.count > counts.nb))
    if len(wrong):
        raise InputError(f"{source}: code {wrong[0]} was played more often than it was possible")
    return counts


def _counts_without_rows(schema: pa.Schema, domain: Domain, source: str) -> Counts:
    """Read the metadata of a count table; all counts are 0.

    Raises
    ------
    InputError
        If the table does not fit; the message begins with `source`.
    """
    return empty_counts(read_metadata(schema.metadata, source, COUNTS), domain, source)


def empty_counts(metadata: Mapping[str, Any], domain: Domain, source: str) -> Counts:
    """Return counts of 0 of what the metadata of a table, checked, say.

    Raises
    ------
    InputError
        If they do not fit `domain`; the message begins with `source`.
    """
    code = known_code(domain.priors, metadata["prior"])
    if metadata["domain"] != domain.name or code is None:
        raise InputError(
            f"{source}: counts of {cut(metadata['domain'])} {cut(metadata['prior'])}, "
            f"expected {domain.name} and one of: {', '.join(domain.priors)}"
        )
    if not same_components(metadata["components"], code):
        raise InputError(
            f"{source}: components {quoted(metadata['components'])}, expected {code.components}"
        )
    return Counts(
        domain.name, code, metadata["options"], metadata["source"],
        np.zeros(code.rows, np.int64), np.zeros(code.rows, np.int64),
        metadata["instances"], int(metadata["instances_digest"], 16),
        metadata["rejected"], metadata["rejected_names"], metadata.get("rules", ""),
    )  # fmt: skip
