"""Digests of sources: what machine code, shards and runs depend on.

The solver's own sources are digested as a whole. A domain may lie anywhere else: in one file,
or in a package. Its digest is that of the modules it is made of, found by following the import
statements of their sources.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.machinery
import importlib.util
import secrets
import site
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.domain import Domain

#: Packages that are digested as a whole, or on which no rules depend.
HOME = frozenset({"solver", "pipeline", "flows"})
DIGITS = 12

_BEGIN = time.time()
#: Sources of modules that were run from these very bytes, by name of the module.
_loaded: dict[str, bytes] = {}
#: In place of sources that are not known: no other process has it.
_UNKNOWN = secrets.token_hex(DIGITS)
#: Folders of installed packages.
_INSTALLED = tuple(
    Path(folder).resolve()
    for folder in {
        sysconfig.get_path("purelib"),
        sysconfig.get_path("platlib"),
        *site.getsitepackages(),
        site.getusersitepackages(),
    }
)


def sources_digest(folder: Path) -> str:
    """First 12 hexadecimal digits of the SHA-256 of every Python file below `folder`."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:DIGITS]


#: Digest of the solver's sources.
SOURCES = sources_digest(Path(__file__).parents[1])


def run_source(source: bytes, module: ModuleType) -> None:
    """Run `source` as the body of `module`: its digest is of what was run, whatever is edited."""
    _loaded[module.__name__] = source
    code = compile(source, str(module.__file__), "exec", dont_inherit=True)
    exec(code, module.__dict__)


def modules_digest(names: Iterable[str], home: frozenset[str] = HOME) -> str | None:
    """Digest of the modules called `names` and those that they import, the packages `home` apart.

    Of other installed packages only the modules that are imported count, not what these import.

    Returns
    -------
    digest : str or None
        Empty if all is in `home`; None if it cannot be known what a module was made of: it has no
        file, as in a notebook, or one that was edited since the process began.
    """
    found = _closure(names, home)
    if not found:
        return ""
    if None in found.values():
        return None
    digest = hashlib.sha256()
    for name, source in sorted(found.items()):
        digest.update(name.encode() + b"\0" + (source or b"") + b"\0")
    return digest.hexdigest()[:DIGITS]


#: Digests that were asked for: what they are of is in memory, whatever is edited.
_known: dict[tuple[type, ...], str] = {}


def rules_digest(domain: Domain, *others: type) -> str:
    """Digest of what `domain` is made of outside of this repository; empty for those that ship.

    That is its class, its generator and peers, the functions registered for its instances and
    priors, and whatever these import. `others` are classes that count, too.
    """
    key = (type(domain), *others)
    if key not in _known:
        _known[key] = _rules_digest(domain, others)
    return _known[key]


def class_digest(cls: type) -> str:
    """Digest of what an algorithm is made of outside of this repository; empty if it ships."""
    if (cls,) not in _known:
        digest = modules_digest({base.__module__ for base in cls.__mro__})
        _known[(cls,)] = _UNKNOWN if digest is None else digest
    return _known[(cls,)]


def _rules_digest(domain: Domain, others: Iterable[type]) -> str:
    from solver.compiling.registered import registered_beside
    from solver.system.references import class_of_generator, peers_of

    home = HOME | {"generators"}
    classes = {*type(domain).__mro__, domain.options, *others}
    classes |= {code.table_class for code in domain.priors.values()}
    classes |= {type(prior) for prior in domain.handmade.values()}
    generator = class_of_generator(domain)
    names = {cls.__module__ for cls in classes if cls.__module__ != "builtins"}
    names |= {generator.__module__} if generator is not None else set()
    if isinstance(domain.peers, str):
        names |= {peer.solve.__module__ for peer in peers_of(domain).values()}
    while True:
        # Rules may be registered in a module that the one with the instance's class knows nothing
        # of.
        more = registered_beside(set(_closure(names, home))) - names
        if not more:
            break
        names |= more
    digest = modules_digest(names, home)
    return _UNKNOWN if digest is None else digest


def _closure(names: Iterable[str], home: frozenset[str]) -> dict[str, bytes | None]:
    """Sources of modules and of those they import, by name; None where it is not known."""
    todo = sorted(set(names))
    packages = {_top(name) for name in todo}
    found: dict[str, bytes | None] = {}
    while todo:
        name = todo.pop()
        if name in found or _top(name) in home or _top(name) in sys.stdlib_module_names:
            continue
        path = _source_file(name)
        if path is None:
            if name == "__main__":
                found[name] = None
            continue
        found[name] = source = _source(name, path)
        if source is not None and (_top(name) in packages or not _is_installed(path)):
            todo += _imported(name, path, source)
    return found


def _top(name: str) -> str:
    return name.partition(".")[0]


def _is_installed(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _INSTALLED)


def _source_file(name: str) -> Path | None:
    """File of the source of a module, None where there is none, as for those written in C."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if module is None:
        spec = _find(name)
        file = None if spec is None else spec.origin
    return Path(file).resolve() if file and file.endswith(".py") else None


def _find(name: str) -> importlib.machinery.ModuleSpec | None:
    """Find a module that was not imported (yet), without importing it or its package."""
    package, _, _ = name.rpartition(".")
    with suppress(ImportError, ValueError, AttributeError):
        if not package:
            return importlib.util.find_spec(name)
        module = sys.modules.get(package)
        spec = module.__spec__ if module is not None else _find(package)
        if spec is not None and spec.submodule_search_locations:
            return importlib.machinery.PathFinder.find_spec(name, spec.submodule_search_locations)
    return None


def _source(name: str, path: Path) -> bytes | None:
    if name in _loaded:
        return _loaded[name]
    try:
        # What was edited meanwhile may have been read before or after.
        return None if path.stat().st_mtime > _BEGIN else path.read_bytes()
    except OSError:
        return None


def _imported(name: str, path: Path, source: bytes) -> Iterator[str]:
    """Names of what may be modules among those that a source imports, and of their packages."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_packages(alias.name)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            parents = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            yield from _with_packages(base)
            yield from (f"{base}.{alias.name}" for alias in node.names if base)
    yield from _with_packages(package)


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".") if name else []
    yield from (".".join(parts[:n]) for n in range(1, len(parts) + 1))
