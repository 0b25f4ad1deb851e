"""Machine code on disk: its folders, and the sources that it depends on.

Numba stamps a cached kernel with the source of the kernel's own file only, so
editing a domain would silently run old machine code. Machine code therefore lies
in folders named by a digest of the modules that it can be made of: those that the kernel, the
classes of its arguments and the functions registered for these import. Also, an index that names
a class cannot be read without its module. A folder that cannot be written
to is read; what is not in it is compiled in every process: it costs time, never the answer.
Code that ships lies in a folder beside the package and is looked for last.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba.core.caching import (
    Cache,
    CompileResultCacheImpl,
    UserProvidedCacheLocator,
    _Cache,
)
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature
from numba.core.targetconfig import ConfigStack

from solver.compiling.machine_code.linking import Part, handle_of
from solver.compiling.machine_code.portable import Processor, code_that_ships
from solver.compiling.sources import modules_digest
from solver.system.cache import say_once

NUMBA: Any = numba.config

#: Installed packages of which nothing becomes machine code: other versions have the same.
NO_CODE = frozenset({"RNA", "matplotlib", "numpy", "pandas", "pyarrow", "scipy"})


@functools.cache
def _digest_of(modules: frozenset[str]) -> str | None:
    """Digest of modules as they were when first asked for: soon after they were imported."""
    return modules_digest(modules, without=NO_CODE)


class _PartFiles(CompileResultCacheImpl):
    """Files of parts: optimised code for LLVM, with that of all that it calls."""

    def reduce(self, compiled: Any) -> Any:
        """Return the data of a part to store on disk."""
        description = compiled.fndesc
        description.typemap = description.calltypes = None  # as Numba has it: not to be pickled
        code = compiled.library.with_callees().as_bitcode()
        return code, description, compiled.environment, compiled.signature, compiled.reload_init

    def rebuild(self, target_context: Any, kept: Any) -> Any:
        """Return the part that was kept."""
        code, description, environment, signature, reload_init = kept
        for begin in reload_init:
            begin()
        library = Part.from_code(target_context.codegen(), description.qualname, code, reload_init)
        unset: dict[str, Any] = dict.fromkeys(CompileResult._fields)
        unset |= {
            "typing_context": target_context.typing_context,
            "target_context": target_context,
            "entry_point": handle_of(description, environment, library),
            "signature": signature,
            "objectmode": False,
            "fndesc": description,
            "library": library,
            "environment": environment,
        }
        return CompileResult(**unset)


def _cache_class(
    folder: Path, files: type[CompileResultCacheImpl], processor: Processor | None = None
) -> type[Cache]:
    """Class of the caches of `files` in a folder, and nowhere else.

    Parameters
    ----------
    processor : Processor, optional
        Processor that the code was made for; without one, that which Numba makes code for.
    """

    class Locator(UserProvidedCacheLocator):
        def __init__(self, py_func: Any, py_file: str) -> None:
            super().__init__(py_func, py_file)  # type: ignore[no-untyped-call]
            self._module = py_func.__module__

        def get_cache_path(self) -> str:
            return str(folder / self._module)

        def get_source_stamp(self) -> tuple[()]:
            """Return nothing: the folder is named by what is in the sources."""
            return ()

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            """Return the locator also where nothing can be written: saving meets that."""
            return cls(py_func, py_file) if Path(py_file).exists() else None

    class Files(files):  # type: ignore[valid-type, misc]
        _locator_classes = [Locator]  # noqa: RUF012 - as Numba has it

    class FolderCache(Cache):
        _impl_class = Files  # type: ignore[assignment]

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """Load without Numba's registries: importing them takes longer than all the rest."""
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]

        def _index_key(self, sig: Any, codegen: Any) -> Any:
            key = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call]
            if processor is None:
                return key
            signature, (triple, *_), hashes = key
            return signature, (triple, processor.name, processor.words), hashes

    return FolderCache


class KernelCache(_Cache):
    """Cache of a kernel; unreadable or unwritable code is compiled anew, without an error.

    The machine code of each signature lies in the folder of the sources that it depends on.

    Parameters
    ----------
    begin_compiling : callable, optional
        Called before the kernel is compiled, as there is no code of it.
    """

    files: ClassVar[type[CompileResultCacheImpl]] = CompileResultCacheImpl
    folder = ""

    def __init__(
        self, function: Callable[..., Any], begin_compiling: Callable[[], None] | None = None
    ) -> None:
        self._function = function
        self._begin_compiling = begin_compiling
        self._caches: dict[str, Cache | None] = {}
        self._shipped: dict[str, Cache | None] = {}

    @property
    def cache_path(self) -> str:
        """Folder of all machine code."""
        return str(NUMBA.CACHE_DIR)

    def _digest(self, signature: Any) -> str | None:
        """Digest of the sources of the machine code of `signature`."""
        arguments, _ = normalize_signature(signature)  # type: ignore[no-untyped-call]
        classes = {cls.__module__ for cls in _classes(arguments)}
        return _digest_of(frozenset({self._function.__module__, *classes}))

    def _cache_of(self, digest: str | None) -> Cache | None:
        """Cache for the machine code of sources, None where it cannot be kept."""
        if digest is None:
            return None
        if digest not in self._caches:
            folder = Path(NUMBA.CACHE_DIR) / digest / self.folder
            self._caches[digest] = self._new_cache(folder)
        return self._caches[digest]

    def _shipped_of(self, digest: str | None) -> Cache | None:
        """Cache of the machine code of sources that ships, None without any."""
        shipped = code_that_ships()
        if digest is None or shipped is None or self.folder:
            return None
        if digest not in self._shipped:
            folder, processor = shipped
            self._shipped[digest] = self._new_cache(folder / digest, processor)
        return self._shipped[digest]

    def _new_cache(self, folder: Path, processor: Processor | None = None) -> Cache | None:
        try:
            return _cache_class(folder, self.files, processor)(self._function)
        except RuntimeError:  # its source is in no file
            return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code of a signature, None where there is none that can be used."""
        found = self._loaded(sig, target_context)
        if found is None and self._begin_compiling is not None:
            self._begin_compiling()
        return found

    def _loaded(self, sig: Any, target_context: Any) -> Any:
        digest = self._digest(sig)
        own, shipped = self._cache_of(digest), self._shipped_of(digest)
        found = None
        if own is not None:
            try:
                found = own.load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            except Exception:  # unpickling a damaged file raises anything
                with suppress(OSError):
                    # Saving would stumble over the same index.
                    own.flush()  # type: ignore[no-untyped-call]
        if found is None and shipped is not None:
            with suppress(Exception):
                found = shipped.load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code of a signature, if there is room for it."""
        cache = self._cache_of(self._digest(sig))
        try:
            if cache is not None:
                cache.save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            _say_compiled(error.strerror or str(error))

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing, as in `enable`."""

    def flush(self) -> None:
        """Forget the kernel's cached code in the folders that were used."""
        for cache in self._caches.values():
            if cache is not None:
                cache.flush()  # type: ignore[no-untyped-call]


class PartCache(KernelCache):
    """The cache of a part; there is one for callers that count references, and one for others."""

    files = _PartFiles

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        caller = ConfigStack.top_or_none()  # type: ignore[no-untyped-call]
        self.folder = "parts" if caller is None or caller.nrt else "parts-uncounted"


def _classes(types: Any) -> Iterator[type]:
    """Yield the classes of the NamedTuples among Numba's `types`, and of those within them."""
    for kind in types:
        cls = getattr(kind, "instance_class", None)
        if cls is not None:
            yield cls
        # A tuple has the types of its fields, or one where they are all alike; so has an array.
        within = getattr(kind, "types", None) or (getattr(kind, "dtype", None),)
        yield from _classes(
            [item for item in within if hasattr(item, "instance_class") or hasattr(item, "types")]
        )


def _say_compiled(reason: str) -> None:
    say_once(f"cannot write {NUMBA.CACHE_DIR} ({reason}): kernels are compiled anew every time")
