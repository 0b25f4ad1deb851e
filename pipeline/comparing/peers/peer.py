"""What a peer is: an outside solver of one domain, and what it makes of a problem."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solver.errors import InputError


@dataclass(frozen=True)
class PeerResult:
    """What a peer made of a problem; the answer is not verified yet."""

    answer: Any
    """None if it found none."""
    seconds: float
    proved_infeasible: bool = False
    interrupted: bool = False
    """It was told to stop before its time was over."""
    trace_seconds: Sequence[float] = ()
    """When its answer became better, where it says so."""
    trace_score: Sequence[float] = ()
    """Score of each of these answers, as the domain has it; not verified."""


@dataclass(frozen=True)
class Peer:
    """An outside solver."""

    solve: Callable[..., PeerResult]
    """Called with the problem, seconds (infinite without a limit), a seed, when to stop, and the
    `options` by name."""
    module: str
    """What it imports."""
    package: str
    """What to install."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What tells runs of other ways to call it apart."""
    needs_seconds: bool = False
    """It stops at no answer by itself."""
    options: tuple[str, ...] = ()
    """Options of the domain that it must know, since they say what the best answer is."""

    def check(self, name: str, seconds: float | None) -> None:
        """Say what is missing before anything is run.

        Raises
        ------
        InputError
            If the package is not installed, or there is no time limit where it needs one.
        """
        if importlib.util.find_spec(self.module) is None:
            raise InputError(
                f"{name} needs the package {self.package} (pip install {self.package})"
            )
        if self.needs_seconds and seconds is None:
            raise InputError(f"{name} stops at no answer by itself: it needs --seconds")
