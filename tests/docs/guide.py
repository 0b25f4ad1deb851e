"""The file that `docs/add-a-domain.md` makes, and commands run on it as a stranger runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "add-a-domain.md").read_text(encoding="utf-8")
FILE = "graph_colouring.py"
MODULES = {
    "solve": "solver.cli",
    "learn": "pipeline.learn_cli",
    "compare": "pipeline.compare_cli",
    "report": "pipeline.report_cli",
}
#: A command that takes longer hangs.
PATIENCE = 300.0


def blocks(language: str = "") -> list[str]:
    """Code blocks of the guide in a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def whole_file() -> str:
    """Return the file that the guide makes."""
    return "\n".join(blocks("python"))


@dataclass(frozen=True)
class Outside:
    """A folder outside of the repository, with the file in it."""

    folder: Path

    def write(self, text: str) -> None:
        """Save the file."""
        (self.folder / FILE).write_text(text, encoding="utf-8")

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command, or a script with `-c`, in a process of its own."""
        first, *rest = words
        # -P: the folder is not where Python looks for modules, as for an installed command.
        start = ["-c"] if first == "-c" else ["-m", MODULES[first]]
        return subprocess.run(
            [sys.executable, "-P", *start, *rest],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def printed(self, *words: str, **variables: str) -> str:
        """What a command that succeeds, or ends its budget, prints on stdout."""
        done = self.run(*words, **variables)
        assert done.returncode in (0, 1, 3), done.stderr
        return done.stdout
