"""Gains of rounds of learning, table by table: `python -m benchmarks.rounds FOLDER`.

For each problem of `docs/results/rounds/plan.toml`: `learn --rounds` as a user has it, whose gate
drops a table; and, if it ended early, once more with a margin so wide that no table is dropped.
Every table is searched with, beside none, with equal playouts and with equal seconds, on instances
apart from those learned from and from those of the gate; tables of a game play the table before
them, the first one and MCPS without. FOLDER keeps rows, a file a problem. Rows that are there are
not made again. `--show` prints the table of the rows that are kept.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept import KeptLines
from benchmarks.priors import PLAYOUTS, RESULTS, SECONDS, succeed
from benchmarks.tables import write_markdown
from pipeline.commands import compare, learn
from pipeline.publishing.contests import gain_of
from pipeline.publishing.evaluate import PENALTY, PUBLISHED
from pipeline.publishing.refresh import Learning
from pipeline.publishing.rounds import table_of_round
from pipeline.reports.result_tables import DASH, count, number, with_interval
from pipeline.results.runs import read_runs
from pipeline.results.statistics import Estimate, Floats, mean_interval
from pipeline.tables.names import GAMES_FILE
from pipeline.tables.runs import in_words, surroundings
from solver.commands.options import new_parser, run_command
from solver.domains import load_rules
from solver.errors import InputError
from solver.games import game_names
from solver.priors.tables import BIAS, open_table, read_metadata
from solver.priors.tables import ROUNDS as TOLD
from solver.system.files import read_toml

FOLDER = Path(__file__).parent.parent / "docs" / "results" / "rounds"
PLAN = FOLDER / "plan.toml"
#: Tables of a problem: the first one, and those of three rounds more.
TABLES = 4
#: Number of no table.
NONE = 0
#: Added to the seed of a learning, for that of its matches.
MATCH_SEED = 777

#: Of all that is kept, and of the table of the page.
DETAILS = (
    "problem", "table", "learned from", "gate", "nats", "equal playouts", "over the table before",
    "over the first", "equal seconds", "over the table before, equal seconds",
)  # fmt: skip
TABLE_NAMES = ("none", *(f"round {number}" for number in range(1, TABLES + 1)))
HEADER = ("problem", *TABLE_NAMES, "last over round 1")

Row = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """A problem of the plan.

    Parameters
    ----------
    key : str
        Name in the plan, and of the file of its rows.
    name : str
        Name of its domain or game.
    title : str
        Title of its rows.
    learn, search : str
        Arguments of `learn` and of `compare`, without rounds, seeds, priors and budgets.
    seeds : list of int
        Seed of each learning; gains are means over all.
    margin : float
        Margin with which no round is dropped.
    playouts, seconds : float
        Budgets of a search, in a game of a move; 0 where there are no searches with one.
    """

    key: str
    name: str
    title: str
    learn: str
    search: str
    seeds: list[int]
    margin: float
    playouts: int
    seconds: float = 0.0

    @property
    def budgets(self) -> list[str]:
        """Budgets that searches have."""
        return [budget for budget in (PLAYOUTS, SECONDS) if self.limit(budget)]

    @property
    def is_game(self) -> bool:
        """True of a game, whose tables play each other."""
        return self.name in game_names()

    @property
    def is_solved(self) -> bool:
        """True of a decision problem, which takes playouts and seconds in place of a score."""
        return getattr(load_rules(self.name), "target", None) is not None

    def limit(self, budget: str) -> float:
        """Playouts or seconds of a search."""
        return self.playouts if budget == PLAYOUTS else self.seconds


def read_plan(path: Path = PLAN) -> dict[str, Problem]:
    """Read the problems of a plan, by their keys there; `name` may be left out.

    Raises
    ------
    InputError
        If one has a field that is unknown, or lacks one.
    """
    entries = read_toml(path)
    try:
        return {
            key: Problem(**{"key": key, "name": key, **entry}) for key, entry in entries.items()
        }
    except TypeError as error:
        raise InputError(f"{path}: {error}") from None


def learn_words(problem: Problem, seed: int) -> list[str]:
    """Words of the command that learns, as a user has it, but for its places."""
    return [*shlex.split(problem.learn), "--rounds", str(TABLES), "--seed", str(seed)]


def learned(problem: Problem, seed: int, out: Path) -> tuple[Row, list[Path]]:
    """Learn all tables of a problem into `out`; returns what `learn` says of them, and their files.

    The second command, with the wide margin, takes all that the first one made.
    """
    words = [*learn_words(problem, seed), "--threads", "1", "--work", str(out / "work")]
    gated = _told(words, out / "gated" / f"{problem.name}.parquet")
    told = gated
    if len(gated) < TABLES:
        words += ["--margin", str(problem.margin)]
        told = _told(words, out / "all" / f"{problem.name}.parquet")
    if len(told) < TABLES:
        raise InputError(
            f"{problem.name}: {len(told)} tables with margin {problem.margin:g}, expected {TABLES}"
        )
    learning = Learning.of(
        learn.read_request([*words, "--out", str(out / "gated" / f"{problem.name}.parquet")])[1]
    )
    tables = [table_of_round(learning, one["round"]) for one in told]
    return {"gate": [one.get("verdict", "") for one in gated], "rounds": told}, tables


def _told(words: list[str], path: Path) -> list[Row]:
    """Facts of the rounds of a table, which is learned unless it is there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        succeed(learn.run, words, ["--out", str(path)])
    with open_table(path) as file:
        found: list[Row] = read_metadata(file.schema_arrow.metadata, str(path), BIAS)[TOLD]
    return found


def pairs(tables: int) -> Iterator[tuple[int, int]]:
    """Tables of a game and whom they play: none, the table before, and the first."""
    for table in range(1, tables + 1):
        for other in dict.fromkeys((NONE, table - 1, 1)):
            if other < table:
                yield table, other


def searches(problem: Problem, seed: int, budget: str, tables: list[Path], out: Path) -> list[Row]:
    """Search with no table and with all; a row of each search."""
    words = [*shlex.split(problem.search), "--prior", ",".join(["none", *map(str, tables)])]
    limit = [f"--{budget}", str(problem.limit(budget)), "--out", str(out / budget)]
    succeed(compare.run, words, limit)
    numbers = {"none": NONE, **{path.stem: n for n, path in enumerate(tables, 1)}}
    runs = read_runs(out / budget)[["prior", "family", "instance", "seed", *RESULTS]]
    found = []
    for record in runs.to_dict("records"):
        cells: Row = {str(column): cell for column, cell in record.items()}
        table = numbers[cells.pop("prior")]
        found.append({"learned": seed, "budget": budget, "table": table, **cells})
    return found


def match(
    problem: Problem, seed: int, budget: str, tables: list[Path], pair: tuple[int, int], out: Path
) -> list[Row]:
    """Play one table against another or none; a row of each game."""
    words = shlex.split(problem.search)
    place = words.index("--algorithm") + 1
    guided = [f"{words[place]}:prior={path}" for path in tables]
    words[place] = ",".join("mcps" if n == NONE else guided[n - 1] for n in pair)
    folder = out / f"{budget}-{pair[0]}-{pair[1]}"
    words += ["--seed", str(seed + MATCH_SEED)]
    limit = [f"--{budget}", str(problem.limit(budget)), "--out", str(folder)]
    succeed(compare.run, words, limit)
    games = map(json.loads, (folder / GAMES_FILE).read_text(encoding="utf-8").splitlines())
    place_of = {"learned": seed, "budget": budget, "table": pair[0], "against": pair[1]}
    return [{**place_of, "game": game["number"], "score": game["score"]} for game in games]


def _group(row: Row) -> tuple[Any, ...]:
    """Rows that are made together."""
    pair = (row["table"], row["against"]) if "against" in row else None
    return row["learned"], row.get("budget"), pair


def make(problem: Problem, kept: KeptLines, work: Path) -> None:
    """Make the rows of a problem that are missing; those that are made together at once."""
    wanted = list(pairs(TABLES)) if problem.is_game else [None]
    for seed in problem.seeds:
        there = {_group(row) for row in kept.values}
        groups = [(seed, budget, pair) for budget in problem.budgets for pair in wanted]
        if not {(seed, None, None), *groups} - there:
            continue
        out = work / problem.key / str(seed)
        facts, tables = learned(problem, seed, out)
        if (seed, None, None) not in there:
            around = surroundings()
            made_by = {"commit": around["commit"], "machine": in_words(around["machine"])}
            kept.extend([{"learned": seed, **facts, **made_by}])
        for _, budget, pair in (group for group in groups if group not in there):
            if pair is None:
                kept.extend(searches(problem, seed, budget, tables, out))
            else:
                kept.extend(match(problem, seed, budget, tables, pair, out))


def worth(row: Row, problem: Problem) -> float:
    """Score of a search; of a decision problem minus log2 of what it spent, unsolved twice all."""
    if not problem.is_solved:
        return float(row["score"])
    spent = row[row["budget"]] if row["solved"] else PENALTY * problem.limit(row["budget"])
    return -float(np.log2(spent))


def differences(
    rows: Sequence[Row], problem: Problem, budget: str, table: int, other: int
) -> Floats:
    """Worth of a table less that of another, float64[instances]: means over learnings and seeds."""
    found: dict[int, dict[tuple[str, str], list[float]]] = {table: {}, other: {}}
    for row in rows:
        if row["budget"] == budget and row["table"] in found:
            place = (row["family"], row["instance"])
            found[row["table"]].setdefault(place, []).append(worth(row, problem))
    ours, theirs = found[table], found[other]
    return np.array([np.mean(ours[one]) - np.mean(theirs[one]) for one in sorted(ours)])


def gain(
    rows: Sequence[Row], problem: Problem, budget: str, table: int, other: int
) -> Estimate | None:
    """Gain of a table over another, paired; of games points of a hundred more than an even match.

    None of a table over itself.
    """
    if table in (other, NONE) or (problem.is_game and other == NONE):
        return None
    if not problem.is_game:
        return mean_interval(differences(rows, problem, budget, table, other))
    return _points(_scores(rows, budget, table, other), 0.5)


def _scores(rows: Sequence[Row], budget: str, table: int, other: int) -> Floats:
    group = (budget, table, other)
    mine = [r["score"] for r in rows if (r["budget"], r["table"], r["against"]) == group]
    return np.array(mine, np.float64)


def _points(scores: Floats, even: float) -> Estimate:
    return Estimate(*(100 * value for value in gain_of(scores, even)))


def _gain_cell(estimate: Estimate | None, problem: Problem) -> str:
    if estimate is None:
        return ""
    if problem.is_game:
        return with_interval(estimate, "{:+z.1f}".format)
    return with_interval(estimate, ("{:+z.2f}" if problem.is_solved else "{:+z,.0f}").format)


def _value_cell(rows: Sequence[Row], problem: Problem, budget: str, table: int) -> str:
    """Per cent against none of games; solved and the median spent, or the mean score."""
    if problem.is_game:
        scores = _scores(rows, budget, table, NONE)
        return with_interval(_points(scores, 0.0), "{:.1f}".format)
    mine = [row for row in rows if (row["budget"], row["table"]) == (budget, table)]
    if not problem.is_solved:
        return with_interval(mean_interval(_by_instance(mine)), number)
    spent = float(np.median([row[budget] if row["solved"] else np.inf for row in mine]))
    solved = sum(row["solved"] for row in mine)
    return f"{solved}/{len(mine)}, {(count if budget == PLAYOUTS else number)(spent)}"


def _by_instance(rows: Sequence[Row]) -> Floats:
    """Mean score of each instance."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        found.setdefault((row["family"], row["instance"]), []).append(row["score"])
    return np.array([np.mean(found[one]) for one in sorted(found)])


def _facts_cells(facts: Sequence[Row], table: int) -> list[str]:
    """Instances learned from, verdict of the gate, and held-out nats, of all learnings."""
    if table == NONE:
        return ["", "", ""]
    found: list[list[str]] = [[], [], []]
    for one in facts:
        told, gate = one["rounds"][table - 1], one["gate"]
        kind = f", {told['set']}" if told.get("set") else ""
        verdict = gate[table - 1] if table <= len(gate) else "not made"
        if verdict not in ("", "not made", *PUBLISHED):
            verdict += ", dropped"
        nats = told.get("log_likelihood")
        cells = [f"{told['instances']:,}{kind}", verdict, f"{nats['value']:.3f}" if nats else DASH]
        for several, cell in zip(found, cells, strict=True):
            several.append(cell)
    return ["; ".join(dict.fromkeys(several)) for several in found]


def rows_of(problem: Problem, values: Sequence[Row]) -> list[list[str]]:
    """Cells of a problem from the rows that are kept, a line for each table."""
    facts = [row for row in values if "rounds" in row]
    rows = [row for row in values if "budget" in row]
    cells: list[list[str]] = []
    for table in range(1 if problem.is_game else NONE, TABLES + 1):
        line = ["" if cells else problem.title, TABLE_NAMES[table], *_facts_cells(facts, table)]
        before, first = (gain(rows, problem, PLAYOUTS, table, n) for n in (max(table - 1, 0), 1))
        line.append(_value_cell(rows, problem, PLAYOUTS, table))
        line += [_gain_cell(before, problem), _gain_cell(first if table > 2 else None, problem)]
        if any(row["budget"] == SECONDS for row in rows):
            before = gain(rows, problem, SECONDS, table, max(table - 1, 0))
            line += [_value_cell(rows, problem, SECONDS, table), _gain_cell(before, problem)]
        cells.append([*line, *[""] * (len(DETAILS) - len(line))])
    return cells


def read_rows(folder: Path) -> list[list[str]]:
    """Cells of all problems of the plan of a folder that have rows there."""
    return _cells(read_plan(folder / PLAN.name), folder)


def _cells(plan: dict[str, Problem], folder: Path) -> list[list[str]]:
    paths = {name: folder / f"{name}.jsonl" for name in plan}
    kept = {name: KeptLines(path).values for name, path in paths.items() if path.exists()}
    return [line for name, values in kept.items() for line in rows_of(plan[name], values)]


def table(rows: list[list[str]]) -> list[list[str]]:
    """Cells of the table of the page, a line for each problem."""
    value, over = DETAILS.index("equal playouts"), DETAILS.index("over the first")
    found: list[list[str]] = []
    for row in rows:
        if row[0]:
            found.append([row[0], *[""] * (len(HEADER) - 1)])
        found[-1][HEADER.index(row[1])], found[-1][-1] = row[value], row[over]
    return found


def run(argv: Sequence[str]) -> int:
    """Do what the arguments ask for; returns the exit status."""
    parser = new_parser("python -m benchmarks.rounds", __doc__ or "", "")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where rows are kept")
    parser.add_argument("--problem", metavar="NAME", help="(default: all of the plan)")
    parser.add_argument("--show", action="store_true", help="only print what is kept")
    parser.add_argument("--plan", type=Path, default=PLAN, help="(default: the plan that ships)")
    parser.add_argument("--work", type=Path, default=Path("build/rounds"), metavar="FOLDER")
    arguments = parser.parse_args(argv)
    plan = read_plan(arguments.plan)
    if arguments.problem is not None:
        if arguments.problem not in plan:
            raise InputError(f"no problem {arguments.problem}; there are: {', '.join(plan)}")
        plan = {arguments.problem: plan[arguments.problem]}
    for name, problem in plan.items() if not arguments.show else ():
        with redirect_stdout(sys.stderr):
            make(problem, KeptLines(arguments.folder / f"{name}.jsonl"), arguments.work.absolute())
    write_markdown(DETAILS, _cells(plan, arguments.folder), texts=4)
    return 0


if __name__ == "__main__":
    run_command("python -m benchmarks.rounds", run)
