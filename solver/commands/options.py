"""Command lines made from dataclasses, so that a domain describes its options once."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import os
import re
import sys
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypedDict, TypeVar

from solver.commands.progress import be_quiet
from solver.compiling.compile_errors import compile_message
from solver.errors import InputError, VerificationError, shortened
from solver.system.interrupt import exit_by_status, raise_on_signals

if TYPE_CHECKING:
    from _typeshed import DataclassInstance, SupportsWrite

T = TypeVar("T")

#: Exit status after Ctrl-C or SIGTERM.
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Errors in one line, as for every other bad input."""

    def error(self, message: str) -> NoReturn:
        """Raise `message` as an `InputError`."""
        raise InputError(shortened(message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help and version; argparse hides that an output without a buffer is full."""
        if message and (file := file or sys.stderr) is not None:
            file.write(message)


class _Quiet(argparse.Action):
    """`--quiet`: it holds for everything that the command runs."""

    def __call__(self, *arguments: object) -> None:
        be_quiet()


class _Completion(argparse.Action):
    """`--completion SHELL`: print a script with all options, and end."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        shell: str | Sequence[object] | None,
        option: str | None = None,
    ) -> None:
        import shtab

        for action in parser._actions:
            if "FILE" in str(action.metavar) or "FOLDER" in str(action.metavar):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
        print(shtab.complete(parser, str(shell)))
        parser.exit()


def option_word(name: str) -> str:
    """What a parameter is called on the command line."""
    return f"--{name.replace('_', '-')}"


def refuse_idle(argv: Sequence[str], options: Iterable[str], where: str) -> None:
    """Raise `InputError` for the first of `options` in `argv`: they do nothing `where` we are."""
    given = {word.partition("=")[0] for word in argv}
    for option in options:
        if option in given:
            raise InputError(f"{option} has no effect {where}")


def new_parser(command: str, description: str, epilog: str) -> Parser:
    """Return a parser with what every command has; its help keeps the line breaks of its texts."""
    parser = Parser(
        prog=command,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"nestor {version()}")
    parser.add_argument(
        "--quiet",
        action=_Quiet,
        nargs=0,
        help="nothing on stderr but errors: no progress, no summary",
    )
    parser.add_argument(
        "--completion",
        action=_Completion,
        choices=("bash", "zsh", "tcsh"),
        help='print a script for the shell: eval "$(' + command + ' --completion bash)"',
    )
    return parser


def version() -> str:
    """Version of the installed package."""
    return importlib.metadata.version("nestor")


#: More of these than any machine has, or any search needs, is a slip of the fingers.
MOST = {"threads": 1024, "instances": 10_000_000, "seeds": 1_000_000}


def check_counts(arguments: argparse.Namespace, *names: str) -> None:
    """Refuse options called `names` that are given and not between 1 and their `MOST`.

    Raises
    ------
    InputError
        If one is.
    """
    for name in names:
        given, most = getattr(arguments, name), MOST[name]
        if given is not None and not 1 <= given <= most:
            expected = "1 or more" if given < 1 else f"1 ... {most:,}"
            raise InputError(f"--{name} is {given}, expected {expected}")


def file_name(text: str) -> Path:
    """Convert a word of the command line to the path of a file or folder to write."""
    if not text:
        raise argparse.ArgumentTypeError("an empty name, expected that of a file")
    return Path(text)


def comma_list(of: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Return a converter of comma-separated texts; what is repeated counts once."""

    def convert(text: str) -> list[T]:
        return list(dict.fromkeys(of(item) for item in text.split(",")))

    convert.__name__ = f"list of {of.__name__}"
    return convert


def parameter_help(cls: type) -> dict[str, str]:
    """Read the `Parameters` of a numpydoc docstring, and of the classes that it derives from."""
    inherited = parameter_help(cls.__base__) if cls.__base__ is not None else {}
    doc = (cls.__doc__ or "").split("Parameters\n    ----------\n", 1)[-1]
    doc = re.split(r"\n    \w+\n    -+\n", doc)[0]
    found = re.findall(r"^    (\w+) : .*\n((?:^        .*\n?)+)", doc, re.MULTILINE)
    texts = {name: " ".join(text.split()).replace("`", "") for name, text in found}
    return inherited | {name: re.sub(r" \[\d+\]_", "", text) for name, text in texts.items()}


class KindOfArgument(TypedDict, total=False):
    """What `add_argument` is told of the values of an option."""

    action: type[argparse.Action]
    choices: tuple[object, ...]
    type: Callable[[str], object]
    metavar: str


def kind_of_argument(kind: type) -> KindOfArgument:
    """What `add_argument` is told of a field of type `kind`: of a `Literal` the choices."""
    if kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if typing.get_origin(kind) is typing.Literal:
        return {"choices": typing.get_args(kind)}
    return {"type": kind, "metavar": kind.__name__.upper()}


def add_dataclass(
    group: argparse._ArgumentGroup,
    cls: type[DataclassInstance],
    *,
    many: bool = False,
    defaults: Mapping[str, object] | None = None,
) -> None:
    """Add an option for every field of the dataclass `cls`; lists of values if `many`.

    `defaults` stand in for those of the class.
    """
    kinds = typing.get_type_hints(cls)
    texts = parameter_help(cls)
    for field in dataclasses.fields(cls):
        kind = kinds[field.name]
        default = (defaults or {}).get(field.name, field.default)
        group.add_argument(
            option_word(field.name),
            type=comma_list(kind) if many else kind,
            default=[default] if many else default,
            metavar=kind.__name__.upper() + (",..." if many else ""),
            help=f"{texts.get(field.name, '')} "
            f"(default: {'none' if default == '' else default})".replace("%", "%%"),
        )


def from_arguments(cls: Callable[..., T], arguments: argparse.Namespace) -> T:
    """Build the dataclass `cls` from parsed arguments."""
    fields = dataclasses.fields(typing.cast("type[DataclassInstance]", cls))
    return from_values(cls, {field.name: getattr(arguments, field.name) for field in fields})


def from_values(cls: Callable[..., T], values: Mapping[str, object]) -> T:
    """Build the dataclass `cls` from values by the names of its fields; it checks them itself."""
    return cls(**values)


def run_command(command: str, main: Callable[[Sequence[str]], int]) -> NoReturn:
    """Run `main` on the command line: bad input is one line on stderr and status 2."""
    be_quiet(False)
    raise_on_signals()
    status = _status_of(command, main)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # Python would try again, and complain, when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _status_of(command: str, main: Callable[[Sequence[str]], int]) -> int:
    try:
        try:
            status = main(sys.argv[1:])
        except SystemExit as end:  # --help and their like
            status = int(end.code or 0)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (InputError, argparse.ArgumentError) as error:  # also two options of one name
        return _fail(command, str(error).replace("\n", "\\n"), 2)  # as names of files may have
    except VerificationError as error:
        return _fail(command, f"an answer was rejected by its verifier, a defect: {error}", 2)
    except KeyboardInterrupt as interrupt:
        exit_by_status()
        return _fail(command, "; ".join(["interrupted", *map(str, interrupt.args)]), INTERRUPTED)
    except BrokenPipeError:  # the reader of our output left, as `head` does
        return 1
    except OSError as error:  # a full disk, a closed or full output
        where = f"{error.filename}: " if error.filename else ""
        return _fail(command, f"{where}{error.strerror or error}", 2)
    except Exception as error:
        message = compile_message(error)
        if message is None:
            raise
        return _fail(command, message, 2)
    return status


def _fail(command: str, message: str, status: int) -> int:
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"{command}: {message}", file=sys.stderr)
    return status
