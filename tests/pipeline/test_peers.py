"""Peers solve the problems that the tests share, or prove that there is no answer."""

from __future__ import annotations

import pytest

from pipeline.peers import PEERS
from solver.domains import load_domain
from tests.instances import problems

SLOW = ("paper-10-", "order-20-")
CASES = [(domain, peer, name) for domain in PEERS for peer in PEERS[domain]
         for name in problems(domain) if not name.startswith(SLOW)]  # fmt: skip

pytest.importorskip("ortools")


@pytest.mark.parametrize(("domain", "peer", "name"), CASES)
def test_answers_are_right(domain: str, peer: str, name: str) -> None:
    """An answer passes the verifier; where there is none, that is proved."""
    problem = problems(domain)[name]
    result = PEERS[domain][peer](problem, 60.0, 1)
    if name.endswith(("-contradiction", "-stuck")):
        assert result.answer is None
        assert result.proved_infeasible
    else:
        load_domain(domain).verify(problem, result.answer)
    assert result.seconds > 0
