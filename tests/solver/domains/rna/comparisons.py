"""Comparisons with ViennaRNA, each in a process of its own: it takes one set of parameters."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.copies import finished

ROOT = Path(__file__).parents[4]
PATIENCE = 300.0


def said_by_script(script: str, engine: str) -> Any:
    """Return the JSON that a script prints for an engine, in a copy of a process."""
    return _said(finished(["-c", script, engine], cwd=ROOT, timeout=PATIENCE))


def said_by_program(module: str, *words: str) -> Any:
    """Return the JSON that a program prints, which is started anew."""
    program = [sys.executable, "-m", module, *words]
    return _said(subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False))


def _said(done: Any) -> Any:
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)
