"""Command lines made from dataclasses, so that a domain describes its options once."""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from solver.errors import InputError, shortened

T = TypeVar("T")


class Parser(argparse.ArgumentParser):
    """Errors in one line, as for every other bad input."""

    def error(self, message: str) -> NoReturn:
        """Raise `message` as an `InputError`."""
        raise InputError(shortened(message))


def new_parser(command: str, description: str, epilog: str) -> Parser:
    """Return a parser whose help keeps the line breaks of its texts."""
    return Parser(
        prog=command,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def first_name(arguments: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the first of `arguments` that is one of `names`: options depend on it."""
    return next((argument for argument in arguments if argument in names), None)


def comma_list(of: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Return a converter of comma-separated texts; what is repeated counts once."""

    def convert(text: str) -> list[T]:
        return list(dict.fromkeys(of(item) for item in text.split(",")))

    convert.__name__ = f"list of {of.__name__}"
    return convert


def parameter_help(cls: type) -> dict[str, str]:
    """Read the descriptions in the `Parameters` section of a numpydoc docstring."""
    doc = (cls.__doc__ or "").split("Parameters\n    ----------\n", 1)[-1]
    doc = re.split(r"\n    \w+\n    -+\n", doc)[0]
    found = re.findall(r"^    (\w+) : .*\n((?:^        .*\n?)+)", doc, re.MULTILINE)
    return {name: " ".join(text.split()).replace("`", "") for name, text in found}


def add_dataclass(
    group: Any, cls: Any, *, many: bool = False, defaults: Mapping[str, Any] | None = None
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
            "--" + field.name.replace("_", "-"),
            type=comma_list(kind) if many else kind,
            default=[default] if many else default,
            metavar=kind.__name__.upper() + (",..." if many else ""),
            help=f"{texts.get(field.name, '')} (default: {default})".replace("%", "%%"),
        )


def from_arguments(cls: Callable[..., T], arguments: argparse.Namespace) -> T:
    """Build the dataclass `cls` from parsed arguments."""
    fields = dataclasses.fields(typing.cast(Any, cls))
    return cls(**{field.name: getattr(arguments, field.name) for field in fields})


def run_command(command: str, main: Callable[[Sequence[str]], int]) -> NoReturn:
    """Run `main` on the command line: bad input is one line on stderr and status 2."""
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except InputError as error:
        print(f"{command}: {error}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        status = 130
    except BrokenPipeError:  # the reader of our output left, as `head` does
        sys.stderr.close()
        status = 1
    sys.exit(status)
