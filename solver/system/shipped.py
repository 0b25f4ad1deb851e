"""Where the data lies that ships: in a checkout beside the packages, in a wheel inside `solver`."""

from __future__ import annotations

from pathlib import Path

_SOLVER = Path(__file__).parents[1]


def shipped_folder(name: str) -> Path:
    """Folder `name`, of models or datasets, as it came with this very package."""
    inside = _SOLVER / "shipped" / name
    return inside if inside.is_dir() else _SOLVER.parent / name
