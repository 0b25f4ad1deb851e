"""Summary of a run of `learn`: checks, measurements and decision, as JSON and Markdown."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pipeline.learning.counts import Counts
from pipeline.tables.checks import Check
from solver.system.files import replacing

#: Signs that mean something in a table of Markdown.
SPECIAL = re.compile(r"[\\`*\[\]<>|~&]")

Tally = dict[str, Any]
"""Files of one kind: how many, how many of them made now, and per check passed and failed."""


def tally(files: Iterable[tuple[bool, list[Check]]]) -> Tally:
    """Add up the checks of files of one kind; `made` says which were made now."""
    number, made = 0, 0
    passed: Counter[str] = Counter()
    failed: list[dict[str, Any]] = []
    for is_made, checks in files:
        number += 1
        made += is_made
        passed.update(check.name for check in checks if check.passed)
        failed += [asdict(check) for check in checks if not check.passed]
    return {"files": number, "made": made, "passed": dict(passed), "failed": failed}


def add_tallies(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of parts of the files."""
    total: Tally = {"files": 0, "made": 0, "passed": Counter(), "failed": []}
    for one in tallies:
        for name in ("files", "made"):
            total[name] += one[name]
        total["passed"].update(one["passed"])
        total["failed"] += one["failed"]
    return {**total, "passed": dict(total["passed"])}


def coverage(counts: Counts, rows: int) -> dict[str, Any]:
    """Size of a table and the seen share of its code; `rows` are those of the bias table."""
    seen = int((counts.nb > 0).sum())
    return {
        "codes": counts.prior.rows,
        "seen": seen,
        "rows": rows,
        "seen_share": round(seen / counts.prior.rows, 6),
        "instances": counts.instances,
        "rejected": counts.n_rejected,
        "decisions": decisions_of(counts),
    }


def decisions_of(counts: Counts) -> int:
    """Number of decisions: each has a move that was played, with a row of each code."""
    return int(counts.count.sum()) // len(counts.prior.singles)


def fit_lines(facts: Mapping[str, Any]) -> list[str]:
    """Say in a few lines what a fit came to, and what each code is worth."""
    ended = "" if facts["converged"] else ", ended before it converged"
    lines = [f"fit: L2 {facts['l2']:g}, {facts['passes']} passes{ended}"]
    held_out = facts.get("held_out")
    if held_out is None:
        return [f"{lines[0]}; too few held-out instances to judge it"]
    lines.append(
        f"held out, {held_out['decisions']:,} decisions of {held_out['instances']:,} instances: "
        f"{_likelihood(held_out)}; any move alike {_likelihood(held_out['uniform'])}; "
        f"probabilities are off by {held_out['calibration']['error']:.3f}"
    )
    for told in held_out["codes"]:
        counted = told["frequencies"]
        line = f"  {told['code']}: "
        if "alone" in told:
            line += f"alone {_likelihood(told['alone'])}; "
        line += f"frequencies at {counted['temperature']:g} {_likelihood(counted)}"
        if "gain" in told:
            gain = told["gain"]
            line += f"; worth {gain['value']:.4f} ({gain['low']:.4f} to {gain['high']:.4f}) nats"
            line += "" if gain["low"] > 0 else ", no more than chance: leave it out"
        lines.append(line)
    return lines


def tuned_lines(facts: Mapping[str, Any]) -> list[str]:
    """Say in a line which parameters won a race, and how sure that is."""
    chosen = ", ".join(f"{name.replace('_', ' ')} {v}" for name, v in facts["chosen"].items())
    raced = len(facts["rounds"][0]["arms"])
    line = f"tuned for {facts['algorithm']}: {chosen}, of {raced} that raced"
    temperatures = [arm["temperature"] for arm in facts["rounds"][0]["arms"]]
    if raced > 1 and facts["chosen"]["temperature"] == max(temperatures):
        line += ", the highest temperature of all: give --tune-parameters higher ones"
    gain = facts["gain"]
    if gain is None:
        return [f"{line}, as without a race"]
    before = ", ".join(f"{name.replace('_', ' ')} {v}" for name, v in gain["over"].items())
    told = f"{gain['informative']} of {gain['pairs']} instances tell"
    if gain["gain"] is None:
        return [f"{line}; over {before}: {told}"]
    value, low, high = (gain["gain"][name] for name in ("value", "low", "high"))
    gained = f"{value:.3f} ({low:.3f} to {high:.3f}) {gain['unit']}"
    return [f"{line}; gain over {before}: {gained}, {told}"]


def rounds_lines(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say in a line for each round what it brought."""
    lines = []
    for one in facts:
        line = f"round {one['round']}: {one['instances']:,} instances"
        if one.get("set"):
            line += f", to {one['set']}"
        if "solved" in one:
            line += f", {100 * one['solved']:.0f} % solved"
        if one.get("log_likelihood"):
            line += f", {_likelihood(one)}"
        if one.get("gain"):
            value, low, high = (one["gain"][name] for name in ("value", "low", "high"))
            line += f"; gain over the last {value:.3f} ({low:.3f} to {high:.3f}) {one['unit']}"
        if "verdict" in one:
            line += f": {one['verdict']}"
        lines.append(line)
    return lines


def _likelihood(facts: Mapping[str, Any]) -> str:
    top = facts["top_1"]["value"]
    return f"{facts['log_likelihood']['value']:.4f} nats, {100 * top:.1f} % right at first"


def write_summary(path: Path, summary: Mapping[str, Any]) -> None:
    """Write `summary` as JSON to `path`, and as Markdown beside it."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    with replacing(path.with_suffix(".md")) as temporary:
        temporary.write_text(markdown(summary), encoding="utf-8")


def markdown(summary: Mapping[str, Any]) -> str:
    """Return `summary` as a page."""
    lines = [
        f"# {summary['model']}: {summary['outcome']}",
        "",
        f"`{summary['command']}`, begun {summary['started']}, {summary['seconds']} s.",
        "",
        "## Table",
        "",
        *_rows(table_rows(summary)),
        "",
    ]
    if summary.get("fit"):
        lines += ["## Fit", "", *(f"- {line.strip()}" for line in fit_lines(summary["fit"])), ""]
    if summary.get("tuned"):
        lines += ["## Temperature", "", *tuned_lines(summary["tuned"]), ""]
    if summary.get("evaluation"):
        lines += ["## Evaluation", "", *_rows(evaluation_rows(summary["evaluation"])), ""]
    lines += ["## Checks", "", *_rows(check_rows(summary["files"]))]
    return "\n".join(lines) + "\n"


def table_rows(summary: Mapping[str, Any]) -> list[dict[str, str]]:
    """Size and coverage of the table of a run."""
    return [{"what": name, "value": f"{value:,}"} for name, value in summary["table"].items()]


def evaluation_rows(evaluation: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the grounds of the decision, line by line."""
    told = {
        name: value
        for name, value in evaluation.items()
        if not isinstance(value, dict | list) and value is not None
    }
    for judged in evaluation.get("families", []):
        told[judged["family"]] = _judgement(judged)
    return [{"what": name, "value": str(value)} for name, value in told.items()]


def _judgement(judged: Mapping[str, Any]) -> str:
    """Say in a line how the candidate did on one kind of instances."""
    solved = judged["solved"]
    words = [
        judged["verdict"],
        f"{judged['informative']} of {judged['pairs']} instances tell",
        f"solved {solved['candidate']}, current {solved['current']}",
    ]
    if judged["gain"] is not None:
        gain = judged["gain"]
        words.insert(1, f"gain {gain['value']:.4f} ({gain['low']:.4f} to {gain['high']:.4f})")
    return ", ".join(words)


def check_rows(files: Mapping[str, Tally]) -> list[dict[str, str]]:
    """Checks by kind of file."""
    return [
        {
            "kind": kind,
            "files": f"{one['files']:,}",
            "made now": f"{one['made']:,}",
            "passed": f"{sum(one['passed'].values()):,}",
            "failed": f"{len(one['failed']):,}",
        }
        for kind, one in files.items()
    ]


def _rows(rows: list[dict[str, str]]) -> list[str]:
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    lines = [names, ["---"] * len(names), *cells]
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(text: str) -> str:
    """`text` in one line in which nothing is taken for markup, as a report has it."""
    return SPECIAL.sub(lambda found: "\\" + found[0], " ".join(text.split()))
