"""Digests follow the rules of a domain to wherever they are written."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from solver.compiling import imports
from solver.compiling.sources import essence, modules_digest, modules_of
from solver.contract import rules as contract
from solver.contract.identity import domain_digest, rules_digest
from solver.domains import DOMAINS, load_rules
from solver.games import GAMES
from tests.docs.guide import DOMAIN, ROOT
from tests.helpers import needs_jit

IMPLEMENTATIONS = [
    function.implementation
    for function in (contract.reset, contract.legal_moves, contract.play, contract.copy_state)
]

#: A package whose rules are in several modules.
MODULES = {
    "__init__": "from .rules import play\n",
    "rules": "import math\nfrom solver.contract import rules\n"
    "from .more.limits import MOST\nplay = MOST\n",
    "more/__init__": "",
    "more/limits": "MOST = 3\n",
    "apart": "import own_rules_of_test\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of the package, older than the process; it can be imported."""
    folder = tmp_path / "own_rules_of_test"
    for name, text in MODULES.items():
        write(folder / f"{name}.py", text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(folder.name)
    yield folder
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (1_000_000_000, 1_000_000_000))


@pytest.mark.parametrize("name", [*DOMAINS, *GAMES])
def test_domains_that_ship_depend_on_their_modules(name: str) -> None:
    """Domains depend on modules of their rules and kernels, not of commands or reports."""
    domain = load_rules(name)
    assert domain_digest(domain) != rules_digest(domain)
    found = modules_of([type(domain).__module__, "pipeline.comparing.run_job"])
    rules = (implementation(domain.instance_class) for implementation in IMPLEMENTATIONS)
    assert {function.__module__ for function in rules if function is not None} <= set(found)
    assert {
        "solver.compiling.machine_code.linking",
        "solver.kernels.playout",
        "solver.contract.references",
    } <= set(found)
    assert "numpy" in found
    above = [each for each in found if each.startswith(("solver.commands", "pipeline.reports"))]
    assert above == []


#: Imports a domain, then everything else, and prints its digests before and after.
TWICE = """
import importlib, sys
from pathlib import Path
from solver.compiling import sources
from solver.contract import identity
from solver.domains import load_rules

domain = load_rules(sys.argv[1])


def digests():
    sources.known_digest.cache_clear()
    identity._known_rules.cache_clear()
    rules = [identity.rules_digest(domain, code) for code in domain.priors.values()]
    return [identity.domain_digest(domain, "pipeline.learning.learn"), *rules]


print(*digests())
for path in sorted(Path("solver").rglob("*.py")):
    importlib.import_module(".".join(path.with_suffix("").parts))
print(*digests())
"""


@pytest.mark.parametrize("name", ["kakuro", "rna", "hex"])
def test_digests_are_the_same_in_every_process(name: str) -> None:
    """Shards of one process are found by others, whatever else these have imported."""
    done = subprocess.run(
        [sys.executable, "-c", TWICE, name], cwd=ROOT, capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    assert first == second


def test_what_a_source_does_is_all_that_rules_are() -> None:
    """Comments, docstrings, imports and blanks do not count; names, numbers and structure do."""
    source = b'''"""Docs."""
import a
X = 1  # one

def f(x):
    """More."""
    return x + X
'''
    same = b"import b\nX=1\ndef f( x ):\n  return x+X\n"
    assert essence(source) == essence(same)
    for other in (
        source.replace(b"X = 1", b"X = 2"),
        source.replace(b"    return", b"    x = 'a'\n    return"),
        source.replace(b"    return", b"    if X:\n        return"),
        source + b"f('text')\n",
    ):
        assert essence(other) != essence(source), other


def test_names_that_a_package_loads_on_demand_are_followed(package: Path) -> None:
    """`from solver import solve` counts as the module that it comes from."""
    write(package / "rules.py", "from solver import solve\n")
    assert "solver.searching.solution" in modules_of(["own_rules_of_test.rules"])
    write(package / "rules.py", "from solver import InputError\n")
    assert "solver.searching.solution" not in modules_of(["own_rules_of_test.rules"])
    write(package / "rules.py", "import solver\n")
    assert "solver.searching.solution" in modules_of(["own_rules_of_test.rules"])


@pytest.mark.parametrize("name", ["flows", "generators", "pipeline"])
def test_modules_are_told_apart_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A user's module that is called as a package of Nestor counts like any other."""
    write(tmp_path / f"{name}.py", "WORTH = 1\n")
    write(tmp_path / "own_rules_beside_it.py", f"import {name}\n")
    monkeypatch.syspath_prepend(tmp_path)
    # Where a user's file was run before, packages of Nestor win over files of their names.
    finders = [each for each in sys.meta_path if getattr(each, "__name__", "") != "_Here"]
    monkeypatch.setattr(sys, "meta_path", finders)
    monkeypatch.delitem(sys.modules, name, raising=False)
    before = modules_digest(["own_rules_beside_it"])
    assert list(modules_of(["own_rules_beside_it"])) == ["own_rules_beside_it", name]
    write(tmp_path / f"{name}.py", "WORTH = 2\n")
    assert modules_digest(["own_rules_beside_it"]) != before


def test_answers_on_disk_may_be_damaged_or_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: Path
) -> None:
    """Damaged imports on disk are found again; without a disk they are not kept."""
    expected = modules_digest(["own_rules_of_test"])
    for content in ("", "[1]", '{"a": 1}'):
        cache = tmp_path / "cache"
        monkeypatch.setenv("NESTOR_CACHE", str(cache))
        write(imports._answers_file(), content)
        imports._answers.cache_clear()
        assert modules_digest(["own_rules_of_test"]) == expected
        assert json.loads(imports._answers_file().read_text())
    monkeypatch.setenv("NESTOR_CACHE", "/proc/nestor")
    imports._answers.cache_clear()
    assert modules_digest(["own_rules_of_test"]) == expected


@pytest.mark.parametrize("name", ["__init__", "rules", "more/__init__", "more/limits"])
def test_every_module_that_is_imported_counts(package: Path, name: str) -> None:
    """Also a package, and one of which only a number is taken."""
    before = modules_digest(["own_rules_of_test"])
    assert before
    assert modules_digest(["own_rules_of_test.rules"]) == before
    write(package / f"{name}.py", MODULES[name] + "# edited\n")
    assert modules_digest(["own_rules_of_test"]) not in (before, "", None)


def test_modules_that_are_not_imported_do_not_count(package: Path) -> None:
    """Another module beside them may be edited."""
    before = modules_digest(["own_rules_of_test"])
    write(package / "apart.py", "edited = 1\n")
    assert modules_digest(["own_rules_of_test"]) == before


def test_what_was_edited_meanwhile_is_not_known(package: Path) -> None:
    """A file that is newer than the process may not be what was imported."""
    assert modules_digest(["own_rules_of_test"]) is not None
    (package / "more" / "limits.py").write_text("MOST = 4\n")
    os.utime(package / "more" / "limits.py", (imports._BEGIN + 1, imports._BEGIN + 1))
    assert modules_digest(["own_rules_of_test"]) is None


def test_the_prompt_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions typed at a prompt have no source."""
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    assert modules_digest(["__main__"]) is None


PUZZLE = "graph_colouring_of_test"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder that has a package with an entry point installed in it."""
    text = DOMAIN.whole_file().replace("import numpy as np\n", "import numpy as np\n"
                                "from .worth import WORTH\n", 1)  # fmt: skip
    text = text.replace("return float(state.n[0] -", "return WORTH * float(state.n[0] -")
    (tmp_path / PUZZLE).mkdir()
    (tmp_path / PUZZLE / "__init__.py").write_text(text)
    (tmp_path / PUZZLE / "worth.py").write_text("WORTH = 1.0\n")
    about = tmp_path / f"{PUZZLE}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PUZZLE}\nVersion: 1.0\n")
    entry = f"[nestor.domains]\ngraph-colouring = {PUZZLE}:GraphColouring\n"
    (about / "entry_points.txt").write_text(entry)
    return tmp_path


def solve(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `solve` where the package is installed."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "solver.commands.solve", *words],
        cwd=installed,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
    )


@needs_jit
def test_an_installed_package_adds_a_domain(installed: Path) -> None:
    """It is known by its name, and a constant edited in a helper of its rules shows at once."""
    assert "tsptw, graph-colouring" in " ".join(solve(installed, "--help").stdout.split())
    command = ("graph-colouring", "--quiet", "--json", "--algorithm", "sampling", "--playouts", "9")
    first = solve(installed, *command)
    assert '"score": -' in first.stdout, first.stderr
    (installed / PUZZLE / "worth.py").write_text("WORTH = 100.0\n")
    second = solve(installed, *command)
    score = first.stdout.split('"score": ')[1].split(".")[0]
    assert f'"score": {score}00.0' in second.stdout, second.stderr


def test_a_package_that_cannot_be_imported(installed: Path) -> None:
    """It costs a line where it is asked for, and nothing elsewhere."""
    (installed / PUZZLE / "worth.py").write_text("WORTH = nothing\n")
    done = solve(installed, "graph-colouring")
    expected = (
        "solve: the installed domain 'graph-colouring' (graph_colouring_of_test:GraphColouring) "
        "cannot be imported: NameError: name 'nothing' is not defined\n"
    )
    assert (done.returncode, done.stderr) == (2, expected)
    (installed / "square.txt").write_text("1\n")
    assert solve(installed, "latin-square", "square.txt", "--quiet").stdout == "1\n"
