"""A candidate is published if it is not worse; the decision is data and rests on held-out runs."""

from __future__ import annotations

import dataclasses
import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from generators.latin_square import LatinSquareGenerator
from generators.solved import describe
from pipeline.commands.learn import read_request
from pipeline.comparing.run_jobs import run_jobs
from pipeline.learning.counts import counts_from_table
from pipeline.learning.learn import LearnPlan, counts_path, learn_counts, write_prior
from pipeline.publishing.evaluate import decide, evaluate, evaluation_jobs, judge
from pipeline.publishing.held_out import BenchmarkInstances, _learned_from, held_out_families
from pipeline.publishing.manifest import read_manifest, version_of
from pipeline.publishing.refresh import Learning
from pipeline.requests.evaluation import EvaluationPlan
from pipeline.tables.runs import ERROR
from solver.algorithms import Gnrpa
from solver.domains import load_domain, load_rules
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.errors import InputError
from solver.priors.priors import NO_PRIOR
from tests.commands.shell import Run, run

__all__ = ["run"]

DOMAIN = LatinSquareDomain()
PLAN = LearnPlan(
    LatinSquareGenerator(order=10, holes=0.5), 40, 1, LatinSquareOptions(), DOMAIN.priors["triple"]
)
QUICK = EvaluationPlan(held_out=12, held_out_playouts=300, held_out_algorithm="sampling")
SMALL = ["latin-square", "--order", 10, "--holes", 0.5, "--instances", 40]
JUDGED = ["--evaluate", "--held-out", 8, "--held-out-playouts", 100,
          "--held-out-algorithm", "sampling"]  # fmt: skip


def rows(playouts: list[int], budget: int, score: float = 0.0) -> list[dict[str, Any]]:
    """Runs that took so many playouts; unsolved where that is the budget."""
    return [{"solved": n < budget, "playouts": n, "score": score, "seconds": 0.5} for n in playouts]


@pytest.mark.parametrize(
    ("candidate", "verdict", "publish"),
    [
        ([50] * 20, "better", True),
        ([50] * 19, "undecided", False),
        ([100] * 20, "not worse", True),
        ([100] * 19 + [110], "not worse", True),
        ([200] * 20, "worse", False),
        ([50, 400] * 10, "undecided", False),
        ([1000] * 20, "worse", False),  # unsolved
    ],
)
def test_verdicts_on_playouts(candidate: list[int], verdict: str, publish: bool) -> None:
    """Against 100 playouts each: the whole interval of the mean gain decides, with the margin."""
    plan = EvaluationPlan(held_out=20, held_out_playouts=1000)
    current = rows([100] * len(candidate), 1000)
    found = judge(rows(candidate, 1000), current, DOMAIN, plan)
    assert (found["verdict"], found["publish"]) == (verdict, publish)
    gains = np.log2(100 / np.where(np.array(candidate) < 1000, candidate, 2000))
    assert found["gain"]["value"] == pytest.approx(gains.mean())
    assert found["gain"]["low"] <= found["gain"]["value"] <= found["gain"]["high"]
    assert found["solved"] == {
        "candidate": sum(n < 1000 for n in candidate),
        "current": len(candidate),
    }


def test_instances_that_everybody_solves_at_once_decide_nothing() -> None:
    """Neither do those that nobody solves: they would hide a loss on the others."""
    plan = EvaluationPlan(held_out_playouts=1000)
    at_once, never, lost = ([3, 9], [1000, 1000], [100, 400])
    candidate, current = [], []
    for many, (ours, theirs) in ((150, at_once[::-1]), (30, never), (20, lost[::-1])):
        candidate += [ours] * many
        current += [theirs] * many
    found = judge(rows(candidate, 1000), rows(current, 1000), DOMAIN, plan)
    assert (found["verdict"], found["informative"], found["pairs"]) == ("worse", 20, 200)
    assert found["gain"]["value"] == pytest.approx(-2.0)
    easy = judge(rows([9] * 200, 1000), rows([3] * 200, 1000), DOMAIN, plan)
    assert (easy["verdict"], easy["informative"], easy["gain"]) == ("undecided", 0, None)
    assert not easy["publish"]


@pytest.mark.parametrize(
    ("pooled", "kinds", "verdict"),
    [
        ("better", [("better", 3.0, 200), ("not worse", -0.1, 200)], "better"),
        ("better", [("better", 3.0, 200), ("worse", -0.4, 200)], "worse"),
        ("better", [("better", 3.0, 200), ("undecided", -0.3, 20)], "undecided"),
        ("better", [("better", 3.0, 200), ("undecided", -3.0, 19)], "better"),
        ("better", [("better", 3.0, 200), ("undecided", None, 0)], "better"),
        ("not worse", [("not worse", 0.0, 200), ("undecided", -0.2, 60)], "not worse"),
        ("worse", [("undecided", -0.3, 60), ("undecided", -0.3, 60)], "worse"),
        ("undecided", [("undecided", None, 0)], "undecided"),
    ],
)
def test_no_kind_of_instances_may_lose(
    pooled: str, kinds: list[tuple[str, float | None, int]], verdict: str
) -> None:
    """A gain on one kind of instances does not pay for a loss on another."""
    judged = [
        {"verdict": said, "gain": None if gain is None else {"value": gain}, "informative": n}
        for said, gain, n in kinds
    ]
    assert decide({"verdict": pooled}, judged, 0.25) == verdict


def test_verdicts_on_scores() -> None:
    """A gain in score is a share of the larger score, also for negative scores."""
    domain = load_domain("tsptw")
    plan = EvaluationPlan(margin=0.05)
    current = rows([9] * 20, 10, score=-400.0)
    for score, gain, verdict in (
        (-200.0, 0.5, "better"), (-410.0, -10 / 410, "not worse"), (-800.0, -0.5, "worse"),
    ):  # fmt: skip
        found = judge(rows([9] * 20, 10, score=score), current, domain, plan)
        assert found["gain"]["value"] == pytest.approx(gain)
        assert found["verdict"] == verdict


def test_held_out_instances_are_of_another_seed() -> None:
    """The same generator and options, but no instance that could have been learned from."""
    (family,) = held_out_families(DOMAIN, PLAN, QUICK, None)
    assert (family.generator, family.options) == (PLAN.generator, PLAN.options)
    assert family.seed not in range(10**9)
    priors = [NO_PRIOR, dataclasses.replace(NO_PRIOR, name="x")]
    jobs = evaluation_jobs(DOMAIN, [family], QUICK, priors)
    assert len(jobs) == 24
    pairs = list(zip(jobs[::2], jobs[1::2], strict=True))
    assert all((a.number, a.seed) == (b.number, b.seed) for a, b in pairs)


def test_a_corpus_is_not_its_own_judge() -> None:
    """Training instances from a corpus exclude those of the benchmark."""

    class Corpus:
        domain = "latin-square"
        n_available = 10
        replay_defaults = {"ties": "first"}  # noqa: RUF012 - as a generator has it

    options = LatinSquareOptions(ties="first", variables="cells")
    plan: Any = dataclasses.replace(PLAN, generator=Corpus(), options=options)  # type: ignore[arg-type]
    three = EvaluationPlan(held_out=3)
    (family,) = held_out_families(DOMAIN, plan, three, None)
    assert family.generator == BenchmarkInstances("latin-square", 3)
    assert family.options == LatinSquareOptions(variables="cells")  # as when solving
    problems = [family.generator.problem(5, number) for number in range(3)]
    assert len({problem.name for problem in problems}) == 3
    harder = EvaluationPlan(held_out_set="order=4")
    with pytest.raises(InputError, match="held-out-set: latin-square is judged on the instances"):
        held_out_families(DOMAIN, plan, harder, None)


SHIPPED = Path(__file__).parents[3] / "models"


@pytest.mark.parametrize("name", sorted(read_manifest(SHIPPED)["models"]))
def test_what_a_shipped_model_was_learned_from_can_be_made(name: str) -> None:
    """The manifest says enough to hold a candidate against it on instances of its own kind."""
    version = version_of(read_manifest(SHIPPED), name)
    generator, options = _learned_from(load_rules(version["domain"]), version)
    made, source = dataclasses.asdict(generator), version["source"]
    usual = {field.name: field.default for field in dataclasses.fields(generator)}
    assert made == {name: source.get(name, usual[name]) for name in made}
    usual = dataclasses.asdict(type(options)())  # of options that came after the model
    assert dataclasses.asdict(options) == {**usual, **version["options"]}


def test_the_model_in_use_is_judged_on_instances_of_its_own() -> None:
    """The kinds are the candidate's, the current model's and those asked for, each once."""
    order = {"squares": "uniform", "pattern": "random", "holes": 0.42}
    current = {
        "source": {"domain": "latin-square", "seed": 1, "order": 20, **order},
        "options": dataclasses.asdict(LatinSquareOptions(variables="cells")),
    }
    harder = dataclasses.replace(QUICK, held_out_set="order=30,holes=0.4")
    families = held_out_families(DOMAIN, PLAN, harder, current)
    assert [family.generator.family for family in families] == [
        "order 10, 50 random holes", "order 20, 168 random holes", "order 30, 360 random holes",
    ]  # fmt: skip
    assert [family.options.variables for family in families] == ["sets", "cells", "sets"]
    own = {"source": describe(PLAN.generator), "options": dataclasses.asdict(PLAN.options)}
    assert len(held_out_families(DOMAIN, PLAN, QUICK, own)) == 1
    for damage in ({"order": "x"}, {"order": -1}, {"squares": None}):
        damaged = current | {"source": current["source"] | damage}
        with pytest.raises(InputError, match="learned from cannot be made"):
            held_out_families(DOMAIN, PLAN, QUICK, damaged)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("order", "held-out-set is 'order', expected NAME=VALUE"),
        ("order=1,order=2", "expected NAME=VALUE,... , each name once"),
        ("ordre=4", "held-out-set: 'ordre' is unknown, expected one of: order, holes"),
        ("order=four", "held-out-set: order is 'four', expected a whole number, 1 ... 128"),
        ("order=0", "order is 0, expected 1 ... 128"),
    ],
)
def test_bad_sets_are_refused_before_the_work(
    run: Run, tmp_path: Path, text: str, message: str
) -> None:
    """One line and status 2, and no shard was made."""
    places = ["--work", tmp_path / "work", "--out", tmp_path / "models" / "small.parquet"]
    finished = run("learn", *SMALL, *places, "--evaluate", "--held-out-set", text)
    assert (finished.status, finished.out) == (2, "")
    assert message in finished.err
    assert finished.err.count("\n") == 1
    assert not (tmp_path / "work").exists()


@pytest.fixture(scope="module")
def candidate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table learned from 40 squares."""
    folder = tmp_path_factory.mktemp("candidate")
    out = folder / "table.parquet"
    write_prior(learn_counts(DOMAIN, PLAN, work=folder), 1.0, 32.0, out)
    return out


def test_evaluation_goes_on_where_it_stopped(candidate: Path, tmp_path: Path) -> None:
    """Cut short, it runs the missing searches only and says the same as a whole one."""
    whole = evaluate(DOMAIN, PLAN, QUICK, candidate, None, work=tmp_path / "a")
    assert whole["verdict"] in ("better", "not worse", "undecided", "worse")
    assert whole["current"] == "none"
    assert json.loads(json.dumps(whole)) == whole
    (journal,) = (tmp_path / "a").rglob("*.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 24
    journal.write_bytes(b"".join(lines[:9]) + lines[9][:20])  # as a kill leaves it
    ran: list[Any] = []
    real = run_jobs

    def counting(*arguments: Any, **options: Any) -> bool:
        before = len(journal.read_bytes().splitlines())
        done = real(*arguments, **options)
        ran.append(len(journal.read_bytes().splitlines()) - before)
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.publishing.evaluate.run_jobs", counting)
        again = evaluate(DOMAIN, PLAN, QUICK, candidate, None, work=tmp_path / "a")
    assert ran == [15]
    for result in (whole, again):
        for judgement in (result, *result["families"]):
            del judgement["seconds"]
    assert again == whole


def test_ctrl_c_in_the_last_search(candidate: Path, tmp_path: Path) -> None:
    """There is no verdict, but all searches are kept for the next time."""

    def progress(done: int) -> None:
        if done == 24:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        evaluate(DOMAIN, PLAN, QUICK, candidate, None, work=tmp_path, progress=progress)
    (journal,) = tmp_path.rglob("*.jsonl")
    assert len(journal.read_bytes().splitlines()) == 24


def test_the_same_table_needs_no_search(candidate: Path, tmp_path: Path) -> None:
    """A table that is in use already is unchanged; there is nothing to publish."""
    result = evaluate(DOMAIN, PLAN, QUICK, candidate, candidate, work=tmp_path)
    assert (result["verdict"], result["publish"]) == ("unchanged", False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"held_out": 1}, "held_out is 1, expected 2 or more"),
        ({"held_out_playouts": 0}, "held_out_playouts is 0, expected 1 or more"),
        ({"held_out_algorithm": "nrpa"}, "'nrpa', expected one of: sampling, gnrpa"),
        ({"margin": -1.0}, "margin is -1.0, expected 0 ... 1"),
    ],
)
def test_bad_plans(change: dict[str, Any], message: str) -> None:
    """Invalid plans are refused at once."""
    with pytest.raises(InputError, match=message):
        EvaluationPlan(**change)


def test_learn_publishes_what_is_not_worse(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`learn --evaluate` publishes the first table, keeps it where the next is a bad one."""
    out, work = tmp_path / "models" / "small.parquet", tmp_path / "work"
    places = ["--work", work, "--out", out, *JUDGED]
    undecided = run("learn", *SMALL, *places, "--margin", 1)
    assert (undecided.status, undecided.err) == (0, "")
    assert "undecided, not published" in undecided.out  # 8 instances are too few for anything
    assert not out.exists()
    accepted, refused = (
        judge(rows([99] * 30, 100), rows([theirs] * 30, 100), DOMAIN, QUICK) for theirs in (99, 9)
    )
    assert (accepted["verdict"], refused["verdict"]) == ("not worse", "worse")
    monkeypatch.setattr("pipeline.publishing.evaluate.judge", lambda *arguments: accepted)
    first = run("learn", *SMALL, *places)
    assert (first.status, first.err) == (0, "")
    assert "not worse, published as" in first.out
    table = out.read_bytes()
    monkeypatch.setattr("pipeline.publishing.evaluate.judge", lambda *arguments: refused)
    second = run("learn", *SMALL, *places, "--seed", 2)
    assert (second.status, second.err) == (0, "")
    assert "worse, not published" in second.out
    assert out.read_bytes() == table
    summaries = [json.loads(path.read_text()) for path in work.rglob("summaries/*.json")]
    published = [summary["published"] is not None for summary in summaries]
    assert sorted(published) == [False, False, True]
    for summary in summaries:
        assert summary["evaluation"]["publish"] == (summary["published"] is not None)
        assert not summary["files"]["candidate bias"]["failed"]
        assert summary["table"]["instances"] == 40
    pages = [path.read_text() for path in work.rglob("summaries/*.md")]
    assert len(pages) == 3
    line = "| order 10, 50 random holes | worse, gain -3.4594 (-3.4594 to -3.4594), 30 of 30 "
    assert any(line in page for page in pages)


def test_the_table_of_a_plain_run_is_the_published_one(run: Run, tmp_path: Path) -> None:
    """With a manifest in the folder `learn` adds a version; the bytes are those without one."""
    work = ["--work", tmp_path / "work"]
    alone, models = tmp_path / "alone" / "small.parquet", tmp_path / "models"
    run("learn", *SMALL, *work, "--out", alone)
    assert not (alone.parent / "manifest.json").exists()
    models.mkdir()
    (models / "manifest.json").write_text('{"schema_version": 2, "models": {}}')
    run("learn", *SMALL, *work, "--out", models / "small.parquet")
    manifest = json.loads((models / "manifest.json").read_text())
    (version,) = manifest["models"]["small"]["versions"]
    assert version["command"].startswith("learn latin-square --order 10")
    assert "--work" not in version["command"]
    assert version["evaluation"] is None
    for path in (alone, counts_path(alone)):
        assert path.read_bytes() == (models / path.name).read_bytes()
    counts = counts_from_table(pq.read_table(counts_path(alone)), DOMAIN, "counts")
    assert counts.instances == version["instances"] == 40


def test_searches_are_as_in_the_commands() -> None:
    """Held-out instances are searched at the domain's level, by its shaped score."""
    _, request = read_request(["samegame", "--held-out", "2"])
    learning = Learning.of(request)
    families = held_out_families(learning.domain, learning.plan, request.evaluation, None)
    jobs = evaluation_jobs(learning.domain, families, request.evaluation, [NO_PRIOR])
    assert [job.method.algorithm for job in jobs] == [Gnrpa(level=3, dead_ends=0, shaping=True)] * 2


@pytest.mark.parametrize(
    ("problem", "margin"),
    [("latin-square", 0.25), ("rna", 0.25), ("samegame", 0.02), ("tsptw", 0.02)],
)
def test_the_margin_fits_the_kind_of_score(problem: str, margin: float) -> None:
    """A quarter of a doubling of the playouts, or two hundredths of the score."""
    assert read_request([problem, "--instances", "2"])[1].evaluation.margin == margin


def test_errors_of_other_instances_stop_no_evaluation(candidate: Path, tmp_path: Path) -> None:
    """The journal of two tables may hold one of another held-out set."""
    evaluate(DOMAIN, PLAN, QUICK, candidate, None, work=tmp_path)
    (journal,) = tmp_path.rglob("*.jsonl")
    row = json.loads(journal.read_text().splitlines()[0])
    other = row | {
        "run": "0" * 16,
        "instance": "1-0",
        "status": ERROR,
        "message": "not built",
    }
    journal.write_text(f"{journal.read_text()}{json.dumps(other)}\n")
    assert evaluate(DOMAIN, PLAN, QUICK, candidate, None, work=tmp_path)["pairs"] == 12
