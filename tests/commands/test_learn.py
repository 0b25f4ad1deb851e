"""`learn`: the same files however it is run, interrupted or killed."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generators.latin_square import LatinSquareGenerator
from pipeline.commands.learn import read_request
from pipeline.learning.counts import Counts, counts_from_table, merge_counts
from pipeline.learning.learn import counts_path, replay_shard, work_folder
from solver.commands.announce import USUAL
from solver.errors import InputError
from solver.priors.priors import load_prior
from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.learner import (
    DOMAIN,
    INSTANCES,
    LONG,
    OPTIONS,
    Learner,
    expected,
    half_written,
    learner,
    shards,
    small_shards,
)
from tests.commands.shell import KNOWN, Run, ended, launched, wait_until

__all__ = ["expected", "learner", "small_shards"]


def read_counts(path: Path) -> Counts:
    return counts_from_table(pq.read_table(path), DOMAIN, str(path))


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


def test_solved_instances_that_were_damaged_are_made_again(
    learner: Learner, expected: tuple[bytes, bytes]
) -> None:
    """Two answers that are exchanged would still be squares."""
    learner.learn()
    (path, *_) = shards(learner.work, "solved")
    sound = path.read_bytes()
    table = pq.read_table(path)
    names = table["name"].to_pylist()
    exchanged = table.set_column(0, table.schema.field(0), pa.array([*names[1:], names[0]]))
    pq.write_table(exchanged.replace_schema_metadata(table.schema.metadata), path)
    for counted in shards(learner.work):
        counted.unlink()
    learner.out.unlink()
    learner.learn()
    assert path.read_bytes() == sound
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
    """An error in a shard is reported, no table is written, and other shards are kept."""
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


def test_ctrl_c_in_the_last_shard(
    learner: Learner, expected: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shard is finished, but no table is made of it before the command is run again."""

    def replay(domain: Any, plan: Any, numbers: range, work: Path) -> Any:
        shard = replay_shard(domain, plan, numbers, work)
        if numbers.stop == INSTANCES:
            signal.raise_signal(signal.SIGINT)
        return shard

    with monkeypatch.context() as patch:
        patch.setattr("pipeline.learning.learn.replay_shard", replay)
        finished = learner.run("learn", *learner.arguments())
    message = "5 of 5 shards are finished and kept; the same command goes on from there\n"
    assert (finished.status, finished.out) == (130, "")
    assert finished.err == f"learn: interrupted: {message}"
    assert not learner.out.exists()
    kept = shards(learner.work)
    learner.learn()
    assert shards(learner.work) == kept
    assert learner.files() == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--instances", 0], "--instances is 0, expected 1 or more"),
        (["--threads", 0], "--threads is 0, expected 1 or more"),
        (["--seed", -1], "--seed is -1, expected 0 or more"),
        (["--seed", "x"], "--seed is 'x', expected a whole number"),
        (["--smoothing", -1], "--smoothing is -1.0, expected 0 or more"),
        (["--prior-temperature", 0], "--prior-temperature is 0.0, expected more than 0"),
        (["--order", 0], "--order is 0, expected 1 ... 128"),
        (["--holes", 2], "--holes is 2.0, expected 0 ... 1 of the cells"),
        (["--squares", "magic"], "--squares is 'magic', expected uniform or playout"),
        (["--ties", "none"], "--ties is 'none', expected random or first"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--holes", 0], "no decision was counted in 23 solved instances"),
    ],
)
def test_bad_options(learner: Learner, options: list[Any], message: str) -> None:
    """Invalid options end with status 2 and one line; no table is written."""
    finished = learner.run("learn", *learner.arguments(), *options)
    assert (finished.status, finished.out, finished.err) == (2, "", f"learn: {message}\n")
    assert not learner.out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: PROBLEM"),
        (["nonogram"], f"no problem or game called 'nonogram', expected one of: {KNOWN}"),
        (
            ["hexx", "--size", 3],
            f"no problem or game called 'hexx' (did you mean hex?), expected one of: {KNOWN}",
        ),
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
    assert finished.err.startswith("learn: --prior-code is 'sums'")
    assert finished.err.count("\n") == 1
    assert all(name in finished.err for name in DOMAIN.priors)


def test_unwritable_outputs_are_refused(run: Run, tmp_path: Path) -> None:
    """An unwritable table is refused by a line that says where and why."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    common = [*OPTIONS, "--instances", 5, "--work", tmp_path / "work"]
    finished = run("learn", *common, "--out", blocked / "prior.parquet")
    assert finished.status == 2
    assert finished.err.startswith(f"learn: cannot write {blocked / 'prior.counts.parquet'}: ")
    assert finished.err.count("\n") == 1
    assert finished.err.endswith(f": {blocked} is a file, expected a folder\n")
    assert not (tmp_path / "work").exists()  # it is told before the work


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
    """Default numbers of instances make learning take minutes, not hours."""
    _, request = read_request(argv)
    assert request.instances == instances


def test_ctrl_c_while_kernels_compile(learner: Learner, tmp_path: Path) -> None:
    """It is said that kernels are compiled; Ctrl-C ends that, and no shard is begun."""
    environment = {KERNELS_VARIABLE: str(tmp_path / "kernels")}
    arguments = learner.arguments(LONG, instances=2000)
    with launched("learn", *arguments, environment=environment) as process:
        assert process.stderr is not None
        announced = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert announced == f"compiling for latin-square, learning: {USUAL}\n"
    assert (finished.status, finished.out, finished.err) == (130, "", "learn: interrupted\n")
    assert not shards(learner.work)
