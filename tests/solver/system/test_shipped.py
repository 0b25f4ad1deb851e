"""Instructions to install name a checkout or a wheel, never a project of an index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from solver.commands.options import version
from solver.system import shipped

ROOT = Path(__file__).parents[3]
#: What `pip` would ask an index for.
BY_NAME = re.compile(r"pip3? install[^\n]*[\s'\"]nestor(?![-\w/.])")


def test_an_extra_is_installed_from_where_the_package_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An extra is installed from the checkout's folder, or from the wheel."""
    assert shipped.install_command("page") == f"pip install -e '{ROOT}[page]'"
    monkeypatch.setattr(shipped, "_SOLVER", tmp_path / "site-packages" / "solver")
    wheel = f"nestor-{version()}-py3-none-any.whl"
    said = f"pip install 'FOLDER/{wheel}[dask]', the wheel that was installed"
    assert shipped.install_command("dask") == said


def test_nobody_is_told_to_install_by_name() -> None:
    """Whoever took the name on an index could make `pip` install anything."""
    folders = ("docs", "solver", "pipeline", "flows", "generators", "benchmarks")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    paths = [path for path in paths if path.suffix in (".py", ".md", ".js", ".html", ".toml")]
    paths += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")]
    found = [path for path in paths if BY_NAME.search(path.read_text(encoding="utf-8"))]
    assert len(paths) > 100
    assert found == []
    assert BY_NAME.search("pip install 'nestor[page]'")
    assert BY_NAME.search("pip install -U nestor")
    assert not BY_NAME.search("pip install 'dist/nestor-0.2.0-py3-none-any.whl[page]'")
