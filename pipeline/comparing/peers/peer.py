"""Peers: outside solvers of one domain each, and their results."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solver.errors import InputError


@dataclass(frozen=True)
class PeerResult:
    """Result of a peer on a problem; the answer is not verified yet."""

    answer: Any
    """None if the peer found none."""
    seconds: float
    proved_infeasible: bool = False
    interrupted: bool = False
    """True if the peer was stopped before its time was over."""
    trace_seconds: Sequence[float] = ()
    """Seconds at which the peer's answer became better, if it reports them."""
    trace_score: Sequence[float] = ()
    """Score of each of these answers, as the domain has it; not verified."""


@dataclass(frozen=True)
class Peer:
    """An outside solver."""

    solve: Callable[..., PeerResult]
    """Called with the problem, seconds (infinite without a limit), a seed, when to stop, and the
    `options` by name."""
    module: str
    """Module that the peer imports."""
    package: str
    """Package to install."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings that distinguish its runs from other ways to call it."""
    needs_seconds: bool = False
    """True if the peer does not stop by itself."""
    options: tuple[str, ...] = ()
    """Options of the domain that it must know, since they say what the best answer is."""

    def check(self, name: str, seconds: float | None) -> None:
        """Check before any run that all packages and limits are there.

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
            raise InputError(f"{name} does not stop by itself: it needs --seconds")
