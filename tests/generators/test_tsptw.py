"""Random instances with time windows that have a feasible tour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from generators.pyvrp_tours import solve_with_pyvrp
from generators.solved import solved_table
from generators.tsptw import TsptwGenerator
from solver.contract.references import generated_problems, problem_of
from solver.domains.tsptw.domain import TsptwDomain
from solver.domains.tsptw.text import check_tsptw
from solver.errors import InputError

DOMAIN = TsptwDomain()


@pytest.mark.parametrize("width", [0.0, 3.5, 60.0, 1000.0])
@pytest.mark.parametrize("customers", [1, 2, 20])
def test_the_tour_is_feasible(customers: int, width: float) -> None:
    """Windows are no wider than asked, and the tour they were made for violates none."""
    generator = TsptwGenerator(customers=customers, width=width)
    for number in range(5):
        problem, tour = generator.generate(1, number)
        assert problem.data.shape == (customers + 1, customers + 3)
        check_tsptw(problem.data, problem.name)
        DOMAIN.verify(problem, tour)
        assert DOMAIN.feasible(problem, tour)
        windows = problem.data[1:, -1] - problem.data[1:, -2]
        assert windows.max() <= width + 1e-3
    assert solved_table(DOMAIN, generator, 1, range(2)).num_rows == 2


def test_an_instance_depends_on_its_numbers_alone() -> None:
    """The same seed and number give the same instance, others another one."""
    generator = TsptwGenerator(customers=6)
    found = {generator.generate(s, n)[0].data.tobytes() for s in range(2) for n in range(3)}
    assert len(found) == 6
    problem, tour = generator.generate(1, 2)
    again, same = TsptwGenerator(customers=6).generate(1, 2)
    assert problem.name == again.name == "tsptw-6-60-1-2"
    assert np.array_equal(problem.data, again.data)
    assert np.array_equal(tour, same)
    assert np.array_equal(problem_of(generator, 1, 2).data, problem.data)


def test_mixed_instances() -> None:
    """They differ in size, in windows, in service times; the tour is feasible all the same."""
    generator = TsptwGenerator(customers=20, width=100.0, mixed="on")
    sizes, services, wide = set(), set(), 0
    for number in range(40):
        problem, tour = generator.generate(1, number)
        n = len(problem.data)
        check_tsptw(problem.data, problem.name)
        DOMAIN.verify(problem, tour)
        assert DOMAIN.feasible(problem, tour)
        cost, window = problem.data[:, :n], problem.data[:, n:]
        sizes.add(n - 1)
        difference = cost[1:, 0] - cost[0, 1:]
        assert difference == pytest.approx(difference[0])
        services.add(round(float(difference[0]), 6))
        without = (window[1:] == window[0]).all(axis=1)
        wide += int(without.sum())
        assert np.diff(window[1:][~without]).max(initial=0.0) <= 100 + 1e-3
    assert sizes == set(range(10, 21))
    assert services == {0.0, 10.0}
    assert 0 < wide < 40 * 10
    assert problem.name == "tsptw-mixed-20-100-1-39"
    assert generator.family == "up to 20 customers, mixed windows up to 100"


@pytest.mark.parametrize("windows", ["visited", "anywhere"])
def test_instances_with_a_horizon(windows: Any) -> None:
    """Windows are 20 to 25 % of a horizon that 80 to 100 % of the one asked for is, and in it.

    Those around the visits of a tour have that one; of the others some have none in time.
    """
    shortest = 0.7124 * 100 * 21**0.5
    generator = TsptwGenerator(customers=20, horizon=3.0, windows=windows, effort=300)
    wide, feasible = [], 0
    for number in range(20):
        problem, tour = generator.generate(1, number)
        check_tsptw(problem.data, problem.name)
        assert np.array_equal(problem.data, generator.problem(1, number).data)
        window = problem.data[1:, -2:]
        widths = window[:, 1] - window[:, 0]
        assert 0.2 * 0.8 * 3 * shortest - 1e-3 <= widths.min()
        assert widths.max() <= 0.25 * 3 * shortest + 1e-3
        assert window[:, 1].max() <= 3 * shortest + 1e-3
        wide.append(float(widths.mean() / shortest))
        if tour is not None:
            DOMAIN.verify(problem, tour)
            assert DOMAIN.feasible(problem, tour)
            feasible += 1
    assert 0.5 < min(wide) < 0.6 < max(wide) < 0.7
    assert feasible == 20 if windows == "visited" else 0 < feasible < 20
    assert problem.name == f"tsptw-{windows}-20-3-1-19"
    where = " anywhere" if windows == "anywhere" else ""
    assert (
        generator.family == f"20 customers, windows{where} in a horizon of up to 3 shortest tours"
    )


@pytest.mark.parametrize("mixed", ["off", "on"])
def test_asymmetric_instances(mixed: Any) -> None:
    """Legs cost up to a share more than their length, each way by itself; the tour is feasible."""
    generator = TsptwGenerator(customers=20, mixed=mixed, asymmetry=0.5)
    plain = TsptwGenerator(customers=20, mixed=mixed)
    for number in range(5):
        problem, tour = generator.generate(1, number)
        check_tsptw(problem.data, problem.name)
        DOMAIN.verify(problem, tour)
        assert DOMAIN.feasible(problem, tour)
        n = len(problem.data)
        cost, length = (one.data[:, :n] for one in (problem, plain.problem(1, number)))
        service = length[1, 0] - length[0, 1]
        legs = ~np.eye(n, dtype=bool)
        legs[1:] &= length[1:] > service + 1
        share = (cost - length)[legs] / (length[legs] - service * np.nonzero(legs)[0].astype(bool))
        assert share.min() >= -1e-3
        assert 0.45 < share.max() <= 0.5 + 1e-3
        assert abs(cost - cost.T)[1:, 1:].max() > 1
    kind = "mixed-" if mixed == "on" else ""
    assert problem.name == f"tsptw-{kind}asymmetric-20-60-1-4"
    assert generator.family == f"{plain.family}, asymmetric by up to 0.5"
    assert generator.family_parameters == {**plain.family_parameters, "asymmetry": 0.5}


@pytest.mark.slow
@pytest.mark.parametrize("tours", ["search", "pyvrp"])
def test_better_tours(tours: Any) -> None:
    """Same instances, feasible tours that are no dearer, the same ones every time."""
    pytest.importorskip("pyvrp" if tours == "pyvrp" else "numba")
    generator = TsptwGenerator(customers=12, width=150.0, mixed="on", tours=tours, effort=100)
    gains = []
    for number in range(3):
        problem, tour = generator.generate(1, number)
        plain = TsptwGenerator(customers=12, width=150.0, mixed="on")
        same, constructed = plain.generate(1, number)
        assert np.array_equal(problem.data, same.data)
        assert np.array_equal(problem.data, generator.problem(1, number).data)
        assert DOMAIN.feasible(problem, tour)
        assert np.array_equal(tour, generator.generate(1, number)[1])
        gains.append(DOMAIN.objective(problem, tour) - DOMAIN.objective(problem, constructed))
    assert min(gains) >= -1e-6
    assert max(gains) > 1


def test_the_set_of_solve() -> None:
    names = [problem.name for problem in generated_problems(TsptwDomain(), 2, 5)]
    assert names == ["tsptw-40-60-5-0", "tsptw-40-60-5-1"]
    assert TsptwGenerator().family == "40 customers, windows up to 60"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"customers": 0}, "customers is 0, expected 1 ... 4,999"),
        ({"width": -1.0}, "width is -1.0, expected 0 ... 1,000,000"),
        ({"mixed": "x"}, "mixed is 'x', expected on or off"),
        ({"asymmetry": -0.1}, "asymmetry is -0.1, expected 0 ... 100"),
        ({"tours": "x"}, "tours is 'x', expected one of: construction, search, pyvrp"),
        ({"effort": 0}, "effort is 0, expected 1 or more"),
        ({"horizon": -1.0}, "horizon is -1.0, expected 0 ... 1,000"),
        ({"horizon": 3.0, "mixed": "on"}, "mixed on with a horizon, expected off"),
        ({"windows": "anywhere"}, "windows anywhere without a horizon, expected --horizon"),
    ],
)
def test_bad_parameters(parameters: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        TsptwGenerator(**parameters)
    assert str(error.value) == message


@pytest.mark.parametrize("makespan", [False, True])
def test_pyvrp_is_told_the_objective(makespan: bool) -> None:
    """Its tour travels least, or is back first, however long it waits on the way."""
    pytest.importorskip("pyvrp", reason="pyvrp is not installed")
    cost = [[0, 1, 4], [0, 0, 1], [1, 5, 0]]
    data = np.array([[*row, start, 99.0] for row, start in zip(cost, (0, 8, 0), strict=True)])
    found = solve_with_pyvrp(data, 1, iterations=50, makespan=makespan)
    assert found.tour is not None
    assert found.tour.tolist() == ([0, 2, 1, 0] if makespan else [0, 1, 2, 0])
    assert found.cost[-1] == (9 if makespan else 3)
