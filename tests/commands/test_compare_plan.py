"""`compare`: which methods are run, on what, in which order and with which seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.commands.compare import read_run_request
from pipeline.commands.plan import read_plan
from pipeline.comparing.jobs import FamilyPlan, MethodPlan, plan_jobs
from pipeline.comparing.plan import RunComparison
from solver.algorithms import Sampling
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.priors.priors import NO_PRIOR
from tests.commands.shell import Run, run

__all__ = ["run"]

DOMAIN = LatinSquareDomain()


class PlannedFamily:
    """Stands for a generator where none is run."""

    family = "a family"
    family_parameters: dict[str, Any] = {}  # noqa: RUF012 - as a generator has it


def test_methods_take_turns() -> None:
    """Every method runs on an instance before the next instance, each repeat after all."""
    family = FamilyPlan(PlannedFamily(), LatinSquareOptions(), 2, 0)
    smaller = FamilyPlan(PlannedFamily(), LatinSquareOptions(ties="first"), 1, 0)
    methods = [MethodPlan(name, Sampling(), NO_PRIOR) for name in ("a", "b")]
    jobs = plan_jobs([family, smaller], methods, 2)
    order = [(job.number, job.family.options.ties, job.method.name) for job in jobs]
    once = [
        (0, "random", "a"),
        (0, "random", "b"),
        (0, "first", "a"),
        (0, "first", "b"),
        (1, "random", "a"),
        (1, "random", "b"),
    ]
    assert order == once * 2
    assert {job.varying for job in jobs} == {("ties",)}
    seeds = [job.seed for job in jobs]
    assert seeds[:6] == [seeds[0]] * 4 + [seeds[4]] * 2  # all methods with the same seed
    assert len(set(seeds)) == 4


def planned(*options: Any) -> list[tuple[str, str | None]]:
    """Algorithm and prior of each method that `compare` plans."""
    _, request = read_run_request("latin-square", ["latin-square", *map(str, options)])
    methods = RunComparison.of(request).methods
    return [(method.name, method.prior.name if method.prior else None) for method in methods]


def test_nrpa_never_gets_a_prior(prior: Path) -> None:
    """Every algorithm meets every prior, but NRPA has none and a peer knows of none."""
    priors = ["--prior", f"none,{prior}"]
    assert planned("--algorithm", "sampling,gnrpa", *priors) == [
        ("sampling", "none"),
        ("sampling", "dual"),
        ("gnrpa", "none"),
        ("gnrpa", "dual"),
    ]
    assert planned("--algorithm", "nrpa,cp-sat", *priors) == [("nrpa", "none"), ("cp-sat", None)]
    assert planned("--algorithm", "nrpa", "--prior", prior) == [("nrpa", "none")]
    assert planned() == [("sampling", "none"), ("gnrpa", "none")]


def test_gnrpa_without_prior_is_nrpa(prior: Path) -> None:
    """Beside NRPA the same search is not run a second time under another name."""
    priors = ["--prior", f"none,{prior}"]
    both = planned("--algorithm", "nrpa,gnrpa", *priors)
    assert both == [("nrpa", "none"), ("gnrpa", "dual")]
    warm = planned("--algorithm", "nrpa,gnrpa", "--temperature", 2, *priors)
    assert warm == [("nrpa", "none"), ("gnrpa", "none"), ("gnrpa", "dual")]


def test_temperatures_make_methods(prior: Path) -> None:
    """A list of temperatures gives each prior several times, none only once."""
    _, request = read_run_request(
        "latin-square",
        ["latin-square", "--algorithm=gnrpa", f"--prior=none,{prior}", "--prior-temperature=0.5,2"],
    )
    methods = RunComparison.of(request).methods
    assert [method.prior and method.prior.temperature for method in methods] == [0.0, 0.5, 2.0]
    assert [method.settings.get("prior_temperature") for method in methods] == [None, 0.5, 2.0]


def test_truths_are_both_words_of_an_option(tmp_path: Path) -> None:
    """True is the option, false the one with no-, a list each of its values."""
    plan = tmp_path / "plan.toml"
    plan.write_text("[kakuro]\nwarm-start = false\nlayered = true\nshaping = [true, false]\n")
    (words,) = read_plan(["--plan", str(plan)]).commands.values()
    assert words[1:5] == ["--no-warm-start", "--layered", "--shaping", "--no-shaping"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("foo = 3", "unrecognized arguments: --foo=3"),
        ("order = [8, 'x']", "--order is 'x', expected"),
        ("prior = 'nothere.parquet'", "cannot read nothere.parquet"),
        ("problem = 'nope'", "no problem or game called 'nope'"),
        ("instance-seed = -1", "--instance-seed is -1, expected 0 or more"),
    ],
)
def test_errors_name_the_table(run: Run, tmp_path: Path, table: str, message: str) -> None:
    """Nothing is run, also of the table before it."""
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    lines = dict.fromkeys(["problem = 'latin-square'", table])
    if table.startswith("problem"):
        del lines["problem = 'latin-square'"]
    plan.write_text("\n".join(["[kakuro]", "[wrong]", *lines]))
    done = run("compare", "--plan", plan, "--out", out)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"compare: {plan}: [wrong]: {message}"), done.err
    assert not out.exists()


def test_runs_are_in_one_table(run: Run, tmp_path: Path) -> None:
    """A report on all would count those of two twice: nothing is run."""
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    table = "problem = 'latin-square'\norder = 8\ninstances = 2\nplayouts = 5\n"
    plan.write_text(f"[a]\n{table}\n[b]\n{table}seeds = 2\n")
    done = run("compare", "--plan", plan, "--out", out)
    assert (done.status, done.out) == (2, "")
    expected = f"{plan}: [b]: runs of {plan}: [a] again, expected each in one table"
    assert done.err == f"compare: {expected}\n"
    assert not out.exists()


def test_a_temperature_needs_a_table(run: Run, tmp_path: Path) -> None:
    """One behind a plan is for all comparisons, also for those without a table."""
    words = ["latin-square", "--order", 5, "--instances", 1, "--playouts", 5]
    done = run("compare", *words, "--prior-temperature", 2, "--out", tmp_path / "one")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("compare: --prior-temperature has no effect without a table")
    plan = tmp_path / "plan.toml"
    table = "problem = 'latin-square'\norder = 5\ninstances = 1\nplayouts = 5\nalgorithm = 'gnrpa'"
    plan.write_text(f"[a]\n{table}\n[b]\n{table}\nprior = 'latin-square'\n")
    done = run("compare", "--plan", plan, "--prior-temperature", 2, "--out", tmp_path / "two")
    assert done.status == 0, done.err
