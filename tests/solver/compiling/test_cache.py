"""Machine code is cached on disk, and never stale."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import pytest

import solver
from solver.compiling.parts import begin_compiling
from solver.system.cache import CACHE_ROOT_VARIABLE, cache_root
from tests.copies import finished
from tests.helpers import needs_jit
from tests.toys import sequence

#: Plays given moves of the toy, whose module stands among the solver's domains.
SCRIPT = """
import json
import numpy as np
from numba.core import event
from solver.domains.sequence import SequenceDomain, SequenceOptions
from solver.kernels.replay import replay_moves

compiled = []


class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass


event.register("numba:compile", Listener())
domain = SequenceDomain()
instance = domain.instance(domain.parse("01234567", "toy")[0], SequenceOptions())
score = replay_moves(instance, domain.new_state(instance), np.arange(8))
hits, misses = replay_moves.stats.cache_hits, replay_moves.stats.cache_misses
print(json.dumps([score, sum(hits.values()), sum(misses.values()), sorted(compiled)]))
"""
SCORE = 13.0
#: Files that follow one another within a second must not be taken for each other.
NO_BYTECODE = "import sys; sys.dont_write_bytecode = True\n"
LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))\n"
PATIENCE = 300.0
#: Calls a function by its address.
CALLED = """
import ctypes
from solver.compiling.jit import external

def twice(number):
    return 2 * number

compiled = external("int64(int64)", twice)
print(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(compiled.address)(21), compiled.cache_hits)
"""
KERNEL, PARTS = "replay_moves", ["play", "reset", "score"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with a copy of the solver, the toy among its domains."""
    source = Path(solver.__file__).parent
    shutil.copytree(source, tmp_path / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(sequence.__file__, tmp_path / "solver" / "domains")
    return tmp_path


def run_script(tree: Path) -> tuple[float, int, int]:
    """Score, cache hits and misses of `SCRIPT` in a new process."""
    (score, hits, misses, _), err = run_with_cache(tree, tree / "cache")
    assert err == ""
    return score, hits, misses


def run_and_list(tree: Path) -> list[str]:
    """Functions that a new process compiled for `SCRIPT`, whose score is as ever."""
    (score, _, _, compiled), err = run_with_cache(tree, tree / "cache")
    assert (score, err) == (SCORE, "")
    return compiled


def run_with_cache(
    tree: Path,
    cache: str | Path,
    largest_file: int | None = None,
    begin: Sequence[str] = (),
) -> tuple[tuple[float, int, int, list[str]], str]:
    """Score, cache hits, misses and functions compiled of `SCRIPT`, and what it says on stderr.

    A process that may write no file beyond `largest_file` bytes meets what a full disk is. `begin`
    are words before the command.
    """
    environment = {**os.environ, "PYTHONPATH": str(tree), CACHE_ROOT_VARIABLE: str(cache)}

    options: Any = {"cwd": tree, "env": environment}
    if begin:
        words = [*begin, sys.executable, "-B", "-c", SCRIPT]
        done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    else:
        script = LIMIT.format(largest_file) + SCRIPT if largest_file else SCRIPT
        done = finished(["-c", NO_BYTECODE + script], bare=True, timeout=PATIENCE, **options)
    assert done.returncode == 0, done.stderr
    score, hits, misses, compiled = json.loads(done.stdout)
    return (score, hits, misses, compiled), done.stderr


@needs_jit
def test_code_is_cached_until_a_domain_changes(tree: Path) -> None:
    """A second process compiles nothing; an edited domain is compiled again, not run stale."""
    score, hits, misses = run_script(tree)
    assert (hits, misses) == (0, 1)
    assert run_script(tree) == (score, 1, 0)
    module = tree / "solver" / "domains" / "sequence.py"
    edited = module.read_text().replace("    total = 0.0\n", "    total = 1000.0\n")
    assert edited != module.read_text()
    module.write_text(edited)
    assert run_script(tree) == (score + 1000.0, 0, 1)


@needs_jit
def test_a_cache_that_cannot_be_written_costs_time_only(tree: Path) -> None:
    """The same score and one line, for folders that cannot be; nothing is kept elsewhere."""
    (tree / "file").touch()
    for cache in (tree / "file", "/proc/nestor"):
        (score, hits, misses, _), err = run_with_cache(tree, cache)
        assert (score, hits, misses) == (SCORE, 0, 1)
        assert err.startswith(f"nestor: cannot write {cache}/numba/")
        assert err.count("\n") == 1
    assert not list(tree.rglob("*.nb[ic]"))


#: Makes a folder read-only, for root too, and runs a command.
READ_ONLY = """
mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"
"""


def read_only(folder: Path) -> list[str]:
    """First words of commands that cannot write into `folder`."""
    if os.getuid() != 0:
        return ["sh", "-c", 'chmod -R a-w "$0" && exec "$@"', str(folder)]
    words = ["unshare", "--mount", "sh", "-c", READ_ONLY, str(folder)]
    if not shutil.which("unshare") or subprocess.run([*words, "true"], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    return words


@needs_jit
def test_a_cache_that_cannot_be_written_is_read(tree: Path) -> None:
    """A read-only cache is read silently; a kernel that it lacks is announced in one line."""
    cache = tree / "cache"
    cache.mkdir()
    words = read_only(cache)
    (score, hits, misses, _), err = run_with_cache(tree, cache, begin=words)
    assert (score, hits, misses) == (SCORE, 0, 1)
    assert err.startswith(f"nestor: cannot write {cache}/numba/")
    assert err.count("\n") == 1
    if os.getuid() != 0:
        cache.chmod(0o755)
    assert run_script(tree) == (SCORE, 0, 1)
    assert run_with_cache(tree, cache, begin=words) == ((SCORE, 1, 0, []), "")


@needs_jit
def test_code_called_by_its_address_is_read(tmp_path: Path) -> None:
    """Code called by its address is read from a read-only cache, too."""
    (tmp_path / "called.py").write_text(CALLED)
    (tmp_path / "cache").mkdir()
    words = read_only(tmp_path / "cache")
    root = Path(solver.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    environment[CACHE_ROOT_VARIABLE] = str(tmp_path / "cache")
    for begin, hits in (([], 0), (words, 1)):
        done = subprocess.run(
            [*begin, sys.executable, "called.py"],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == (f"42 {hits}\n", "")


@needs_jit
def test_a_full_cache_costs_time_only(tree: Path) -> None:
    """A full disk costs one line and the time to compile; the score is the same."""
    (score, hits, _, _), err = run_with_cache(tree, tree / "cache", largest_file=2000)
    assert (score, hits) == (SCORE, 0)
    assert err.startswith(f"nestor: cannot write {tree / 'cache'}/numba/")
    assert "File too large" in err
    assert err.count("\n") == 1
    assert not list(tree.rglob("*.nbc"))
    assert run_script(tree)[1:] == (0, 1)


@needs_jit
def test_a_damaged_cache_is_made_again(tree: Path) -> None:
    """An index, or machine code, cut off as after a power cut is compiled and kept again."""
    score, _, _ = run_script(tree)
    for ending in ("*.nbi", "*.nbc"):
        for path in (tree / "cache").rglob(ending):
            path.write_bytes(path.read_bytes()[:20])
        assert run_script(tree) == (score, 0, 1)
        assert run_script(tree) == (score, 1, 0)


@needs_jit
def test_two_starts_at_once(tree: Path) -> None:
    """Both compile, say nothing and score as ever; what they keep is whole."""
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(run_with_cache, [tree] * 2, [tree / "cache"] * 2))
    assert [(score, err) for (score, *_), err in both] == [(SCORE, "")] * 2
    assert run_script(tree) == (SCORE, 1, 0)


#: Modules that the kernel of the script is made of, at the end of different chains of imports.
INLINED = ("compiling/bits.py", "compiling/machine_code/linking.py")


@needs_jit
def test_code_depends_on_the_modules_that_it_is_made_of(tree: Path) -> None:
    """Each module that can be compiled into a kernel counts, the web page and reports do not."""
    score, *_ = run_script(tree)
    for name in ("design_page/guard.py", "commands/solve.py", "games/boards/hex.py"):
        with (tree / "solver" / name).open("a") as file:
            file.write("# edited\n")
    (tree / "pipeline").mkdir()
    (tree / "pipeline" / "__init__.py").touch()
    assert run_script(tree) == (score, 1, 0)
    for name in INLINED:
        with (tree / "solver" / name).open("a") as file:
            file.write("# edited\n")
        assert run_script(tree) == (score, 0, 1), name


#: Solves with all kernels compiled anew, and lists the files of the functions compiled that are
#: none of those that the digest of machine code is of.
COMPILED = """
import sys
from numba.core import event
from solver import Budget, Sampling, load_domain, solve
from solver.compiling.machine_code import caching
from solver.compiling.sources import modules_of

asked, compiled = set(), set()
digest_of = caching.modules_digest
caching.modules_digest = lambda modules, **options: (
    asked.update(modules) or digest_of(modules, **options)
)


class Listener(event.Listener):
    def on_start(self, event):
        compiled.add(event.data["dispatcher"].py_func.__code__.co_filename)

    def on_end(self, event):
        pass


event.register("numba:compile", Listener())
domain = load_domain("latin-square")
(problem,) = domain.parse("1 2 .\\n2 3 1\\n. 1 2\\n", "square")
solve(domain, problem, domain.options(), Sampling(), Budget(9))
known = {sys.modules[name].__file__ for name in modules_of(asked) if name in sys.modules}
here = [file for file in compiled if "site-packages" not in file]
print(len(here), sorted(set(here) - known))
"""


@needs_jit
def test_every_function_that_is_compiled_is_known(tmp_path: Path) -> None:
    """No function is compiled into a kernel from a file that its digest does not cover."""
    environment = {**os.environ, CACHE_ROOT_VARIABLE: str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", COMPILED],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    number, unknown = done.stdout.split(" ", 1)
    assert int(number) >= 10
    assert unknown == "[]\n"


def files_of(folder: Path, ending: str, *, parts: bool) -> list[Path]:
    """Files of the cache of parts, or of kernels."""
    found = [path for path in folder.rglob(ending) if ("parts" in str(path)) == parts]
    assert found
    return found


@needs_jit
def test_rules_are_kept_for_other_kernels(tree: Path) -> None:
    """A kernel that is not kept is compiled with parts that are, in another process."""
    assert run_and_list(tree) == sorted([KERNEL, *PARTS])
    for path in files_of(tree / "cache", "*.nb?", parts=False):
        path.unlink()
    assert run_and_list(tree) == [KERNEL]
    assert run_and_list(tree) == []


@needs_jit
@pytest.mark.parametrize("ending", ["*.nbi", "*.nbc"])
def test_a_damaged_part_is_made_again(tree: Path, ending: str) -> None:
    """A truncated index, or code, of a part is compiled and kept again."""
    first = run_and_list(tree)
    for _ in range(2):
        for path in files_of(tree / "cache", ending, parts=True):
            path.write_bytes(path.read_bytes()[:20])
        for path in files_of(tree / "cache", "*.nb?", parts=False):
            path.unlink()
        assert run_and_list(tree) == first
    assert run_and_list(tree) == []


def test_no_home_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home folder, as in many containers, the cache is temporary."""
    monkeypatch.setenv("NESTOR_CACHE", "~nobody-of-this-name/nest")
    folder = cache_root()
    assert folder.is_dir()
    assert cache_root() == folder


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"NESTOR_CACHE": "/some/where", "XDG_CACHE_HOME": "/xdg"}, "/some/where"),
        ({"NESTOR_CACHE": "~/nest"}, "/home/her/nest"),
        ({"NESTOR_CACHE": "", "XDG_CACHE_HOME": "/xdg"}, "/xdg/nestor"),
        ({}, "/home/her/.cache/nestor"),
    ],
)
def test_cache_folder(
    variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our variable comes first, then the user's cache directory."""
    for name in ("NESTOR_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/her")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_root() == Path(expected)


def test_kernels_lie_below_the_cache_root() -> None:
    """Numba writes below the cache root, not beside the sources."""
    begin_compiling()
    config: Any = numba.config
    assert Path(config.CACHE_DIR).is_relative_to(cache_root() / "numba")
