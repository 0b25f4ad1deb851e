"""Origin of this package, a checkout or a wheel, and the folder of the data that ships with it.

In a checkout that is beside the packages, in a wheel inside `solver`.
"""

from __future__ import annotations

from pathlib import Path

_SOLVER = Path(__file__).parents[1]


def shipped_folder(name: str) -> Path:
    """Folder `name`, of models or datasets, as it came with this very package."""
    inside = _SOLVER / "shipped" / name
    return inside if inside.is_dir() else _SOLVER.parent / name


def install_command(extra: str) -> str:
    """Return the command that installs an extra of this package from where it came.

    No index has the project: whoever took its name there could make `pip` install anything.
    """
    checkout = _SOLVER.parent
    if (checkout / "pyproject.toml").is_file():
        return f"pip install -e '{checkout}[{extra}]'"
    from importlib.metadata import version

    wheel = f"nestor-{version('nestor')}-py3-none-any.whl"
    return f"pip install 'FOLDER/{wheel}[{extra}]', the wheel that was installed"
