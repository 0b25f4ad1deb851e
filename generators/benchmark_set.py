"""Benchmark sets that ship, in the place of generated instances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from solver.commands.subjects import find_subject
from solver.errors import InputError

if TYPE_CHECKING:
    from solver.contract.domain import Problem


@dataclass(frozen=True)
class BenchmarkSet:
    """Problems of a set, numbered in its order; their answers are not known.

    Parameters
    ----------
    name : str
        Name for `solver.commands.subjects.find_subject`.
    """

    name: str

    @cached_property
    def _problems(self) -> list[Problem]:
        subject = find_subject(self.name)
        return subject.domain.benchmark(subject.benchmark or self.name)

    @property
    def n_available(self) -> int:
        """Number of problems in the set."""
        return len(self._problems)

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        return self.name

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {"set": self.name}

    def generate(self, seed: int, number: int) -> tuple[Problem, None]:
        """Return problem `number`; `seed` has no say."""
        problems = self._problems
        if number >= len(problems):
            raise InputError(f"{self.name} has {len(problems)} problems, expected {number + 1}")
        return problems[number], None
