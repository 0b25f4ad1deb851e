"""Locks and open files that a forked process must not share with its parent.

A copy has the locks as they were, without the threads that would release them, and the same pipes
and open files. So locks are held while a process forks, and the copy forgets the rest.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import IO, Any

_FORKS = hasattr(os, "register_at_fork")
_locks: list[Any] = []
#: Those that are held while this process forks.
_held: list[Any] = []


def lock_over_forks() -> AbstractContextManager[Any]:
    """Return a new lock that is free in a forked process: whoever holds it delays the fork.

    The thread that holds it may take it again, and may fork.
    """
    lock = threading.RLock()
    hold_over_forks(lock)
    return lock


def hold_over_forks(lock: Any) -> None:
    """Hold `lock`, a `threading.RLock`, whenever this process forks."""
    _locks.append(lock)


def _take_locks() -> None:
    """Take all locks, waiting for none while another is held: threads take them in any order."""
    locks = [*_locks]
    while locks:
        taken: list[Any] = []
        busy = None
        for lock in locks:
            if not lock.acquire(blocking=not taken):
                busy = lock
                break
            taken.append(lock)
        if busy is None:
            _held.extend(taken)
            return
        for lock in taken:
            lock.release()
        locks = [busy, *(lock for lock in locks if lock is not busy)]


def _release_locks() -> None:
    while _held:
        _held.pop().release()


def after_fork(forget: Callable[[], None]) -> Callable[[], None]:
    """Call `forget` in every forked process, before anything else there."""
    if _FORKS:
        os.register_at_fork(after_in_child=forget)
    return forget


if _FORKS:
    os.register_at_fork(
        before=_take_locks, after_in_parent=_release_locks, after_in_child=_release_locks
    )


_files: weakref.WeakSet[IO[Any]] = weakref.WeakSet()


def keep_from_forks(file: IO[Any]) -> None:
    """Let an open file, and the lock on it, be this process's alone.

    In forked ones it leads nowhere: what is in its buffer would be written twice, and a lock be
    held for as long as one of them lives.
    """
    _files.add(file)


@after_fork
def _disconnect_files() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for file in _files:
        with suppress(ValueError, OSError):  # one that is closed
            os.dup2(nowhere, file.fileno(), inheritable=False)
    os.close(nowhere)
