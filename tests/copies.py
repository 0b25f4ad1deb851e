"""Processes for tests that are copies of one which has imported: a second less each.

A copy has the words, environment, folder and streams that it is given, and ends as a process does
that was started anew. What depends on how Python starts needs one that was: `subprocess.Popen`. A
copy hides that a module forgets an import, or imports one too late: `tests.docs.guide` starts
commands of each guide anew.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import pickle
import pkgutil
import runpy
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
#: Beginnings of variables that are read when Python starts, or modules are imported, but for
#: `PYTHONPATH`, which copies read again.
EARLY = (
    "PYTHON", "NUMBA_", "NESTOR_PLAIN", "NESTOR_CHECK", "LANG", "LC_", "OMP_", "OPENBLAS_", "MKL_",
    "MPL", "TZ",
)  # fmt: skip
#: Packages of which all is imported, but for programs, which begin to work at once.
PACKAGES = ("solver", "pipeline")
PROGRAMS = ("_process", ".preloaded")
#: What else commands import before they come to their work.
LIBRARIES = (
    "tests.commands.launch", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg",
    "pyarrow.pandas_compat", "rich.markup", "rich.progress", "rich.table",
    "rich._unicode_data.unicode17-0-0", "scipy.linalg", "scipy.sparse.linalg",
)  # fmt: skip
#: Modules of Numba that are imported by and by when something is compiled.
COMPILERS = (
    "numba.core.event", "numba.core.typed_passes", "numba.cpython.builtins", "numba.np.arrayobj",
)  # fmt: skip
#: Seconds within which a copy is made, which waits for the imports of the one that is copied.
PATIENCE = 120.0
#: A number of a pipe: a process, then the status in which it ended.
NUMBER = struct.Struct("i")
LENGTH = struct.Struct("Q")


class Request(NamedTuple):
    """Process to make."""

    code: str
    """A module to run, or a script."""

    words: list[str]
    is_module: bool
    folder: str
    variables: dict[str, str]
    new_session: bool


class Copy(subprocess.Popen[str]):
    """Process of `python -P -m MODULE WORD...`, or of `python -P -c SCRIPT WORD...`.

    Parameters
    ----------
    command : sequence of str
        The words behind `python -P`.
    bare : bool
        True if no module of the project has been imported, only Numba.
    **options
        Those of `subprocess.Popen`, of which `preexec_fn` and `pass_fds` are for other processes.
    """

    def __init__(self, command: Sequence[str], *, bare: bool = False, **options: Any) -> None:
        self._ended, self._bare = -1, bare
        super().__init__(command, text=True, **options)

    def __del__(self) -> None:
        if self._ended >= 0:
            os.close(self._ended)
        super().__del__()

    def _execute_child(
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any,
        env: Any, startupinfo: Any, creationflags: Any, shell: Any, p2cread: int, p2cwrite: int,
        c2pread: int, c2pwrite: int, errread: int, errwrite: int, *options: Any,
    ) -> None:  # fmt: skip
        assert preexec_fn is None
        assert not pass_fds
        option, code, *words = args
        *_, start_new_session, _ = options
        variables = dict(os.environ if env is None else env)
        request = Request(
            code, words, option == "-m", os.fspath(cwd or Path.cwd()), variables, start_new_session
        )
        streams = [
            standard if given == -1 else given
            for standard, given in enumerate((p2cread, c2pwrite, errwrite))
        ]
        try:
            self._ended, told = os.pipe()
            try:
                _original_of(variables, self._bare).ask(request, [*streams, told])
            finally:
                os.close(told)
        finally:
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]
        if not select.select([self._ended], [], [], PATIENCE)[0]:
            raise TimeoutError(f"no copy for {shlex.join(args)} within {PATIENCE:g} s")
        self.pid = _number(self._ended)
        self._child_created = True

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._ended], [], [], 0)[0]:
            return 0, 0
        return self.pid, _number(self._ended)

    def _internal_poll(self, _deadstate: int | None = None, **_: Any) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def started(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """Start the process of `command`: a copy, where nothing must be done before it begins.

    Modules of the repository are found by it, unless `env` is given.
    """
    options = {"env": os.environ | {"PYTHONPATH": str(ROOT)}} | options
    if sys.platform == "linux" and "preexec_fn" not in options:
        return Copy(command, **options)
    options.pop("bare", None)
    return subprocess.Popen([sys.executable, "-P", *command], text=True, **options)


def finished(
    command: Sequence[str], *, timeout: float, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run `command` to its end; return what it printed, as `subprocess.run` does."""
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _number(pipe: int) -> int:
    told = os.read(pipe, NUMBER.size)
    if len(told) < NUMBER.size:
        raise RuntimeError("the process that is copied has ended")
    (number,) = NUMBER.unpack(told)
    return int(number)


class _Original:
    """Process to be copied; it ends with this one."""

    def __init__(self, variables: dict[str, str], bare: bool) -> None:
        self._lock = threading.Lock()
        self._socket, other = socket.socketpair()
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.copies", str(other.fileno()), str(bare)],
                env=variables | {"PYTHONPATH": str(ROOT)},
                pass_fds=[other.fileno()],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def has_ended(self) -> bool:
        """Return whether something else has ended the process."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Close what it was asked through."""
        self._socket.close()

    def ask(self, request: Request, descriptors: list[int]) -> None:
        """Let a copy work at `request` with open files: three streams, a pipe for its numbers."""
        text = pickle.dumps(request)
        with self._lock:
            socket.send_fds(self._socket, [LENGTH.pack(len(text))], descriptors)
            self._socket.sendall(text)


_originals: dict[Any, _Original] = {}
_making = threading.Lock()


def _original_of(variables: dict[str, str], bare: bool) -> _Original:
    """Return the process to be copied for an environment."""
    early = {name: value for name, value in variables.items() if name.startswith(EARLY)}
    early.pop("PYTHONPATH", None)
    key = bare, *sorted(early.items())
    with _making:
        if key in _originals and _originals[key].has_ended():
            _originals.pop(key).close()
        if key not in _originals:
            _originals[key] = _Original(variables, bare)
        return _originals[key]


def _serve(asking: socket.socket) -> Request:
    """Copy this process for each request; return in the copies only."""
    while True:
        told, descriptors, *_ = socket.recv_fds(asking, LENGTH.size, 4)
        if not told:
            os._exit(0)
        (length,) = LENGTH.unpack(told)
        text = asking.recv(length, socket.MSG_WAITALL)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asking.close()
            request: Request = pickle.loads(text)
            _copy(request, descriptors)
            return request
        for descriptor in descriptors:
            os.close(descriptor)


def _copy(request: Request, descriptors: list[int]) -> None:
    """Make the process, wait for it and tell its numbers; return in it only."""
    *streams, told = descriptors
    if pid := os.fork():
        for descriptor in [0, 1, 2, *streams]:
            os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        try:
            os.write(told, NUMBER.pack(status))
        finally:
            os._exit(0)
    for standard, descriptor in enumerate(streams):
        os.dup2(descriptor, standard)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request.new_session:
        os.setsid()
    os.write(told, NUMBER.pack(os.getpid()))
    for descriptor in descriptors:
        os.close(descriptor)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.variables)
    sys.path.remove(str(ROOT))
    sys.path[:0] = filter(None, request.variables.get("PYTHONPATH", "").split(os.pathsep))
    for name, standard in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        stream = _reopened(getattr(sys, name), standard)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _reopened(stream: Any, standard: int) -> Any:
    """Return a standard stream as Python opens it."""
    opened: Any = open(standard, "rb" if standard == 0 else "wb", closefd=False)  # noqa: SIM115
    lines = standard == 2 or os.isatty(standard)
    return io.TextIOWrapper(opened, stream.encoding, stream.errors, line_buffering=lines)


def _import(bare: bool) -> None:
    """Import what commands need, and make Numba ready; or Numba alone."""
    for name in COMPILERS:
        importlib.import_module(name)
    if not bare:
        _import_all()
    gc.collect()
    gc.freeze()


def _import_all() -> None:
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith(PROGRAMS):
                importlib.import_module(module.name)
    for name in LIBRARIES:
        importlib.import_module(name)
    from numba.core.registry import cpu_target
    from numba.core.runtime.nrt import rtsys

    from solver.compiling.parts import begin_compiling

    begin_compiling()
    rtsys.initialize(cpu_target.target_context)


def _begin_anew() -> None:
    """Let what was read when the process began be that of the copy."""
    import numba

    from solver.compiling import imports
    from solver.compiling.parts import CHECKED
    from solver.system.cache import cache_root

    imports._BEGIN = time.time()
    # As `solver.compiling.machine_code.setup` names it, for this environment.
    numba.config.CACHE_DIR = str(cache_root() / "numba" / ("checked" if CHECKED else "code"))  # type: ignore[attr-defined]


def _run(request: Request) -> None:
    """Run the module, as `python -m` does, or the script, as the main module."""
    if "solver" in sys.modules:
        _begin_anew()
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    try:
        if request.is_module:
            sys.argv = ["-m", *request.words]
            sys.modules.pop(request.code, None)  # it runs as `__main__`
            runpy._run_module_as_main(request.code)  # type: ignore[attr-defined]
        else:
            sys.argv = ["-c", *request.words]
            exec(compile(request.code, "<string>", "exec"), main.__dict__)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _end(end.code or 0)
        raise


def _end(status: int) -> None:
    """End as Python does, without taking apart what was imported: a tenth of a second."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    # Whoever waits for this process ends it; its own children are not waited for.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _import(bare=sys.argv[2] == "True")
    _run(_serve(socket.socket(fileno=int(sys.argv[1]))))
