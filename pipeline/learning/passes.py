"""Passes of a fit over its decisions: questions whose answers are sums of integers.

Such sums are the same whatever the cut of the decisions and the order of the parts, so a pass may
be made by threads here (`LocalPasses`) or by other processes (`pipeline.learning.spread`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pipeline.learning.blocks import Blocks
from solver.contract.codes import PriorCode
from solver.kernels.likelihood import BINS, ONE, Block, add_gradient, judge

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

SLOPE, JUDGED, OCCURRENCES = "slope", "judged", "occurrences"


class Question(NamedTuple):
    """A sum over the decisions of some parts of the instances."""

    kind: str
    """`SLOPE`, `JUDGED` or `OCCURRENCES`."""
    parts: tuple[str, ...]
    """Names among `pipeline.learning.blocks.PARTS`."""
    odds: Floats | None = None
    """float64[rows seen]; None for `OCCURRENCES`."""


class Slope(NamedTuple):
    """Minus the log-likelihood of decisions, and its gradient, in units of 1 / `ONE`."""

    loss: int
    gradient: Int64s
    """int64[rows seen]."""


class Occurrences(NamedTuple):
    """Numbers of decisions, and how often each row was possible and right."""

    decisions: int
    possible: Int64s
    """int64[rows seen]."""
    right: Int64s
    """int64[rows seen]."""


class Judged(NamedTuple):
    """Held-out decisions under some odds, by instance, in units of 1 / `ONE`."""

    instances: npt.NDArray[np.uint64]
    """uint64[instances], in order."""
    decisions: Int64s
    """int64[instances]."""
    log_likelihood: Int64s
    """int64[instances]."""
    first: Int64s
    """int64[instances]: decisions whose most probable move is right."""
    bins: Int64s
    """int64[BINS, 3]: see `solver.kernels.likelihood.judge`."""

    @property
    def mean(self) -> float:
        """Log-likelihood a decision, nats."""
        total: int = sum(self.log_likelihood.tolist())  # may be more than an int64
        return total / ONE / max(int(self.decisions.sum()), 1)


Answer = Slope | Occurrences | Judged


class Passes(ABC):
    """Decisions that a prior is fitted to, wherever they are.

    Parameters
    ----------
    code : PriorCode
        Code, or several, whose rows are weighed.
    seen : int64[rows seen]
        Dense rows that were ever possible, in order.
    """

    def __init__(self, code: PriorCode, seen: Int64s) -> None:
        self.code = code
        self.n_rows = len(seen)
        self.code_of_row = np.searchsorted(code.first_rows, seen, side="right") - 1
        self._occurrences: dict[tuple[str, ...], Occurrences] = {}

    @abstractmethod
    def answers(self, question: Question) -> Iterable[Answer]:
        """Answers of parts of the decisions, whose sum is that of all."""

    def slope(self, parts: Iterable[str], odds: Floats) -> Slope:
        """Minus the log-likelihood of `odds`, float64[rows seen], and its gradient."""
        found = self.total(Question(SLOPE, tuple(parts), odds))
        assert isinstance(found, Slope)
        return found

    def judged(self, part: str, odds: Floats) -> Judged:
        """Judge `odds`, float64[rows seen], by the decisions of a part of the instances."""
        found = self.total(Question(JUDGED, (part,), odds))
        assert isinstance(found, Judged)
        return found

    def occurrences(self, parts: Iterable[str]) -> Occurrences:
        """Count the decisions, and the moves that were possible and right."""
        asked = tuple(parts)
        if asked not in self._occurrences:
            found = self.total(Question(OCCURRENCES, asked))
            assert isinstance(found, Occurrences)
            self._occurrences[asked] = found
        return self._occurrences[asked]

    def total(self, question: Question) -> Answer:
        """Answer of all decisions."""
        return total(question.kind, self.answers(question), self.n_rows)


class LocalPasses(Passes):
    """Decisions of this process, summed by its threads."""

    def __init__(self, blocks: Blocks, threads: int = 1) -> None:
        super().__init__(blocks.code, blocks.seen)
        self.blocks, self.threads = blocks, threads

    def answers(self, question: Question) -> Iterator[Answer]:
        """See `Passes.answers`: one answer a block."""
        blocks = self.blocks.of(question.parts)
        if self.threads == 1:
            yield from (answer_of_block(question, block, self.n_rows) for block in blocks)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            waiting = []
            for block in blocks:  # a few blocks ahead: they may be read from files
                waiting.append(pool.submit(answer_of_block, question, block, self.n_rows))
                if len(waiting) > self.threads:
                    yield waiting.pop(0).result()
            for future in waiting:
                yield future.result()


def answer_of_block(question: Question, block: Block, n_rows: int) -> Answer:
    """Answer `question` from the decisions of one block."""
    if question.kind == OCCURRENCES:
        return _occurrences(block, n_rows)
    assert question.odds is not None
    scratch = np.zeros(int(np.diff(block.end).max(initial=1)))
    if question.kind == SLOPE:
        loss, gradient = np.zeros(2, np.int64), np.zeros(n_rows, np.int64)
        add_gradient(block, question.odds, scratch, loss, gradient)
        return Slope(int(loss[0]) * ONE + int(loss[1]), gradient)
    log_likelihood, first = (np.zeros(len(block.times), np.int64) for _ in range(2))
    bins = np.zeros((BINS, 3), np.int64)
    judge(block, question.odds, scratch, log_likelihood, first, bins)
    return _by_instance([Judged(block.instance, block.times, log_likelihood, first, bins)])


def _occurrences(block: Block, n_rows: int) -> Occurrences:
    possible, right = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    times = np.repeat(block.times, np.diff(block.end))
    for rows in block.rows.T:
        np.add.at(possible, rows, times)
        np.add.at(right, rows, times * block.right)
    return Occurrences(int(block.times.sum()), possible, right)


def total(kind: str, answers: Iterable[Answer], n_rows: int) -> Answer:
    """Sum of answers to one question, of its `kind`."""
    if kind == JUDGED:
        return _by_instance([answer for answer in answers if isinstance(answer, Judged)])
    numbers, sums = 0, [np.zeros(n_rows, np.int64) for _ in range(1 if kind == SLOPE else 2)]
    for number, *arrays in answers:
        numbers += int(number)
        for so_far, array in zip(sums, arrays, strict=True):
            so_far += array
    return Slope(numbers, *sums) if kind == SLOPE else Occurrences(numbers, *sums)


def _by_instance(parts: list[Judged]) -> Judged:
    """Sum of all parts, each instance once."""
    bins = np.zeros((BINS, 3), np.int64)
    if not parts:
        none = np.zeros(0, np.int64)
        return Judged(np.zeros(0, np.uint64), none, none, none, bins)
    for part in parts:
        bins += part.bins
    every, *columns = (
        np.concatenate(arrays) for arrays in zip(*(p[:4] for p in parts), strict=True)
    )
    instances, place = np.unique(every, return_inverse=True)
    sums = [np.zeros(len(instances), np.int64) for _ in columns]
    for so_far, values in zip(sums, columns, strict=True):
        np.add.at(so_far, place, values)
    return Judged(instances, sums[0], sums[1], sums[2], bins)
