"""Modules that modules import, found by following the import statements of their sources.

Modules are told apart by file, not by name: what a user's file called `flows.py` says counts as
what any other file says. Statements are looked for once in a source: the answers are kept on disk,
by digest of the source. Imports that are written for type checkers only do not count; those
within functions do. Names that a package loads on demand (PEP 562) are found where it imports
them for type checkers.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import site
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from solver.system.cache import cache_root

#: Packages of this repository, and the folder that they lie in.
PACKAGES = ("solver", "pipeline", "generators", "flows")
ROOT = Path(__file__).resolve().parents[2]

#: Version of the file of answers, and how many it holds at most.
FORMAT, MOST_KEPT = 1, 4000

_BEGIN = time.time()
#: Sources of modules that were run from these very bytes, by file.
_run: dict[Path, bytes] = {}
_STANDARD = Path(sysconfig.get_path("stdlib")).resolve()
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


class Statement(NamedTuple):
    """An import statement: `import module`, or, with names, `from module import names`."""

    level: int
    """Number of leading dots."""
    module: str
    names: list[str] | None


class Imports(NamedTuple):
    """Imports of a source file."""

    statements: list[Statement]
    on_demand: dict[str, str]
    """Module of each name that a package loads when it is first used."""


class Source(NamedTuple):
    """Source of a module as it was run, or will be."""

    text: bytes
    digest: str
    """SHA-256 of the text, 64 hexadecimal digits."""
    installed: bool
    """True if it belongs to an installed package other than Nestor."""


def run_source(text: bytes, module: ModuleType) -> None:
    """Run `text` as the body of `module`, whose digest is that of `text`, not of its file."""
    path = Path(str(module.__file__))
    _run[path.resolve()] = text
    code = compile(text, str(path), "exec", dont_inherit=True)
    exec(code, module.__dict__)


def sources_of(names: Iterable[str]) -> dict[str, Source | None]:
    """Sources of the modules called `names` and of those that they import, by name.

    The standard library does not count, nor do modules that are not written in Python. From other
    installed packages only the modules that are imported count, not what these import.

    Returns
    -------
    sources : dict[str, Source or None]
        None where it cannot be known what a module was made of: it has no file, as in a notebook,
        or one that was edited since the process began.
    """
    todo = sorted(set(names))
    packages = {_top(name) for name in todo}
    found: dict[str, Source | None] = {}
    while todo:
        name = todo.pop()
        if name in found:
            continue
        path = _file_of(name)
        if path is None:
            if name == "__main__":
                found[name] = None
            continue
        if _is_standard(path):
            continue
        found[name] = source = _read(path)
        if source is not None and (not source.installed or _top(name) in packages):
            todo += _imported(name, path, source)
    _keep_answers()
    return found


def _top(name: str) -> str:
    return name.partition(".")[0]


@functools.cache
def _is_standard(path: Path) -> bool:
    return path.is_relative_to(_STANDARD) and not _is_below_installed(path)


def _is_below_installed(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _INSTALLED)


@functools.cache
def _is_installed(path: Path) -> bool:
    return not _is_here(path) and _is_below_installed(path)


@functools.cache
def _is_here(path: Path) -> bool:
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES


def _file_of(name: str) -> Path | None:
    """File of the source of a module, None where there is none, as for those written in C."""
    module = sys.modules.get(name)
    if module is not None:
        return _source_file(getattr(module, "__file__", None))
    package, _, last = name.rpartition(".")
    if not package:
        return _source_file(_origin(name))
    folders = _folders_of(package)
    for folder in folders:
        for path in (folder / last / "__init__.py", folder / f"{last}.py"):
            if path.is_file():
                return _source_file(str(path))
    return None


def _source_file(file: str | None) -> Path | None:
    return _resolved(file) if file and file.endswith(".py") else None


@functools.cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


def _origin(name: str) -> str | None:
    """File of a module at the top that was not imported (yet), without importing it."""
    spec = _spec(name)
    return None if spec is None else spec.origin


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    with suppress(ImportError, ValueError, AttributeError):
        return importlib.util.find_spec(name)
    return None


def _folders_of(package: str) -> list[Path]:
    """Folders of the modules of a package; none if it is a module."""
    module = sys.modules.get(package)
    if module is not None:
        return [Path(folder) for folder in getattr(module, "__path__", ())]
    above, _, last = package.rpartition(".")
    if above:
        return [folder / last for folder in _folders_of(above) if (folder / last).is_dir()]
    spec = _spec(package)
    places = None if spec is None else spec.submodule_search_locations
    return [Path(folder) for folder in places or ()]


#: Sources that were read, by file, with the times and the size that the file had.
_texts: dict[Path, tuple[tuple[int, int, int], Source]] = {}


def _read(path: Path) -> Source | None:
    if path in _run:
        return _source(path, _run[path])
    try:
        stat = path.stat()
        if stat.st_mtime > _BEGIN:  # what was edited meanwhile may have been read before or after
            return None
        known = _texts.get(path)
        state = stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size
        if known is None or known[0] != state:
            known = state, _source(path, path.read_bytes())
            _texts[path] = known
        return known[1]
    except OSError:
        return None


def _source(path: Path, text: bytes) -> Source:
    return Source(text, hashlib.sha256(text).hexdigest(), _is_installed(path))


#: Modules that those of this repository import, by name and digest of the source.
_imported_here: dict[tuple[str, str], list[str]] = {}


def _imported(name: str, path: Path, source: Source) -> list[str]:
    """Names of the modules that a source imports, and of their packages."""
    key = (name, source.digest)
    if key in _imported_here:
        return _imported_here[key]
    names = set(_named(name, path, source))
    files = {each: _file_of(each) for each in names}
    found = [each for each in names if (file := files[each]) and not _is_standard(file)]
    if _is_here(path):  # where others find what they import may change
        _imported_here[key] = found
    return found


def _named(name: str, path: Path, source: Source) -> Iterator[str]:
    """Names of what may be modules among those that a source imports, and of their packages."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for level, module, names in imports_of(source).statements:
        parts = package.split(".")
        parents = parts[: len(parts) - level + 1] if level else []
        base = ".".join([*parents, *([module] if module else [])])
        yield from _with_packages(base)
        if base:
            yield from _of_names(base, names)
    yield from _with_packages(package)


def _of_names(base: str, names: list[str] | None) -> Iterator[str]:
    """Modules among `names` of `base`, and those that it loads for them on demand."""
    path = _file_of(base)
    source = None if path is None or _is_installed(path) or _is_standard(path) else _read(path)
    on_demand = {} if source is None else imports_of(source).on_demand
    if names is None or "*" in names:
        for module in on_demand.values():
            yield from _with_packages(module)
        return
    if not _folders_of(base):
        return
    for name in names:
        yield f"{base}.{name}"
        if name in on_demand:
            yield from _with_packages(on_demand[name])


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".") if name else []
    yield from (".".join(parts[:n]) for n in range(1, len(parts) + 1))


def imports_of(source: Source) -> Imports:
    """Return the imports of a source, computed once."""
    answers = _answers()
    if source.digest not in answers:
        answers[source.digest] = _parsed(source.text)
        _news.add(source.digest)
    return answers[source.digest]


def _parsed(text: bytes) -> Imports:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # of another version of Python: it cannot be imported
        return Imports([], {})
    found: list[Statement] = []
    for node in _nodes(tree):
        if isinstance(node, ast.Import):
            found += [Statement(0, alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            found.append(Statement(node.level, node.module or "", names))
    return Imports(found, _on_demand(tree))


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if _is_for_checkers(node):
            assert isinstance(node, ast.If)
            for other in node.orelse:
                yield other
                yield from _nodes(other)
        elif not isinstance(node, ast.expr):
            yield node
            yield from _nodes(node)


def _is_for_checkers(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    name = getattr(node.test, "id", getattr(node.test, "attr", ""))
    return bool(name == "TYPE_CHECKING")


def _on_demand(tree: ast.Module) -> dict[str, str]:
    """Module of each name that type checkers see, of a module that loads names on demand."""
    if not any(getattr(node, "name", "") == "__getattr__" for node in tree.body):
        return {}
    return {
        alias.asname or alias.name: statement.module
        for node in tree.body
        if _is_for_checkers(node) and isinstance(node, ast.If)
        for statement in node.body
        if isinstance(statement, ast.ImportFrom) and statement.module and not statement.level
        for alias in statement.names
    }


#: Digests of sources that were looked through in this process.
_news: set[str] = set()


def _answers_file() -> Path:
    return cache_root() / f"imports-{FORMAT}.json"


@functools.cache
def _answers() -> dict[str, Imports]:
    """Return the cached facts of sources by their digests; empty if missing or damaged."""
    try:
        kept = json.loads(_answers_file().read_bytes())
        return {
            str(digest): Imports([Statement(*each) for each in statements], dict(on_demand))
            for digest, (statements, on_demand) in kept.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _keep_answers() -> None:
    """Keep the answers on disk, where that can be: else they are looked for again."""
    if not _news:
        return
    answers = dict(_answers())
    if len(answers) > MOST_KEPT:
        answers = {digest: answers[digest] for digest in _news}
    _news.clear()
    path = _answers_file()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(json.dumps(answers), encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
