"""Tests of what tables of the docs compare: `python -m benchmarks.corrected [NAME ...]`.

Each name is a family of comparisons, of which p-values are corrected together by Holm's method.
They are computed from what the tables and the files of rows beside them show: a share by the z-test
against one half or, of two samples, with a pooled share; a mean by the z-test with the standard
error that a 95 % interval stands for, a quarter of its width; runs of the report by Wilcoxon's
signed-rank test, paired by instance. Without names all are printed.
"""

from __future__ import annotations

import argparse
import itertools
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from benchmarks.results.plan import kept_rows
from benchmarks.tables import write_markdown
from pipeline.results.statistics import holm, mean_interval, two_proportions

RESULTS = Path(__file__).parents[1] / "docs" / "results"
#: Width of a 95 % interval in standard errors.
WIDTH = 2 * 1.96
LEVEL = 0.05
NUMBER = r"[-+]?[\d,]*\.?\d+"


@dataclass(frozen=True)
class Comparison:
    """A difference and the p-value of the test that there is none."""

    label: str
    difference: float
    p: float


@dataclass(frozen=True)
class Mean:
    """A mean and its standard error."""

    value: float
    error: float = 0.0

    @classmethod
    def of(cls, text: str) -> Mean:
        """Read `1,234 (1,200 to 1,300)` or `70.1 ± 0.8`."""
        value, *ends = (float(number.replace(",", "")) for number in re.findall(NUMBER, text))
        width = 2 * ends[0] if len(ends) == 1 else ends[1] - ends[0] if ends else 0.0
        return cls(value, width / WIDTH)


def between(label: str, one: Mean, other: Mean) -> Comparison:
    """Compare two means by the z-test."""
    difference = one.value - other.value
    error = math.hypot(one.error, other.error)
    p = math.erfc(abs(difference) / error / math.sqrt(2)) if error else float(difference == 0)
    return Comparison(label, difference, p)


def against_half(label: str, per_cent: float, games: int) -> Comparison:
    """Compare a score in per cent with 50."""
    return between(label, Mean(per_cent, 50 / math.sqrt(games)), Mean(50))


def table(page: str, header: str) -> list[list[str]]:
    """Header and rows of the first table whose header has a text; empty first cells repeat."""
    lines = (RESULTS / page).read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|") and header in line)
    rows: list[list[str]] = []
    for line in itertools.takewhile(lambda text: text.startswith("|"), lines[start:]):
        row = [cell.strip(" *") for cell in line.strip("|").replace("**", "").split("|")]
        rows.append([row[0] or rows[-1][0], *row[1:]] if rows else row)
    return [rows[0], *rows[2:]]


def mean_of(row: dict[str, str]) -> Mean:
    """Mean of a row with columns `mean`, `low` and `high`."""
    return Mean(float(row["mean"]), (float(row["high"]) - float(row["low"])) / WIDTH)


def scores(page: str, header: str, columns: Iterable[int], games: int) -> list[Comparison]:
    """Compare the scores in columns of a table, in per cent, with 50."""
    names, *rows = table(page, header)
    return [
        against_half(", ".join((*row[: min(2, *columns)], names[i])), Mean.of(row[i]).value, games)
        for row in rows
        for i in columns
        if row[i]
    ]


def beams(one: str, other: str) -> Iterator[Comparison]:
    """Compare two searches of the figures on beams: late windows first, then costs."""
    key = operator.itemgetter("instance", "pruning", "iterations", "beam")
    for (instance, pruning, n, b), cells in itertools.groupby(kept_rows("tours/beams.csv"), key):
        found = {row["method"]: row for row in cells}
        pair = found[one], found[other]
        is_late = any(row["unit"] != "cost" for row in pair)
        in_time = [is_late and row["unit"] == "cost" for row in pair]
        means = [
            Mean(0.0) if is_zero else mean_of(row)
            for row, is_zero in zip(pair, in_time, strict=True)
        ]
        yield between(f"{instance}, pruning {pruning}, N={n}, B={b}", means[0], means[1])


def morpion() -> Iterator[Comparison]:
    """Compare the beams of Morpion Solitaire with repeated NRPA."""
    key = operator.itemgetter("beam")
    for width, (repeated, *of_beam) in itertools.groupby(
        kept_rows("boards/morpion-beams.csv"), key
    ):
        for row in of_beam:
            yield between(f"B={width} {row['method']}", mean_of(row), mean_of(repeated))


def rna_paper() -> Iterator[Comparison]:
    """Compare puzzles solved after 32 s with those of the learned-prior paper."""
    for row in kept_rows("eterna100/table-3.csv"):
        if row["paper"]:
            a, b = int(row["solved"]), int(row["paper"])
            yield Comparison(row["method"], a - b, two_proportions(a, 100, b, 100))


def refs() -> Iterator[Comparison]:
    """Compare MCPS with each two values of ref on the same board and budget."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for row in kept_rows("games/mcps.csv"):
        if row["table"] == "1":
            ref = re.search(r"ref=(\d+)", row["methods"])
            scores = found.setdefault((row["game"], row["playouts"]), {})
            scores[int(ref[1]) if ref else 50] = float(row["ours"])
    for key, scores in found.items():
        for a, b in itertools.combinations(sorted(scores), 2):
            p = two_proportions(8 * scores[a], 800, 8 * scores[b], 800)
            yield Comparison(f"{key[0]}, {key[1]}: {a}, {b}", scores[a] - scores[b], p)


def processors() -> Iterator[Comparison]:
    """Compare ways to use sixteen processors for as long."""
    leaf, local, shared, root = (
        "leaf, shared policy",
        "hybrid, thread-local policies",
        "hybrid, shared policy",
        "root",
    )
    for board in ("1", "3"):
        found = {
            row["search"]: mean_of(row)
            for row in kept_rows("parallel/samegame.csv")
            if row["board"] == board and row["at"] == "2048" and not row["whole_search"]
        }
        pairs = ((leaf, root), (local, root), (leaf, local), (shared, root), (leaf, shared))
        for one, other in pairs:
            yield between(f"board {board}: {one} - {other}", found[one], found[other])


def nmcs() -> Iterator[Comparison]:
    """Compare NRPA and NMCS of a level where scores are raised."""
    found = {
        (row[0], row[1]): Mean.of(row[2]) for row in table("searches.md", "| mean score |")[1:]
    }
    for (scores, method), mean in found.items():
        if method.startswith("NRPA"):
            other = found[scores, method.replace("NRPA", "NMCS")]
            yield between(f"{scores}, {method}, 20,000 playouts", mean, other)


def codes() -> Iterator[Comparison]:
    """Compare scores of several codes with those of one, games of a hundred."""
    from benchmarks.priors import FOLDER, read_rows  # loads all that learns

    for rows in read_rows(FOLDER).values():
        for row, below in itertools.pairwise(rows):
            if row[1].startswith("one,") and below[1].startswith("several,") and "(" in row[3]:
                for column, budget in ((3, "equal playouts"), (4, "equal seconds")):
                    a, b = Mean.of(below[column]).value, Mean.of(row[column]).value
                    p = two_proportions(a, 100, b, 100)
                    yield Comparison(f"{rows[0][0]}, {budget}", a - b, p)


def report_rows(name: str, value: Callable[[pd.DataFrame], pd.Series]) -> pd.DataFrame:
    """Values of the report's runs, float64, a row per instance and a column per method."""
    rows = pd.read_parquet(RESULTS.parent / "report" / "runs" / name / "runs.parquet")
    rows["value"] = value(rows)
    rows["method"] = rows["algorithm"] + " + " + rows["prior"]
    return rows.pivot(index="instance", columns="method", values="value")


def report_samegame() -> Iterator[Comparison]:
    """Compare priors of GNRPA on the report's boards by Wilcoxon's signed-rank test."""
    scores = report_rows("samegame", lambda rows: rows["score"])
    for one, other in (("samegame", "none"), ("tabu", "none"), ("samegame", "tabu")):
        difference = scores[f"gnrpa + {one}"] - scores[f"gnrpa + {other}"]
        label = f"{one} - {other}: {sum(difference > 0)} more, {sum(difference < 0)} less"
        yield Comparison(label, difference.mean(), float(wilcoxon(difference).pvalue))


def report_squares() -> Iterator[Comparison]:
    """Compare GNRPA with sampling on the report's squares, in doublings of the playouts."""
    doublings = report_rows(
        "latin-square",
        lambda rows: np.log2(rows["playouts"].where(rows["solved"], 2 * rows["budget_playouts"])),
    )
    for prior in ("none", "latin-square", "latin-square-belief"):
        more = doublings[f"gnrpa + {prior}"] - doublings[f"sampling + {prior}"]
        found = mean_interval(more.to_numpy(np.float64))
        times = [f"{2**x:.2f}" for x in (found.value, found.low, found.high)]
        label = f"{prior}: {times[0]} times the playouts ({times[1]} to {times[2]})"
        yield Comparison(label, found.value, float(wilcoxon(more).pvalue))


FAMILIES: dict[str, Callable[[], Iterable[Comparison]]] = {
    "beams": lambda: beams("beam NRPA", "NRPA"),
    "beams-scores": lambda: beams("beam NRPA, no equal scores", "beam NRPA"),
    "beams-printed": lambda: beams("beam NRPA, as Algorithm 3 is printed", "beam NRPA"),
    "morpion": morpion,
    "rna-paper": rna_paper,
    "games-priors": lambda: scores("games.md", "`puct:prior:temperature=1`", (2,), 400),
    "games-puct": lambda: scores("games.md", "`puct:prior:temperature=1`", (3,), 100),
    "games-seconds": lambda: scores("games.md", "| score of MCPS |", (1,), 200),
    "games-ref": refs,
    "processors": processors,
    "nmcs": nmcs,
    "codes": codes,
    "report-samegame": report_samegame,
    "report-squares": report_squares,
}


def corrected(name: str) -> list[tuple[Comparison, float]]:
    """Comparisons of a family, each with its corrected p-value."""
    found = list(FAMILIES[name]())
    return list(zip(found, holm(np.array([one.p for one in found])).tolist(), strict=True))


def main() -> None:
    """Print the families that are named, or all."""
    parser = argparse.ArgumentParser("python -m benchmarks.corrected", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", choices=[[], *FAMILIES], help=", ".join(FAMILIES)
    )
    for name in parser.parse_args().names or FAMILIES:
        tested = corrected(name)
        differ = sum(p < LEVEL for _, p in tested)
        sys.stdout.write(
            f"{name}: {differ} of {len(tested)} differ at 5 % after Holm's correction\n\n"
        )
        cells = [
            [one.label, f"{one.difference:+.4g}", f"{one.p:.2g}", f"{p:.2g}"] for one, p in tested
        ]
        write_markdown(["comparison", "difference", "p", "p, Holm"], cells, 1)
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
