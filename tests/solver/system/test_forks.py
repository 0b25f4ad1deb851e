"""Forked processes: no lock is held there for ever, and no file is theirs."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from numba.core.compiler_lock import global_compiler_lock

from solver.compiling.jit import compile_for, kernel
from solver.compiling.parts import begin_compiling
from solver.domains.rna import engines
from solver.domains.rna.drawings import layout
from solver.domains.rna.fold import call, check
from solver.system import cache
from solver.system.files import claim, locked, only_writer
from solver.system.forks import lock_over_forks
from tests.trials.forked import Streams, status_in_fork

PATIENCE = 20.0
LOCKS = {
    "of our own": lock_over_forks(),
    "engines": engines._lock,
    "layout": layout._lock,
    "fold": call._lock,
    "energies": check._lock,
    "Numba": global_compiler_lock,
}


def forked(main: Callable[[], object], folder: Path) -> int | None:
    """Status of `main` in a forked process, which ends as programs do; None if it hangs."""

    def to_the_end() -> None:
        try:
            main()
        finally:
            atexit._run_exitfuncs()
        sys.exit(0)

    errors = folder / "errors"
    status = status_in_fork(to_the_end, [], folder, Streams(errors), PATIENCE)
    assert errors.read_text() == ""
    return status


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_that_another_thread_holds(name: str, tmp_path: Path) -> None:
    """The fork waits for the thread; the lock is free in both processes."""
    begin_compiling()  # Numba's lock is not held over forks before
    lock, taken = LOCKS[name], threading.Event()

    def hold() -> None:
        with lock:
            taken.set()
            time.sleep(0.2)

    def take() -> None:
        with lock:
            sys.exit(7)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    assert forked(take, tmp_path) == 7
    thread.join()
    with lock:
        assert forked(take, tmp_path) == 7


def test_locks_taken_in_any_order(tmp_path: Path) -> None:
    """Threads that take one lock within another, in either order of making, do not stop a fork."""
    one, other = lock_over_forks(), lock_over_forks()
    over = threading.Event()

    def nest(outer: object, inner: object) -> None:
        while not over.is_set():
            with outer, inner:  # type: ignore[attr-defined]
                time.sleep(0.001)

    for pair in ((one, other), (other, one)):
        over.clear()
        thread = threading.Thread(target=nest, args=pair)
        thread.start()
        try:
            assert [forked(lambda: None, tmp_path) for _ in range(10)] == [0] * 10
        finally:
            over.set()
            thread.join()


def test_kernels_compile_in_both_processes(tmp_path: Path) -> None:
    """While a thread of one compiles, too."""

    @kernel
    def first(number: int) -> int:
        return number + 1

    @kernel
    def second(number: int) -> int:
        return number * 2

    thread = threading.Thread(target=compile_for, args=(first, 1))
    thread.start()
    assert forked(lambda: sys.exit(second(first(2))), tmp_path) == 6
    thread.join()
    assert second(first(3)) == 8


@pytest.mark.parametrize("hold", [locked, only_writer])
def test_a_lock_file_is_given_up(hold: Callable[[Path], object], tmp_path: Path) -> None:
    """The owner of a lock releases it, though a forked process still runs."""
    path = tmp_path / "lock"
    begin, end = os.pipe()
    with hold(path):  # type: ignore[attr-defined]
        child = os.fork()
        if child == 0:
            os.close(end)
            os.read(begin, 1)  # until the other ends
            os._exit(0)
    os.close(begin)
    with only_writer(path):
        pass
    os.close(end)
    os.waitpid(child, 0)


def test_a_buffer_is_written_once(tmp_path: Path) -> None:
    """The buffer of a file is not written again by forked processes when they end."""
    path = tmp_path / "answers"
    with path.open("a") as file:
        claim(file, path)
        file.write("one\n")
        assert forked(file.close, tmp_path) == 0
        file.write("two\n")
    assert path.read_text() == "one\ntwo\n"


def test_a_temporary_folder_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forked processes leave it to the one that made it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache.temporary_folder.cache_clear()
    try:
        folder = cache.temporary_folder()
        assert forked(lambda: None, tmp_path) == 0
        assert folder.is_dir()
        cache._remove(str(folder), os.getpid())
        assert not folder.exists()
    finally:
        cache.temporary_folder.cache_clear()
