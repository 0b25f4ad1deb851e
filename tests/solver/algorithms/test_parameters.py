"""Budgets, arguments of `search` and parameters of algorithms: ranges, and what they make."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from solver.algorithms import ALGORITHMS, MIN_RUN_PLAYOUTS, Gnrpa, Nmcs, Nrpa, Sampling, suited
from solver.algorithms.tree import Grave, Mcps, Puct
from solver.domains import DOMAINS, load_domain
from solver.errors import InputError
from solver.searching.driver import Budget, search
from tests.helpers import gnrpa, random_prior, toy
from tests.toys.sequence import SequenceDomain


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"playouts": 0}, "playouts is 0, expected more than 0"),
        ({"playouts": 1.5}, "playouts is 1.5, expected a whole number"),
        ({"playouts": True}, "playouts is True, expected a whole number"),
        ({"seconds": "3"}, "seconds is '3', expected a number"),
        ({"playouts": -5}, "playouts is -5, expected more than 0"),
        ({"seconds": 0.0}, "seconds is 0.0, expected more than 0"),
        ({"seconds": -1.0}, "seconds is -1.0, expected more than 0"),
        ({"seconds": float("nan")}, "seconds is nan, expected more than 0"),
    ],
)
def test_budget_is_validated(limits: dict[str, Any], message: str) -> None:
    """A limit that is not positive is refused with its name and value."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Budget(**limits)


@pytest.mark.parametrize(
    ("budget", "threads", "message"),
    [
        (Budget(), 1, "a search has no budget, expected playouts or seconds"),
        (Budget(playouts=5), 0, "threads is 0, expected 1 or more"),
        (Budget(playouts=5), -2, "threads is -2, expected 1 or more"),
    ],
)
def test_search_arguments_are_validated(budget: Budget, threads: int, message: str) -> None:
    """A search without end and a search without threads are refused."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        search(SequenceDomain(), toy("..."), Sampling(), budget, threads=threads)


@pytest.mark.parametrize(
    ("algorithm", "parameters", "message"),
    [
        (Gnrpa, {"level": 0}, "level is 0, expected 1 ... 10"),
        (Gnrpa, {"level": 11}, "level is 11, expected 1 ... 10"),
        (Gnrpa, {"iterations": 0}, "iterations is 0, expected 1 or more"),
        (Gnrpa, {"alpha": 0.0}, "alpha is 0.0, expected more than 0"),
        (Gnrpa, {"alpha": float("nan")}, "alpha is nan, expected a number, more than 0"),
        (Gnrpa, {"alpha": float("inf")}, "alpha is inf, expected more than 0"),
        (Gnrpa, {"temperature": -1.0}, "temperature is -1.0, expected more than 0"),
        (Gnrpa, {"temperature": float("inf")}, "temperature is inf, expected more than 0"),
        (Gnrpa, {"dead_ends": -1}, "dead_ends is -1, expected 0 or more"),
        (Gnrpa, {"playouts_per_adapt": 0}, "playouts_per_adapt is 0, expected 1 or more"),
        (Gnrpa, {"dead_ends": 10**20}, f"dead_ends is {10**20}, expected {2**62:,} at most"),
        (Sampling, {"dead_ends": 10**20}, f"dead_ends is {10**20}, expected {2**62:,} at most"),
        (Gnrpa, {"iterations": 2**63}, f"iterations is {2**63}, expected {2**62:,} at most"),
        (Nrpa, {"repetitions": 2**63}, f"repetitions is {2**63}, expected {2**62:,} at most"),
        (
            Gnrpa,
            {"playouts_per_adapt": 10**400},
            f"playouts_per_adapt is 1{'0' * 80}..., expected {2**62:,} at most",
        ),
        (Grave, {"bias": 1e306}, "bias is 1e+306, expected 1e+100 at most"),
        (Puct, {"exploration": float("inf")}, "exploration is inf, expected 1e+100 at most"),
        (Mcps, {"weight": float("nan")}, "weight is nan, expected a number, 0 or more"),
        (Gnrpa, {"repetitions": -1}, "repetitions is -1, expected 0 or more"),
        (Sampling, {"dead_ends": -1}, "dead_ends is -1, expected 0 or more"),
        (Nrpa, {"level": 0}, "level is 0, expected 1 ... 10"),
        (Nmcs, {"level": 0}, "level is 0, expected 1 ... 10"),
        (Nmcs, {"level": 11}, "level is 11, expected 1 ... 10"),
        (Nmcs, {"dead_ends": -1}, "dead_ends is -1, expected 0 or more"),
        (Nrpa, {"temperature": 1.4}, "nrpa has no temperature, use gnrpa"),
    ],
)
def test_algorithm_parameters_are_validated(
    algorithm: type[Gnrpa | Nmcs | Sampling], parameters: dict[str, Any], message: str
) -> None:
    """A parameter out of range is refused with its name and value."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        algorithm(**parameters)


@pytest.mark.parametrize(("level", "iterations"), [(1, 1), (2, 7), (2, 32), (2, 100), (3, 20)])
def test_a_run_is_made_of_whole_nested_searches(level: int, iterations: int) -> None:
    """A run has the playouts of a multiple of N**level, and is long enough to be worth starting."""
    playouts = gnrpa(level, iterations).playouts_per_run
    assert playouts % iterations**level == 0
    assert playouts >= MIN_RUN_PLAYOUTS
    assert playouts == iterations**level or playouts - iterations**level < MIN_RUN_PLAYOUTS


def test_algorithms_are_listed_by_name() -> None:
    """The table of algorithms has each under its own name."""
    assert {name: algorithm.name for name, algorithm in ALGORITHMS.items()} == {
        "sampling": "sampling", "nrpa": "nrpa", "gnrpa": "gnrpa",
        "bias-gnrpa": "bias-gnrpa", "beam-nrpa": "beam-nrpa",
        "parallel-nrpa": "parallel-nrpa", "pareto-nrpa": "pareto-nrpa",
        "nmcs": "nmcs", "cegls": "cegls", "ils": "ils",
        "tempering": "tempering", "relay": "relay", "complete": "complete",
        "portfolio": "portfolio",
        "flat": "flat", "uct": "uct", "rave": "rave", "grave": "grave", "mcps": "mcps",
        "puct": "puct", "two-level-grave": "two-level-grave",
    }  # fmt: skip


def test_nrpa_takes_no_prior() -> None:
    """A prior given to NRPA from Python is refused as it is on the command line."""
    domain = SequenceDomain()
    prior = random_prior(domain.priors["pair"], seed=1)
    with pytest.raises(InputError, match=r"^nrpa takes no prior, use gnrpa$"):
        search(domain, toy("..."), Nrpa(), Budget(playouts=5), prior=prior)


@pytest.mark.parametrize("domain", sorted(DOMAINS))
@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_what_suits_a_domain_is_set_where_nobody_else_does(name: str, domain: str) -> None:
    """Whatever `suited_to` sets is None by default, nothing stays None, what is given stays."""
    cls, puzzle = ALGORITHMS[name], load_domain(domain)
    algorithm: Any = suited(cls(), puzzle)
    assert algorithm == cls.suited_to(puzzle)
    assert None not in dataclasses.asdict(algorithm).values()
    assert suited(algorithm, puzzle) is algorithm
