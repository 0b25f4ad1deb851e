"""The report of a comparison: HTML and Markdown, from the files of its runs folder alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline import figures, report_tables
from pipeline.figure_style import resolve, style_sheet
from pipeline.report_data import Family, Prior, ReportData, read_runs_folder
from pipeline.report_headline import headline
from pipeline.report_results import (
    Pair,
    Sweep,
    budget_columns,
    pairs,
    pooled,
    sweep_lines,
    sweeps,
)
from pipeline.report_tables import Table
from pipeline.statistics import CONFIDENCE, RESAMPLES, SEED
from solver.files import replacing

TEMPLATES = Path(__file__).parent / "templates"
SECTIONS = 8  # with more families than this their runs are drawn together
SWEEP_FIGURES = 6
SOLUTIONS = 3
SOLUTION_LENGTH = 4000


@dataclass(frozen=True)
class Drawing:
    """An inline SVG with its name, which is also its file's, and a caption."""

    name: str
    svg: str
    caption: str


@dataclass(frozen=True)
class Drawings:
    """Figures that stand side by side where there is room."""

    drawings: list[Drawing]
    kind: str = field(default="drawings", init=False)


@dataclass(frozen=True)
class Solutions:
    """Answers found, as (title, text)."""

    texts: list[tuple[str, str]]
    kind: str = field(default="solutions", init=False)


Block = Table | Drawings | Solutions


@dataclass(frozen=True)
class Section:
    """A heading, the key result in one or two sentences, and what shows it."""

    title: str
    anchor: str
    headline: str
    blocks: list[Block]


def write_report(runs_folder: Path, out: Path | None = None) -> Path:
    """Write `report.html`, `report.md` and `figures/*.svg`.

    Parameters
    ----------
    runs_folder : folder with `runs.parquet` and, optionally, `priors/<short name>.parquet`
    out : folder to write to, by default `runs_folder`

    Returns
    -------
    The path of `report.html`.
    """
    data = read_runs_folder(Path(runs_folder))
    out = Path(runs_folder if out is None else out)
    sections = list(_sections(data))
    context = _context(data, sections)
    for block in (block for section in sections for block in section.blocks):
        for drawing in block.drawings if isinstance(block, Drawings) else []:
            _write(out / "figures" / f"{drawing.name}.svg", resolve(drawing.svg))
    _write(out / "report.md", _render("report.md.j2", context))
    _write(out / "report.html", _render("report.html.j2", context))
    return out / "report.html"


def _write(path: Path, text: str) -> None:
    """Write under a temporary name, then rename: a reader never sees half a file."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _render(template: str, context: dict[str, Any]) -> str:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=".html" in template,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = _markdown_cell
    environment.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    return environment.get_template(template).render(context)


def _markdown_cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _context(data: ReportData, sections: Sequence[Section]) -> dict[str, Any]:
    domains = list(dict.fromkeys(family.domain for family in data.families))
    instances = {
        (family.domain, family.name, instance)
        for family in data.families
        for runs in family.methods
        for instance in runs.instance.tolist()
    }
    searches = [r for family in data.families for r in family.searches]
    return {
        "title": "Comparison: " + ", ".join(domain.replace("-", " ") for domain in domains),
        "runs": data.rows,
        "methods": len(data.methods),
        "instances": len(instances),
        "families": len(data.families),
        "budget": report_tables.count(max((r.budget for r in searches), default=0.0)),
        "warnings": _warnings(data),
        "sections": sections,
        "provenance": _provenance(data.facts),
        "confidence": f"{100 * CONFIDENCE:.0f}%",
        "resamples": f"{RESAMPLES:,}",
        "seed": SEED,
        "style": style_sheet() + (TEMPLATES / "report.css").read_text(encoding="utf-8"),
    }


def _provenance(facts: dict[str, Any]) -> list[tuple[str, str]]:
    def listed(name: str) -> str:
        return ", ".join(f"{k} {v}" for k, v in (facts.get(name) or {}).items())

    elapsed = facts.get("elapsed_seconds")
    said = {
        "Command": facts.get("command"),
        "Started": facts.get("started"),
        "Took": None if elapsed is None else f"{report_tables.number(float(elapsed))} s",
        "Machine": listed("machine"),
        "Versions": listed("versions"),
        "Commit": facts.get("commit"),
    }
    return [(name, str(value or "not recorded")) for name, value in said.items()]


def _warnings(data: ReportData) -> list[str]:
    """What a reader must know before trusting the numbers."""
    said = []
    expected = {"solved", "budget"}
    for status, n in data.status.items():
        if status not in expected and status != "target":
            said.append(f"{n:,} of {data.rows:,} runs ended as “{status}”.")
    for family in data.families:
        sizes = {runs.solved.size for runs in family.methods}
        if len(sizes) > 1:
            said.append(
                f"{family.name}: the methods have between {min(sizes):,} and {max(sizes):,} runs."
            )
    return said


def _sections(data: ReportData) -> Iterator[Section]:
    chosen = data.facts.get("playout_budgets")
    domains = list(dict.fromkeys(family.domain for family in data.families))
    for domain in domains:
        families = [family for family in data.families if family.domain == domain]
        prefix = f"{domain}, " if len(domains) > 1 else ""
        found = sweeps(families) if families[0].decision else []
        if found:
            drawings = [d for sweep in found for d in _sweep_drawings(sweep, domain)]
            title = f"{prefix}hardness along the families"
            yield Section(title, anchor(title), "", [Drawings(drawings)])
        if len(families) > SECTIONS:
            together = pooled(families)
            yield _family_section(together, families, _names([together])[0], prefix, chosen)
        else:
            for family, name in zip(families, _names(families), strict=True):
                yield _family_section(family, [], name, prefix, chosen)
    if data.priors:
        yield Section("Priors", "priors", "", _prior_blocks(data.priors))


def anchor(text: str) -> str:
    """Name for a link and a file: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _names(families: Sequence[Family]) -> list[str]:
    """Names for links and files, numbered where those of two families would be the same."""
    names = [anchor(f"{family.domain} {family.name}") for family in families]
    return [n if names.count(n) == 1 else f"{n}-{k}" for k, n in enumerate(names, start=1)]


def _family_section(
    family: Family, parts: list[Family], name: str, prefix: str, chosen: Sequence[float] | None
) -> Section:
    """Section of a family, or of several pooled `parts` with folded tables of each."""
    title = prefix + family.name
    blocks: list[Block] = [report_tables.summary([family], grouped=False)]
    if parts:
        blocks.append(report_tables.summary(parts, grouped=True))
    if family.searches:
        budgets = budget_columns(family.searches, chosen)
        blocks.append(report_tables.by_budget([family], budgets, grouped=False))
        if parts:
            blocks.append(report_tables.by_budget(parts, budgets, grouped=True))
    blocks.append(Drawings(list(_family_drawings(family, name))))
    found = pairs(family)
    if found:
        blocks.append(report_tables.paired([("", found)]))
        blocks.append(Drawings([_paired_drawing(found, name)]))
        if parts:
            groups = [(part.name, pairs(part)) for part in parts]
            blocks.append(report_tables.paired([group for group in groups if group[1]]))
    texts = list(_solutions(family))
    if texts:
        blocks.append(Solutions(texts))
    return Section(title, name, headline(family), blocks)


def _family_drawings(family: Family, name: str) -> Iterator[Drawing]:
    searches, everything = family.searches, family.methods
    if not family.decision:
        for unit, methods in (("playouts", searches), ("seconds", everything)):
            if any(getattr(t, unit).size for runs in methods for t in runs.traces):
                own = f"{name}-score-{unit}"
                svg = figures.score_against(methods, unit, own)
                yield Drawing(own, svg, f"Mean best score so far against {unit}.")
        return
    if searches:
        own = f"{name}-solved-playouts"
        svg = figures.solved_against_playouts(searches, own)
        yield Drawing(own, svg, "Share of runs solved within a number of playouts.")
    own = f"{name}-solved-seconds"
    svg = figures.solved_against_seconds(everything, own)
    yield Drawing(own, svg, "Share of runs solved within a time.")
    own = f"{name}-cactus"
    caption = "Time of each solved run, fastest first: lower and further right is better."
    yield Drawing(own, figures.cactus(everything, own), caption)


def _paired_drawing(found: Sequence[Pair], name: str) -> Drawing:
    rows = [
        figures.Interval(p.candidate.label, f"against {p.baseline.label}", p.gain, p.candidate)
        for p in found
    ]
    decision = found[0].decision
    own = f"{name}-paired"
    caption = (
        "Same instances: how many times fewer playouts the first method needs than the second."
        if decision
        else "Same instances: how much higher the score of the first method is."
    )
    return Drawing(own, figures.paired_differences(rows, decision, own), caption)


def _solutions(family: Family) -> Iterator[tuple[str, str]]:
    """A few answers of the last methods of the table that give one, best scores first."""
    for runs in reversed(family.searches or family.methods):
        found = [k for k in range(runs.solved.size) if runs.solved[k] and runs.solutions[k]]
        if found:
            found.sort(key=lambda k: -runs.score[k])
            for k in found[:SOLUTIONS]:
                text = str(runs.solutions[k])
                cut = text[:SOLUTION_LENGTH] + ("\n…" if len(text) > SOLUTION_LENGTH else "")
                yield f"{runs.instance[k]}, {runs.method.label}", cut.rstrip("\n")
            return


def _sweep_drawings(sweep: Sweep, domain: str) -> Iterator[Drawing]:
    """One figure with a line per method; with a second parameter, one figure per method."""
    methods = {r.method.index: r.method for f in sweep.families for r in f.searches}
    ordered = [methods[index] for index in sorted(methods)]
    parameter = sweep.parameter
    of = f" {sweep.fixed}" if sweep.fixed else ""
    values = sweep.line_values
    if sweep.lines_by is None:
        groups = [("", [sweep_lines(sweep, method, None, method.index) for method in ordered])]
    else:
        groups = [
            (method.label, [sweep_lines(sweep, method, v, k) for k, v in enumerate(values)])
            for method in ordered[:SWEEP_FIGURES]
        ]
    for label, maybe in groups:
        lines = [line for line in maybe if line is not None and np.isfinite(line.budget)]
        if lines:
            own = anchor(f"{domain} {sweep.fixed} {parameter} {label}")
            what = f"Median playouts to solve against {parameter.replace('_', ' ')}{of}"
            caption = f"{label}: {what[0].lower()}{what[1:]}." if label else f"{what}."
            about = "Shaded: quartiles."
            if any(np.isinf(line.median).any() for line in lines):
                about += " An open marker at the dotted line: the median is beyond the budget."
            svg = figures.median_against_parameter(lines, parameter, own)
            yield Drawing(own, svg, f"{caption} {about}")


def _prior_blocks(priors: Sequence[Prior]) -> list[Block]:
    blocks: list[Block] = [report_tables.prior_facts(priors)]
    for prior in priors:
        drawings = list(_prior_drawings(prior))
        if drawings:
            blocks.append(Drawings(drawings))
        codes = report_tables.extreme_codes(prior)
        if codes is not None:
            blocks.append(codes)
    return blocks


def _prior_drawings(prior: Prior) -> Iterator[Drawing]:
    if prior.table is None or not (prior.table["nb"] > 0).any():
        return
    seen = prior.table["nb"] > 0
    frequency = prior.table["frequency"][seen].astype(np.float64)
    if len(prior.components) == 2:
        x, y = (prior.table[c][seen].astype(np.float64) for c in prior.components)
        own = anchor(f"prior {prior.name} map")
        names = (prior.components[0], prior.components[1])
        caption = f"{prior.name}: how often each code was played when possible. Blank: never was."
        yield Drawing(own, figures.prior_heat_map(names, x, y, frequency, own), caption)
    own = anchor(f"prior {prior.name} distribution")
    caption = f"{prior.name}: the distribution of the prior, each code counted once."
    yield Drawing(own, figures.prior_histogram(frequency, own), caption)
