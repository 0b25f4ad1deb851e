"""What the house looks like, counted: `python -m benchmarks.house [CHECKOUT...]`.

A column for each checkout, this one if none is named: modules per folder, arrows between the parts
of `pipeline/`, arguments of the largest kernel, `Any` in the commands.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("solver", "generators", "pipeline", "flows")
KERNELS = {"kernel", "allocating_kernel"}


def modules(root: Path, package: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules of a package with their syntax trees."""
    for path in sorted((root / package).rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def largest_folder(root: Path) -> str:
    """The folder of most modules, `__init__` aside."""
    folders = Counter(
        path.parent.relative_to(root).as_posix()
        for package in PACKAGES
        for path, _ in modules(root, package)
        if path.stem != "__init__"
    )
    folder, count = folders.most_common(1)[0]
    return f"{count} ({folder}/)"


def _part(names: list[str]) -> str:
    """What a module of pipeline belongs to: its wing, or itself where there are no wings."""
    return names[1] if len(names) > 1 else ""


def arrows(root: Path) -> str:
    """Pairs of parts of pipeline of which one imports the other, and how many parts there are."""
    found, parts = set(), set()
    for path, tree in modules(root, "pipeline"):
        here = _part(list(path.relative_to(root).with_suffix("").parts))
        if here == "__init__":
            continue
        parts.add(here)
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or node.level:
                continue
            names = (node.module or "").split(".")
            if names == ["pipeline"]:
                found |= {(here, alias.name) for alias in node.names}
            elif names[0] == "pipeline":
                found.add((here, _part(names)))
    return f"{sum(one != other for one, other in found)} between {len(parts)}"


def largest_kernel(root: Path) -> str:
    """The kernel of most arguments."""
    found = []
    for path, tree in modules(root, "solver"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            if KERNELS & {d.id for d in node.decorator_list if isinstance(d, ast.Name)}:
                found.append((len(node.args.args), f"{path.stem}.{node.name}"))
    count, name = max(found)
    return f"{count} ({name})"


def commands(root: Path) -> list[Path]:
    """The modules of the commands: a wing, or what was named after them."""
    wings = [path for package in PACKAGES for path in root.glob(f"{package}/commands/**/*.py")]
    return wings or [*root.glob("*/*cli.py"), root / "solver/options.py", root / "solver/method.py"]


def untyped(root: Path) -> str:
    """How often the commands say `Any`, imports aside."""
    paths = [path for path in commands(root) if path.exists()]
    count = sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    return f"{count} in {len(paths)} modules"


COUNTS = {
    "modules in the largest folder": largest_folder,
    "arrows between parts of pipeline": arrows,
    "arguments of the largest kernel": largest_kernel,
    "`Any` in the commands": untyped,
}


def main() -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs="*", type=Path, default=[Path(__file__).parents[1]])
    roots = parser.parse_args().checkouts
    sys.stdout.write(f"| | {' | '.join(root.resolve().name for root in roots)} |\n")
    sys.stdout.write("|---|" + "---|" * len(roots) + "\n")
    for title, count in COUNTS.items():
        sys.stdout.write(f"| {title} | {' | '.join(count(root) for root in roots)} |\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
