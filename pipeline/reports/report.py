"""The report of a comparison: HTML and Markdown, from the files of its runs folder alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.reports import overview, result_tables
from pipeline.reports.blocks import Block, Drawing, Drawings, Section, Table
from pipeline.reports.comparisons import (
    Pair,
    Sweep,
    budget_columns,
    compare,
    pairs,
    pooled,
    sweep_lines,
    sweeps,
)
from pipeline.reports.drawings import title as domain_title
from pipeline.reports.figures import curves, scores
from pipeline.reports.figures.style import resolve, style_sheet
from pipeline.reports.headline import best_of_each, headline
from pipeline.reports.markdown import escape_markdown, fence
from pipeline.reports.priors import anchor, prior_blocks
from pipeline.reports.provenance import provenance
from pipeline.reports.solutions import solutions
from pipeline.reports.standings import standing_blocks
from pipeline.results.data import Family, ReportData
from pipeline.results.reading import read_report_data
from pipeline.results.statistics import CONFIDENCE, RESAMPLES, SEED, Estimate
from pipeline.tables.runs import BUDGET, INFEASIBLE, SOLVED
from solver.system.files import replacing
from solver.system.letters import plural

TEMPLATES = Path(__file__).parent / "templates"
SECTIONS = 8  # with more families than this their runs are drawn together
SWEEP_FIGURES = 6
FAILED_SHOWN = 20  # runs of a family that ended in an error


#: Formats that tables are written in as files of their own, with the ends of their names.
FORMATS = {"csv": Table.csv, "tex": Table.latex}


def write_report(
    runs: Path | Sequence[Path],
    out: Path | None = None,
    title: str | None = None,
    tables: Sequence[str] = (),
) -> Path:
    """Write `report.html`, `report.md` and `figures/*.svg`.

    Parameters
    ----------
    runs : folder, or several, with `runs.parquet` and, optionally, `problems.parquet` and
        `priors/<short name>.parquet`
    out : folder to write to, by default the first of `runs`
    tables : those of `FORMATS` in which every table is written to `tables/` as well

    Returns
    -------
    The path of `report.html`.
    """
    folders = [Path(runs)] if isinstance(runs, str | Path) else [Path(folder) for folder in runs]
    data = read_report_data(folders)
    out = folders[0] if out is None else Path(out)
    sections = list(_sections(data))
    context = _context(data, sections, title)
    drawings = [d for section in sections for block in section.blocks for d in _drawings(block)]
    for drawing in drawings:
        _write(out / "figures" / f"{drawing.name}.svg", resolve(drawing.svg))
    for section in sections:
        _write_tables(section, out / "tables", tables)
    _write(out / "report.md", render("report.md.j2", context))
    _write(out / "report.html", render("report.html.j2", context))
    return out / "report.html"


def _write_tables(section: Section, folder: Path, formats: Sequence[str]) -> None:
    """Write each table of a section in each of `formats`."""
    tables = [block for block in section.blocks if isinstance(block, Table)]
    for end in formats:
        for table in tables:
            name = f"{section.anchor} {table.caption}"
            _write(folder / f"{anchor(name)}.{end}", FORMATS[end](table))


def _drawings(block: Block) -> list[Drawing]:
    return [] if isinstance(block, Table) else block.drawings


def _write(path: Path, text: str) -> None:
    """Write under a temporary name, then rename: a reader never sees half a file."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def render(template: str, context: dict[str, Any]) -> str:
    """Fill in a template of `TEMPLATES`; text that is not Markdown or HTML is escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=".html" in template,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    if ".md" in template:  # as `autoescape` does for HTML: nothing can be forgotten
        environment.finalize = escape_markdown
    environment.filters["fence"] = fence
    environment.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    return environment.get_template(template).render(context)


def _context(data: ReportData, sections: Sequence[Section], title: str | None) -> dict[str, Any]:
    domains = list(dict.fromkeys(family.domain for family in data.families))
    instances = {
        (family.domain, family.name, instance)
        for family in data.families
        for runs in family.methods
        for instance in runs.instance.tolist()
    }
    return {
        "title": title or "Comparison: " + ", ".join(map(domain_title, domains)),
        "counted": _counted(data, len(instances)),
        "warnings": _warnings(data),
        "sections": sections,
        "provenance": provenance(data.facts, data.runs),
        "confidence": f"{100 * CONFIDENCE:.0f}%",
        "resamples": f"{RESAMPLES:,}",
        "seed": SEED,
        "style": style_sheet() + (TEMPLATES / "report.css").read_text(encoding="utf-8"),
    }


def _counted(data: ReportData, instances: int) -> str:
    """Return the numbers of methods, instances and runs, and the budget of each run."""
    families = data.families
    sizes = [len(family.methods) for family in families]
    on_instances = (
        f"{plural(instances, 'instance')} of {plural(len(families), 'family', 'families')}"
    )
    if len({family.domain for family in families}) == 1:
        on_instances = f"{plural(len(data.methods), 'method')} on {on_instances}"
    else:  # the methods of two problems are not the same, whatever they are called
        least, most = min(sizes), max(sizes)
        methods = plural(most, "method") if least == most else f"{least} to {most} methods"
        on_instances += f", {methods} on each"
    budgets = dict.fromkeys(result_tables.budget_words(f.methods) for f in families if f.methods)
    allowed = " of at most " + ", ".join(budgets) if budgets else ""
    by_family = ", by family" if len(budgets) > 1 else ""
    return f"{on_instances}: {plural(len(data.runs), 'run')}{allowed}{by_family}."


def _warnings(data: ReportData) -> list[str]:
    """Return warnings that a reader must know before trusting the numbers."""
    warnings = []
    expected = {SOLVED, BUDGET, INFEASIBLE, "feasible", "target"}
    for status, n in data.runs["status"].value_counts().sort_index().items():
        if status not in expected:
            warnings.append(f"{n:,} of {len(data.runs):,} runs ended as “{status}”.")
    for family in data.families:
        for run in family.failed[:FAILED_SHOWN]:
            warnings.append(f"{run.problem}, {run.method}: {run.message}")
        if len(family.failed) > FAILED_SHOWN:
            rest = len(family.failed) - FAILED_SHOWN
            warnings.append(f"{family.name}: {rest:,} more runs ended in an error.")
        for instance in family.disputed:
            warnings.append(
                f"{family.label(instance)}: one run proved it infeasible, another solved it."
            )
        sizes = {runs.solved.size for runs in family.methods}
        if len(sizes) > 1:
            warnings.append(
                f"{family.name}: the methods have between {min(sizes):,} and {max(sizes):,} runs."
            )
    return warnings


def _sections(data: ReportData) -> Iterator[Section]:
    """An overview if there is more than one family, the families by domain, the priors."""
    domains = list(dict.fromkeys(family.domain for family in data.families))
    measured = [family for family in data.families if family.methods]
    if len(domains) > 1 and measured:
        yield Section("Overview", "overview", "", [overview.overview(measured)])
    for domain in domains:
        families = [family for family in data.families if family.domain == domain]
        prefix = f"{domain_title(domain)}: " if len(domains) > 1 else ""
        yield from _domain_sections(domain, families, prefix, data)
    if data.priors:
        yield Section("Priors", "priors", "", prior_blocks(data.priors))


def _domain_sections(
    domain: str, families: list[Family], prefix: str, data: ReportData
) -> Iterator[Section]:
    unmeasured = [family for family in families if not family.methods]
    families = [family for family in families if family.methods]
    impossible = result_tables.proofs(unmeasured)
    if impossible is not None:
        title = f"{prefix}no answer in {', '.join(f.name for f in unmeasured if f.infeasible)}"
        yield Section(title, anchor(f"{domain} no answer"), "", [impossible])
    if not families:
        return
    domain_sweeps = sweeps(families) if families[0].decision else []
    if domain_sweeps:
        drawings = [d for sweep in domain_sweeps for d in _sweep_drawings(sweep, domain)]
        title = f"{prefix}hardness along the families"
        yield Section(title, anchor(title), "", [Drawings(drawings)])
    budgets = next((f["playout_budgets"] for f in data.facts if f.get("playout_budgets")), None)
    if len(families) > SECTIONS:
        whole = pooled(families)
        yield _family_section(whole, families, _names([whole])[0], prefix, budgets)
        return
    for family, name in zip(families, _names(families), strict=True):
        yield _family_section(family, [], name, prefix, budgets)


def _names(families: Sequence[Family]) -> list[str]:
    """Names for links and files, numbered where those of two families would be the same."""
    names = [anchor(f"{family.domain} {family.name}") for family in families]
    return [n if names.count(n) == 1 else f"{n}-{k}" for k, n in enumerate(names, start=1)]


def _family_section(
    family: Family, parts: list[Family], name: str, prefix: str, chosen: Sequence[float] | None
) -> Section:
    """Section of a family, or of several pooled `parts` with folded tables of each."""
    title = prefix + family.name
    blocks: list[Block] = [result_tables.summary([family], grouped=False)]
    if parts:
        blocks.append(result_tables.summary(parts, grouped=True))
    impossible = result_tables.proofs([family])
    if impossible is not None:
        blocks.append(impossible)
    if family.searches:
        budgets = budget_columns(family.searches, chosen)
        blocks.append(result_tables.by_budget([family], budgets, grouped=False))
        if parts:
            blocks.append(result_tables.by_budget(parts, budgets, grouped=True))
    blocks.append(Drawings(list(_family_drawings(family, name))))
    best, without = best_of_each(family)
    family_pairs = pairs(family, None if without is None else compare(without, best, family))
    if family_pairs:
        blocks.append(result_tables.paired([("", family_pairs)]))
        blocks.append(Drawings(list(_paired_drawings(family_pairs, name))))
        if parts:
            groups = [(part.name, pairs(part)) for part in parts]
            blocks.append(result_tables.paired([group for group in groups if group[1]]))
    blocks += standing_blocks(family, name)
    answers = solutions(family, name)
    if answers is not None:
        blocks.append(answers)
    return Section(title, name, headline(family), blocks)


def _family_drawings(family: Family, name: str) -> Iterator[Drawing]:
    if not family.decision:
        yield from _score_drawings(family, name)
        return
    if family.searches:
        figure = f"{name}-solved-playouts"
        svg = curves.solved_against_playouts(family.searches, figure)
        yield Drawing(figure, svg, "Share of runs solved within a number of playouts.")
    figure = f"{name}-solved-seconds"
    svg = curves.solved_against_seconds(family.methods, figure)
    yield Drawing(figure, svg, "Share of runs solved within a time.")
    figure = f"{name}-cactus"
    caption = "Time of each solved run, fastest first: lower and further right is better."
    yield Drawing(figure, curves.cactus(family.methods, figure), caption)


def _score_drawings(family: Family, name: str) -> Iterator[Drawing]:
    """Scores, or gaps where they are costs, and targets against playouts and seconds."""
    for unit in ("playouts", "seconds"):
        traced = [r for r in family.methods if any(getattr(t, unit).size for t in r.traces)]
        if traced and family.is_cost:
            figure = f"{name}-gap-{unit}"
            svg = scores.gap_against(family, traced, unit, figure)
            caption = f"Median gap to the least cost known against {unit}: lower is better."
            yield Drawing(figure, svg, caption)
        elif traced:
            figure = f"{name}-score-{unit}"
            svg = scores.score_against(traced, unit, figure)
            yield Drawing(figure, svg, f"Mean best score so far against {unit}.")
    for unit in ("playouts", "seconds"):
        methods = family.searches if unit == "playouts" else family.methods
        if methods:
            figure = f"{name}-targets-{unit}"
            svg = scores.targets_against(family, methods, unit, figure)
            caption = f"Share of the pairs of instance and target reached against {unit}."
            yield Drawing(figure, svg, caption)


def _paired_drawings(family_pairs: Sequence[Pair], name: str) -> Iterator[Drawing]:
    def rows(values: Sequence[Estimate]) -> list[curves.Interval]:
        return [
            curves.Interval(p.candidate.label, f"against {p.baseline.label}", value, p.candidate)
            for p, value in zip(family_pairs, values, strict=True)
        ]

    family = family_pairs[0].family
    times = [pair.gain if pair.targets is None else pair.targets for pair in family_pairs]
    goal = "" if family.decision else " to the targets"
    figure = f"{name}-paired"
    caption = (
        f"Same instances: how many times fewer playouts{goal} the first method needs than the "
        "second."
    )
    yield Drawing(figure, curves.paired_differences(rows(times), figure), caption)
    if not family.decision and not family.is_cost:
        figure = f"{name}-paired-scores"
        svg = curves.paired_differences(
            rows([pair.gain for pair in family_pairs]), figure, "difference of the mean scores"
        )
        caption = "Same instances: how much higher the score of the first method is."
        yield Drawing(figure, svg, caption)


def _sweep_drawings(sweep: Sweep, domain: str) -> Iterator[Drawing]:
    """One figure with a line per method; with a second parameter, one figure per method."""
    methods = {r.method.index: r.method for f in sweep.families for r in f.searches}
    ordered = [methods[index] for index in sorted(methods)]
    parameter = sweep.parameter
    place = f" {sweep.fixed}" if sweep.fixed else ""
    values = sweep.line_values
    if sweep.lines_by is None:
        groups = [("", [sweep_lines(sweep, method, None, method.index) for method in ordered])]
    else:
        groups = [
            (method.label, [sweep_lines(sweep, method, v, k) for k, v in enumerate(values)])
            for method in ordered[:SWEEP_FIGURES]
        ]
    for label, candidates in groups:
        lines = [line for line in candidates if line is not None and np.isfinite(line.budget)]
        if lines:
            figure = anchor(f"{domain} {sweep.fixed} {parameter} {label}")
            subject = f"Median playouts to solve against {parameter.replace('_', ' ')}{place}"
            caption = f"{label}: {subject[0].lower()}{subject[1:]}." if label else f"{subject}."
            legend = "Shaded: quartiles."
            if any(np.isinf(line.median).any() for line in lines):
                legend += " An open marker at the dotted line: the median is beyond the budget."
            svg = curves.median_against_parameter(lines, parameter, figure)
            yield Drawing(figure, svg, f"{caption} {legend}")
