"""Set-up of all tests: the cache of machine code, and how hypothesis draws."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numba
import pytest
from hypothesis import settings

from solver.jit import sources_digest

# Numba's cache index names the classes it was compiled for, so kernels compiled for the toy
# domain of the tests must not lie where the commands look. The digest is of the toys alone:
# editing a test compiles nothing again.
TOYS = Path(__file__).parent / "toys"
NUMBA: Any = numba.config
NUMBA.CACHE_DIR = str(Path(NUMBA.CACHE_DIR) / f"tests-{sources_digest(TOYS)}")

# A shell that starts the tests in the background has them, and all they launch, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples are the same in every run; a kernel may compile in the middle of one.
settings.register_profile("nestor", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("nestor")

# What modules assert for tests is taken apart on failure, as in the tests themselves.
pytest.register_assert_rewrite(
    "tests.helpers",
    "tests.commands.shell",
    "tests.commands.squares",
    "tests.solver.domains.plain_kakuro",
    "tests.solver.domains.plain_latin_square",
)


def pytest_configure(config: pytest.Config) -> None:
    """Under NUMBA_DISABLE_JIT=1 the streams' 64-bit arithmetic wraps around with a warning."""
    if NUMBA.DISABLE_JIT:
        config.addinivalue_line(
            "filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning"
        )
