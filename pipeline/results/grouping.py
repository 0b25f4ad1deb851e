"""Rows of runs, grouped by domain, family and method into what a report is made of."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from pipeline.results.data import (
    LABELS,
    NO_PRIOR,
    FailedRun,
    Family,
    Instance,
    Method,
    MethodRuns,
    Proofs,
    Trace,
    label_of,
)
from pipeline.results.statistics import Floats
from pipeline.tables.runs import ERROR, INFEASIBLE
from solver.errors import InputError, quoted


def group_runs(
    rows: list[dict[str, Any]],
    decision: dict[str, bool],
    instances: dict[tuple[str, str], dict[str, Instance]],
) -> list[Family]:
    """Group rows of runs by domain, in the order of the rows, and then by family and method.

    Parameters
    ----------
    decision : whether a domain has a target, by domain
    instances : the problems that were kept, by domain and family, then by name
    """
    families = []
    for domain in dict.fromkeys(row["domain"] for row in rows):
        own = [row for row in rows if row["domain"] == domain]
        families += _families(own, _methods(own), decision.get(domain, True), instances)
    return families


def _method_key(row: dict[str, Any]) -> tuple[str, str, str]:
    settings = json.dumps(json.loads(row["settings"] or "{}"), sort_keys=True)
    return row["algorithm"], row["prior"] or "", settings


def _methods(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], Method]:
    """All methods in the order of the report: searches, no prior first, then peers."""
    order = list(LABELS)
    keys = sorted(
        {_method_key(row) for row in rows},
        key=lambda key: (
            key[1] == "",
            order.index(key[0]) if key[0] in order else len(order),
            key[0],
            key[1] != NO_PRIOR,
            key[1:],
        ),
    )
    variants: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for algorithm, prior, settings in keys:
        variants[algorithm, prior].append(json.loads(settings))
    return {
        key: Method(*key[:2], _label(key, variants[key[:2]]), json.loads(key[2]), index)
        for index, key in enumerate(keys)
    }


def _label(key: tuple[str, str, str], variants: list[dict[str, Any]]) -> str:
    """Readable name, with the settings that differ between methods of the same name."""
    algorithm, prior, settings = key
    label = label_of(algorithm)
    if prior:
        label += ", no prior" if prior == NO_PRIOR else f" + {prior}"
    mine = json.loads(settings)
    names = sorted({name for variant in variants for name in variant})
    differing = [n for n in names if len({json.dumps(v.get(n)) for v in variants}) > 1]
    said = ", ".join(f"{n.replace('_', ' ')} {mine[n]}" for n in differing if n in mine)
    return f"{label} ({said})" if said else label


def _families(
    rows: list[dict[str, Any]],
    methods: dict[tuple[str, str, str], Method],
    decision: bool,
    instances: dict[tuple[str, str], dict[str, Instance]],
) -> list[Family]:
    """Families by name, with numbers in numeric order."""
    grouped: dict[tuple[str, str], dict[int, list[dict[str, Any]]]] = {}
    for row in rows:
        family = grouped.setdefault((row["domain"], row["family"]), defaultdict(list))
        family[methods[_method_key(row)].index].append(row)
    ordered = list(methods.values())
    return [
        _family(key, group, ordered, decision, instances.get(key, {}))
        for key, group in sorted(grouped.items(), key=lambda item: _natural(item[0]))
    ]


def _family(
    key: tuple[str, str],
    group: dict[int, list[dict[str, Any]]],
    methods: list[Method],
    decision: bool,
    instances: dict[str, Instance],
) -> Family:
    """A family of the rows of each method, by its number among `methods`."""
    rows = [row for index in sorted(group) for row in group[index]]
    proved = {row["instance"] for row in rows if row["status"] == INFEASIBLE}
    solved = {row["instance"] for row in rows if row["solved"]}
    ran = {row["instance"] for row in rows if row["status"] != ERROR}
    infeasible = proved - solved
    counted = {
        index: [row for row in group[index] if row["instance"] in ran - infeasible]
        for index in sorted(group)
    }
    family = Family(
        domain=key[0],
        name=key[1],
        parameters=json.loads(rows[0]["family_parameters"] or "{}"),
        decision=decision,
        methods=_same_budget(
            [_method_runs(methods[index], own) for index, own in counted.items() if own]
        ),
        instances=instances,
        proofs=[
            _proofs(methods[index], group[index], infeasible)
            for index in sorted(group)
            if infeasible
        ],
        infeasible=len(infeasible),
        disputed=sorted(proved & solved),
    )
    failed = [
        FailedRun(family.label(row["instance"]), methods[index].label, row["message"] or "")
        for index in sorted(group)
        for row in group[index]
        if row["status"] == ERROR
    ]
    return replace(family, failed=failed)


def _proofs(method: Method, rows: list[dict[str, Any]], infeasible: set[str]) -> Proofs:
    tried = [row for row in rows if row["instance"] in infeasible]
    seconds = [row["seconds"] for row in tried if row["status"] == INFEASIBLE]
    return Proofs(method, len(seconds), len(tried), np.array(seconds, dtype=np.float64))


def _natural(key: tuple[str, str]) -> list[tuple[int, float, str]]:
    """Sorts "order 9" before "order 20", and 0.38 before 0.4."""
    pieces = re.split(r"(\d+(?:\.\d+)?)", "\n".join(key))
    return [(0, float(x), "") if x[:1].isdigit() else (1, 0.0, x) for x in pieces if x]


def _method_runs(method: Method, rows: list[dict[str, Any]]) -> MethodRuns:
    rows = sorted(rows, key=lambda row: (row["instance"], row["seed"]))
    traces = [_trace(row) for row in rows]
    spent = [float(row["playouts"] or 0) for row in rows]
    limit = [np.nan if row["budget_playouts"] is None else row["budget_playouts"] for row in rows]
    limits = [row["budget_seconds"] for row in rows if row["budget_seconds"] is not None]
    to_solve = [
        (trace.playouts[-1] if trace.playouts.size else played) if row["solved"] else np.inf
        for row, trace, played in zip(rows, traces, spent, strict=True)
    ]
    return MethodRuns(
        method=method,
        instance=np.array([row["instance"] for row in rows], dtype=np.str_),
        solved=np.array([row["solved"] for row in rows], dtype=np.bool_),
        playouts=np.full(len(rows), np.inf) if method.is_peer else np.array(to_solve, np.float64),
        spent=np.full(len(rows), np.inf) if method.is_peer else np.array(spent),
        seconds=np.array([row["seconds"] for row in rows], dtype=np.float64),
        score=np.array([_finite(row["score"]) for row in rows], dtype=np.float64),
        budget=np.inf if method.is_peer else float(np.fmax.reduce(limit)),
        limit=np.array(limit, dtype=np.float64),
        budget_seconds=max(limits) if limits else np.nan,
        traces=traces,
        solutions=[row["solution"] for row in rows],
    )


def _same_budget(methods: list[MethodRuns]) -> list[MethodRuns]:
    """Give the methods that only time limited one budget, the most that any of them played."""
    limited_by_time = [runs for runs in methods if np.isnan(runs.budget)]
    most = max((float(runs.spent.max()) for runs in limited_by_time), default=0.0)
    return [replace(runs, budget=most) if np.isnan(runs.budget) else runs for runs in methods]


def _finite(score: float | None) -> float:
    return score if score is not None and np.isfinite(score) else np.nan


def _trace(row: dict[str, Any]) -> Trace:
    """The improvements that have a finite score; a column without values stays empty."""
    names = ("trace_playouts", "trace_seconds", "trace_score")
    playouts, seconds, score = (
        np.array([np.nan if x is None else x for x in row[name] or []], dtype=np.float64)
        for name in names
    )
    kept = np.isfinite(score)

    def chosen(column: Floats) -> Floats:
        if column.size == 0 or np.isnan(column).any():
            return np.empty(0)
        if column.size != score.size:
            raise InputError(f"run {quoted(row['run'])}: its trace columns differ in length")
        return np.asarray(column[kept])

    return Trace(chosen(playouts), chosen(seconds), score[kept])
