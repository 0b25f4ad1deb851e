"""The one place where Numba is configured: cache folder and compile options.

Numba stamps a cached kernel with the source of the kernel's own file only, so
editing a domain would silently run old machine code. The cache therefore lives
in a folder named by a digest of all of the solver's sources. Where that folder cannot
be used, kernels are compiled in every process: it costs time, never the answer.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    UserProvidedCacheLocator,
)
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])

CACHE_ROOT_VARIABLE = "NESTOR_CACHE"


def cache_root() -> Path:
    """Folder for everything Nestor can rebuild: machine code, shards, downloads."""
    chosen = os.environ.get(CACHE_ROOT_VARIABLE)
    folder = Path(chosen or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "nestor")
    try:
        return folder.expanduser()
    except RuntimeError:  # a user without a home, as in many containers
        say_once(f"no folder {folder}: what can be kept is lost at the end")
        return temporary_folder()


@functools.cache
def temporary_folder() -> Path:
    """Folder that is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="nestor-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@functools.cache
def say_once(text: str) -> None:
    """Write a line to stderr, the same only once in a process: work goes on, but slower."""
    sys.stderr.write(f"nestor: {text}; {CACHE_ROOT_VARIABLE} names another folder\n")
    sys.stderr.flush()


def sources_digest(folder: Path) -> str:
    """First 12 hexadecimal digits of the SHA-256 of every Python file below `folder`."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


#: Digest of the solver's sources.
SOURCES = sources_digest(Path(__file__).parent)

numba.config.CACHE_DIR = str(  # type: ignore[attr-defined]
    cache_root() / "numba" / SOURCES
)


class _KernelCacheFiles(CompileResultCacheImpl):
    """Files below `CACHE_DIR` and nowhere else: beside the sources they would become stale."""

    _locator_classes = [UserProvidedCacheLocator]  # noqa: RUF012 - as Numba has it


class _KernelCache(FunctionCache):
    """The cache of a kernel; what cannot be read or written is compiled, and no error."""

    _impl_class = _KernelCacheFiles

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code of a signature, None where there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # unpickling a damaged file raises anything
            with suppress(OSError):
                # Saving would stumble over the same index.
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code of a signature, if there is room for it."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            _say_compiled(error.strerror or str(error))


def _say_compiled(reason: str) -> None:
    folder = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    say_once(f"cannot write {folder} ({reason}): kernels are compiled anew every time")


def _kept(kernel: Any) -> Any:
    """Let the machine code of `kernel` be kept on disk."""
    if not hasattr(kernel, "py_func"):  # plain Python, under NUMBA_DISABLE_JIT
        return kernel
    try:
        kernel._cache = _KernelCache(kernel.py_func)  # type: ignore[no-untyped-call]
    except RuntimeError:  # Numba does not say why
        _say_compiled("no such folder, or not writable")
    return kernel


def allocating_kernel(function: F) -> F:
    """Compile `function`, on first use, with the GIL released and the result kept on disk.

    A division by zero gives inf, as in NumPy: no branch, no exception.
    """
    return cast(F, _kept(numba.njit(nogil=True, error_model="numpy")(function)))


def kernel(function: F) -> F:
    """Compile `function` like `allocating_kernel`, without reference counts: it cannot allocate.

    Where instances and states are tuples of arrays, Numba counts references to
    each array at each call, with atomic instructions: four times the cost of
    a playout. The caller's references keep the arrays alive.
    """
    options = {"nogil": True, "error_model": "numpy", "_nrt": False}
    return cast(F, _kept(numba.njit(**options)(function)))  # type: ignore[call-overload]


def external(signature: Any, function: Callable[..., Any]) -> Any:
    """Compile `function` now, as C could call it: its `address` is what kernels need to call it."""
    options: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}
    return numba.cfunc(signature, **options)(function)


def spliced(function: F) -> F:
    """`inlined`, copied into every caller: for small functions of many arguments, or hot ones."""
    return register_jitable(error_model="numpy", forceinline=True)(function)


def inlined(function: F) -> F:
    """Let kernels and domain functions call `function`; called from Python it is plain Python."""
    return register_jitable(error_model="numpy")(function)


def compile_for(kernel: Any, *arguments: Any) -> None:
    """Compile `kernel` for arguments like these, or load it from disk, without calling it."""
    if hasattr(kernel, "compile"):  # else Numba is switched off
        kernel.compile(tuple(map(numba.typeof, arguments)))
