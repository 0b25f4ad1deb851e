"""Answers go where they were asked to, and no accident loses those that are there."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import pytest

from solver.commands.output import answers_to
from solver.errors import InputError
from solver.system.files import replacing

LIMITED = """
import resource, signal, sys
from pathlib import Path
from solver.errors import InputError
from solver.commands.output import answers_to
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    with answers_to(Path(sys.argv[1])) as write:
        for answer in ("one\\n", "two\\n", "three\\n", "four\\n"):
            write(answer)
except InputError as error:
    print(error, file=sys.stderr)
"""


def test_a_link_is_followed(tmp_path: Path) -> None:
    """The file behind a link gets the answers, the link stays one."""
    real, link = tmp_path / "real", tmp_path / "folder" / "link"
    link.parent.mkdir()
    real.write_text("old")
    link.symlink_to(real)
    with answers_to(link) as write:
        write("new\n")
        assert real.read_text() == "old"
    with replacing(link) as temporary:
        assert real.read_text() == "new\n"
        temporary.write_text("newer")
    assert real.read_text() == "newer"
    assert link.is_symlink()


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    """A reader at the other end of a pipe gets the answers, as they come."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with answers_to(pipe) as write:
        write("one\n")
        write("two\n")
    reader.join()
    assert read == ["one\ntwo\n"]
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with replacing(pipe) as name:
        name.write_text("table")
    reader.join()
    assert read[1] == "table"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_device_stays_one(capsys: pytest.CaptureFixture[str]) -> None:
    """A device is written to, never replaced; what it does not take is printed."""
    refused = pytest.raises(InputError, match=r"^cannot write /dev/full: No space left")
    with refused, answers_to(Path("/dev/full")) as write:
        write("one\n")
        write("two\n")
    assert capsys.readouterr().out == "one\ntwo\n"
    with answers_to(Path(os.devnull)) as write:
        write("nothing\n")
    refused = pytest.raises(InputError, match=r"^cannot write /dev/full: No space left")
    with refused, replacing(Path("/dev/full")) as name:
        name.write_text("table")
        assert name.parent != Path("/dev")  # pyarrow removes what it cannot write
    assert all(stat.S_ISCHR(Path(path).stat().st_mode) for path in ("/dev/full", os.devnull))


def test_the_mode_stays(tmp_path: Path) -> None:
    """Replacing a file keeps its permissions."""
    path = tmp_path / "answers"
    path.write_text("old")
    path.chmod(0o640)
    with answers_to(path) as write:
        write("new\n")
    with replacing(path) as temporary:
        temporary.write_text(path.read_text() + "newer\n")
    assert path.read_text() == "new\nnewer\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_full_disk_keeps_what_was_found(tmp_path: Path) -> None:
    """Answers already written stay, whole; the others are printed, and it is said which."""
    out = tmp_path / "answers"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(out)],
        cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (tmp_path / "answers.part").read_text() == "one\ntwo\n"
    assert done.stdout == "three\nfour\n"
    assert done.stderr == (
        f"cannot write {out}: File too large; 2 of the answers are in {out}.part, "
        "those found later were printed\n"
    )


def test_two_commands_with_one_file(tmp_path: Path) -> None:
    """The second is refused while the first is writing."""
    out = tmp_path / "answers"
    with answers_to(out) as write:
        write("mine\n")
        with pytest.raises(InputError, match=r"another command is writing"), answers_to(out):
            pass
    assert out.read_text() == "mine\n"


def test_answers_of_another_command_are_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The `.part` of a command that was killed keeps its answers under a free name."""
    out, growing = tmp_path / "answers", tmp_path / "answers.part"
    (tmp_path / "answers.part-1").write_text("older\n")
    growing.write_text("left\n")
    with answers_to(out) as write:
        write("found\n")
    assert out.read_text() == "found\n"
    left = {path.name: path.read_text() for path in tmp_path.iterdir() if path != out}
    assert left == {"answers.part-1": "older\n", "answers.part-2": "left\n"}
    said = f"{growing} belongs to another command, and is now called {growing}-2\n"
    assert capsys.readouterr().err == said
    assert not growing.exists()


def test_what_was_found_before_an_interrupt_stays(tmp_path: Path) -> None:
    """A second Ctrl-C, which ends in a `KeyboardInterrupt`, loses no answer."""
    out = tmp_path / "answers"
    growing = tmp_path / "answers.part"
    interrupted = pytest.raises(KeyboardInterrupt, match=f"^2 of the answers are in {growing}$")
    with interrupted, answers_to(out) as write:
        write("one\n")
        write("two\n")
        raise KeyboardInterrupt
    assert growing.read_text() == "one\ntwo\n"
    interrupted = pytest.raises(KeyboardInterrupt)
    with interrupted, answers_to(tmp_path / "other"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == [growing]


def test_an_error_tells_where_answers_are(tmp_path: Path) -> None:
    """Those found before it stay beside, those of an earlier command in place."""
    out = tmp_path / "answers"
    out.write_text("old\n")
    told = pytest.raises(InputError, match=f"^no room; 1 of the answers are in {out}.part$")
    with told, answers_to(out) as write:
        write("one\n")
        raise InputError("no room")
    assert out.read_text() == "old\n"
    assert (tmp_path / "answers.part").read_text() == "one\n"


def test_a_file_that_is_finished_meanwhile_is_not_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file opened before another command finished it keeps that command's answers."""
    out, part = tmp_path / "answers", tmp_path / "answers.part"
    part.write_text("of another\n")

    def claim_late(file: IO[str], path: Path) -> None:
        if not out.exists():
            part.rename(out)

    monkeypatch.setattr("solver.commands.output.claim", claim_late)
    failed = pytest.raises(InputError)
    with failed, answers_to(out) as write:
        assert out.read_text() == "of another\n"
        write("mine\n")
        raise InputError
    assert out.read_text() == "of another\n"
    assert part.read_text() == "mine\n"


def test_links_in_the_way_are_refused(tmp_path: Path) -> None:
    """A link by the name of the file that grows is not followed, nor one that ends nowhere."""
    other = tmp_path / "other"
    other.write_text("precious")
    (tmp_path / "answers.part").symlink_to(other)
    refused = pytest.raises(InputError, match=r"answers.part exists and is not a regular file")
    with refused, answers_to(tmp_path / "answers"):
        pass
    assert other.read_text() == "precious"
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for put in (answers_to, replacing):
        with pytest.raises(InputError, match=f"^cannot write {circle}: Too many"), put(circle):
            pass
    assert circle.is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write there")
def test_no_folder_is_made_at_the_root() -> None:
    """No folder is made beside /usr and /home, most often a slip of the fingers."""
    folder = Path("/nestor-was-not-asked-for-this")
    for put in (answers_to, replacing):
        refused = pytest.raises(InputError, match=f"^there is no folder {folder}: make it first")
        with refused, put(folder / "deep" / "answers"):
            pass
    assert not folder.exists()
