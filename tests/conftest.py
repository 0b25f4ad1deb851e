"""Set-up of all tests: Ctrl-C, how hypothesis draws, and files that a test reads."""

from __future__ import annotations

import functools
import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from hypothesis import settings

import solver.algorithms
import solver.domains
import solver.games
from solver.commands.progress import be_quiet
from solver.system.start import COMMANDS

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
    "tests.solver.domains.kakuro.plain_kakuro",
    "tests.solver.domains.latin_square.plain_latin_square",
)


#: Parts of paths of tests that start processes, follow guides, compile many kernels, or compute
#: anew what documents claim.
SLOW = (
    "tests/benchmarks/",
    "tests/commands/",
    "tests/docs/",
    "tests/flows/",
    "tests/pipeline/publishing/",
    "tests/pipeline/reports/test_cases.py",
    "tests/pipeline/reports/test_provenance.py",
    "tests/pipeline/reports/test_report.py",
    "tests/pipeline/results/test_statistics.py",
    "tests/pipeline/results/test_targets.py",
    "tests/solver/algorithms/",
    "tests/solver/compiling/",
    "tests/solver/domains/rna/fold/",
    "tests/solver/domains/rna/test_engines.py",
    "tests/solver/domains/rna/test_rivals.py",
    "tests/solver/domains/rna/test_refold.py",
    "tests/solver/domains/test_contract.py",
    "tests/solver/domains/test_texts_fuzzed.py",
    "tests/solver/domains/tsptw/proofs/",
    "tests/solver/domains/tsptw/test_scale.py",
    "tests/solver/games/",
    "tests/solver/kernels/tree/",
    "tests/test_copies.py",
    "tests/test_programs.py",
)

#: Files among these that take no more than a second or two: something of each room is left.
QUICK = (
    "tests/docs/test_api.py",
    "tests/docs/test_links.py",
    "tests/docs/test_problem_pages.py",
    "tests/flows/test_flow_options.py",
)

#: Parts of paths of tests that publish.
PUBLISHING = ("tests/pipeline/publishing/", "tests/commands/test_learn", "tests/flows/")


@functools.cache
def _is_slow(path: Path) -> bool:
    """Return whether `make test-fast` leaves a file, or all of a folder, out."""
    text = f"{path.as_posix()}/"
    if any(f"{file}/" in text or text.endswith(f"/{Path(file).parent}/") for file in QUICK):
        return False
    return any(part in text for part in SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing of what `make test-fast` leaves out: Prefect alone takes 3 s a worker."""
    return True if config.option.markexpr == "not slow" and _is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test-fast` leaves out, and begin with it: a long file would end alone.

    Its folders take turns, file by file: those of one folder would have two processes compile the
    same kernels at the same time.
    """
    turns: dict[Path, dict[Path, int]] = {}
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
            files = turns.setdefault(item.path.parent, {})
            files.setdefault(item.path, len(files))
    last = max(map(len, turns.values()), default=0)
    items.sort(key=lambda item: turns.get(item.path.parent, {}).get(item.path, last))


def pytest_collection_finish() -> None:
    """Exclude modules and tests from garbage collection, which takes a tenth of the time else.

    Garbage of compiling waits, too, as in commands.
    """
    COMMANDS.append("pytest")
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Under NUMBA_DISABLE_JIT=1 the streams' 64-bit arithmetic wraps around with a warning."""
    config.addinivalue_line("markers", "slow: left out by make test-fast")
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        config.addinivalue_line(
            "filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning"
        )


@pytest.fixture(scope="module", autouse=True)
def _ctrl_c() -> None:
    """Let Ctrl-C raise again where a library in C has left SIGINT at its default.

    A test that sends one would end its process, which Python's own record does not show.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def _files_of_one_module() -> Iterator[None]:
    """Forget after a module the domains, games and algorithms that its files defined.

    Which modules share a process differs from one machine to another.
    """
    lists: tuple[dict[str, Any], ...] = (
        solver.algorithms._others,
        solver.domains._from_files,
        solver.games._from_files,
    )
    before = [dict(names) for names in lists]
    yield
    for names, kept in zip(lists, before, strict=True):
        names.clear()
        names.update(kept)


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """Let no test that ran a command with `--quiet` silence those behind it."""
    yield
    be_quiet(False)


@pytest.fixture(autouse=True)
def of_a_commit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let tests replace published models in a checkout that differs from its commit."""
    if not any(part in request.path.as_posix() for part in PUBLISHING):
        yield
        return
    from pipeline.tables import runs

    runs._made_here.cache_clear()  # it keeps the commit for rows of later tests
    monkeypatch.setattr(runs, "_commit", lambda: "0123456789ab")
    yield
    runs._made_here.cache_clear()
