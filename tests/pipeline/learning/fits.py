"""Decisions at random, and a plain conditional logit, for the tests of fits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipeline.learning.blocks import Blocks
from pipeline.tables.checks import rows_digest, write_checked
from pipeline.tables.decisions import column_of, decisions_schema
from solver.contract.codes import PriorCode, code_named
from solver.contract.identity import rules_digest
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.priors.tables import DECISIONS

DOMAIN = LatinSquareDomain()
BOTH = code_named(DOMAIN.priors, "triple+dual")
#: Rows of each code that decisions are made of.
ROWS = 6

Decision = tuple[int, list[tuple[int, int]], int, list[int]]
"""Digest of the instance, rows of each move in the tables of the two codes, number of the move that
was played, and the group of each move."""


def random_decisions(seed: int, number: int, instances: int = 40) -> list[Decision]:
    """Decisions whose moves are drawn by weights that depend on the rows."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(0.0, 1.0, (2, ROWS))
    digests = rng.integers(0, 2**64, instances, np.uint64)
    found: list[Decision] = []
    for place in range(number):
        rows = rng.integers(0, ROWS, (int(rng.integers(2, 5)), 2))
        odds = np.exp(weights[0, rows[:, 0]] + weights[1, rows[:, 1]])
        played = int(rng.choice(len(rows), p=odds / odds.sum()))
        groups = list(range(len(rows)))
        if rng.random() < 0.2:  # another move is as right
            groups[int(rng.integers(len(rows)))] = played
        digest = int(digests[place * instances // number])
        found.append((digest, [(int(a), int(b)) for a, b in rows], played, groups))
    return found


def write_decisions(decisions: list[Decision], path: Path, code: PriorCode = BOTH) -> Path:
    """Write a file of decisions, as `learn` does; of one code the first rows."""
    columns: dict[str, list[Any]] = {"decision": [], "instance": [], "group": [], "played": []}
    columns |= {column_of(part.name): [] for part in code.singles}
    for number, (instance, moves, played, groups) in enumerate(decisions):
        for place, rows in enumerate(moves):
            values = [number, instance, groups[place], place == played, *rows]
            for column, value in zip(columns.values(), values, strict=False):
                column.append(value)
    table = pa.table(columns, schema=decisions_schema(code.name, code.components))
    said = {
        "kind": DECISIONS, "schema_version": 1, "domain": DOMAIN.name, "prior": code.name,
        "components": code.components, "options": {}, "source": {},
        "rules": rules_digest(DOMAIN, code), "instances": 1, "instances_digest": "0" * 64,
        "rejected": 0, "rejected_names": [], "rows_digest": rows_digest(table),
    }  # fmt: skip
    table = table.replace_schema_metadata({"nestor": json.dumps(said)})
    write_checked(table, path, DECISIONS, DOMAIN)
    return path


def seen_rows(decisions: list[Decision], code: PriorCode = BOTH) -> npt.NDArray[np.int64]:
    """Dense rows that were possible."""
    found = {
        first + row
        for _, moves, _, _ in decisions
        for rows in moves
        for first, row in zip(code.first_rows, rows, strict=False)
    }
    return np.array(sorted(found), np.int64)


def files_of(decisions: list[Decision], folder: Path, cuts: int = 1) -> list[Path]:
    """Write decisions into so many files, each instance in one of them."""
    digests = list(dict.fromkeys(instance for instance, *_ in decisions))
    files = []
    for number in range(cuts):
        mine = set(digests[number::cuts])
        some = [decision for decision in decisions if decision[0] in mine]
        files.append(write_decisions(some, folder / f"{cuts}-{number}.parquet"))
    return files


def new_blocks(decisions: list[Decision], folder: Path, cuts: int = 1, **more: Any) -> Blocks:
    """Decisions in so many files, each instance in one of them."""
    files = files_of(decisions, folder, cuts)
    return Blocks(files, DOMAIN, BOTH, seen_rows(decisions), **more)


def plain_loss(decisions: list[Decision], weights: npt.NDArray[np.float64]) -> float:
    """Minus the log-likelihood of `weights`, float64[rows seen], one decision after another."""
    place = {row: number for number, row in enumerate(seen_rows(decisions))}
    loss = 0.0
    for _, moves, played, groups in decisions:
        odds = [
            np.exp(
                sum(
                    weights[place[first + row]]
                    for first, row in zip(BOTH.first_rows, rows, strict=True)
                )
            )
            for rows in moves
        ]
        right = sum(o for o, group in zip(odds, groups, strict=True) if group == groups[played])
        loss -= np.log(right / sum(odds))
    return float(loss)
