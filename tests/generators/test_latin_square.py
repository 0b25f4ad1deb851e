"""Generated Latin squares: proper, uniform, with the holes asked for, the same every time."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

from generators.latin_square import (
    LatinSquareGenerator,
    balanced_holes,
    playout_square,
    random_holes,
    uniform_square,
)
from solver.compiling.random import new_stream
from solver.contract.references import generated_problems
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError

LIKELY = 1e-4  # of a correct generator, one test of 10,000 fails; the seeds are fixed
PER_SQUARE = 20
PATTERNS = ("random", "balanced")


def assert_latin(square: Any) -> None:
    """Every row and column holds 0 ... order - 1 once."""
    values = list(range(len(square)))
    assert square.shape == (len(values), len(values))
    assert [sorted(row) for row in square.tolist()] == [values] * len(values)
    assert [sorted(column) for column in square.T.tolist()] == [values] * len(values)


def reduced_squares(order: int) -> Iterator[list[tuple[int, ...]]]:
    """All Latin squares whose first row and first column are 0 ... order - 1."""
    rows = list(itertools.permutations(range(order)))

    def extend(square: list[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
        if len(square) == order:
            yield square
            return
        for row in rows:
            fits = all(a != b for above in square for a, b in zip(above, row, strict=True))
            if row[0] == len(square) and fits:
                yield from extend([*square, row])

    yield from extend([rows[0]])


def intercalates(square: Any) -> int:
    """Number of 2 x 2 subsquares: renaming rows, columns or values leaves it as it is."""
    pairs = list(itertools.combinations(range(len(square)), 2))
    return sum(
        square[a][c] == square[b][d] and square[a][d] == square[b][c]
        for (a, b), (c, d) in itertools.product(pairs, pairs)
    )


def squares_of_order(order: int, number: int, seed: int) -> list[Any]:
    stream = new_stream(seed, order)
    return [uniform_square(order, stream) for _ in range(number)]


@pytest.mark.parametrize("order", [*range(1, 13), 20])
def test_uniform_squares_are_proper(order: int) -> None:
    """Whatever the order, the walk ends at a Latin square."""
    for square in squares_of_order(order, number=5, seed=3):
        assert square.dtype == np.int16
        assert_latin(square)


@pytest.mark.parametrize(("order", "all_squares"), [(2, 2), (3, 12), (4, 576)])
def test_all_squares_are_equally_likely(order: int, all_squares: int) -> None:
    """Every square of a small order is drawn, and as often as any other."""
    drawn = squares_of_order(order, PER_SQUARE * all_squares, seed=1)
    counts = Counter(square.tobytes() for square in drawn)
    assert len(counts) == all_squares
    assert stats.chisquare(list(counts.values())).pvalue > LIKELY


def test_the_two_kinds_of_order_5_have_their_share() -> None:
    """The squares of order 5 with 4 intercalates and with none come 50 to 6, as there are."""
    kinds = Counter(intercalates(square) for square in reduced_squares(5))
    assert kinds == {4: 50, 0: 6}
    drawn = Counter(intercalates(square) for square in squares_of_order(5, 4000, seed=1))
    assert set(drawn) == {0, 4}
    assert stats.binomtest(drawn[0], 4000, 6 / 56).pvalue > LIKELY


@pytest.mark.parametrize("order", [1, 2, 5, 8])
def test_playout_squares_are_proper(order: int) -> None:
    """The first playout that fills the empty square is a Latin square, given by its seed."""
    square = playout_square(order, seed=5)
    assert_latin(square)
    assert (playout_square(order, seed=5) == square).all()


def test_playout_squares_differ() -> None:
    """Seeds give different squares."""
    squares = {playout_square(6, seed=seed).tobytes() for seed in range(20)}
    assert len(squares) == 20


def test_no_playout_fills_the_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """If all playouts fail, the other kind of squares is recommended."""

    class Unsolved:
        solved = False

    monkeypatch.setattr("generators.latin_square.solve", lambda *_, **__: Unsolved())
    message = "no playout filled an empty square of order 9, use squares=uniform"
    with pytest.raises(InputError, match=f"^{message}$"):
        playout_square(9, seed=0)


@pytest.mark.parametrize("order", [1, 2, 5, 6])
def test_random_holes_are_as_many_as_asked(order: int) -> None:
    """Every number of holes from none to all cells is met exactly."""
    for count in range(order**2 + 1):
        holes = random_holes(order, count, new_stream(2, count))
        assert holes.shape == (order, order)
        assert holes.dtype == np.bool_
        assert holes.sum() == count


def test_all_sets_of_holes_are_equally_likely() -> None:
    """Any 4 of 9 cells are emptied as often as any other 4."""
    patterns = 126
    stream = new_stream(2)
    drawn = (random_holes(3, 4, stream).tobytes() for _ in range(PER_SQUARE * patterns))
    counts = Counter(drawn)
    assert len(counts) == patterns
    assert stats.chisquare(list(counts.values())).pvalue > LIKELY


@pytest.mark.parametrize("order", [1, 2, 5, 6])
def test_balanced_holes_are_spread_evenly(order: int) -> None:
    """The number of holes is exact, and those of two rows or columns differ by at most one."""
    for count in range(order**2 + 1):
        holes = balanced_holes(order, count, new_stream(2, count))
        assert holes.dtype == np.bool_
        assert holes.sum() == count
        per_line = {count // order, -(-count // order)}
        assert set(holes.sum(axis=0).tolist()) <= per_line
        assert set(holes.sum(axis=1).tolist()) <= per_line


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("squares", ["uniform", "playout"])
def test_instances_depend_on_seed_and_number_alone(squares: Any, pattern: Any) -> None:
    """Instance i is the same whichever others are made before it, and unlike the others."""
    generator = LatinSquareGenerator(order=7, holes=0.5, squares=squares, pattern=pattern)

    def texts(seed: int, numbers: list[int]) -> dict[int, bytes]:
        made = ((number, generator.generate(seed, number)) for number in numbers)
        return {i: problem.data.tobytes() + answer.tobytes() for i, (problem, answer) in made}

    every = texts(4, [0, 1, 2, 3, 4])
    assert texts(4, [3, 1]) == {number: every[number] for number in (3, 1)}
    assert texts(4, [4, 2, 0]) == {number: every[number] for number in (4, 2, 0)}
    assert len({*every.values(), *texts(5, [0, 1, 2]).values()}) == 8


@pytest.mark.parametrize("pattern", PATTERNS)
def test_problems_are_their_answers_with_holes(pattern: Any) -> None:
    """The givens are the answer's, the holes as many as the share asked for, rounded."""
    generator = LatinSquareGenerator(order=9, holes=0.33, pattern=pattern)
    problem, answer = generator.generate(seed=6, number=2)
    assert problem.name == f"latin-9-27-{pattern}-6-2"
    assert problem.data.dtype == np.int16
    assert_latin(answer)
    holes = problem.data < 0
    assert holes.sum() == generator.n_holes == 27
    assert (problem.data[~holes] == answer[~holes]).all()
    assert (problem.data[holes] == -1).all()


def test_families_are_named_after_what_varies() -> None:
    """Name and parameters of a family are those that a report shows."""
    generator = LatinSquareGenerator(order=30, holes=0.42)
    assert generator.family == "order 30, 378 random holes"
    assert generator.family_parameters == {
        "order": 30,
        "holes": 378,
        "fraction": 0.42,
        "pattern": "random",
    }
    other = LatinSquareGenerator(order=7, holes=1 / 3, squares="playout", pattern="balanced")
    assert other.family == "order 7, playout squares, 16 balanced holes"
    assert other.family_parameters["fraction"] == round(16 / 49, 4)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order": 0}, "order is 0, expected 1 ... 128"),
        ({"order": 129}, "order is 129, expected 1 ... 128"),
        ({"holes": -0.1}, "holes is -0.1, expected 0 ... 1 of the cells"),
        ({"holes": 1.5}, "holes is 1.5, expected 0 ... 1 of the cells"),
        ({"holes": float("nan")}, "holes is nan, expected a number, 0 ... 1 of the cells"),
        ({"squares": "magic"}, "squares is 'magic', expected uniform or playout"),
        ({"pattern": "striped"}, "pattern is 'striped', expected random or balanced"),
    ],
)
def test_parameters_out_of_range(parameters: dict[str, Any], message: str) -> None:
    """A parameter that makes no sense is refused by name, with what was expected."""
    with pytest.raises(InputError) as error:
        LatinSquareGenerator(**parameters)
    assert str(error.value) == message


def test_benchmark_is_the_default_generator() -> None:
    """The set `solve` runs on is that of order 20 with 168 random holes, by its seed."""
    problems = list(generated_problems(LatinSquareDomain(), 2, 7))
    assert [problem.name for problem in problems] == [
        "latin-20-168-random-7-0",
        "latin-20-168-random-7-1",
    ]
    for number, problem in enumerate(problems):
        expected, _ = LatinSquareGenerator(order=20, holes=0.42).generate(7, number)
        assert (problem.data == expected.data).all()
