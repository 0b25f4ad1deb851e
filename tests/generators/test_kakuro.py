"""Generated Kakuro boards: proper, with the pattern asked for, the same every time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from generators.kakuro import (
    KakuroGenerator,
    is_connected,
    random_pattern,
    random_values,
)
from solver.compiling.random import new_stream
from solver.contract.references import generated_problems
from solver.domains.kakuro.board import BLACK, runs_of
from solver.domains.kakuro.domain import KakuroDomain
from solver.errors import InputError

DOMAIN = KakuroDomain()
LIKELY = 1e-4  # of a correct generator, one test of 10,000 fails; the seeds are fixed


def white_of(problem: Any) -> Any:
    """The white cells without the frame of clues."""
    return problem.data.cells[1:, 1:] != BLACK


@pytest.mark.parametrize(
    "generator",
    [
        KakuroGenerator(),
        KakuroGenerator(1, 1, 1),
        KakuroGenerator(2, 7, 9),
        KakuroGenerator(15, 15, 18),
        KakuroGenerator(12, 10, 9, 0.2),
        KakuroGenerator(5, 9, 6, 0.4),
    ],
    ids=lambda generator: generator.family,
)
def test_answers_solve_their_problems(generator: KakuroGenerator) -> None:
    """Generated boards pass the verifier, have no value given, and are legal texts."""
    for number in range(5):
        problem, answer = generator.generate(3, number)
        DOMAIN.verify(problem, answer)
        assert not (problem.data.cells > 0).any()
        assert answer.dtype == np.int16
        assert problem.data.most == generator.values
        assert white_of(problem).shape == (generator.rows, generator.columns)
        assert white_of(problem).all() == (generator.black == 0)
        (read,) = DOMAIN.parse(DOMAIN.format_problem(problem), "text")
        assert (read.data.clues == problem.data.clues).all()


@pytest.mark.parametrize("black", [0.05, 0.2, 0.35])
@pytest.mark.parametrize("size", [(9, 9), (12, 10), (14, 22)])
def test_patterns_are_those_of_newspapers(size: tuple[int, int], black: float) -> None:
    """A half turn leaves the pattern, runs have 2 to 9 cells, all is connected, share kept."""
    for number in range(5):
        problem, _ = KakuroGenerator(*size, 9, black).generate(8, number)
        white = white_of(problem)
        assert (white == white[::-1, ::-1]).all()
        assert {run.length for run in runs_of(white)} <= set(range(2, 10))
        assert is_connected(white)
        assert (~white).sum() >= round(black * white.size)


def test_patterns_differ() -> None:
    """Streams give different patterns, and not the same share of black everywhere."""
    drawn = [random_pattern(9, 9, 0.2, 9, new_stream(number)) for number in range(30)]
    patterns = [white for white in drawn if white is not None]
    assert len({white.tobytes() for white in patterns}) == len(patterns) > 20


def test_connected_cells() -> None:
    """Cells that touch at a corner only are not connected."""
    assert is_connected(np.array([[True, True], [False, True]]))
    assert is_connected(np.array([[False, True], [False, False]]))
    assert not is_connected(np.array([[True, False], [False, True]]))


def test_a_square_of_two_is_filled_in_every_way() -> None:
    """Three values in two rows and columns: each filling is drawn, like ones as often."""
    white = np.ones((2, 2), np.bool_)
    drawn: Counter[bytes] = Counter()
    for number in range(1800):
        values = random_values(white, 3, new_stream(4, number))
        assert values is not None
        drawn[values.tobytes()] += 1
    assert len(drawn) == 18
    latin = [n for text, n in drawn.items() if len(set(np.frombuffer(text, np.int16))) == 2]
    other = [n for text, n in drawn.items() if len(set(np.frombuffer(text, np.int16))) == 3]
    assert (len(latin), len(other)) == (6, 12)
    assert min(stats.chisquare(latin).pvalue, stats.chisquare(other).pvalue) > LIKELY


def test_values_that_do_not_fit() -> None:
    """There is no answer if no playout fills the cells."""
    assert random_values(np.ones((2, 3), np.bool_), 2, new_stream(0)) is None


@pytest.mark.parametrize("black", [0.0, 0.25])
def test_instances_depend_on_seed_and_number_alone(black: float) -> None:
    """Instance i is the same whichever others are made before it, and unlike the others."""
    generator = KakuroGenerator(7, 6, 9, black)

    def texts(seed: int, numbers: list[int]) -> dict[int, str]:
        made = ((number, generator.generate(seed, number)) for number in numbers)
        return {i: DOMAIN.format(problem, answer) for i, (problem, answer) in made}

    every = texts(4, [0, 1, 2, 3, 4])
    assert texts(4, [3, 1]) == {number: every[number] for number in (3, 1)}
    assert len({*every.values(), *texts(5, [0, 1, 2]).values()}) == 8


def test_families_are_named_after_what_varies() -> None:
    """Name and parameters of a family are those that a report shows."""
    generator = KakuroGenerator(12, 10, 9, 0.25)
    assert generator.family == "12 x 10, values 1-9, 25% black"
    assert generator.family_parameters == {"rows": 12, "columns": 10, "values": 9, "black": 0.25}
    assert generator.generate(6, 2)[0].name == "kakuro-12x10-9-0.25-6-2"
    assert KakuroGenerator().family == "10 x 10, values 1-11"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rows": 0}, "rows is 0, expected 1 ... 64"),
        ({"columns": 65}, "columns is 65, expected 1 ... 64"),
        ({"values": 63}, "values is 63, expected 1 ... 62"),
        ({"values": 9}, "values is 9, expected 10 or more, as a run has 10 cells"),
        ({"black": 0.7}, "black is 0.7, expected 0 ... 0.6 of the cells"),
        ({"black": float("nan")}, "black is nan, expected a number, 0 ... 0.6 of the cells"),
        ({"black": 0.1, "rows": 1}, "rows, columns and values must be 2 or more with black"),
    ],
)
def test_parameters_out_of_range(parameters: dict[str, Any], message: str) -> None:
    """A parameter that makes no sense is refused by name, with what was expected."""
    with pytest.raises(InputError) as error:
        KakuroGenerator(**parameters)
    assert str(error.value) == message


def test_impossible_patterns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message for a pattern that was not found names the parameters."""
    monkeypatch.setattr("generators.kakuro.MAX_TRIES", 3)
    message = "no board of 2 x 2, values 1-9, 50% black was found in 3 tries"
    with pytest.raises(InputError, match=f"^{message}$"):
        KakuroGenerator(2, 2, 9, 0.5).generate(0, 0)


def test_benchmark_is_the_default_generator() -> None:
    """The set `solve` runs on is the paper's 10 x 10 with values 1-11, by its seed."""
    problems = list(generated_problems(KakuroDomain(), 2, 7))
    assert [problem.name for problem in problems] == ["kakuro-10x10-11-7-0", "kakuro-10x10-11-7-1"]
    expected, _ = KakuroGenerator(10, 10, 11).generate(7, 1)
    assert (problems[1].data.clues == expected.data.clues).all()
