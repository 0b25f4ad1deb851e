"""Set-up of all tests: Ctrl-C, and how hypothesis draws."""

from __future__ import annotations

import signal

import numba
import pytest
from hypothesis import settings

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
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        config.addinivalue_line(
            "filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning"
        )
