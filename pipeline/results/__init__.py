"""Results of runs: reading, grouping, targets, statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.results.decisions import read_decisions
    from pipeline.results.runs import read_runs

__all__ = ["read_decisions", "read_runs"]


def __getattr__(name: str) -> Any:
    """Load a reader (PEP 562): pandas takes a second, which statistics do not need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pipeline.results import decisions, runs

    return getattr(runs if name == "read_runs" else decisions, name)
