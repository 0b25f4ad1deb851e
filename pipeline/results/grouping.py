"""Grouping of runs by domain, family and method into the data of a report."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

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

#: Columns of the limits of a run, by what a method is told apart by.
BUDGETS = {"playouts": "budget_playouts", "seconds": "budget_seconds"}

MethodKey = tuple[str, str, str]
"""Algorithm, prior, settings."""
Natural = list[tuple[int, float, str]]
"""Pieces of a text, numbers by their values."""


def group_runs(
    runs: pd.DataFrame,
    decision: dict[str, bool],
    instances: dict[tuple[str, str], dict[str, Instance]],
) -> list[Family]:
    """Group runs by domain, in the order of the rows, and then by family and method.

    Parameters
    ----------
    runs : DataFrame
        As of `read_runs`.
    decision : dict
        True if a domain has a target, by domain.
    instances : dict
        The problems that were kept, by domain and family, then by name.
    """
    return [
        family
        for domain, domain_runs in runs.groupby("domain", sort=False)
        for family in _families(domain_runs, decision[str(domain)], instances)
    ]


def _families(
    runs: pd.DataFrame, decision: bool, instances: dict[tuple[str, str], dict[str, Instance]]
) -> list[Family]:
    """Families of a domain by name, with numbers in numeric order."""
    methods, runs = _methods(runs)
    groups = sorted(runs.groupby("family"), key=lambda group: _natural(str(group[0])))
    return [_family(group, methods, decision, instances) for _, group in groups]


def _methods(runs: pd.DataFrame) -> tuple[list[Method], pd.DataFrame]:
    """All methods in the order of the report: searches, no prior first, then peers.

    Returns
    -------
    methods : list of Method
    runs : DataFrame
        With the place of their method among these in a column more.
    """
    settings = _settings(runs)
    keys = list(zip(runs["algorithm"], runs["prior"], settings, strict=True))
    ordered = sorted(set(keys), key=_method_order)
    variants: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for algorithm, prior, text in ordered:
        variants[algorithm, prior].append(json.loads(text))
    methods = [
        Method(*key[:2], _label(key, variants[key[:2]]), json.loads(key[2]), place)
        for place, key in enumerate(ordered)
    ]
    return methods, runs.assign(method=[ordered.index(key) for key in keys])


def _settings(runs: pd.DataFrame) -> list[str]:
    """Settings of each run, with the budget if a family has runs of several.

    Those are no sample of one method.
    """
    settings = [json.loads(text or "{}") for text in runs["settings"]]
    texts = [json.dumps(one, sort_keys=True) for one in settings]
    alike = ["family", "algorithm", "prior", "text"]
    kinds = runs.assign(text=texts)[[*alike, *BUDGETS.values()]].drop_duplicates()
    if kinds.duplicated(alike).any():
        for name, column in BUDGETS.items():
            for one, value in zip(settings, runs[column].tolist(), strict=True):
                if not pd.isna(value):
                    one[name] = value
        texts = [json.dumps(one, sort_keys=True) for one in settings]
    return texts


def _method_order(key: MethodKey) -> tuple[bool, int, str, bool, str, Natural, str]:
    algorithm, prior, settings = key
    labelled = list(LABELS)
    place = labelled.index(algorithm) if algorithm in LABELS else len(labelled)
    return prior == "", place, algorithm, prior != NO_PRIOR, prior, _natural(settings), settings


def _label(key: MethodKey, variants: list[dict[str, Any]]) -> str:
    """Readable name, with the settings that differ between methods of the same name."""
    algorithm, prior, settings = key
    label = label_of(algorithm)
    if prior:
        label += ", no prior" if prior == NO_PRIOR else f" + {prior}"
    values = json.loads(settings)
    names = sorted({name for variant in variants for name in variant})
    differing = [n for n in names if len({json.dumps(v.get(n)) for v in variants}) > 1]
    details = ", ".join(f"{n.replace('_', ' ')} {values[n]}" for n in differing if n in values)
    return f"{label} ({details})" if details else label


def _family(
    runs: pd.DataFrame,
    methods: list[Method],
    decision: bool,
    instances: dict[tuple[str, str], dict[str, Instance]],
) -> Family:
    """A family of its runs by `methods`."""
    runs = runs.sort_values("method", kind="stable")
    first = runs.iloc[0]
    proved = set(runs.loc[runs["status"] == INFEASIBLE, "instance"])
    solved = set(runs.loc[runs["solved"], "instance"])
    ran = set(runs.loc[runs["status"] != ERROR, "instance"])
    infeasible = proved - solved
    measured = runs[runs["instance"].isin(ran - infeasible)]
    tried = runs[runs["instance"].isin(infeasible)]
    family = Family(
        domain=first["domain"],
        name=first["family"],
        parameters=json.loads(first["family_parameters"] or "{}"),
        decision=decision,
        methods=_same_budget([_method_runs(*group) for group in _by_method(measured, methods)]),
        instances=instances.get((first["domain"], first["family"]), {}),
        proofs=[_proofs(*group) for group in _by_method(tried, methods)],
        infeasible=len(infeasible),
        disputed=sorted(proved & solved),
    )
    errors = runs[runs["status"] == ERROR].fillna({"message": ""})
    failed = [
        FailedRun(family.label(instance), methods[place].label, message)
        for instance, place, message in errors[["instance", "method", "message"]].values
    ]
    return replace(family, failed=failed)


def _by_method(runs: pd.DataFrame, methods: list[Method]) -> list[tuple[Method, pd.DataFrame]]:
    return [(methods[k], runs[runs["method"] == k]) for k in runs["method"].unique()]


def _proofs(method: Method, runs: pd.DataFrame) -> Proofs:
    seconds = runs.loc[runs["status"] == INFEASIBLE, "seconds"].to_numpy()
    return Proofs(method, len(seconds), len(runs), seconds)


def _natural(text: str) -> Natural:
    """Sorts "order 9" before "order 20", and 0.38 before 0.4."""
    pieces = re.split(r"(\d+(?:\.\d+)?(?:e-?\d+)?)", text)
    return [(0, float(x), "") if x[:1].isdecimal() else (1, 0.0, x) for x in pieces if x]


def _method_runs(method: Method, runs: pd.DataFrame) -> MethodRuns:
    runs = runs.sort_values(["instance", "seed"])
    traces = [
        _trace(*values)
        for values in runs[["run", "trace_playouts", "trace_seconds", "trace_score"]].values
    ]
    solved = runs["solved"].to_numpy()
    spent = runs["playouts"].to_numpy(np.float64, na_value=0.0)
    ends = zip(traces, spent, strict=True)
    last = [trace.playouts[-1] if trace.playouts.size else played for trace, played in ends]
    limit = runs["budget_playouts"].to_numpy(np.float64, na_value=np.nan)
    endless = np.full(len(runs), np.inf)
    return MethodRuns(
        method=method,
        instance=runs["instance"].to_numpy(np.str_),
        solved=solved,
        playouts=endless if method.is_peer else np.where(solved, last, np.inf),
        spent=endless if method.is_peer else spent,
        seconds=runs["seconds"].to_numpy(),
        score=np.where(np.isfinite(runs["score"]), runs["score"], np.nan),
        budget=np.inf if method.is_peer else float(np.fmax.reduce(limit)),
        limit=limit,
        budget_seconds=float(runs["budget_seconds"].max()),
        traces=traces,
        solutions=runs["solution"].fillna("").tolist(),
    )


def _same_budget(methods: list[MethodRuns]) -> list[MethodRuns]:
    """Give the methods that only time limited one budget, the most that any of them played."""
    limited_by_time = [runs for runs in methods if np.isnan(runs.budget)]
    most = max((float(runs.spent.max()) for runs in limited_by_time), default=0.0)
    return [replace(runs, budget=most) if np.isnan(runs.budget) else runs for runs in methods]


def _trace(run: str, playouts: Floats, seconds: Floats, score: Floats) -> Trace:
    """The improvements that have a finite score; a column without values stays empty."""
    kept = np.isfinite(score)

    def chosen(column: Floats) -> Floats:
        if column.size == 0 or np.isnan(column).any():
            return np.empty(0)
        if column.size != score.size:
            raise InputError(f"run {quoted(run)}: its trace columns differ in length")
        return np.asarray(column[kept], dtype=np.float64)

    return Trace(chosen(playouts), chosen(seconds), score[kept])
