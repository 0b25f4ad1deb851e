"""`models`: the versions of published models, and going back to one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from solver.commands.options import Parser, new_parser, run_command
from solver.commands.subjects import find_domain
from solver.errors import InputError, quoted

if TYPE_CHECKING:
    from pipeline.publishing.manifest import Version

DESCRIPTION = """\
Versions of published models. `list` prints them, the current one marked; `check`
compares the files in use with the manifest and their schema; `publish` adds a table
that was made elsewhere; `rollback` makes an earlier version current, by default
the one before."""

EPILOG = """\
examples:
  models list
  models rollback NAME
  models rollback NAME 63a1f0c2d9e4"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = new_parser("models", DESCRIPTION, EPILOG)
    common = Parser(add_help=False)
    common.add_argument(
        "--models", type=Path, default=Path("models"), metavar="FOLDER", help="(default: models)"
    )
    common.add_argument(
        "--domain",
        action="append",
        default=[],
        metavar="FILE.py",
        help="a domain of your own, where a model is for one",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", parents=[common], help="every version of every model")
    commands.add_parser("check", parents=[common], help="are the files in use what was published")
    one = commands.add_parser("publish", parents=[common], help="make a bias table current")
    one.add_argument("name", metavar="NAME")
    one.add_argument("file", type=Path, metavar="FILE", help="bias table, its counts beside it")
    one.add_argument("--made-by", default="unknown", metavar="COMMAND", help="how it was made")
    one.add_argument(
        "--replace",
        action="store_true",
        help="replace a published table by one that was learned in another way, from fewer "
        "instances, or though the sources here differ from their commit",
    )
    back = commands.add_parser("rollback", parents=[common], help="make an earlier version current")
    back.add_argument("name", metavar="NAME")
    back.add_argument("version", nargs="?", metavar="VERSION", help="(default: the one before)")
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command with the arguments `argv`; returns the exit status."""
    arguments = build_parser().parse_args(argv)
    from pipeline.publishing.manifest import MANIFEST, has_manifest, read_manifest
    from pipeline.publishing.published import check_models, publish, rollback

    for file in arguments.domain:
        find_domain(file)
    models: Path = arguments.models
    if arguments.command in ("list", "check") and not has_manifest(models):
        raise InputError(f"{models / MANIFEST}: no such file, nothing was published in {models}")
    if arguments.command == "list":
        for name, model in read_manifest(models)["models"].items():
            for version in model["versions"]:
                print(_line(name, version, current=version["digest"] == model["current"]))
        return 0
    if arguments.command == "check":
        wrong = 0
        for file, checks in check_models(models).items():
            failed = [check.message for check in checks if not check.passed]
            wrong += bool(failed)
            print(f"{models / file}: {failed[0] if failed else f'{len(checks)} checks passed'}")
        return 1 if wrong else 0
    if arguments.command == "publish":
        entry = publish(
            models,
            arguments.name,
            arguments.file,
            command=arguments.made_by,
            replace=arguments.replace,
            ways="--replace replaces it all the same",
        )
    elif arguments.command == "rollback":
        entry = rollback(models, arguments.name, arguments.version)
    else:
        raise InputError(f"no command called {quoted(arguments.command)}")
    print(_line(arguments.name, entry, current=True))
    return 0


def _line(name: str, version: Version, *, current: bool) -> str:
    evaluation = version["evaluation"]
    verdict = f", {evaluation['verdict']}" if evaluation and "verdict" in evaluation else ""
    return (
        f"{'*' if current else ' '} {name} {version['version']} {version['published']} "
        f"{version['domain']} {version['prior']}, {version['instances']:,} instances{verdict}: "
        f"{version['command']}"
    )


def main() -> None:
    """Entry point."""
    run_command("models", run)


if __name__ == "__main__":
    main()
