"""Peers solve the problems that the tests share, or prove that there is no answer."""

from __future__ import annotations

import re
import sys
import threading

import pytest

from generators.latin_square import LatinSquareGenerator
from solver.contract.domain import Problem
from solver.contract.references import peers_of
from solver.domains import DOMAINS, load_domain
from solver.errors import InputError
from tests.instances import problems

SLOW = ("paper-10-", "order-20-")
#: Refused, see below, and what has no answer, which RNAinverse proves of nothing.
NOT_RNAINVERSE = ("hairpin-some-fixed", "unpaired-folds-anyway")
PEERS = {name: peers_of(load_domain(name)) for name in DOMAINS}
CASES = [(domain, peer, name) for domain in PEERS for peer in PEERS[domain]
         for name in problems(domain) if not name.startswith(SLOW)
         and not (domain == "rna" and name in NOT_RNAINVERSE)]  # fmt: skip

SECONDS = {
    "cp-sat": 60.0,
    "cp-sat-integers": 60.0,
    "cadical": 60.0,
    "pyvrp": 0.2,
    "rnainverse": 3.0,
}


@pytest.mark.parametrize(("domain", "peer", "name"), CASES)
def test_answers_are_right(domain: str, peer: str, name: str) -> None:
    """An answer passes the verifier; where there is none, that is proved."""
    problem = problems(domain)[name]
    pytest.importorskip(PEERS[domain][peer].module)
    result = PEERS[domain][peer].solve(problem, SECONDS[peer], 1, threading.Event())
    if name.startswith("no-"):
        assert result.answer is None
    elif name.endswith(("-contradiction", "-stuck")):
        assert result.answer is None
        assert result.proved_infeasible
    else:
        load_domain(domain).verify(problem, result.answer)
        assert load_domain(domain).feasible(problem, result.answer)
    assert result.seconds > 0


def test_rnainverse_fixes_bases_only() -> None:
    """Letters for several bases are refused, and nothing is designed without them."""
    problem = problems("rna")["hairpin-some-fixed"]
    with pytest.raises(InputError, match="rnainverse fixes bases only, the constraint has R"):
        PEERS["rna"]["rnainverse"].solve(problem, 1.0, 1, threading.Event())


@pytest.mark.parametrize(
    ("domain", "peer", "package"),
    [
        ("tsptw", "pyvrp", "pyvrp"),
        ("latin-square", "cadical", "python-sat"),
        ("kakuro", "cp-sat", "ortools"),
    ],
)
def test_a_package_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, domain: str, peer: str, package: str
) -> None:
    """The error says what to install, before anything is run."""
    found = PEERS[domain][peer]
    monkeypatch.setitem(sys.modules, found.module, None)
    expected = f"{peer} needs the package {package} (pip install {package})"
    with pytest.raises(InputError, match=f"^{re.escape(expected)}$"):
        found.check(peer, 1.0)


def test_a_peer_that_never_stops_needs_a_limit() -> None:
    """It is said before anything is run."""
    pytest.importorskip("pyvrp")
    with pytest.raises(InputError, match=r"it needs --seconds$"):
        PEERS["tsptw"]["pyvrp"].check("pyvrp", None)


@pytest.fixture(scope="module")
def hard_square() -> Problem:
    """A square that takes either solver minutes."""
    return LatinSquareGenerator(order=60, holes=0.42).generate(0, 0)[0]


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS["latin-square"])
def test_a_time_limit_is_kept(hard_square: Problem, peer: str) -> None:
    """A solver out of time has no answer and proved nothing, and was not told to stop."""
    found = PEERS["latin-square"][peer]
    pytest.importorskip(found.module)
    result = found.solve(hard_square, 0.5, 1, threading.Event())
    assert (result.answer, result.proved_infeasible, result.interrupted) == (None, False, False)


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS["latin-square"])
def test_a_solver_without_a_limit_can_be_stopped(hard_square: Problem, peer: str) -> None:
    """Once `stop` is set it ends, and says that it was told to."""
    found = PEERS["latin-square"][peer]
    pytest.importorskip(found.module)
    stop = threading.Event()
    timer = threading.Timer(0.5, stop.set)
    timer.start()
    result = found.solve(hard_square, float("inf"), 1, stop)
    timer.join()
    assert (result.answer, result.proved_infeasible, result.interrupted) == (None, False, True)


def test_large_sets_have_one_true_variable() -> None:
    """Chains of new variables, in place of pairs, leave the same completions."""
    pytest.importorskip("pysat")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solver.kernels.complete.cadical.PAIRWISE", 2)
        for name in ("order-09-holes", "order-05-stuck", "order-04-empty"):
            test_answers_are_right("latin-square", "cadical", name)
