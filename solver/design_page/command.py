"""`solve rna --page`: serve the page until Ctrl-C."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from solver.commands.options import INTERRUPTED, file_name, new_parser
from solver.commands.output import print_answer
from solver.commands.progress import say
from solver.errors import InputError, WriteError
from solver.system.files import make_folder, read_text, refuse_foreign
from solver.system.forks import keep_from_forks
from solver.system.letters import plural
from solver.system.shipped import install_command

if TYPE_CHECKING:
    from solver.design_page.queue import Queue

DESCRIPTION = """\
Serve a web page that designs RNA, to this machine alone, and print its address. Jobs are kept in
a folder: the next server shows them again. Ctrl-C ends the server and what it runs."""
EPILOG = """\
examples:
  solve rna --page
  solve rna targets.fa --page
  solve rna --page --port 8080 --jobs designs"""

#: File that a server holds; it stays, and tells a folder of jobs from others.
LOCK = "lock"
HOST = "127.0.0.1"
PORTS = 65_535


def jobs_folder() -> Path:
    """Folder of the jobs where none is named.

    Raises
    ------
    InputError
        If the user has no home, as in many containers.
    """
    state = Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state")
    try:
        return state.expanduser() / "nestor" / "designs"
    except RuntimeError:
        raise InputError("there is no home folder, expected --jobs FOLDER") from None


def run_page(argv: Sequence[str]) -> int:
    """Serve the page; returns the exit status."""
    parser = new_parser("solve rna --page", DESCRIPTION, EPILOG)
    parser.add_argument("subject", choices=["rna"], metavar="rna", help="the problem")
    parser.add_argument(
        "file", nargs="?", type=file_name, metavar="FILE", help="targets that the page opens with"
    )
    parser.add_argument("--page", action="store_true", help="serve the page")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="(default: a free one)")
    parser.add_argument(
        "--jobs", type=file_name, metavar="FOLDER", help="(default: ~/.local/state/nestor/designs)"
    )
    arguments = parser.parse_args(argv)
    if not 0 <= arguments.port <= PORTS:
        raise InputError(f"--port is {arguments.port}, expected 1 ... {PORTS:,}")
    _check_installed()
    opened = read_text(arguments.file) if arguments.file else ""
    folder = arguments.jobs or jobs_folder()
    with _unreadable_for_others(), _claimed(folder), _listening(arguments.port) as listener:
        from solver.design_page.processes import begin
        from solver.design_page.queue import Queue, cores

        begin()
        queue = Queue(folder, cores())
        try:
            _serve(queue, listener, opened)
        finally:
            left = queue.close()
    if left:
        say(f"{plural(left, 'job')} stopped: to be resumed on the page")
    return INTERRUPTED if left else 0


def _serve(queue: Queue, listener: socket.socket, opened: str) -> None:
    """Answer requests until Ctrl-C, SIGTERM or SIGHUP."""
    import uvicorn

    from solver.design_page.app import new_app
    from solver.design_page.guard import new_token

    port, token = listener.getsockname()[1], new_token()
    config = uvicorn.Config(
        new_app(queue, token, port, opened),
        log_level="warning", access_log=False, server_header=False,
        lifespan="off", ws="none", timeout_graceful_shutdown=1,
    )  # fmt: skip
    print_answer(f"http://{HOST}:{port}/{token}/\n")
    say("Ctrl-C ends the server")
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:  # uvicorn ends in order, and raises the signal again
        return


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(f"--page needs {error.name}: {install_command('page')}") from None


@contextmanager
def _unreadable_for_others() -> Iterator[None]:
    """Make files written in the block readable by the user only: sequences may be secret."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """Yield a socket of the loopback.

    Raises
    ------
    InputError
        If the port is in use.
    """
    with socket.socket() as listener:
        if sys.platform != "win32":  # a port that was just given up is free
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen()  # who asks before the server is ready is answered then
        except OSError as error:
            raise InputError(f"cannot listen on port {port}: {error.strerror}") from None
        yield listener


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """Hold a folder of jobs for us alone.

    Raises
    ------
    InputError
        If another server has it, or it cannot be written.
    """
    try:
        refuse_foreign(folder, "--jobs", LOCK)
        make_folder(folder)
        file = (folder / LOCK).open("a")
    except OSError as error:
        raise WriteError(folder, error) from error
    with file:
        keep_from_forks(file)
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"another page has the jobs in {folder}; name another folder with --jobs"
                ) from None
        yield
