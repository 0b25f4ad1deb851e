"""Requests of a command that have an effect on some of its targets, or on none."""

from __future__ import annotations

from collections.abc import Sequence

from solver.domains.rna.plans.documents import plan_of
from solver.domains.rna.requests.options import RnaRequests, requests_for
from solver.domains.rna.text import RnaTarget
from solver.errors import FieldError


def check_effects(targets: Sequence[RnaTarget], requests: RnaRequests) -> None:
    """Raise `FieldError` if a request has no effect on any of `targets`.

    Each target counts with its own requests: a table may have the column that another request
    needs.
    """
    own = [requests_for(target, requests) for target in targets]
    if not any(asked.designs > 1 for asked in own):
        if requests.min_distance > 1:
            raise FieldError("min_distance", "is between designs: it needs 2 designs or more")
        if requests.max_shared and not requests.apart_from:
            complaint = "is between designs: it needs 2 designs or more, or --apart-from"
            raise FieldError("max_shared", complaint)
    if not any(asked.protein for asked in own):
        for field in ("codon_usage", "genetic_code"):
            if getattr(requests, field) != getattr(RnaRequests, field):
                raise FieldError(field, "has no effect without --protein")
    if requests.within != RnaRequests.within and not any(map(_has_several, targets)):
        raise FieldError("within", "is for switches, and no target has several structures")


def _has_several(target: RnaTarget) -> bool:
    """Return whether a target, or a state of it, has several structures."""
    if target.plan:
        return any(len(state.structures) > 1 for state in plan_of(target.plan).states)
    return bool(target.others)
