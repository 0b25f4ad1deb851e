"""Scripts by which a shell completes the words of a command."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, cast

from solver.algorithms import known_algorithms

_BASH = """\
# Completion of {command} for bash:
#   eval "$({command} --completion bash)"
# or, at no cost when a shell starts, once
#   {command} --completion bash > ~/.local/share/bash-completion/completions/{command}

# Say of option $2 behind problem $1 whether it `takes` a value, and which: `words` or `paths`.
{function}_value() {{
  takes=1 words= paths=none
  case "$1:$2" in
{values}  esac
}}

{function}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" problem= option= before= word words= paths=none
  local takes index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="${{COMP_WORDS[index]}}"
    if [[ $word == "=" ]]; then
      option="${{COMP_WORDS[index - 1]}}"
    elif [[ -n $option ]]; then
      option=
    elif [[ $word == -?* ]]; then
      {function}_value "$problem" "$word"
      if [[ $takes == 1 ]]; then option=$word; fi
    elif [[ -z $problem ]]; then
      problem=$word
    fi
  done
  if [[ $current == "=" ]]; then
    option="${{COMP_WORDS[COMP_CWORD - 1]}}" current=
  fi
  if [[ -n $option ]]; then
    {function}_value "$problem" "$option"
    if [[ -n $words && $current == *,* ]]; then
      before="${{current%,*}}," current="${{current##*,}}"
    fi
  elif [[ $current == -* ]]; then
    case "$problem" in
{options}    esac
  elif [[ -z $problem ]]; then
    {first}
  else
    words= paths={further}
  fi
  if [[ $paths != none ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      COMPREPLY+=("$before$word")
    done < <(compgen -A "$paths" -- "$current")
  fi
  while IFS= read -r word; do
    COMPREPLY+=("$before$word")
  done < <(compgen -W "$words" -- "$current")
}}

complete -F {function} {command}
"""


class _Command(Protocol):
    prog: str
    of_problems: Callable[[], Mapping[str, argparse.ArgumentParser]]


class CompletionAction(argparse.Action):
    """`--completion SHELL` of a `solver.commands.options.Parser`: print a script, and end."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        shell: str | Sequence[object] | None,
        option: str | None = None,
    ) -> None:
        """Print the script for `shell`."""
        command = cast("_Command", parser)
        of_problems = command.of_problems()
        if shell == "bash":
            print(bash_script(command.prog, parser, of_problems), end="")
        else:
            print(other_script(str(shell), parser, of_problems))
        parser.exit()


class _Value(NamedTuple):
    """Value after an option, or an argument, as bash completes it."""

    takes: bool
    words: tuple[str, ...] = ()
    paths: str = "none"
    """Action of `compgen` in bash: file, directory, or none."""

    @property
    def code(self) -> str:
        """Assignments in bash."""
        words = shlex.quote(" ".join(self.words))
        return f"takes={int(self.takes)} words={words} paths={self.paths}"


def bash_script(
    command: str,
    parser: argparse.ArgumentParser,
    of_problems: Mapping[str, argparse.ArgumentParser],
) -> str:
    """Return a script for bash.

    Parameters
    ----------
    parser : ArgumentParser
        Has the options that need no problem.
    of_problems : dict[str, ArgumentParser]
        Parsers by the names of problems, which the first argument is; empty where a command takes
        none.
    """
    usual: dict[str, _Value] = {}
    for one in (parser, *of_problems.values()):
        usual = _values(one) | usual
    cases = []
    for name, one in of_problems.items():
        cases += [
            _case(f"{name}:{option}", value)
            for option, value in _values(one).items()
            if value != usual[option]
        ]
    cases += [_case(f"*:{option}", value) for option, value in usual.items()]
    options = [
        f"      {shlex.quote(name)}) words={shlex.quote(' '.join(_values(one)))} ;;\n"
        for name, one in of_problems.items()
    ]
    options.append(f"      *) words={shlex.quote(' '.join(_values(parser)))} ;;\n")
    first = further = _positional(parser)
    if of_problems:
        first = _Value(True, tuple(of_problems), "file")
    return _BASH.format(
        command=command,
        function=f"_nestor_{command}",
        values="".join(cases),
        options="".join(options),
        first=first.code,
        further=further.paths,
    )


def other_script(
    shell: str, parser: argparse.ArgumentParser, of_problems: Mapping[str, object]
) -> str:
    """Return a script for zsh or tcsh: names of problems, and options that all of them share."""
    import shtab

    for action in parser._actions:
        if action.nargs == argparse.SUPPRESS:  # so long as only options are being read
            action.nargs = None
        paths = _value_of(action).paths
        if action.dest == "subject" and of_problems:
            action.choices = list(of_problems)
        elif paths != "none":
            kind = shtab.FILE if paths == "file" else shtab.DIRECTORY
            action.complete = kind  # type: ignore[attr-defined]
    script: str = shtab.complete(parser, shell)
    return script


def _case(pattern: str, value: _Value) -> str:
    return f"    {pattern}) {value.code} ;;\n"


def _values(parser: argparse.ArgumentParser) -> dict[str, _Value]:
    """Return the options of a parser, with the values of each."""
    return {
        option: _value_of(action) for action in parser._actions for option in action.option_strings
    }


def _positional(parser: argparse.ArgumentParser) -> _Value:
    """Return the permitted values of a parser's last argument."""
    return [_value_of(action) for action in parser._actions if not action.option_strings][-1]


def _value_of(action: argparse.Action) -> _Value:
    if action.nargs == 0:
        return _Value(False)
    named, words = str(action.metavar), tuple(map(str, action.choices or ()))
    if named.startswith("{"):  # alternatives that a converter checks
        words = tuple(named[1:].partition("}")[0].split(","))
    if action.dest == "prior":
        from solver.priors.priors import models_folder

        tables = sorted(path.stem for path in models_folder().glob("*.parquet"))
        shipped = [name for name in tables if not name.endswith(".counts")]
        return _Value(True, ("none", *shipped), "file")
    if action.dest == "algorithm":
        return _Value(True, words or tuple(known_algorithms()), "file")
    if "FOLDER" in named or "RUNS" in named:
        return _Value(True, words, "directory")
    return _Value(True, words, "file" if "FILE" in named else "none")
