"""Section of a report on the priors: their costs, and their codes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.reports.blocks import Block, Cell, Drawing, Drawings, Row, Table
from pipeline.reports.drawings import code_words, value_names
from pipeline.reports.figures import priors as figures_priors
from pipeline.reports.fits import fit_blocks, rounds_table
from pipeline.reports.result_tables import DASH, TIMES, number, percent, seconds
from pipeline.results.data import Prior
from pipeline.results.statistics import Floats

RARE = 30  # a code that was possible less often is not among the strongest or weakest
CODES = 8  # strongest and weakest codes shown of a prior


def anchor(text: str) -> str:
    """Name for a link and a file: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def prior_blocks(priors: Sequence[Prior]) -> list[Block]:
    """A table of all priors, then the drawings and the extreme codes of each."""
    blocks: list[Block] = [prior_facts(priors)]
    fitted: set[str] = set()
    for prior in priors:
        whole = prior.name.partition(":")[0]  # the codes of a table are priors with its name
        if prior.facts.get("fit") and whole not in fitted:
            fitted.add(whole)
            blocks += fit_blocks(whole, anchor(f"prior {whole}"), prior.facts["fit"])
        if prior.facts.get("rounds") and f"{whole}, rounds" not in fitted:
            fitted.add(f"{whole}, rounds")
            blocks.append(rounds_table(whole, prior.facts["rounds"]))
        drawings = list(_prior_drawings(prior))
        if drawings:
            blocks.append(Drawings(drawings))
        codes = extreme_codes(prior)
        if codes is not None:
            blocks.append(codes)
    return blocks


def _prior_drawings(prior: Prior) -> Iterator[Drawing]:
    if prior.table is None or not (prior.table["nb"] > 0).any():
        return
    title = prior.name
    ranked, strongest = _extremes(prior.table)
    figure = anchor(f"prior {prior.name} codes")
    labels = [_words(prior, row) for row in ranked]
    svg = figures_priors.prior_bars(labels, prior.table["frequency"][ranked], strongest, figure)
    subject = "its strongest codes" + (", below the line its weakest" if strongest else "")
    yield Drawing(figure, svg, f"{title}: {subject}, and how often each was played when possible.")
    if len(prior.components) > 1:
        yield _map(prior, title)
    frequency = prior.table["frequency"][prior.table["nb"] > 0].astype(np.float64)
    figure = anchor(f"prior {prior.name} distribution")
    caption = f"{title}: the distribution of the prior, each code counted once."
    yield Drawing(figure, figures_priors.prior_histogram(frequency, figure), caption)


def _map(prior: Prior, title: str) -> Drawing:
    """Heat map of two components, the largest; the others are summed over."""
    assert prior.table is not None
    table = prior.table
    seen = table["nb"] > 0
    spread = {c: len(np.unique(table[c][seen])) for c in prior.components}
    chosen = sorted(prior.components, key=lambda c: -spread[c])[:2]
    x, y = sorted(chosen, key=prior.components.index)
    cells, inverse = np.unique(
        np.column_stack([table[x][seen], table[y][seen]]), axis=0, return_inverse=True
    )
    played = np.bincount(inverse.ravel(), table["frequency"][seen] * table["nb"][seen])
    frequency = played / np.bincount(inverse.ravel(), table["nb"][seen])
    figure = anchor(f"prior {prior.name} map")
    first, second = cells.astype(np.float64).T
    names = tuple(value_names(str(prior.facts.get("domain")), name) for name in (x, y))
    words = (names[0], names[1])
    svg = figures_priors.prior_heat_map((x, y), first, second, frequency, figure, words)
    scope = "" if len(prior.components) == 2 else ", over all values of the other components"
    caption = f"{title}: how often each code was played when possible{scope}. Blank: never was."
    return Drawing(figure, svg, caption)


def prior_facts(priors: Sequence[Prior]) -> Table:
    """Size, instances and training cost of each prior."""
    rows = []
    for prior in priors:
        facts = prior.facts
        possible = decisions = DASH
        if prior.table is not None:
            possible = f"{int((prior.table['nb'] > 0).sum()):,}"
            decisions = f"{int(prior.table['count'].sum()):,}"
        sizes = f" {TIMES} ".join(f"{n:,}" for n in facts.get("cardinalities") or [])
        training = facts.get("training_seconds")
        cells = [
            Cell(prior.name, str(facts.get("prior") or "")),
            Cell(", ".join(c.replace("_", " ") for c in prior.components) or DASH, sizes),
            Cell(
                _integer(facts.get("rows")), "" if prior.size is None else f"{prior.size:,} bytes"
            ),
            Cell(possible),
            Cell(_integer(facts.get("instances"))),
            Cell(decisions, "" if training is None else f"{seconds(float(training))} s"),
            Cell(DASH if facts.get("temperature") is None else f"{facts['temperature']:g}"),
        ]
        rows.append(Row(cells))
    header = ["Prior", "Code", "Rows", "Possible", "Solved instances", "Decisions"]
    sources = " ".join(
        f"{p.name}: {_source(str(p.facts['source']))}." for p in priors if p.facts.get("source")
    )
    note = (
        "Rows are those of the table, of all its codes; possible: codes that were ever possible. "
        "Training replays solved instances and counts their decisions; seconds where they are "
        f"known. Learned from {sources or 'what was not recorded.'}"
    )
    return Table("Priors", [*header, "Temperature"], rows, note, words=2)


def _source(text: str) -> str:
    """Return the source of a prior: the parameters of a generator, without nested ones."""
    try:
        parameters = json.loads(text)
    except ValueError:
        return text
    left_out = ("domain", "sha256")
    plain = {k: v for k, v in parameters.items() if k not in left_out and not isinstance(v, dict)}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in plain.items())


def _integer(value: int | None) -> str:
    return DASH if value is None else f"{value:,}"


def _extremes(table: dict[str, NDArray[np.int64]]) -> tuple[list[int], int]:
    """Rows of the codes with the highest bias, then of the lowest; how many are of the first."""
    nb, bias = table["nb"], table["bias"]
    common = np.flatnonzero(nb >= RARE)
    seen = common if common.size > 1 else np.flatnonzero(nb > 0)
    ranked = seen[np.lexsort((seen, -nb[seen], -bias[seen]))]
    shown = min(CODES, ranked.size // 2 or 1)
    weakest = ranked[::-1][: min(shown, ranked.size - shown)]
    return [*ranked[:shown].tolist(), *weakest.tolist()], min(shown, ranked.size)


def _words(prior: Prior, row: int) -> str:
    assert prior.table is not None
    code = {name: int(prior.table[name][row]) for name in prior.components}
    return code_words(str(prior.facts.get("domain")), str(prior.facts.get("prior")), code)


def extreme_codes(prior: Prior) -> Table | None:
    """The codes with the highest and the lowest bias; None without a table."""
    if prior.table is None:
        return None
    table = prior.table
    bias: Floats = table["bias"]
    ranked, strongest = _extremes(table)
    if not ranked:
        return None
    rows = []
    for place, row in enumerate(ranked):
        frequency = float(table["frequency"][row])
        cells = [Cell(_words(prior, row)), Cell(percent(frequency)), Cell(f"{table['nb'][row]:,}")]
        group = {0: "Strongest", strongest: "Weakest"}.get(place, "")
        rows.append(Row([*cells, Cell(number(float(bias[row])))], group))
    header = ["Code", "Played", "Times possible", "Bias"]
    note = f"Among the codes that were possible {RARE} times or more."
    return Table(f"Codes of {prior.name}", header, rows, note, folded=True)
