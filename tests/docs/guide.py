"""The files that the guides make, and commands run on them as a stranger runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.copies import finished

ROOT = Path(__file__).parents[2]
MODULES = {
    "solve": "solver.commands.solve",
    "learn": "pipeline.commands.learn",
    "compare": "pipeline.commands.compare",
    "report": "pipeline.commands.report",
}
#: A command that takes longer hangs.
PATIENCE = 300.0
#: Variables of a process that compiles nothing; all such processes are copies of one.
INTERPRETED = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}


@dataclass(frozen=True)
class Guide:
    """A page that makes a file."""

    page: str
    file: str

    def blocks(self, language: str = "") -> list[str]:
        """Code blocks of the page in a language."""
        page = (ROOT / "docs" / self.page).read_text(encoding="utf-8")
        found = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        return [text for name, text in found if name == language]

    def whole_file(self) -> str:
        """Return the file that the page makes."""
        return "".join(self.blocks("python"))

    def session(self) -> tuple[str, str]:
        """Return what the page types into Python, as one script, and what it says is printed."""
        typed: list[str] = []
        printed: list[str] = []
        for block in self.blocks():
            if not block.startswith(">>> "):
                continue
            for line in block.splitlines():
                (typed if line.startswith((">>> ", "... ")) else printed).append(line)
        lines = []
        for line, following in zip(typed, [*typed[1:], ""], strict=True):
            lines.append(line[4:])
            if line.startswith("... ") and not following.startswith("... "):
                lines.append("")
        return "\n".join(lines) + "\n", "".join(f"{line}\n" for line in printed)


DOMAIN = Guide("add-a-domain.md", "graph_colouring.py")
GAME = Guide("add-a-game.md", "three_in_a_row.py")
ALGORITHM = Guide("add-an-algorithm.md", "my_search.py")
TREE_SEARCH = Guide("add-a-tree-search.md", "my_search.py")


def _python(words: Sequence[str]) -> list[str]:
    """Words behind `python` that run a command, or a script."""
    first, *rest = words
    return ["-c", *rest] if first == "-c" else ["-m", MODULES[first], *rest]


@dataclass(frozen=True)
class Outside:
    """A folder outside of the repository, with the file of a guide in it."""

    folder: Path
    guide: Guide = DOMAIN

    def write(self, text: str) -> None:
        """Save the file."""
        (self.folder / self.guide.file).write_text(text, encoding="utf-8")

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command, or a script with `-c`, in a process of its own."""
        environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
        return finished(_python(words), cwd=self.folder, env=environment, timeout=PATIENCE)

    def run_anew(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a process that is no copy: it imports for itself all that it needs."""
        return subprocess.run(
            [sys.executable, "-P", *_python(words)], cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)}, timeout=PATIENCE,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def printed(self, *words: str, **variables: str) -> str:
        """Return the stdout of a command that succeeds, or ends its budget."""
        done = self.run(*words, **variables)
        assert done.returncode in (0, 1, 3), done.stderr
        return done.stdout
