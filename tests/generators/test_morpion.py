"""Games of Morpion Solitaire found by search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from generators.morpion import MorpionGenerator
from generators.solved import solved_table
from pipeline.learning.counts import count_solved
from pipeline.learning.learn import LearnPlan
from solver.contract.references import generated_problems
from solver.domains.morpion.domain import MorpionDomain
from solver.domains.morpion.text import CROSS, VARIANTS
from solver.errors import InputError

DOMAIN = MorpionDomain()


def test_there_is_one_problem_and_many_games() -> None:
    """`solve` has the cross, once; every number of a seed is another game, always the same."""
    (problem,) = generated_problems(DOMAIN, 5, 3)
    assert np.array_equal(problem.data.cells, CROSS)
    assert problem.data.variant == ""
    generator = MorpionGenerator(effort=30)
    games = [generator.generate(seed, number)[1] for seed in range(2) for number in range(3)]
    assert len({game.tobytes() for game in games}) == 6
    assert np.array_equal(generator.generate(1, 2)[1], games[-1])


@pytest.mark.parametrize("rules", VARIANTS)
def test_games_are_replayed_by_their_own_rules(rules: Any) -> None:
    """Whatever the option says: all are verified and counted, and 5T allows longer ones."""
    generator = MorpionGenerator(rules=rules, effort=300)
    table = solved_table(DOMAIN, generator, 1, range(2))
    plan = LearnPlan(generator, 2, 1, DOMAIN.options(), DOMAIN.priors["line"])
    counts = count_solved(DOMAIN, plan.options, plan.code, table)
    assert counts.instances == 2
    assert counts.n_rejected == 0
    assert 0 < counts.count.sum() < counts.nb.sum()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rules": "4D"}, "rules is '4D', expected 5D or 5T"),
        ({"effort": 0}, "effort is 0, expected 1 or more"),
        ({"guide": "nemo"}, "no prior called 'nemo': neither a file nor one of: none"),
    ],
)
def test_bad_parameters(parameters: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        MorpionGenerator(**parameters)
    assert str(error.value) == message
