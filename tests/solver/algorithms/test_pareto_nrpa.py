"""Pareto-NRPA on a tour whose front is known, and what it promises."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solver.algorithms import ParetoNrpa
from solver.contract.checks import ContractError
from solver.domains import load_domain
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.errors import InputError, VerificationError
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, SearchResult, search
from solver.searching.fronts import verified_front
from solver.searching.solution import solve
from solver.testing import check_domain
from tests.helpers import begun, playouts_of
from tests.instances import problems
from tests.tours_of_fronts import small_tour, whole_front

DOMAIN = TsptwDomain()
OPTIONS = DOMAIN.options()
ALGORITHM = ParetoNrpa(level=2, iterations=20)


def found(algorithm: ParetoNrpa, playouts: int, **settings: Any) -> SearchResult:
    instance = DOMAIN.instance(small_tour(), TsptwOptions(pruning="off"))
    return search(DOMAIN, instance, algorithm, Budget(playouts), **settings)


def contents(result: SearchResult) -> list[Any]:
    return [(member.values.tolist(), member.moves.tolist()) for member in result.front]


@pytest.mark.parametrize("objective", ["cost", "makespan"])
@pytest.mark.parametrize("begin", [0, 25], ids=["from 0", "from 25"])
def test_whole_front_is_found(objective: Any, begin: int) -> None:
    """All points that trying every tour finds are there, verified, and no others."""
    options = TsptwOptions(objective=objective)
    domain = DOMAIN.with_options(options)
    solution = solve(domain, small_tour(begin), options, ALGORITHM, Budget(playouts=4000))
    assert len(whole_front(begin)) == 4
    assert [tuple(p.objectives.values()) for p in solution.front] == whole_front(begin)
    assert all(point.feasible for point in solution.front)
    best = min(point.objectives[objective] for point in solution.front)
    assert -solution.search.score == best


def test_late_tours_are_of_the_front_only_without_others() -> None:
    """Tours of a front violate the fewest windows if none is in time."""
    problem = problems("tsptw")["no-feasible-tour"]
    solution = solve(DOMAIN, problem, OPTIONS, ALGORITHM, Budget(playouts=2000))
    assert solution.front
    assert not any(point.feasible for point in solution.front)
    least = {DOMAIN.facts(problem, point.answer)["violations"] for point in solution.front}
    assert least == {DOMAIN.facts(problem, solution.answer)["violations"]}


def test_answer_depends_on_seed_and_playouts_alone() -> None:
    """Threads change nothing; another seed plays other playouts."""
    one, two = (found(ALGORITHM, 5000, seed=3, threads=threads) for threads in (1, 2))
    assert contents(one) == contents(two)
    assert one.score == two.score
    instance = DOMAIN.instance(small_tour(), OPTIONS)
    first, again, other = (
        playouts_of(begun(ALGORITHM, DOMAIN, instance, NoPrior(), seed), 50) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_prior_guides_playouts() -> None:
    """With a prior the first playouts are cheaper, as those of sampling by it are."""
    instance = DOMAIN.instance(small_tour(), OPTIONS)
    still = replace(ALGORITHM, alpha=1e-12)
    costs = {}
    for name, prior in (("none", NoPrior()), ("distance", DOMAIN.handmade["distance"])):
        made = playouts_of(begun(still, DOMAIN, instance, prior, 1), 200)
        tours = [np.array([0, *moves, 0]) for moves in made]
        costs[name] = np.mean([DOMAIN.facts(small_tour(), tour)["cost"] for tour in tours])
    assert costs["distance"] < costs["none"]


def test_bounded_front_keeps_its_ends() -> None:
    """With room for two the ends of the front are found; with one policy as well."""
    for algorithm in (replace(ALGORITHM, front_size=2), replace(ALGORITHM, policies=1)):
        told = [tuple(member.values[1:].tolist()) for member in found(algorithm, 8000).front]
        assert {whole_front()[0], whole_front()[-1]} <= {*told}


def test_wrong_values_are_no_front() -> None:
    """Values that the rules do not confirm are an error, as are answers said to be in time."""
    instance = DOMAIN.instance(small_tour(), OPTIONS)
    front = found(ALGORITHM, 4000).front
    for change in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]):
        wrong = [*front[:-1], front[-1]._replace(values=front[-1].values + np.array(change))]
        with pytest.raises(VerificationError, match="front"):
            verified_front(DOMAIN, small_tour(), instance, wrong)


def test_puzzle_without_objectives_is_refused() -> None:
    """The message is a line that names the problem."""
    domain = load_domain("samegame")
    instance = domain.instance(next(iter(problems("samegame").values())), domain.options())
    with pytest.raises(InputError, match="samegame has no objectives, which pareto-nrpa looks for"):
        search(domain, instance, ALGORITHM, Budget(10))


@pytest.mark.parametrize(
    ("names", "message"),
    [(("cost",), "expected two or more"), (("cost", "height"), "height, no fact of")],
)
def test_names_of_objectives_are_checked(names: tuple[str, ...], message: str) -> None:
    """Authors learn of objectives that are too few, or none of the facts."""

    class Wrong(TsptwDomain):
        objectives = names

    with pytest.raises(ContractError, match=message):
        check_domain(Wrong(), [problems("tsptw")["waiting"]])
