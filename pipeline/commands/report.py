"""`report`: the report of folders of runs, from their files alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipeline.tables.names import MARKS
from solver.commands.options import Parser, comma_list, file_name, new_parser, run_command
from solver.commands.subjects import find_domain, is_file_name
from solver.errors import InputError, quoted
from solver.system.files import refuse_foreign

DESCRIPTION = """\
Write the report of one folder of runs, or of several in one, from the files that
`compare` left there. Nothing is searched and no other file is needed."""

EPILOG = """\
examples:
  report build/compare/latin-square
  report build/compare/latin-square build/compare/kakuro --out build/both
  report my_puzzle.py build/compare/my-puzzle
  report build/compare/latin-square --tables csv,tex"""


def build_parser() -> Parser:
    """Return the parser."""
    parser = new_parser("report", DESCRIPTION, EPILOG)
    parser.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUNS",
        help="folders that `compare` wrote, and the files with domains of your own among them: "
        "without those their answers are shown as text",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--out",
        "-o",
        type=file_name,
        metavar="FOLDER",
        help="where report.html, report.md and figures/ are written (default: the first of RUNS)",
    )
    output.add_argument("--title", metavar="TEXT", help="heading of the report")
    output.add_argument(
        "--tables",
        type=comma_list(str),
        default=[],
        metavar="FORMAT,...",
        help="csv or tex (LaTeX, for the package booktabs): every table as a file in tables/, too",
    )
    return parser


def run(argv: Sequence[str]) -> int:
    """Run `report` with the arguments `argv`; returns the exit status."""
    arguments = build_parser().parse_args(argv)
    folders = []
    for path in arguments.runs:
        if is_file_name(path.name) and not path.is_dir():
            find_domain(str(path))
        else:
            folders.append(path)
    if not folders:
        raise InputError("no folder of runs is named")
    from pipeline.reports.report import FORMATS, write_report

    if arguments.out is not None:
        refuse_foreign(arguments.out, "--out", *MARKS)
    unknown = [name for name in arguments.tables if name not in FORMATS]
    if unknown:
        raise InputError(f"--tables is {quoted(unknown[0])}, expected one of: {', '.join(FORMATS)}")
    report = write_report(folders, arguments.out, arguments.title, arguments.tables)
    print(f"report: {report}")
    return 0


def main() -> None:
    """Entry point of `report`."""
    run_command("report", run)


if __name__ == "__main__":
    main()
