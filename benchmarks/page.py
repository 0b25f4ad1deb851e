"""Tables of the documentation from kept rows: `python -m benchmarks.page [TABLE ...]`.

Without a table lists all and says which page differs from its rows; exit status 1 if one does. With
tables, or `--all`, writes them between their marks. `--run` makes their runs again, in
`build/results` or `--out`, prints the tables of the new rows and compares these with those kept;
`--sample 10` does so on a tenth of the instances; of tables of means that another command keeps,
with other seeds for a tenth of the runs, compared by z-tests. `--keep FOLDER` takes the runs of
each set from a folder of its name in FOLDER into the kept data.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.results.again import compared, keep, make
from benchmarks.results.kinds import markdown
from benchmarks.results.plan import KeptRuns, KeptTable, read_plan, write, written
from benchmarks.results.repeats import HEADER, beside, repeated
from benchmarks.tables import write_markdown
from pipeline.results.data import ReportData
from solver.commands.options import new_parser, run_command
from solver.errors import InputError


def show_all(tables: Sequence[KeptTable]) -> int:
    """Print all tables and if their pages have them; returns the exit status."""
    rows, all_same = [], True
    for table in tables:
        same = written(table) == markdown(table)
        runs = " ".join(runs.name for runs in table.runs)
        rows.append([table.name, table.page, runs, "as its rows" if same else "differs"])
        all_same &= same
    write_markdown(["table", "page", "runs", "page"], rows, texts=4)
    return 0 if all_same else 1


def again(table: KeptTable, out: Path, sample: int | None) -> bool:
    """Make the runs of a table again, print it; returns if they are those that are kept."""
    if table.again is not None:
        cells, same_means = beside(repeated(table.again, sample or 1, out / table.again))
        write_markdown(HEADER, cells, texts=1)
        return same_means
    folders = {runs.name: out / runs.name for runs in table.runs}
    for runs in table.runs:
        make(runs, folders[runs.name], sample)

    def read(runs: KeptRuns) -> ReportData:
        return runs.read(folders[runs.name])

    sys.stdout.write(f"{markdown(table, read)}\n")
    results = [compared(runs, folders[runs.name]) for runs in table.runs]
    for words, _ in results:
        sys.stdout.write(f"{words}\n")
    return all(same for _, same in results)


def run(argv: Sequence[str]) -> int:
    """Do what the arguments ask for; returns the exit status."""
    parser = new_parser("python -m benchmarks.page", __doc__ or "", "")
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--all", action="store_true", help="all tables of the plan")
    parser.add_argument("--run", action="store_true", help="make the runs again")
    parser.add_argument("--sample", type=int, metavar="N", help="one instance of N")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="(default: build/results)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the runs of a folder")
    arguments = parser.parse_args(argv)
    plan = read_plan()
    unknown = [name for name in arguments.tables if name not in plan]
    if unknown:
        raise InputError(f"no table {', '.join(unknown)}; there are: {', '.join(plan)}")
    if arguments.sample is not None and arguments.sample < 1:
        raise InputError(f"--sample is {arguments.sample}, expected 1 or more")
    chosen = [plan[name] for name in arguments.tables] or list(plan.values())
    if not arguments.tables and not arguments.all:
        return show_all(chosen)
    if arguments.run or arguments.sample is not None:
        sample = arguments.sample
        out = arguments.out or Path("build/results") / ("all" if sample is None else f"1-{sample}")
        chosen = [table for table in chosen if table.runs or table.again is not None]
        if not chosen:
            raise InputError("no runs to make again; the page has the commands that make the rows")
        same = [again(table, out, sample) for table in chosen]
        return 0 if all(same) else 1
    if arguments.keep is not None:
        sets = {runs.name: runs for table in chosen for runs in table.runs}
        for runs in sets.values():
            keep(runs, arguments.keep / runs.name)
    for table in chosen:
        if write(table, markdown(table)):
            sys.stdout.write(f"{table.page}: {table.name}\n")
    return 0


main = functools.partial(run_command, "page", run)

if __name__ == "__main__":
    main()
