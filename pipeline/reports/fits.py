"""Section of a report on fitted priors: which code is worth what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.reports.blocks import Block, Cell, Drawing, Drawings, Row, Table
from pipeline.reports.figures.fits import calibration_line, worth_bars
from pipeline.reports.result_tables import DASH, percent


def fit_blocks(name: str, figure: str, fit: Mapping[str, Any]) -> Iterator[Block]:
    """Drawings and table of the held-out decisions of a fit; nothing where none were held out.

    Parameters
    ----------
    name : str
        Name of the prior.
    figure : str
        Name of its figures.
    fit : mapping
        Entry `fit` of the metadata of its table.
    """
    held_out = fit.get("held_out")
    if held_out is None:
        return
    drawings = []
    codes = held_out["codes"]
    if any("gain" in code for code in codes):
        caption = f"{name}: what held-out decisions lose without each code, with 95 % intervals."
        svg = worth_bars(codes, f"{figure}-worth")
        drawings.append(Drawing(f"{figure}-worth", svg, caption))
    svg = calibration_line(held_out["calibration"]["bins"], f"{figure}-calibration")
    caption = f"{name}: probabilities of moves, and shares that were right; on the line they agree."
    drawings.append(Drawing(f"{figure}-calibration", svg, caption))
    yield Drawings(drawings)
    yield _table(name, fit["l2"], held_out)


def _table(name: str, l2: float, held_out: Mapping[str, Any]) -> Table:
    rows = [_row("any move alike", held_out["uniform"], "Without a prior")]
    for number, code in enumerate(held_out["codes"]):
        counted = code["frequencies"]
        label = f"{code['code']}, at temperature {counted['temperature']:g}"
        rows.append(_row(label, counted, "" if number else "Frequencies, not fitted"))
    alone = [code for code in held_out["codes"] if "alone" in code]
    for number, code in enumerate(alone):
        rows.append(_row(code["code"], code["alone"], "" if number else "One code, fitted"))
    names = " + ".join(code["code"] for code in held_out["codes"])
    rows.append(_row(names, held_out, "The prior"))
    for number, code in enumerate(alone):
        heading = "" if number else "Without one of its codes"
        rows.append(_row(f"without {code['code']}", code["without"], heading, code["gain"]))
    note = (
        f"{held_out['decisions']:,} decisions of {held_out['instances']:,} instances that were not "
        f"fitted to, with 95 % intervals over instances; L2 {l2:g}. Log-likelihood: mean of the "
        "logarithm of the probability of the move played. First: the most probable move was right. "
        "Probabilities and shares that were right are "
        f"{held_out['calibration']['error']:.3f} apart in the mean."
    )
    header = ["Codes", "Log-likelihood", "First", "Worth"]
    return Table(f"What {name} knows of held-out decisions", header, rows, note)


def rounds_table(name: str, rounds: Sequence[Mapping[str, Any]]) -> Table:
    """Table of the rounds that a prior was learned in, the last one perhaps refused."""
    rows = []
    for one in rounds:
        gain, likelihood = one.get("gain"), one.get("log_likelihood")
        cells = [
            Cell(str(one["round"]), one.get("set") or ""),
            Cell(f"{one['instances']:,}"),
            Cell(DASH if "solved" not in one else percent(one["solved"])),
            Cell(DASH) if likelihood is None else _estimate(likelihood),
            Cell(DASH) if gain is None else _estimate(gain),
            Cell(one.get("verdict") or DASH),
        ]
        rows.append(Row(cells))
    units = {one["unit"] for one in rounds if one.get("unit")}
    note = (
        "Each round solves problems with the table of the last, and learns from all answers so "
        "far; solved: of some problems of its kind. Log-likelihood is that of held-out decisions "
        "of the answers so far, other ones in each round. Gain over the table of the last round, "
        f"on held-out instances, in {' or '.join(sorted(units)) or 'its unit'}."
    )
    header = ["Round", "Instances", "Solved", "Log-likelihood", "Gain", "Verdict"]
    return Table(f"Rounds of {name}", header, rows, note)


def _estimate(estimate: Mapping[str, float]) -> Cell:
    return Cell(f"{estimate['value']:.4f}", _range(estimate))


def _row(
    label: str, facts: Mapping[str, Any], group: str, gain: Mapping[str, float] | None = None
) -> Row:
    likelihood, first = facts["log_likelihood"], facts["top_1"]
    worth = Cell(DASH) if gain is None else Cell(f"{gain['value']:.4f}", _range(gain))
    shares = f"{100 * first['low']:.0f} to {percent(first['high'])}"
    cells = [
        Cell(label),
        Cell(f"{likelihood['value']:.4f}", _range(likelihood)),
        Cell(percent(first["value"]), shares),
        worth,
    ]
    return Row(cells, group)


def _range(estimate: Mapping[str, float]) -> str:
    return f"{estimate['low']:.4f} to {estimate['high']:.4f}"
