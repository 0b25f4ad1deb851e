"""Random SameGame boards with solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.samegame import SameGameGenerator
from generators.solved import describe
from pipeline.learning.counts import Counts
from pipeline.learning.learn import LearnPlan, write_prior
from solver.contract.identity import rules_digest
from solver.contract.references import generated_problems
from solver.domains.samegame.domain import SameGameDomain
from solver.domains.samegame.text import replay_game
from solver.errors import InputError
from solver.system.datasets import sha256

DOMAIN = SameGameDomain()


def test_an_instance_depends_on_its_numbers_alone() -> None:
    """The same seed and number give the same board, others another one."""
    generator = SameGameGenerator(effort=50)
    boards = {generator.problem(s, n).data.tobytes() for s in range(2) for n in range(3)}
    assert len(boards) == 6
    one, answer = generator.generate(1, 2)
    two, again = SameGameGenerator(effort=50).generate(1, 2)
    assert one.name == two.name == "samegame-15x15x5-1-2"
    assert np.array_equal(one.data, two.data)
    assert np.array_equal(answer, again)
    DOMAIN.verify(one, answer)


def test_cells_are_uniform() -> None:
    """Every colour is as frequent as every other, within four standard deviations."""
    boards = [problem.data for problem in generated_problems(SameGameDomain(), 40, 3)]
    assert {board.shape for board in boards} == {(15, 15)}
    counts = np.bincount(np.concatenate(boards).ravel(), minlength=6)
    assert counts[0] == 0
    expected = 40 * 225 / 5
    assert abs(counts[1:] - expected).max() < 4 * np.sqrt(expected)


def test_sizes() -> None:
    generator = SameGameGenerator(width=4, height=3, colours=2, effort=5)
    assert generator.problem(0, 0).data.shape == (3, 4)
    assert generator.family == "4 x 3, 2 colours"
    assert generator.family_parameters == {"width": 4, "height": 3, "colours": 2}


def test_the_guide(tmp_path: Path) -> None:
    """A learned table guides the search; what was learned names the table's checksum."""
    code = DOMAIN.priors["group"]
    count, nb = np.zeros(code.rows, np.int64), np.full(code.rows, 9)
    count[:8] = 9  # pairs
    path = tmp_path / "pairs.parquet"
    counts = Counts(
        DOMAIN.name, code, {}, {}, count, nb, instances=1, rules=rules_digest(DOMAIN, code)
    )
    write_prior(counts, 0.0, 1.0, path)
    generator = SameGameGenerator(effort=20, guide=str(path))
    assert describe(generator)["guide_sha256"] == sha256(path)
    assert "guide_sha256" not in describe(SameGameGenerator())
    problem, answer = generator.generate(1, 2)
    groups, _ = replay_game(problem.data, answer[:10])
    assert {len(group) for group in groups} == {2}


def test_shards() -> None:
    """The longer a board is searched, the fewer make a shard, down to one."""
    for effort, first in [(1, 5), (400_000, 2), (10**9, 1)]:
        generator = SameGameGenerator(effort=effort)
        plan = LearnPlan(generator, 5, 1, DOMAIN.options(), DOMAIN.priors["group"])
        assert plan.shards()[0] == range(first)
        assert [number for shard in plan.shards() for number in shard] == list(range(5))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"width": 0}, "samegame: a board of 0 x 15, expected 1 ... 255 columns and 1 ... 62 rows"),
        ({"height": 63}, "samegame: a board of 15 x 63, expected 1 ... 255 columns and 1 ... 62 "
         "rows"),
        ({"colours": 10}, "colours is 10, expected 1 ... 9"),
        ({"effort": 0}, "effort is 0, expected 1 or more"),
        ({"guide": "nemo"}, "no prior called 'nemo': neither a file nor one of: none, tabu, "
         "samegame"),
    ],
)  # fmt: skip
def test_bad_parameters(parameters: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        SameGameGenerator(**parameters)
    assert str(error.value) == message
