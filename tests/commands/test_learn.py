"""`learn`: the same files however it is run, interrupted or killed."""

from __future__ import annotations

import errno
import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from generators import GENERATORS
from generators.latin_square import LatinSquareGenerator
from pipeline.counts import Counts, counts_from_table, merge_counts
from pipeline.learn import (
    LearnPlan,
    counts_path,
    learn_counts,
    work_folder,
    write_prior,
)
from pipeline.learn_cli import read_request
from solver.domains.latin_square import LatinSquareDomain, LatinSquareOptions
from solver.errors import InputError
from solver.priors import load_prior
from tests.commands.launch import SHARD_INSTANCES
from tests.commands.shell import Run, ended, launched, wait_until

DOMAIN = LatinSquareDomain()
INSTANCES = 23  # 5 shards, the last one shorter
OPTIONS = ["latin-square", "--order", 5, "--holes", 0.8, "--prior-code", "dual", "--seed", 4]
LONG = ["latin-square", "--order", 6, "--holes", 0.7, "--prior-code", "dual"]


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.learn.SHARD_INSTANCES", SHARD_INSTANCES)


def shards(work: Path, kind: str = "counts") -> dict[Path, int]:
    """Finished shards and when they were written, in nanoseconds."""
    found = work.glob(f"latin-square/{kind}-*/[!.]*.parquet")
    return {path: path.stat().st_mtime_ns for path in sorted(found)}


def half_written(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".part")]


def read_counts(path: Path) -> Counts:
    return counts_from_table(pq.read_table(path), DOMAIN, str(path))


class Learner:
    """Runs `learn` into a folder of its own."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.run, self.folder = run, folder
        self.work, self.out = folder / "work", folder / "prior.parquet"

    def arguments(self, options: Sequence[Any] = (), instances: int = INSTANCES) -> list[Any]:
        common = [*(options or OPTIONS), "--instances", instances]
        return [*common, "--work", self.work, "--out", self.out]

    def learn(self, *more: Any, options: Sequence[Any] = (), instances: int = INSTANCES) -> str:
        finished = self.run("learn", *self.arguments(options, instances), *more)
        assert (finished.status, finished.err) == (0, "")
        assert not half_written(self.folder)
        return finished.out

    def files(self) -> tuple[bytes, bytes]:
        return self.out.read_bytes(), counts_path(self.out).read_bytes()


@pytest.fixture
def learner(run: Run, tmp_path: Path) -> Learner:
    return Learner(run, tmp_path)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Bias table and counts made in one shard, without the command."""
    folder = tmp_path_factory.mktemp("one-shard")
    generator = LatinSquareGenerator(order=5, holes=0.8)
    plan = LearnPlan(generator, INSTANCES, 4, LatinSquareOptions(), DOMAIN.priors["dual"])
    counts = learn_counts(DOMAIN, plan, work=folder)
    write_prior(counts, 1.0, DOMAIN.priors["dual"].temperature, folder / "p.parquet")
    return (folder / "p.parquet").read_bytes(), (folder / "p.counts.parquet").read_bytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_files_do_not_depend_on_threads_or_shards(
    learner: Learner, expected: tuple[bytes, bytes], threads: int
) -> None:
    """Bias table and counts are byte for byte those of one shard and one thread."""
    learner.learn("--threads", threads)
    assert len(shards(learner.work)) == 5
    assert learner.files() == expected


def test_the_last_line_says_what_was_learned(learner: Learner) -> None:
    """It names the file, the codes in it, the instances and the decisions."""
    out = learner.learn()
    table = pq.read_table(learner.out)
    seen = sum(nb > 0 for nb in table["nb"].to_pylist())
    decisions = sum(table["count"].to_pylist())
    assert out.startswith(
        f"{learner.out}: {table.num_rows} codes ({seen} seen), 23 solved instances replayed, "
        f"0 rejected, {decisions} decisions, "
    )
    assert out.count("\n") == 1
    prior = load_prior(learner.out, DOMAIN)
    assert prior.metadata is not None
    assert prior.metadata["instances"] == 23
    assert prior.metadata["source"] == {
        "domain": "latin-square",
        "order": 5,
        "holes": 0.8,
        "squares": "uniform",
        "pattern": "random",
        "seed": 4,
    }


def test_finished_shards_are_not_made_again(
    learner: Learner, expected: tuple[bytes, bytes]
) -> None:
    """With some shards deleted, only those are made; the files stay the same."""
    learner.learn()
    before = shards(learner.work)
    generated = shards(learner.work, "solved")
    deleted = list(before)[1:4:2]
    for path in deleted:
        path.unlink()
    list(generated)[3].unlink()  # and one that its counts need
    learner.out.unlink()
    learner.learn()
    after = shards(learner.work)
    assert {path for path in after if after[path] != before[path]} == set(deleted)
    regenerated = shards(learner.work, "solved")
    changed = {path for path in regenerated if regenerated[path] != generated[path]}
    assert changed == {list(generated)[3]}
    assert learner.files() == expected


def test_what_a_kill_leaves_behind_is_not_read(
    learner: Learner, expected: tuple[bytes, bytes]
) -> None:
    """Half a shard under its temporary name does no harm."""
    learner.learn()
    path = list(shards(learner.work))[2]
    half = path.with_name(f".{path.name}.1234.part")
    half.write_bytes(path.read_bytes()[:100])
    path.unlink()
    finished = learner.run("learn", *learner.arguments())
    assert finished.status == 0
    assert len(shards(learner.work)) == 5
    assert learner.files() == expected


def test_shards_are_kept_apart(learner: Learner) -> None:
    """Other instances, or another way to replay them, do not reuse shards that do not fit."""
    learner.learn()
    first = shards(learner.work)
    learner.learn("--variables", "cells")
    assert len(shards(learner.work)) == 10
    assert len(shards(learner.work, "solved")) == 5  # the same instances
    learner.learn("--holes", 0.6)
    learner.learn("--seed", 5)
    assert len(shards(learner.work)) == 20
    assert len(shards(learner.work, "solved")) == 15
    assert {path: time for path, time in shards(learner.work).items() if path in first} == first


def test_shards_of_several_runs_can_be_merged(learner: Learner) -> None:
    """Adding the counts in shard files gives the counts of the run."""
    learner.learn()
    merged = merge_counts([read_counts(path) for path in shards(learner.work)])
    whole = read_counts(counts_path(learner.out))
    assert merged.count.tolist() == whole.count.tolist()
    assert merged.nb.tolist() == whole.nb.tolist()
    assert (merged.digest, merged.instances) == (whole.digest, 23)


def test_shards_lie_in_the_cache_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless told otherwise, shards are in the folder of what can be rebuilt."""
    monkeypatch.setenv("NESTOR_CACHE", "somewhere")
    assert work_folder() == Path("somewhere/shards")


def test_an_error_keeps_finished_shards(
    learner: Learner, expected: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a shard fails, the error is told, nothing is written, and the others are kept."""
    real = LatinSquareGenerator.generate

    def generate(self: Any, seed: int, number: int) -> Any:
        if number == 11:
            raise InputError("no such square")
        return real(self, seed, number)

    with monkeypatch.context() as patch:
        patch.setattr(LatinSquareGenerator, "generate", generate)
        failed = learner.run("learn", *learner.arguments(), "--threads", 1)
    assert (failed.status, failed.out, failed.err) == (2, "", "learn: no such square\n")
    kept = shards(learner.work)
    assert [path.stem for path in kept][:2] == ["00000000-00000005", "00000005-00000010"]
    assert "00000010-00000015" not in [path.stem for path in kept]
    assert not learner.out.exists()
    assert not half_written(learner.folder)
    learner.learn()
    assert {path: time for path, time in shards(learner.work).items() if path in kept} == kept
    assert learner.files() == expected


def test_killed_and_run_again(learner: Learner) -> None:
    """After SIGKILL the same command reuses the finished shards and gives the same files."""
    arguments = learner.arguments(LONG, instances=150)
    with launched("learn", *arguments, "--threads", 1) as process:
        wait_until(lambda: shards(learner.work), process)
        process.kill()
        assert ended(process).status == -signal.SIGKILL
    kept = shards(learner.work)
    assert 1 <= len(kept) < 30
    assert not learner.out.exists()
    # SIGKILL leaves the temporary file that was being written: the next run removes it.
    learner.learn(options=LONG, instances=150)
    assert {path: time for path, time in shards(learner.work).items() if path in kept} == kept
    fresh = Learner(learner.run, learner.folder / "fresh")
    fresh.learn(options=LONG, instances=150)
    assert learner.files() == fresh.files()


def test_ctrl_c(learner: Learner) -> None:
    """Ctrl-C ends with status 130 and one line; finished shards are kept, nothing else."""
    arguments = learner.arguments(LONG, instances=2000)
    with launched("learn", *arguments, "--threads", 2) as process:
        wait_until(lambda: len(shards(learner.work)) > 1, process)
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    kept = len(shards(learner.work))
    assert finished.status == 130
    assert finished.out + finished.err == (
        f"learn: interrupted: {kept} of 400 shards are finished and kept; "
        "the same command goes on from there\n"
    )
    assert not learner.out.exists()
    assert not counts_path(learner.out).exists()
    assert not half_written(learner.folder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--instances", 0], "instances is 0, expected 1 or more"),
        (["--threads", 0], "--threads is 0, expected 1 or more"),
        (["--seed", -1], "seed is -1, expected 0 or more"),
        (["--seed", "x"], "argument --seed: invalid int value: 'x'"),
        (["--smoothing", -1], "smoothing is -1.0, expected 0 or more"),
        (["--prior-temperature", 0], "prior temperature is 0.0, expected more than 0"),
        (["--order", 0], "order is 0, expected 1 ... 128"),
        (["--holes", 2], "holes is 2.0, expected a share of the cells, 0 ... 1"),
        (["--squares", "magic"], "squares is 'magic', expected uniform or playout"),
        (["--ties", "none"], "ties is 'none', expected random or first"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--holes", 0], "no decision was counted in 23 solved instances"),
    ],
)
def test_bad_options(learner: Learner, options: list[Any], message: str) -> None:
    """What makes no sense ends with status 2 and one line; no table is written."""
    finished = learner.run("learn", *learner.arguments(), *options)
    assert (finished.status, finished.out, finished.err) == (2, "", f"learn: {message}\n")
    assert not learner.out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: PROBLEM"),
        (["sudoku"], f"no generator for 'sudoku', expected one of: {', '.join(GENERATORS)}"),
    ],
)
def test_bad_problems(run: Run, arguments: list[str], message: str) -> None:
    """Without a known problem there is nothing to learn."""
    finished = run("learn", *arguments)
    assert (finished.status, finished.out, finished.err) == (2, "", f"learn: {message}\n")


def test_unknown_codes_are_refused(run: Run) -> None:
    """A code the domain does not have is refused with the list of those it has."""
    finished = run("learn", "latin-square", "--prior-code", "sums")
    assert finished.status == 2
    assert finished.err.startswith("learn: argument --prior-code: invalid choice: 'sums'")
    assert finished.err.count("\n") == 1
    assert all(name in finished.err for name in DOMAIN.priors)


def test_unwritable_outputs_are_refused(run: Run, tmp_path: Path) -> None:
    """Where the table cannot be written, the line says where and why."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    common = [*OPTIONS, "--instances", 5, "--work", tmp_path / "work"]
    finished = run("learn", *common, "--out", blocked / "prior.parquet")
    assert finished.status == 2
    assert finished.err.startswith(f"learn: cannot write {blocked / 'prior.counts.parquet'}: ")
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "instances"),
    [
        (["latin-square"], 10_000),
        (["samegame"], 1_000),
        (["samegame", "--effort", "20000"], 500),
        (["tsptw"], 10_000),
        (["tsptw", "--tours", "search", "--effort", "5000000"], 10),
        (["samegame", "--instances", "7"], 7),
    ],
)
def test_fewer_instances_where_each_is_searched(argv: list[str], instances: int) -> None:
    """By default learning takes minutes, not hours."""
    _, request = read_request(argv)
    assert request.plan.instances == instances


def published(learner: Learner) -> dict[str, Any]:
    """The only version in the manifest beside the table of `learner`."""
    manifest = json.loads((learner.out.parent / "manifest.json").read_text())
    (version,) = manifest["models"]["prior"]["versions"]
    found: dict[str, Any] = version
    return found


@pytest.fixture
def publisher(run: Run, tmp_path: Path) -> Learner:
    """Learns into a folder with a manifest, in which its table is published."""
    (tmp_path / "manifest.json").write_text('{"schema_version": 2, "models": {}}')
    learner = Learner(run, tmp_path)
    learner.learn()
    return learner


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prior-code", "triple"], "code 'dual', this would replace it by one with 'triple'"),
        (["--order", 6], "order 5, this would replace it by one with 6"),
        (["--holes", 0.7], "holes 0.8, this would replace it by one with 0.7"),
        (["--variables", "cells"], "variables 'sets', this would replace it by one with 'cells'"),
        (["--smoothing", 2], "smoothing 1.0, this would replace it by one with 2.0"),
        (["--prior-temperature", 2], "prior temperature 3.0, this would replace it by one with"),
        (["--instances", 22], "23 instances, this would replace it by one with 22"),
    ],
)
def test_a_published_model_is_not_replaced_by_another(
    publisher: Learner, options: list[Any], message: str
) -> None:
    """What was learned in another way, or from less, is refused before any work is done."""
    before, version = publisher.files(), published(publisher)
    work = publisher.folder / "other"
    arguments = [*publisher.arguments(), *options, "--work", work]
    finished = publisher.run("learn", *arguments)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: {publisher.out} is published with {message}")
    assert "--evaluate publishes the new table if it is not worse, --replace in any" in finished.err
    assert finished.err.count("\n") == 1
    assert not work.exists()
    assert (publisher.files(), published(publisher)) == (before, version)


def test_replacing_is_for_those_who_say_so(publisher: Learner) -> None:
    """`--replace` publishes in any case; other data learned in the same way need no option."""
    publisher.learn("--seed", 5)
    publisher.learn("--instances", 24)
    assert "published as" in publisher.learn("--instances", 5, "--replace")
    manifest = json.loads((publisher.out.parent / "manifest.json").read_text())
    versions = manifest["models"]["prior"]["versions"]
    assert [version["instances"] for version in versions] == [23, 23, 24, 5]
    assert not any("--replace" in version["command"] for version in versions)


def test_it_is_asked_again_when_publishing(
    publisher: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was published while the command was at work is not replaced either."""
    monkeypatch.setattr("pipeline.refresh.check_destination", lambda *given, **more: None)
    finished = publisher.run("learn", *publisher.arguments(), "--instances", 5)
    assert finished.status == 2
    assert "is published with 23 instances, this would replace it by one with 5" in finished.err
    assert published(publisher)["instances"] == 23


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--runner", "dask"], "--runner has no effect without --flow"),
        (["--runner=threads"], "--runner has no effect without --flow"),
        (["--evaluate", "--runner", "dask"], "--runner has no effect without --flow"),
        (["--held-out", 5], "--held-out has no effect without --evaluate or --flow"),
        (["--held-out-playouts=5"], "--held-out-playouts has no effect without --evaluate or --f"),
        (["--held-out-algorithm", "gnrpa"], "--held-out-algorithm has no effect without --eval"),
        (["--held-out-set", "order=6"], "--held-out-set has no effect without --evaluate or"),
        (["--margin", 0.1], "--margin has no effect without --evaluate or --flow"),
        (["--evaluate", "--replace"], "--replace has no effect on a table that is evaluated"),
        (["--out", ""], "--out is '.', expected a file"),
    ],
)
def test_options_without_an_effect_are_errors(
    learner: Learner, options: list[Any], message: str
) -> None:
    """Nothing is learned by somebody who thought that it would be evaluated, or run elsewhere."""
    finished = learner.run("learn", *learner.arguments(), *options)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: {message}")
    assert finished.err.count("\n") == 1
    assert not learner.work.exists()


@pytest.mark.parametrize("name", ["m.counts.parquet", "m.bias", ".m.parquet"])
def test_names_that_cannot_be_published(publisher: Learner, name: str) -> None:
    """In a folder with a manifest the file is called as the model is."""
    arguments = [*publisher.arguments()[:-1], publisher.folder / name]
    finished = publisher.run("learn", *arguments)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.count("\n") == 1
    assert not (publisher.folder / name).exists()


@pytest.mark.parametrize("blocked", ["file", "/proc/nestor"])
def test_a_work_folder_that_cannot_be_written_costs_time_only(
    learner: Learner, expected: tuple[bytes, bytes], blocked: str
) -> None:
    """The same tables, and one line that says what was not kept."""
    (learner.folder / "file").touch()
    work = learner.folder / blocked
    finished = learner.run("learn", *learner.arguments(), "--work", work)
    assert finished.status == 0
    assert finished.err.startswith(f"learn: cannot write {work}")
    assert finished.err.endswith("; going on in a temporary folder, no shard is kept\n")
    assert finished.err.count("\n") == 1
    assert learner.files() == expected


def test_a_work_folder_that_fills_up_costs_time_only(
    learner: Learner, expected: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards that were finished before there was no room are not made again."""
    real = pq.write_table

    def write(table: Any, path: Path, **options: Any) -> None:
        if path.is_relative_to(learner.work) and len(shards(learner.work)) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(table, path, **options)

    monkeypatch.setattr("pipeline.checks.pq.write_table", write)
    generated: list[int] = []
    generate = LatinSquareGenerator.generate

    def generating(self: Any, seed: int, number: int) -> Any:
        generated.append(number)
        return generate(self, seed, number)

    monkeypatch.setattr(LatinSquareGenerator, "generate", generating)
    finished = learner.run("learn", *learner.arguments(), "--threads", 1)
    assert finished.status == 0
    assert "No space left on device; going on in a temporary folder" in finished.err
    assert finished.err.count("\n") == 1
    assert learner.files() == expected
    assert generated.count(0) == 1  # of the first shard
    assert not half_written(learner.folder)


def test_a_full_folder_for_the_table_is_an_error(
    learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no other place for what was asked for: one line and status 2."""
    (learner.folder / "file").touch()
    arguments = [*learner.arguments()[:-1], learner.folder / "file" / "prior.parquet"]
    finished = learner.run("learn", *arguments)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: cannot write {learner.folder / 'file'}/prior.counts")
    assert finished.err.count("\n") == 1
