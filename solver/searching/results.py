"""Results of a search, and of the runs that it is put together from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from solver.searching.fronts import FrontMember, non_dominated


@dataclass(frozen=True)
class Trace:
    """Improvements of the best score, in the order of the playouts."""

    playouts: npt.NDArray[np.int64]
    """int64[improvements]: number of the playout, from 1."""
    score: npt.NDArray[np.float64]
    """float64[improvements]: best score from that playout on."""
    seconds: npt.NDArray[np.float64]
    """float64[improvements]: since the start, interpolated within slices of about 0.02 s."""


@dataclass(frozen=True)
class SearchResult:
    """Result of a search. Nothing is verified here, see `solver.searching.solution`."""

    score: float
    """Score of the best playout, -inf without one."""
    moves: npt.NDArray[np.int64]
    """Moves of the best playout, int64[steps]."""
    reached: bool
    """True if the domain's target score was reached."""
    exhausted: bool
    """True if the search has seen every state and the target, if there is one, in none."""
    interrupted: bool
    """True if Ctrl-C or `stop` ended the search."""
    playouts: int
    """Playouts up to the end, or up to the one that reached the target."""
    seconds: float
    """Seconds of the wall clock, compiling not counted; up to the target if it was reached."""
    trace: Trace
    """Improvements of the best score."""
    proof: str = ""
    """Way in which a run that is `exhausted` proved that there is no solution, where it says so."""
    front: tuple[FrontMember, ...] = ()
    """Playouts that none dominates, of searches for fronts."""


def nothing_found() -> SearchResult:
    """Result of a search that was never begun."""
    none = np.zeros(0, np.int64)
    trace = Trace(none, np.zeros(0), np.zeros(0))
    return SearchResult(-np.inf, none, False, False, False, 0, 0.0, trace)


@dataclass
class RunResult:
    """One finished, cut short or never started run."""

    playouts: int = 0
    score: float = -np.inf
    moves: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    reached: bool = False
    exhausted: bool = False
    """Every state was seen, so that no other run can find the target."""
    seconds: float = np.inf
    """Time of its end, if the target was reached or no state is left."""
    complete: bool = False
    proof: str = ""
    front: list[FrontMember] = field(default_factory=list)
    trace: list[tuple[int, float, float]] = field(default_factory=list)

    @property
    def final(self) -> bool:
        """True if no later run can add anything."""
        return self.reached or self.exhausted


def merge(results: list[RunResult], elapsed: float, interrupted: bool) -> SearchResult:
    """Put the runs one behind the other; ties between scores go to the first run."""
    playouts, seconds = 0, 0.0
    found = results[-1] if results and results[-1].reached else None
    best = found or RunResult()
    trace: list[tuple[int, float, float]] = []
    for result in results:
        if result.reached and result is not found:  # another thread's, a moment later
            playouts += result.playouts
            continue
        for at, score, when in result.trace:
            if not trace or score > trace[-1][1]:
                seconds = max(seconds, when)
                trace.append((playouts + at, score, seconds))
        if result.score > best.score:
            best = result
        playouts += result.playouts
    columns = list(zip(*trace, strict=True)) or [(), (), ()]
    exhausted = any(result.exhausted for result in results)
    proofs = [result.proof for result in results if result.exhausted]
    return SearchResult(
        score=best.score,
        moves=best.moves,
        reached=best.reached,
        exhausted=exhausted and not best.reached,
        interrupted=interrupted and not (best.reached or exhausted),
        playouts=playouts,
        seconds=seconds if best.reached else elapsed,
        trace=Trace(
            np.array(columns[0], np.int64), np.array(columns[1], float), np.array(columns[2], float)
        ),
        proof=proofs[0] if proofs and not best.reached else "",
        front=non_dominated([member for result in results for member in result.front]),
    )
