"""Sets that candidates of an exact cover share: one at most, or any number.

Where two candidates share one set at most, the sets that another set's candidate covers need not be
looked at: up to a fifth of a playout of Latin squares. A cover is compiled for one of the two
classes. Covers and their states are those of `solver.propagation.exact_cover`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.generic import generic


class OneShared(NamedTuple):
    """Candidates lack no set, and two of them share one at most."""

    unused: int = 0


class AnyShared(NamedTuple):
    """Candidates may lack sets, and share several."""

    unused: int = 0


@generic
def reset_covered(sharing: Any, state: Any) -> None:
    """Let no set be covered."""


@reset_covered.register(OneShared)
def _reset_nothing(sharing: Any, state: Any) -> None:
    pass


@reset_covered.register(AnyShared)
def _reset_covered(sharing: Any, state: Any) -> None:
    last = len(state.covered) - 1
    for item in range(last):
        state.covered[item] = 0
    state.covered[last] = 1


@generic
def is_apart(sharing: Any, cover: Any, state: Any, candidate: int, kind: int, way: int) -> bool:
    """True if the set of `kind` keeps `candidate`, which is removed through its set `way`."""
    raise NotImplementedError


@is_apart.register(OneShared)
def _is_the_way(sharing: Any, cover: Any, state: Any, candidate: int, kind: int, way: int) -> bool:
    return kind == way


@is_apart.register(AnyShared)
def _is_covered(sharing: Any, cover: Any, state: Any, candidate: int, kind: int, way: int) -> bool:
    return bool(state.covered[cover.sets[candidate, kind]])


@generic
def note_covered(sharing: Any, cover: Any, state: Any, item: int, value: int) -> bool:
    """Note if set `item` is covered; False for what is no set."""
    raise NotImplementedError


@note_covered.register(OneShared)
def _keep_nothing(sharing: Any, cover: Any, state: Any, item: int, value: int) -> bool:
    return True


@note_covered.register(AnyShared)
def _keep_covered(sharing: Any, cover: Any, state: Any, item: int, value: int) -> bool:
    if item == len(cover.size):
        return False
    state.covered[item] = value
    return True
