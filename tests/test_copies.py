"""Copies of a process are what processes started anew are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import copies
from tests.copies import finished, started

PATIENCE = 60.0
PIPES: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
SCRIPTS = {
    "words": "import sys; print(sys.argv, __name__, sys.stdin.isatty())",
    "folder": "from pathlib import Path; print(Path.cwd(), Path('here').read_text())",
    "variables": "import os; print({n: v for n, v in os.environ.items() if n != 'LC_CTYPE'})",
    "modules": "import sys; print(__import__('__main__') is sys.modules['__main__'])",
    "status": "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)",
    "message": "import sys; sys.exit('what is wrong')",
    "error": "1 / 0",
    "last words": "import atexit; atexit.register(print, 'at last'); print('first', end=' ')",
    "threads": "import threading; threading.Timer(0.1, print, ['later']).start(); print('now')",
    "interrupted": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "a closed output": "import os; os.close(1); print('lost')",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name: str, tmp_path: Path) -> None:
    """A script prints and returns what it does in a process of its own."""
    (tmp_path / "here").write_text("there")
    environment = {"PYTHONPATH": "", "HOME": str(tmp_path)}
    command = ["-c", SCRIPTS[name], "a", "b c"]
    options: dict[str, Any] = {"cwd": tmp_path, "env": environment, "timeout": PATIENCE}
    copied = finished(command, **options)
    new = subprocess.run(
        [sys.executable, "-P", *command], capture_output=True, text=True, check=False, **options
    )
    assert (copied.returncode, copied.stdout) == (new.returncode, new.stdout)
    assert copied.stderr.splitlines()[-1:] == new.stderr.splitlines()[-1:]


def test_a_reader_and_a_signal() -> None:
    """It reads its input, can be waited for with a patience, and ends by a signal."""
    script = "import time; print(input(), flush=True); time.sleep(600)"
    with started(["-c", script], stdin=subprocess.PIPE, **PIPES) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("a line\n")
        process.stdin.close()
        assert process.stdout.readline() == "a line\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        assert os.getpgid(process.pid) == os.getpgid(0)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == -signal.SIGINT
        assert process.stderr is not None
        assert process.stderr.read().endswith("KeyboardInterrupt\n")
    with started(["-c", script], start_new_session=True, stdin=subprocess.PIPE) as process:
        assert os.getsid(process.pid) == process.pid
        process.kill()
        assert process.wait(PATIENCE) == -signal.SIGKILL


def test_settings_that_are_read_early() -> None:
    """Processes with other settings of Numba are copies of another process."""
    script = "import numba; print(numba.config.DISABLE_JIT)"
    printed = [
        finished(
            ["-c", script],
            timeout=PATIENCE,
            env=os.environ | {"NUMBA_DISABLE_JIT": value},
            bare=True,
        )
        for value in ("0", "1", "0")
    ]
    assert [done.stdout for done in printed] == ["0\n", "1\n", "0\n"]


def test_copies_of_a_process_that_has_ended() -> None:
    """Another one is made in its place, and copies draw other random numbers."""
    script = "import numpy; print(numpy.random.rand())"
    first = finished(["-c", script], timeout=60, bare=True).stdout
    original = copies._original_of(dict(os.environ), bare=True)
    original._process.kill()
    original._process.wait()
    second = finished(["-c", script], timeout=60, bare=True).stdout
    assert 0.0 <= float(first) != float(second) <= 1.0


def test_a_copy_that_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test fails in a line when the process that is copied hangs; later ones are copied."""
    command = ["-c", "print('here')"]
    assert finished(command, timeout=PATIENCE, bare=True).stdout == "here\n"
    originals = [original._process for original in copies._originals.values()]
    for process in originals:
        process.send_signal(signal.SIGSTOP)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(copies, "PATIENCE", 0.05)
            with pytest.raises(TimeoutError, match=r"^no copy for -c 'print\(.* within 0.05 s$"):
                finished(command, timeout=PATIENCE, bare=True, stdin=subprocess.DEVNULL)
    finally:
        for process in originals:
            process.send_signal(signal.SIGCONT)
    assert finished(command, timeout=PATIENCE, bare=True).stdout == "here\n"


def test_a_module_is_the_main_one(tmp_path: Path) -> None:
    """The lines under `if __name__ == "__main__"` are run, after the rest, as by `python -m`."""
    (tmp_path / "asked.py").write_text(
        "import sys\nprint(__name__, sys.argv)\nif __name__ == '__main__':\n    sys.exit(3)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = ["-m", "asked", "a", "b c"]
    copied = finished(command, timeout=PATIENCE, env=environment)
    new = subprocess.run(
        [sys.executable, "-P", *command], env=environment, capture_output=True, text=True
    )
    assert (copied.returncode, copied.stdout) == (new.returncode, new.stdout)
    assert copied.stdout.startswith("__main__ ")
    assert (copied.returncode, copied.stderr, new.stderr) == (3, "", "")
