"""Manual pages of the commands, from the parsers that read their words.

    make man                    build/man/solve.1 and those of the other commands
    man build/man/solve.1

`make wheel` takes them along; once it is installed, `man solve` finds them. Options of a problem
or a game have sections of their own behind those of all.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from pathlib import Path

from solver.commands.options import version

#: Modules whose `build_parser` makes the parser of a command; None is for no problem by name.
COMMANDS = {
    "solve": ("solver.commands.solve_parser", (None,)),
    "check": ("solver.commands.check.command", (None,)),
    "learn": ("pipeline.commands.learn", (None,)),
    "compare": ("pipeline.commands.compare", (None,)),
    "report": ("pipeline.commands.report", ()),
    "models": ("pipeline.commands.models", ()),
    "make-puzzles": ("pipeline.commands.make_puzzles", (None,)),
}
PURPOSE = {
    "solve": "find answers by Monte Carlo search",
    "check": "verify an answer that was made elsewhere",
    "learn": "learn a prior from solved instances",
    "compare": "compare searches and priors",
    "report": "write the report of runs that are kept",
    "models": "list, check, publish and restore priors",
    "make-puzzles": "make puzzles with one solution",
}


def manual_page(command: str) -> str:
    """Return the page of a command in roff."""
    from argparse_manpage.manpage import Manpage

    module, arguments = COMMANDS[command]
    parser = importlib.import_module(module).build_parser(*arguments)
    add_groups_of_problems(parser)
    places = [action for action in parser._actions if not action.option_strings]
    words = [f"{a.metavar}" if a.required else f"[{a.metavar}]" for a in places]
    parser.usage = " ".join([command, "[OPTION ...]", *words])
    text, parser.epilog = parser.epilog or "", None
    page = Manpage(parser)
    page.description, page.manual, page.source = PURPOSE[command], "Nestor", f"nestor {version()}"
    return str(page).rstrip("\n") + "\n" + closing(text)


def add_groups_of_problems(parser: argparse.ArgumentParser) -> None:
    """Add groups for the options that only some problems or games have."""
    known = {word for action in parser._actions for word in action.option_strings}
    groups: dict[str, dict[tuple[str, ...], argparse.Action]] = {}
    for one in parser.of_problems().values():
        for group in one._action_groups:
            for action in group._group_actions:
                words = tuple(action.option_strings)
                if words and not known.issuperset(words):
                    groups.setdefault(str(group.title), {}).setdefault(words, action)
    there = {group.title: group for group in parser._action_groups}
    for title, actions in groups.items():
        group = there.get(title) or parser.add_argument_group(title)
        # Two problems may call different things by one name: not to be asked whether it is known.
        group._group_actions.extend(actions.values())


def closing(text: str) -> str:
    """Return sections with the end of a command's help, which is laid out in lines."""
    lines = []
    for line in text.splitlines():
        title = re.fullmatch(r"(\w+):", line)
        plain = line.replace("\\", "\\e").replace("-", "\\-")
        if title:
            lines += [".fi", f".SH {title[1].upper()}", ".nf"]
        else:
            lines.append(f"\\&{plain}")
    return "\n".join([".nf", *lines, ".fi"]) + "\n" if lines else ""


def main() -> None:
    """Write the pages into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for command in COMMANDS:
        (folder / f"{command}.1").write_text(manual_page(command), encoding="utf-8")


if __name__ == "__main__":
    main()
