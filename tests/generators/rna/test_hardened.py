"""Targets made harder: what a change leaves, and that every target has a design."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from generators.rna.hard_folds import LONGEST, SHORTEST, hard_target
from generators.rna.hardened import BEGINNINGS, Hardener, _process, changed, hardened_targets
from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.text import RnaTarget
from solver.system.datasets import dataset_path
from tests.trials.forked import Streams, status_in_fork

ROOT = Path(__file__).parents[3]
ENGINE = "vienna2"
#: A process that has started another, as for a search, and waits to be killed.
STARTER = """
import os, time
from generators.rna.hardened import _process
if __name__ == "__main__":
    print(_process("vienna2").submit(os.getpid).result(), flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_changes(kind: str) -> None:
    """A changed target is another one of at most two bases less or one more, that can be folded."""
    chance = np.random.default_rng(5)
    target = hard_target(kind, 60, 5)
    for _ in range(20):
        before, target = target, changed(target, chance)
        assert target != before
        assert -2 <= len(target) - len(before) <= 1
        assert SHORTEST <= len(target) <= LONGEST
        assert not any(hairpin in target for hairpin in ("()", "(.)", "(..)"))
        check_foldable(target, "changed")


def test_what_cannot_be_changed_stays() -> None:
    """A target of the least length without pairs has nothing to spare."""
    assert changed("." * SHORTEST, np.random.default_rng(1)) == "." * SHORTEST


@pytest.mark.slow
def test_hardened_targets_have_designs() -> None:
    """The design folds into the target; the same numbers give the same target, others another."""
    rna, hardener = load_domain("rna"), Hardener(ENGINE, "nemo", effort=40)
    made = [hardener.hardened("short-stems", 60, np.random.default_rng(s)) for s in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    for hard in made:
        problem = Problem("hard", RnaTarget(hard.target, "N" * len(hard.target)))
        rna.verify(problem, RnaDesign(hard.sequence, ENGINE))
        assert 1 <= hard.playouts <= 40


def test_no_design_within_the_effort() -> None:
    """A target that the search finds no design for is none."""
    zigzag = hard_target("zigzags", 100, 0)
    assert Hardener(ENGINE, "nemo", effort=3).design(zigzag, 0) is None


@pytest.mark.slow
def test_what_ships_has_designs() -> None:
    """Every target of the set folds from the sequence above it, and none is Eterna's."""
    rna = load_domain("rna")
    lines = dataset_path("hardened-folds.fa").read_text().splitlines()
    names, sequences, targets = lines[::3], lines[1::3], lines[2::3]
    problems = rna.benchmark("hardened-folds")
    assert [(f">{p.name}", p.data.structure) for p in problems] == list(
        zip(names, targets, strict=True)
    )
    assert len(set(targets)) == 36
    for problem, sequence in zip(problems, sequences, strict=True):
        rna.verify(problem, RnaDesign(sequence, ENGINE))
    known = {p.data.structure for p in rna.benchmark("eterna100") + rna.benchmark("eterna100-v2")}
    assert known.isdisjoint(targets)


@pytest.mark.slow
def test_the_same_numbers_make_the_same_target() -> None:
    """The first of a set is known, to the base: a search that changes makes other sets."""
    name, hard = next(hardened_targets(40, 0, ENGINE))
    assert (name, hard.sequence, hard.target) == (
        "short-stems-001",
        "CAAGAGUGCAGCCGAAUCGGAGGAAACCAAGUGCGCAAGCCAGGACUGUUG",
        "(((.(((.(..(((...))).((...))..(.((....))).).))).)))",
    )


@pytest.mark.slow
def test_forked_processes_start_others(tmp_path: Path) -> None:
    """The one that was started before has a thread to ask it in the first process alone."""
    assert _process("vienna2").submit(int, "7").result() == 7

    def ask() -> None:
        with _process("vienna2") as own:
            sys.exit(own.submit(int, "8").result())

    status = status_in_fork(ask, ["hardened"], tmp_path, Streams(tmp_path / "errors"), 30.0)
    assert (status, (tmp_path / "errors").read_text()) == (8, "")
    assert _process("vienna2").submit(int, "9").result() == 9


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc to look at")
def test_processes_end_with_one_that_is_killed() -> None:
    """No process for searches outlives who asks it."""
    words = [sys.executable, "-c", STARTER]
    with subprocess.Popen(
        words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as starter:
        assert starter.stdout is not None
        started = Path("/proc") / starter.stdout.readline().strip()
        assert (started / "cmdline").read_bytes()
        starter.kill()
    deadline = time.monotonic() + 60
    while started.exists() and (started / "cmdline").read_bytes():  # empty once it has ended
        assert time.monotonic() < deadline, "it runs on"
        time.sleep(0.01)
