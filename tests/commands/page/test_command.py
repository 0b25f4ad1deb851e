"""`solve rna --page` on the command line."""

from __future__ import annotations

import json
import signal
import socket
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from solver.design_page.request import DesignRequest
from tests.commands.shell import PATIENCE, ROOT, Run, launched, wait_until


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", 70000], "--port is 70000, expected 1 ... 65,535"),
        (["--port", "x"], "--port is 'x', expected a whole number"),
        (["--designs", 3], "unrecognized arguments: --designs 3"),
        (["--jobs", "/nowhere/jobs"],
         "there is no folder /nowhere: make it first if it is meant"),
    ],
)  # fmt: skip
def test_bad_arguments(run: Run, arguments: list[Any], message: str) -> None:
    """A line, and status 2."""
    finished = run("solve", "rna", "--page", *arguments)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")


def test_other_problems_have_no_page(run: Run) -> None:
    """The option is one of RNA design."""
    finished = run("solve", "kakuro", "--page")
    assert (finished.status, finished.err) == (2, "solve: unrecognized arguments: --page\n")


def test_what_is_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the extra."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    finished = run("solve", "rna", "--page")
    assert finished.status == 2
    assert finished.err == f"solve: --page needs uvicorn: pip install -e '{ROOT}[page]'\n"


def test_it_serves_until_it_is_told_to_end(run: Run, tmp_path: Path) -> None:
    """The printed address answers; port and folder are its own; the end is in order."""
    arguments = ["rna", "--page", "--jobs", tmp_path / "jobs"]
    with launched("solve", *arguments) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=PATIENCE) as page:
            assert b"RNA design" in page.read()
        finished = run("solve", *arguments)
        assert finished.status == 2
        assert finished.err.startswith(f"solve: another page has the jobs in {tmp_path / 'jobs'};")
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=PATIENCE)
        assert (server.returncode, err) == (0, "Ctrl-C ends the server\n")


def test_it_opens_with_a_file(run: Run, tmp_path: Path) -> None:
    """The page has the text of a file that the command line names; one that is missing is said."""
    (tmp_path / "targets.fa").write_text(">a & b\n((((....))))\n")
    with launched("solve", "rna", "targets.fa", "--page", "--jobs", "jobs", cwd=tmp_path) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=PATIENCE) as page:
            assert b'data-opened="&gt;a &amp; b\n((((....))))\n"' in page.read()
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=PATIENCE)
    finished = run("solve", "rna", tmp_path / "none.fa", "--page", "--jobs", tmp_path / "jobs")
    assert finished.status == 2
    assert finished.err == f"solve: cannot read {tmp_path / 'none.fa'}: No such file or directory\n"


def test_a_job_in_a_relative_folder(tmp_path: Path) -> None:
    """It is done, and nobody but its user can read what is kept of it."""
    arguments = ["rna", "--page", "--jobs", "designs"]
    with launched("solve", *arguments, cwd=tmp_path) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        asked = json.dumps(DesignRequest("((((....))))").plain).encode()
        kind = {"Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(f"{address}api/jobs", asked, kind)).close()

        def state() -> Any:
            with urllib.request.urlopen(f"{address}api/state") as found:
                return json.load(found)["jobs"][0]

        wait_until(lambda: state()["status"] not in ("waiting", "running"), server)
        assert (state()["status"], state()["message"], state()["found"]) == ("done", "", 1)
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "designs").glob("*/*")}
    assert modes == {0o600}
    (folder,) = (path for path in (tmp_path / "designs").iterdir() if path.is_dir())
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_port_in_use(run: Run, tmp_path: Path) -> None:
    """It is said, and nothing is served."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        finished = run("solve", "rna", "--page", "--port", port, "--jobs", tmp_path)
    assert finished.status == 2
    assert finished.err == f"solve: cannot listen on port {port}: Address already in use\n"
