"""Files appear whole or not at all; what killed processes leave is removed, and only that."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from solver.errors import InputError
from solver.system.files import (
    PARTIAL,
    PARTIAL_SECONDS,
    locked,
    read_toml,
    remove_partial,
    replacing,
)

KILLED = """
import os, signal, sys
from pathlib import Path
from solver.system.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def partial(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(PARTIAL)]


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    """Within one process too each writer has a temporary file of its own; the last one stays."""
    path = tmp_path / "file"
    with replacing(path) as first, replacing(path) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"
    assert not partial(tmp_path)


def test_what_a_killed_process_leaves_is_removed(tmp_path: Path) -> None:
    """The temporary file of a process that was killed goes, that of a living one stays."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "file")], check=False)
    assert len(partial(tmp_path)) == 1
    with replacing(tmp_path / "other") as mine:
        mine.write_text("mine")
        assert remove_partial(tmp_path) == 1
        assert partial(tmp_path) == [mine]
    assert not (tmp_path / "file").exists()
    assert (tmp_path / "other").read_text() == "mine"


def test_files_of_other_machines_are_given_up_after_a_day(tmp_path: Path) -> None:
    """Files of other machines are given up by age alone: their process is unknown."""
    new, old = (tmp_path / f".f.elsewhere-{number}-0{PARTIAL}" for number in (1, 2))
    for path in (new, old):
        path.write_text("")
    long_ago = time.time() - PARTIAL_SECONDS - 60
    os.utime(old, (long_ago, long_ago))
    assert remove_partial(tmp_path) == 1
    assert partial(tmp_path) == [new]


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    """A second process waits until the first releases the lock."""
    order = []

    def second() -> None:
        with locked(tmp_path / ".lock"):
            order.append("second")

    with locked(tmp_path / ".lock"):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(timeout=0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_lock_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    """A lock that cannot be taken is reported in one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"), locked(tmp_path / "file" / ".lock"):
        pass


def test_a_file_of_settings_that_is_not_there(tmp_path: Path) -> None:
    """It is named once."""
    path = tmp_path / "none.toml"
    with pytest.raises(InputError) as error:
        read_toml(path)
    assert str(error.value) == f"cannot read {path}: No such file or directory"
