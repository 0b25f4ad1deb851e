"""Priors side by side, by problem: `python -m benchmarks.priors [NAME ...]`.

For each problem of `docs/results/priors/plan.toml`: fits a table of one code and one of several,
chooses their temperature by a race, judges them and the table that ships by held-out decisions, and
searches with all, with priors made by hand and with none, with equal playouts and with equal
seconds. Rows are kept beside the plan. A command that was cut short goes on. `--show` prints the
table of the rows that are kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import write_markdown
from pipeline.commands import compare, learn
from pipeline.learning.assessment import TEMPERATURES, described
from pipeline.learning.blocks import CHOOSING, JUDGING, Blocks
from pipeline.learning.passes import LocalPasses
from pipeline.results.runs import read_runs
from pipeline.results.statistics import mean_interval, wilson_interval
from pipeline.tables.names import GAMES_FILE
from pipeline.tables.runs import in_words, surroundings
from solver.commands.options import new_parser, run_command
from solver.commands.progress import be_quiet
from solver.domains import load_rules
from solver.errors import InputError
from solver.games import game_names
from solver.priors.priors import models_folder, read_biases
from solver.priors.tables import DECISIONS, FIT, open_table, read_metadata
from solver.system.files import read_toml, replacing

FOLDER = Path(__file__).parent.parent / "docs" / "results" / "priors"
PLAN = FOLDER / "plan.toml"
NONE, SHIPPED, ONE, SEVERAL = "none", "shipped", "one", "several"
PLAYOUTS, SECONDS = "playouts", "seconds"

Row = dict[str, Any]

#: Columns of the table by problem, and of runs that are kept.
HEADER = ("equal seconds", NONE, SHIPPED, "one code", "several codes")
RESULTS = ["solved", "score", "playouts", "seconds"]


@dataclass(frozen=True)
class Problem:
    """A problem of the plan.

    Parameters
    ----------
    name : str
        Name of its domain or game.
    title : str
        Title of its rows.
    learn, search : str
        Arguments of `learn` and of `compare`, without codes, priors and budgets.
    tune : str
        Arguments of `learn` that choose the temperature of the tables that are fitted.
    one, several, shipped : str
        A code, several, and the table that ships; empty where there is none.
    hand : list of str
        Priors made by hand.
    playouts, seconds : float
        Budgets of a search, in a game of a move.
    """

    name: str
    title: str
    learn: str
    search: str
    one: str
    playouts: int
    seconds: float
    tune: str = ""
    several: str = ""
    shipped: str = ""
    hand: list[str] = field(default_factory=list)

    @property
    def is_game(self) -> bool:
        """True of a game, whose priors play against none."""
        return self.name in game_names()

    @property
    def codes(self) -> dict[str, str]:
        """Codes of the tables that are fitted."""
        return {kind: code for kind, code in ((ONE, self.one), (SEVERAL, self.several)) if code}

    @property
    def kinds(self) -> dict[str, str]:
        """Kinds of priors that are compared, with the names of their codes or tables."""
        shipped = {SHIPPED: self.shipped} if self.shipped else {}
        return {NONE: "", **{f"by hand, {n}": n for n in self.hand}, **shipped, **self.codes}


def read_plan(path: Path = PLAN) -> dict[str, Problem]:
    """Read the problems of a plan, by name.

    Raises
    ------
    InputError
        If one has a key that is unknown, or lacks one.
    """
    entries = read_toml(path)
    try:
        return {name: Problem(name=name, **entry) for name, entry in entries.items()}
    except TypeError as error:
        raise InputError(f"{path}: {error}") from None


def tables_of(problem: Problem, out: Path) -> dict[str, str]:
    """Learn the tables of `problem` into `out`; priors of all kinds as `compare` takes them."""
    priors = {kind: name or NONE for kind, name in problem.kinds.items()}
    for kind, code in problem.codes.items():
        path = out / f"{kind}.parquet"
        words = [*problem.learn.split(), *problem.tune.split(), "--code", code, "--fit"]
        words += ["--threads", "1", "--out", str(path)]
        if not path.exists():
            succeed(learn.run, words, ["--work", str(out / "work")])
        priors[kind] = str(path)
    return priors


def held_out(problem: Problem, kind: str, table: Path, out: Path) -> Row | None:
    """Log-likelihood and accuracy of a table at held-out decisions; None without decisions.

    A table of frequencies is taken at the temperature that suits other held-out decisions best.
    """
    domain = load_rules(problem.name)
    code, bias, metadata = read_biases(table, domain)
    if kind in problem.codes:
        return dict(metadata[FIT].get("held_out") or {}) or None
    files = [path for path in sorted(out.glob(f"work/*/{DECISIONS}-*/*.parquet"))
             if _code_in(path) == code.name]  # fmt: skip
    if not files:
        return None
    passes = LocalPasses(Blocks(files, domain, code, np.arange(code.rows)))
    factors = (1.0,) if FIT in metadata else TEMPERATURES
    best = max(factors, key=lambda factor: passes.judged(CHOOSING, np.exp(factor * bias)).mean)
    return {"temperature": best, **described(passes.judged(JUDGING, np.exp(best * bias)))}


def _code_in(path: Path) -> str:
    with open_table(path) as file:
        return str(read_metadata(file.schema_arrow.metadata, str(path), DECISIONS)["prior"])


def searches(problem: Problem, priors: Mapping[str, str], out: Path) -> Iterator[Row]:
    """Search with all priors, with equal playouts and with equal seconds; yield a row of each."""
    for budget, amount in ((PLAYOUTS, problem.playouts), (SECONDS, problem.seconds)):
        limit = [f"--{budget}", str(amount), "--out"]
        if problem.is_game:
            yield from _matches(problem, priors, budget, [*limit, str(out / budget)])
            continue
        words = [*problem.search.split(), "--prior", ",".join(dict.fromkeys(priors.values()))]
        succeed(compare.run, words, [*limit, str(out / budget)])
        kinds = {Path(prior).stem: kind for kind, prior in priors.items()}
        runs = read_runs(out / budget)[["prior", "instance", "seed", *RESULTS]]
        for cells in runs.to_dict("records"):
            found: Row = {str(column): cell for column, cell in cells.items()}
            yield {"budget": budget, **found, "prior": kinds[found["prior"]]}


def _matches(
    problem: Problem, priors: Mapping[str, str], budget: str, limit: list[str]
) -> Iterator[Row]:
    words = problem.search.split()
    search = words[words.index("--algorithm") + 1]
    for kind, prior in priors.items():
        if kind == NONE:
            continue
        folder = Path(f"{limit[-1]}-{kind}")
        against = f"{search}:prior={prior},mcps"
        words[words.index("--algorithm") + 1] = against
        succeed(compare.run, words, [*limit[:-1], str(folder)])
        words[words.index("--algorithm") + 1] = search
        for line in (folder / GAMES_FILE).read_text(encoding="utf-8").splitlines():
            game = json.loads(line)
            yield {"budget": budget, "prior": kind, "game": game["number"], "score": game["score"]}


def succeed(run: Callable[[list[str]], int], words: list[str], limit: list[str]) -> None:
    """Run a command within this process, quietly."""
    try:
        status = run([*words, *limit, "--quiet"])
    finally:
        be_quiet(False)
    if status:
        raise InputError(f"{' '.join(words)}: status {status}, expected 0")


def make(problem: Problem, out: Path, kept: Path) -> None:
    """Do all of a problem, and keep its rows: the first line says what was learned and judged."""
    out.mkdir(parents=True, exist_ok=True)
    priors = tables_of(problem, out)
    told: dict[str, Row | None] = {}
    for kind, prior in priors.items():
        shipped = models_folder() / f"{prior}.parquet"
        if kind in (SHIPPED, *problem.codes):
            table = shipped if kind == SHIPPED else Path(prior)
            told[kind] = held_out(problem, kind, table, out)
    facts: Row = {"problem": problem.name, "kinds": problem.kinds, "held_out": told}
    facts |= {PLAYOUTS: problem.playouts, SECONDS: problem.seconds}
    around = surroundings()
    facts |= {"commit": around["commit"], "machine": in_words(around["machine"])}
    lines = [facts, *searches(problem, priors, out)]
    with replacing(kept) as temporary:
        temporary.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def rows_of(problem: Problem, kept: Path) -> list[list[str]]:
    """Cells of a problem from the rows that are kept."""
    facts, *rows = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    found: list[list[str]] = []
    for kind, name in facts["kinds"].items():
        told = _told(facts, kind)
        label = f"{kind}, `{name}`" if kind in (SHIPPED, ONE, SEVERAL) else kind
        cells = ["" if found else problem.title, label, _nats(told)]
        for budget in (PLAYOUTS, SECONDS):
            mine = [row for row in rows if (row["budget"], row["prior"]) == (budget, kind)]
            cells.append(_cell(mine, budget, problem))
        found.append(cells)
    return found


def read_rows(folder: Path) -> dict[str, list[list[str]]]:
    """Cells of each problem of the plan of a folder that has rows there."""
    plan = read_plan(folder / PLAN.name)
    kept = {name: folder / f"{name}.jsonl" for name in plan}
    return {name: rows_of(plan[name], path) for name, path in kept.items() if path.exists()}


def table(problems: Mapping[str, list[list[str]]]) -> list[list[str]]:
    """A row for each problem: searches with equal seconds, by kind of prior."""
    found = []
    for rows in problems.values():
        last = {label.partition(",")[0]: cells[-1] for _, label, *cells in rows}
        found.append([rows[0][0], *(last.get(kind, "") for kind in (NONE, SHIPPED, ONE, SEVERAL))])
    return found


def _told(facts: Row, kind: str) -> Row | None:
    """Held-out likelihood of a kind; of no prior that which the fits say of any move alike."""
    told: dict[str, Row | None] = facts["held_out"]
    if kind == NONE:
        return (told.get(ONE) or {}).get("uniform")
    return told.get(kind)


def _nats(told: Row | None) -> str:
    return "-" if not told else f"{told['log_likelihood']['value']:.3f}"


def _cell(rows: list[Row], budget: str, problem: Problem) -> str:
    """Score in % of games; solved and the median spent of decision problems; else mean score."""
    if not rows:
        return "-"
    scores = np.array([row["score"] for row in rows], np.float64)
    if problem.is_game:
        low, high = wilson_interval(scores.sum(), len(scores))
        return f"{100 * scores.mean():.1f} ({100 * float(low):.1f} to {100 * float(high):.1f})"
    if getattr(load_rules(problem.name), "target", None) is not None:
        solved = [row for row in rows if row["solved"]]
        spent = [row[budget] if row["solved"] else np.inf for row in rows]
        median = float(np.median(spent))
        written = f"{median:,.3g}" if np.isfinite(median) else "-"
        return f"{len(solved)}/{len(rows)}, {written}"
    mean = mean_interval(scores)
    return f"{mean.value:,.1f} ({mean.low:,.1f} to {mean.high:,.1f})"


def run(argv: Sequence[str]) -> int:
    """Do what the arguments ask for; returns the exit status."""
    parser = new_parser("python -m benchmarks.priors", __doc__ or "", "")
    parser.add_argument("names", nargs="*", metavar="NAME", help="(default: all of the plan)")
    parser.add_argument("--show", action="store_true", help="only print what is kept")
    parser.add_argument("--plan", type=Path, default=PLAN, help="(default: the plan that ships)")
    parser.add_argument("--out", type=Path, default=Path("build/priors"), metavar="FOLDER")
    arguments = parser.parse_args(argv)
    plan = read_plan(arguments.plan)
    unknown = [name for name in arguments.names if name not in plan]
    if unknown:
        raise InputError(f"no problem {', '.join(unknown)}; there are: {', '.join(plan)}")
    cells = []
    for name in arguments.names or plan:
        kept = arguments.plan.parent / f"{name}.jsonl"
        if not arguments.show and not kept.exists():
            with redirect_stdout(sys.stderr):
                make(plan[name], arguments.out / name, kept)
        if kept.exists():
            cells += rows_of(plan[name], kept)
    header = ["problem", "prior", "nats", "equal playouts", "equal seconds"]
    write_markdown(header, cells, texts=2)
    return 0


if __name__ == "__main__":
    run_command("python -m benchmarks.priors", run)
