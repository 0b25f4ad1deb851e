"""Rows of tables of several codes: their columns, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from solver.contract.codes import code_named
from solver.contract.identity import rules_digest
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError
from solver.kernels.policy import MAX_EXPONENT
from solver.priors.layout import dense_rows, key_columns, same_components
from solver.priors.priors import load_prior
from tests.pipeline.small_tables import saved, with_column, with_metadata

DOMAIN = LatinSquareDomain()
BOTH = code_named(DOMAIN.priors, "triple+dual")
N_TRIPLE = 17**3
ROWS = np.array([0, 5, N_TRIPLE - 1, N_TRIPLE, N_TRIPLE + 33])
FORMS: dict[str, Any] = {
    "kind": "bias",
    "schema_version": 1,
    "domain": "latin-square",
    "prior": "triple+dual",
    "components": BOTH.components,
    "options": {},
    "source": {},
    "rules": rules_digest(DOMAIN, BOTH),
    "instances": 1,
    "instances_digest": "0" * 64,
    "rejected": 0,
    "rejected_names": [],
    "smoothing": 1.0,
    "temperature": 2.0,
    "default_bias": -1.0,
}


@pytest.fixture
def table() -> pa.Table:
    """Five rows, three of `triple` and two of `dual`."""
    columns = {**key_columns(ROWS, BOTH), "bias": pa.array([0.0, 1.0, 2.0, -1e9, 0.5])}
    return pa.table(columns).replace_schema_metadata({"nestor": json.dumps(FORMS)})


def test_columns_name_the_code_and_its_components(table: pa.Table) -> None:
    """A row has the components of its code, and none of the others."""
    assert table.column_names == [
        "code", "smallest", "middle", "largest", "in_column", "in_row", "bias"
    ]  # fmt: skip
    assert [list(row.values())[:-1] for row in table.to_pylist()] == [
        ["triple", 0, 0, 0, None, None],
        ["triple", 0, 0, 5, None, None],
        ["triple", 16, 16, 16, None, None],
        ["dual", None, None, None, 0, 0],
        ["dual", None, None, None, 1, 1],
    ]
    assert dense_rows(table, BOTH.components).tolist() == ROWS.tolist()


def test_a_table_of_several_codes_is_loaded(table: pa.Table, tmp_path: Path) -> None:
    """Each code gets its rows, exp(T * bias); the product stays a number that can be held."""
    prior = load_prior(saved(table, tmp_path / "p.parquet"), DOMAIN)
    triple, dual = prior.table.first.table, prior.table.rest.table
    assert [type(prior.table.first), type(prior.table.rest)] == [
        part.table_class for part in BOTH.parts
    ]
    assert triple[[0, 5, -1, 1]].tolist() == np.exp([0.0, 2.0, 4.0, -2.0]).tolist()
    assert dual[[0, 33, 1]].tolist() == np.exp([-MAX_EXPONENT / 2, 1.0, -2.0]).tolist()


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("code", ["triple", "triple", "triple", "duel", "dual"],
         "row 3: code 'duel', expected: triple, dual"),
        ("code", ["triple", "triple", "dual", "dual", "dual"],
         "row 2: in_column is -1, expected 0 ... 31"),
        ("in_row", [None, None, None, 0, 32], "row 4: in_row is 32, expected 0 ... 31"),
        ("largest", [0, 0, 16, None, None], "the code of row 0 occurs more than once"),
        ("code", ["triple", None, "triple", "dual", "dual"], "column 'code' has 1 missing values"),
    ],
)  # fmt: skip
def test_rows_that_do_not_fit(
    table: pa.Table, tmp_path: Path, column: str, values: list[Any], message: str
) -> None:
    """A row without the components of its code, or there twice, is named in one line."""
    path = saved(with_column(table, column, values), tmp_path / "p.parquet")
    with pytest.raises(InputError) as error:
        load_prior(path, DOMAIN)
    assert str(error.value) == f"{path}: {message}"


def test_codes_in_another_order_are_other_codes(table: pa.Table, tmp_path: Path) -> None:
    """The order of codes and of components decides what a row means."""
    turned = {name: BOTH.components[name] for name in ("dual", "triple")}
    assert not same_components(turned, BOTH)
    path = saved(with_metadata(table, components=turned), tmp_path / "p.parquet")
    with pytest.raises(InputError, match="code 'triple\\+dual' has components"):
        load_prior(path, DOMAIN)
