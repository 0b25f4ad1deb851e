"""Modules that tables of users' own files depend on."""

from __future__ import annotations

from solver.contract.identity import _door_of


def test_tables_of_elsewhere_outlive_edits_of_searches() -> None:
    """Modules of ours count only if rules of theirs are registered in them."""
    left_out = _door_of(frozenset({"a_game"}))
    assert {"solver.extend", "solver.kernels.tree.search", "solver.algorithms.run"} <= left_out
    assert "solver.propagation.belief" in left_out
    registered = frozenset({"a_puzzle", "solver.propagation.belief"})
    assert left_out > _door_of(registered)
    assert "solver.propagation.belief" not in _door_of(registered)


def test_of_ours_everything_counts() -> None:
    """Domains that ship leave nothing out."""
    assert _door_of(frozenset({"solver.games.boards.hex"})) == set()
