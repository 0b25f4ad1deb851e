"""Peers solve the problems that the tests share, or prove that there is no answer."""

from __future__ import annotations

import sys

import pytest

from pipeline.peers import PEERS
from solver.domains import load_domain
from solver.errors import InputError
from tests.instances import problems

SLOW = ("paper-10-", "order-20-")
CASES = [(domain, peer, name) for domain in PEERS for peer in PEERS[domain]
         for name in problems(domain) if not name.startswith(SLOW)]  # fmt: skip

PACKAGES = {"cp-sat": "ortools", "pyvrp": "pyvrp"}
SECONDS = {"cp-sat": 60.0, "pyvrp": 0.2}


@pytest.mark.parametrize(("domain", "peer", "name"), CASES)
def test_answers_are_right(domain: str, peer: str, name: str) -> None:
    """An answer passes the verifier; where there is none, that is proved."""
    problem = problems(domain)[name]
    pytest.importorskip(PACKAGES[peer])
    result = PEERS[domain][peer](problem, SECONDS[peer], 1)
    if name.startswith("no-"):
        assert result.answer is None
    elif name.endswith(("-contradiction", "-stuck")):
        assert result.answer is None
        assert result.proved_infeasible
    else:
        load_domain(domain).verify(problem, result.answer)
        assert load_domain(domain).feasible(problem, result.answer)
    assert result.seconds > 0


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "pyvrp", None)
    with pytest.raises(InputError, match=r"^pyvrp needs the package pyvrp \(pip install pyvrp\)$"):
        PEERS["tsptw"]["pyvrp"](problems("tsptw")["asymmetric"], 1.0, 1)
