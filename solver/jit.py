"""The one place where Numba is configured: cache folder and compile options.

Numba stamps a cached kernel with the source of the kernel's own file only, so
editing a domain would silently run old machine code. The cache therefore lives
in a folder named by a digest of all of the solver's sources.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])

CACHE_ROOT_VARIABLE = "NESTOR_CACHE"


def cache_root() -> Path:
    """Folder for everything Nestor can rebuild: machine code, shards, downloads."""
    chosen = os.environ.get(CACHE_ROOT_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "nestor"


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


def allocating_kernel(function: F) -> F:
    """Compile `function`, on first use, with the GIL released and the result kept on disk.

    A division by zero gives inf, as in NumPy: no branch, no exception.
    """
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def kernel(function: F) -> F:
    """Compile `function` like `allocating_kernel`, without reference counts: it cannot allocate.

    Where instances and states are tuples of arrays, Numba counts references to
    each array at each call, with atomic instructions: four times the cost of
    a playout. The caller's references keep the arrays alive.
    """
    options = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
    return cast(F, numba.njit(**options)(function))  # type: ignore[call-overload]


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
