"""The folder of `--draw`."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from solver.commands.drawing import Gallery


def test_pictures_half_drawn_are_removed(tmp_path: Path) -> None:
    """Files of a killed command are removed; those of a living one and all else stay."""
    host = platform.node().replace(".", "_").replace("-", "_")
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    half = tmp_path / f".rna_1.svg.{host}-{done.pid}-0.part"
    living = tmp_path / f".rna_2.svg.{host}-{os.getpid()}-0.part"
    for path in (half, living, tmp_path / "rna.svg"):
        path.write_text("<svg")
    pictures: Any = None
    Gallery(tmp_path, pictures)
    assert {path.name for path in tmp_path.iterdir()} == {living.name, "rna.svg"}
