"""Commands of trials in forked processes: they are waited for, told to end, and killed."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Streams(NamedTuple):
    """Files in place of the standard streams of a process."""

    errors: Path
    output: Path = Path(os.devnull)


def status_in_fork(
    main: Callable[[], object], words: list[str], folder: Path, streams: Streams, patience: float
) -> int | None:
    """Status of the command `main` with `words` in `folder`; None if it hangs and was killed.

    It is told to end after `patience` seconds and hangs after as many again.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which are meant
        child = os.fork()
    if child == 0:
        _become(main, words, folder, streams)
    begin, told = time.monotonic(), False
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        late = time.monotonic() - begin
        if late > patience and not told:
            os.kill(child, signal.SIGTERM)
            told = True
        if late > 2 * patience:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.002)


def _become(main: Callable[[], object], words: list[str], folder: Path, streams: Streams) -> None:
    """Become the command; does not return."""
    status = 99
    try:
        os.chdir(folder)
        writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(streams.output, writing, 0o600), 1)
        os.dup2(os.open(streams.errors, writing, 0o600), 2)
        sys.argv = words
        main()
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
