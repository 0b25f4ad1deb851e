"""Targets made harder step by step, each with a design: `python -m generators.rna.hardened`.

Most targets made at random are easy, or have no design at all. A target between the two is made
from an easy one: a pair less, an unpaired base less, a bulge more, as long as a search still finds
a design and not much sooner than before. So every target has a design, which survived a search.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from generators.rna.hard_folds import KINDS, LONGEST, SHORTEST, hard_target
from solver.algorithms import Cegls
from solver.commands.options import new_parser, run_command
from solver.contract.domain import Problem
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import RnaDomain
from solver.domains.rna.engines import ENGINES
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.text import RnaTarget, pair_partners
from solver.errors import InputError, UnsolvableError
from solver.priors.priors import named_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.forks import lock_over_forks

#: Lengths of the targets to learn from, before they are changed, drawn evenly by their logarithm.
LENGTHS = (50, 160)
#: Kinds of targets to begin with; no zigzag of bulges has been designed yet.
BEGINNINGS = [kind for kind in KINDS if kind != "zigzags"]
#: Changes tried to a target, and checks of the search after each.
CHANGES, EFFORT = 24, 300
#: Places that a change is tried at.
MOST_TRIES = 10_000
#: A target that took fewer checks is changed twice at once.
EASY = 10
#: A change is kept if the search takes this share of the checks that it took before, or more.
KEPT = 0.5
#: Share of that number that is remembered when a change made the target easier.
REMEMBERED = 0.7


class Hardened(NamedTuple):
    """A target with a design."""

    target: str
    sequence: str
    playouts: int
    """Checks that the search for the design took."""


@dataclass(frozen=True)
class Hardener:
    """A search that targets are made hard for.

    Parameters
    ----------
    engine : str
        Engine that folds the designs.
    guide : str
        Name of the prior of the search.
    effort : int
        Checks of the search, at most.
    """

    engine: str
    guide: str
    effort: int = EFFORT

    def design(self, target: str, seed: int) -> Hardened | None:
        """`target` with a design, None where the search finds none."""
        domain = RnaDomain()
        found = solve(
            domain, Problem("target", RnaTarget(target, "N" * len(target))),
            domain.options(engine=self.engine), Cegls(), Budget(playouts=self.effort),
            prior=self._prior, seed=seed,
        )  # fmt: skip
        if not found.solved:
            return None
        return Hardened(target, found.answer.sequence, found.search.playouts)

    @functools.cached_property
    def _prior(self) -> Any:
        return named_prior(self.guide, RnaDomain()).table

    def hardened(self, kind: str, length: int, chance: np.random.Generator) -> Hardened:
        """Make a target of `kind` and of about `length` bases, and change it `CHANGES` times."""
        hard = None
        while hard is None:
            hard = self.design(hard_target(kind, length, _drawn(chance)), _drawn(chance))
        checks = float(hard.playouts)
        for _ in range(CHANGES):
            target = changed(hard.target, chance)
            if checks < EASY:
                target = changed(target, chance)
            found = self.design(target, _drawn(chance))
            if found is not None and found.playouts >= KEPT * checks:
                hard, checks = found, max(found.playouts, REMEMBERED * checks)
        return hard


def _drawn(chance: np.random.Generator) -> int:
    """A seed."""
    return int(chance.integers(2**32))


def changed(target: str, chance: np.random.Generator) -> str:
    """`target` with a pair less, an unpaired base less or a bulge more; as it is if it has none."""
    partners = pair_partners(target, "target")
    for _ in range(MOST_TRIES):
        change, position = int(chance.integers(3)), int(chance.integers(len(target)))
        partner = partners[position]
        without = target[:position] + target[position + 1 :]
        if change == 0 and partner > position:
            target_now = without[: partner - 1] + without[partner:]
        elif change == 1 and partner < 0:
            target_now = without
        elif change == 2 and partner >= 0 and position > 0 and partners[position - 1] >= 0:
            target_now = target[:position] + "." + target[position:]
        else:
            continue
        if SHORTEST <= len(target_now) <= LONGEST and _is_possible(target_now):
            return target_now
    return target


def _is_possible(target: str) -> bool:
    """Return whether hairpins have three bases or more, and every loop can be formed."""
    if any(hairpin in target for hairpin in ("()", "(.)", "(..)")):
        return False
    try:
        check_foldable(target, "target")
    except UnsolvableError:
        return False
    return True


def _hard_design(engine: str, guide: str, seed: int, number: int) -> tuple[str, Hardened]:
    kind = BEGINNINGS[number // len(ENGINES) % len(BEGINNINGS)]
    chance = np.random.default_rng([seed, number])
    length = int(np.exp(chance.uniform(*np.log(LENGTHS))))
    return kind, Hardener(engine, guide).hardened(kind, length, chance)


def hard_design(guide: str, seed: int, number: int) -> tuple[Problem, RnaDesign]:
    """Return target `number` of `seed` with a design by the prior `guide`; engines take turns.

    Each engine has a process of its own, in which no other is loaded.
    """
    engine = list(ENGINES)[number % len(ENGINES)]
    kind, hard = _process(engine).submit(_hard_design, engine, guide, seed, number).result()
    target = RnaTarget(hard.target, "N" * len(hard.target))
    return Problem(f"{kind}-{seed}-{number}", target), RnaDesign(hard.sequence, engine)


#: By engine and by the process that started it: forked ones have no thread that would ask it.
_processes: dict[tuple[str, int], ProcessPoolExecutor] = {}
_lock = lock_over_forks()


def _process(engine: str) -> ProcessPoolExecutor:
    """A process for the searches with `engine`; Ctrl-C is for the one that waits for it."""
    with _lock:
        key = (engine, os.getpid())
        if key not in _processes:
            context = multiprocessing.get_context("spawn")
            _processes[key] = ProcessPoolExecutor(1, context, initializer=_begin_process)
        return _processes[key]


def _begin_process() -> None:
    """Leave Ctrl-C to the process that waits for this one, and end with it even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def hardened_targets(
    count: int, seed: int, engine: str, first: int = 0
) -> Iterator[tuple[str, Hardened]]:
    """Yield names and targets with designs, from number `first` on: kinds in turn, short to long.

    The search has a prior made by hand, so that no learned one is measured on what it made hard.
    """
    hardener = Hardener(engine, "nemo")
    lengths = np.geomspace(SHORTEST * 1.1, LONGEST / 1.1, max(count, 1))
    for number in range(first, count):
        kind = BEGINNINGS[number % len(BEGINNINGS)]
        chance = np.random.default_rng([seed, number])
        yield f"{kind}-{number + 1:03}", hardener.hardened(kind, int(lengths[number]), chance)


def run(argv: Sequence[str]) -> int:
    """Write targets, and designs above them, to stdout; returns the exit status."""
    parser = new_parser("python -m generators.rna.hardened", __doc__ or "", "")
    parser.add_argument("--count", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", default="vienna2", choices=list(ENGINES))
    parser.add_argument("--first", type=int, default=0, metavar="K", help="begin with that one")
    arguments = parser.parse_args(argv)
    for name in ("count", "seed", "first"):
        if getattr(arguments, name) < 0:
            raise InputError(f"--{name} is {getattr(arguments, name)}, expected 0 or more")
    made = hardened_targets(arguments.count, arguments.seed, arguments.engine, arguments.first)
    for name, hard in made:
        sys.stdout.write(f">{name}\n{hard.sequence}\n{hard.target}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    run_command("hardened", run)
