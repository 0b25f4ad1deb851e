"""Digests of rules, which tables carry: of what computes codes, and of nothing else."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from solver.contract import identity
from solver.domains import load_rules


@pytest.mark.parametrize("name", ["latin-square", "kakuro", "hex", "rna"])
def test_makers_of_options_are_no_rules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables outlive an edit of them, which every class of options imports."""
    texts: list[bytes] = []

    def noted(text: bytes) -> str:
        texts.append(text)
        return ""

    monkeypatch.setattr(identity, "essence", noted)
    identity._known_rules.cache_clear()
    domain = load_rules(name)
    identity.rules_digest(domain, next(iter(domain.priors.values())))
    identity._known_rules.cache_clear()
    sources = Path(identity.__file__).parents[1]
    assert (sources / "system/fields.py").read_bytes() not in texts
    rules = Path(inspect.getfile(domain.instance_class))
    assert rules.read_bytes() in texts


def test_tables_of_elsewhere_outlive_edits_of_searches() -> None:
    """Modules of ours count only if rules of theirs are registered in them."""
    left_out = identity._door_of(frozenset({"a_game"}))
    assert {"solver.extend", "solver.kernels.tree.search", "solver.algorithms.run"} <= left_out
    assert "solver.propagation.belief" in left_out
    registered = frozenset({"a_puzzle", "solver.propagation.belief"})
    assert left_out > identity._door_of(registered)
    assert "solver.propagation.belief" not in identity._door_of(registered)


def test_of_ours_everything_counts() -> None:
    """Domains that ship leave nothing out."""
    assert identity._door_of(frozenset({"solver.games.boards.hex"})) == set()
