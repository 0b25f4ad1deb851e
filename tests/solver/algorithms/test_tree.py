"""Tree searches on puzzles."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from solver.algorithms import ALGORITHMS, known_tree_algorithms, tree_algorithm_named
from solver.algorithms.tree import Grave, TreeAlgorithm, Uct
from solver.algorithms.trees.listed import TREE_ALGORITHMS
from solver.compiling.random import new_stream
from solver.domains.samegame.domain import SameGameDomain
from solver.errors import FieldError
from solver.kernels.monitor import PLAYOUTS
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, search
from solver.testing import check_algorithm
from tests.helpers import random_prior, toy
from tests.toys.sequence import SequenceDomain, TargetDomain
from tests.toys.tree_searches import MyUct

BOARD = "1122313\n2112332\n1231123\n3312213\n1123321\n"
TOY = SequenceDomain()


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("algorithm", [Uct(), Uct(commit=0), Grave(ref=3, commit=7)], ids=str)
def test_contract(algorithm: TreeAlgorithm, hashed: bool) -> None:
    """Slices, workspaces and threads change nothing, with dense codes and with hashes."""
    check_algorithm(algorithm, TOY, TOY.parse("..3.0....", "toy"), TOY.options(hashed=hashed))


@pytest.mark.parametrize("name", TREE_ALGORITHMS)
def test_every_tree_search_plays_samegame(name: str) -> None:
    """One thread and two find the same, which is worth what it is said to be by the rules."""
    domain = SameGameDomain()
    (problem,) = domain.parse(BOARD, "board")
    check_algorithm(ALGORITHMS[name].suited_to(domain), domain, [problem])


@pytest.mark.parametrize("name", ["proofs", "decisive", "estimates"])
def test_parameters_of_games_are_refused(name: str) -> None:
    """The error names the parameter, the puzzle and its kind."""
    algorithm = Uct(**{name: True})  # type: ignore[arg-type]
    with pytest.raises(FieldError, match=f"^{name} is for games, toy is a puzzle$"):
        algorithm.new_run(TOY, toy("..."), NoPrior())


def test_a_prior_draws_the_moves_of_playouts() -> None:
    """With a prior a search finds something else than without."""
    prior = random_prior(TOY.priors["pair"], seed=1, scale=3.0)
    without, with_prior = (
        search(TOY, toy("........"), Uct(), Budget(playouts=40), prior=given)
        for given in (None, prior)
    )
    assert without.trace.score.tolist() != with_prior.trace.score.tolist()


def test_a_target_ends_the_search() -> None:
    """The playout that reaches it is the last."""
    found = search(TargetDomain(), toy("..3......"), Uct(0.1), Budget(playouts=100_000))
    assert found.reached
    assert found.playouts == found.trace.playouts[-1] < 100_000
    assert found.score >= 26.0


def best_of(instance: object) -> float:
    """Highest score of all playouts of a toy, by trying many at random."""
    sampling = ALGORITHMS["sampling"].suited_to(TOY)
    return search(TOY, instance, sampling, Budget(playouts=10_000)).score


@pytest.mark.parametrize("commit", [0, 60])
def test_the_optimum_is_found(commit: int) -> None:
    """A tree finds the best of a small problem in fewer playouts than there are sequences."""
    instance = toy(".....")
    optimum = best_of(instance)
    found = search(TOY, instance, Uct(0.1, commit=commit), Budget(playouts=1000))
    assert found.score == optimum


def test_commitment() -> None:
    """After `commit` playouts all begin with the same move, until a way has come to its end."""
    instance = toy("...")
    run = Uct(commit=10).new_run(TOY, instance, NoPrior())
    run.begin(new_stream(5))
    prefixes = []
    for made in range(1, 81):
        run.advance(made, 10**9)
        assert run.monitor.counters[PLAYOUTS] == made
        prefixes.append(run.kept.last[: run.kept.steps[0]].tolist())  # type: ignore[attr-defined]
    assert [len(prefix) for prefix in prefixes[9::10]] == [1, 2, 3, 0, 1, 2, 3, 0]
    assert all(prefixes[at : at + 9] == [prefixes[at]] * 9 for at in range(9, 70, 10))


def test_an_installed_tree_search_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed tree search is found by its name, beside those that ship."""
    entry = EntryPoint("my-uct", "tests.toys.tree_searches:MyUct", "nestor.algorithms")
    monkeypatch.setattr("solver.algorithms._others", {})
    monkeypatch.setattr("solver.algorithms.installed", lambda group: {entry.name: entry})
    assert tree_algorithm_named("my-uct") is MyUct
    assert list(known_tree_algorithms()) == [*TREE_ALGORITHMS, "my-uct"]
