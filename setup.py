"""Build of the wheel, beyond pyproject.toml: it takes models/ and datasets/ along, inside `solver`.

So it does machine code, where `make wheel` has made some in build/machine_code.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class BuildWithData(build_py):
    """Beside other packages a folder called `models` would be anybody's."""

    def run(self) -> None:
        """Build, and copy the data to where `solver.system.shipped` looks for it."""
        super().run()
        if self.editable_mode:  # what is imported lies beside its data
            return
        for name in ("models", "datasets"):
            target = Path(self.build_lib) / "solver" / "shipped" / name
            target.mkdir(parents=True, exist_ok=True)
            for path in sorted((ROOT / name).iterdir()):
                if path.is_file() and not path.name.startswith("."):
                    shutil.copy2(path, target)
        code = ROOT / "build" / "machine_code"
        target = Path(self.build_lib) / "solver" / "shipped" / code.name
        shutil.rmtree(target, ignore_errors=True)
        if code.is_dir():
            shutil.copytree(code, target)


setup(cmdclass={"build_py": BuildWithData})
