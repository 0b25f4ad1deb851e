"""Command lines made from dataclasses, so that a domain describes its options once."""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import os
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from solver.commands.progress import be_quiet
from solver.compiling.compile_errors import compile_message
from solver.compiling.user_files import in_a_line, is_of_users
from solver.errors import (
    FieldError,
    InputError,
    VerificationError,
    message_of,
    option_word,
    quoted,
    shortened,
)
from solver.system.fields import KINDS, NONE, REQUIRED, Field, fields_of
from solver.system.interrupt import exit_by_status, raise_on_signals

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

T = TypeVar("T")

#: Names of the converters' results in messages.
EXPECTED = {"int": KINDS[int], "float": KINDS[float]}
#: Exit status after Ctrl-C, SIGTERM or SIGHUP.
INTERRUPTED = 130


class ParserExit(SystemExit):
    """The end of the program that `--help` and the like ask for."""


class Parser(argparse.ArgumentParser):
    """Errors in one line, as for every other bad input."""

    of_problems: Callable[[], Mapping[str, argparse.ArgumentParser]] = staticmethod(dict)
    """Returns the parsers of all problems that a command takes, by name."""
    brief: tuple[str, Callable[[Sequence[str]], Collection[str]]] | None = None
    """Title of the group that `--help` shortens, and the options of it that words call for."""
    words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, which `--help` may depend on."""
        self.words = tuple(args or ())
        return super().parse_known_args(args, namespace)

    def brief_help(self) -> str:
        """Return the help with the options of the group `brief` that the arguments call for."""
        if self.brief is None:
            return self.format_help()
        title, names = self.brief[0], self.brief[1](self.words)
        formatter = self._get_formatter()
        actions = self._get_positional_actions()
        places = [str(a.metavar) if a.required else f"[{a.metavar}]" for a in actions]
        formatter.add_usage(f"%(prog)s [OPTION ...] {' '.join(places)}", (), ())
        formatter.add_text(self.description)
        for group in self._action_groups:
            formatter.start_section(group.title)
            shown = (a for a in group._group_actions if group.title != title or a.dest in names)
            formatter.add_arguments(shown)
            formatter.end_section()
        formatter.add_text(f"Further options of searches: {self.prog} --algorithm NAME --help")
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the program, which code of users may not do."""
        self._print_message(message or "")
        raise ParserExit(status)

    def error(self, message: str) -> NoReturn:
        """Raise `message` as an `InputError`."""
        raise InputError(shortened(message))

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Convert a word; errors name the option as it was typed."""
        convert: Any = self._registry_get("type", action.type, action.type)
        try:
            return convert(arg_string)
        except FieldError as error:
            raise InputError(f"{_called(action)} {error.complaint}") from None
        except (ValueError, TypeError, argparse.ArgumentTypeError):
            kind = getattr(action.type, "__name__", "")
            expected = EXPECTED.get(kind, f"a {kind}")
            raise InputError(
                f"{_called(action)} is {quoted(arg_string)}, expected {expected}"
            ) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is no choice."""
        if action.choices is not None and value not in action.choices:
            expected = ", ".join(map(str, action.choices))
            raise InputError(
                f"{_called(action)} is {quoted(value, action.choices)}, expected one of: {expected}"
            )

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help and version; argparse hides that an output without a buffer is full."""
        if message and (file := file or sys.stderr) is not None:
            file.write(message)


def _called(action: argparse.Action) -> str:
    """Name of an option, or of a positional argument."""
    return action.option_strings[0] if action.option_strings else str(action.metavar)


class _Help(argparse.Action):
    """`--help`, and `--help-all`: print the help, and end."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(parser, Parser)
        whole = option_string == "--help-all"
        sys.stdout.write(parser.format_help() if whole else parser.brief_help())
        parser.exit()


class _Quiet(argparse.Action):
    """`--quiet`: silence of everything that the command runs."""

    def __call__(self, *arguments: object) -> None:
        be_quiet()


def refuse_idle(argv: Sequence[str], options: Iterable[str], where: str) -> None:
    """Raise `InputError` for the first of `options` in `argv`: they do nothing `where` we are."""
    given = {word.partition("=")[0] for word in argv}
    for option in options:
        if option in given:
            raise InputError(f"{option} has no effect {where}")


def new_parser(command: str, description: str, epilog: str) -> Parser:
    """Return a parser with the options of every command; its help keeps line breaks of texts."""
    from solver.commands.completion import CompletionAction

    parser = Parser(
        prog=command,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    parser.add_argument("-h", "--help", action=_Help, nargs=0, help="show this help and exit")
    parser.add_argument("--help-all", action=_Help, nargs=0, help="the same with all options")
    parser.add_argument("--version", action="version", version=f"nestor {version()}")
    parser.add_argument(
        "--quiet", "-q", action=_Quiet, nargs=0,
        help="nothing on stderr but errors: no progress, no summary",
    )  # fmt: skip
    parser.add_argument(
        "--completion",
        action=CompletionAction,
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
    if text in ("", "-"):
        found = quoted(text) if text else "empty"
        raise FieldError("", f"is {found}, expected the name of a file")
    return Path(text)


def comma_list(of: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Return a converter of comma-separated texts; repeated ones count once."""

    def convert(text: str) -> list[T]:
        return list(dict.fromkeys(of(item) for item in text.split(",")))

    kind = of.__name__
    convert.__name__ = f"list, each {EXPECTED.get(kind, kind)}"
    return convert


class _Switch(argparse.BooleanOptionalAction):
    """`--x` and `--no-x`; of a list each that is given."""

    def __init__(
        self, option_strings: Sequence[str], dest: str, *, many: bool, default: Any, help: str
    ) -> None:
        super().__init__(option_strings, dest, default=default)
        self.help = help  # the base class would add the default
        self.many = many

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        value: Any = option_string == self.option_strings[0]
        if self.many:
            given = getattr(namespace, self.dest, self.default)
            value = [value] if given is self.default else [*given, value]
        setattr(namespace, self.dest, value)


def add_field(
    group: argparse._ActionsContainer, field: Field, text: str, default: Any, *, many: bool = False
) -> None:
    """Add the option of a field, `text` its help; if `many`, one of a list of values.

    `default` is what is parsed where the option is not given; nothing if it is `SUPPRESS`.
    """
    option, text = option_word(field.name), text.replace("%", "%%")
    if field.kind is bool and not field.optional:
        group.add_argument(option, action=_Switch, many=many, default=default, help=text)
        return
    metavar = field.kind.__name__.upper()
    if field.choices:
        metavar = f"{{{','.join(map(str, field.choices))}}}"
    group.add_argument(
        option,
        type=comma_list(field.parse) if many else field.parse,
        default=default,
        metavar=metavar + ",..." * many,
        help=text,
    )


def shown_default(default: Any) -> str:
    """`default` as help shows it."""
    if isinstance(default, bool):
        return "yes" if default else "no"
    return NONE if default in ("", None) else str(default)


def add_dataclass(
    group: argparse._ActionsContainer,
    cls: type,
    *,
    many: bool = False,
    defaults: Mapping[str, object] | None = None,
) -> None:
    """Add an option for every field of the dataclass `cls`; lists of values if `many`.

    `defaults` stand in for those of the class.

    Raises
    ------
    InputError
        If a field is of no kind that can be an option, or has the name of another option.
    """
    for name, field in fields_of(cls).items():
        default = (defaults or {}).get(name, field.default)
        if default is REQUIRED:
            raise InputError(f"{cls.__module__}.{cls.__qualname__}: {name} has no default")
        shown = field.default_text if default is field.default else ""
        text = f"{field.text} (default: {shown or shown_default(default)})"
        try:
            if any(action.dest == name for action in group._actions):
                raise argparse.ArgumentError(None, name)
            add_field(group, field, text, [default] if many else default, many=many)
        except argparse.ArgumentError:
            complaint = f"{name} is another option of the command, expected another name"
            raise InputError(f"{cls.__module__}.{cls.__qualname__}: {complaint}") from None


def add_budget(
    group: argparse._ActionsContainer, *, playouts: int | None = None, seconds: float | None = None
) -> None:
    """Add `--playouts` and `--seconds`; the one with a default has it if neither is given."""
    usual = "(default: {:g} if no {} are given)"
    group.add_argument(
        "--playouts",
        type=int,
        metavar="N",
        help=None if playouts is None else usual.format(playouts, "seconds"),
    )
    group.add_argument(
        "--seconds",
        type=float,
        metavar="T",
        help=None if seconds is None else usual.format(seconds, "playouts"),
    )


def budget_bounds(
    arguments: argparse.Namespace, *, playouts: int | None = None, seconds: float | None = None
) -> tuple[int | None, float | None]:
    """Return playouts and seconds of a budget; the defaults of `add_budget` if neither is given."""
    if arguments.playouts is None and arguments.seconds is None:
        return playouts, seconds
    return arguments.playouts, arguments.seconds


def from_arguments(cls: Callable[..., T], arguments: argparse.Namespace) -> T:
    """Build the dataclass `cls` from parsed arguments."""
    fields = fields_of(cast("type", cls))
    return cls(**{name: getattr(arguments, name) for name in fields})


def run_command(command: str, main: Callable[[Sequence[str]], int]) -> NoReturn:
    """Run `main` on the command line: bad input is one line on stderr and status 2."""
    be_quiet(False)
    raise_on_signals(command)
    if isinstance(sys.stdout, io.TextIOWrapper):  # it may have no such letters as are in names
        sys.stdout.reconfigure(errors="backslashreplace")
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
            from solver.commands.subjects import long_words

            status = main(long_words(sys.argv[1:]))
        except ParserExit as end:
            status = int(end.code or 0)
        except SystemExit as end:  # of code that is not ours: whatever it says, nothing was done
            return _fail(command, f"{_raised_at(end)}: sys.exit({end.code!r}) ended the run", 2)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (InputError, argparse.ArgumentError) as error:  # also two options of one name
        in_a_row = message_of(error).replace("\n", "\\n")  # as names of files may have
        return _fail(command, in_a_row, 2)
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
        if compile_message(error) is None and not is_of_users(error):
            raise
        return _fail(command, in_a_line(error), 2)
    return status


def _raised_at(error: BaseException) -> str:
    """File and line that an error comes from."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename}, line {frame.lineno}"


def _fail(command: str, message: str, status: int) -> int:
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"{command}: {message}", file=sys.stderr)
    return status
