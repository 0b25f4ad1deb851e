"""Structure of the code in numbers: `python -m benchmarks.house [CHECKOUT...]`.

A column for each checkout, this one if none is named. Folders and modules are those of the
packages; an arrow is an import from another folder at run time, also within a function.
"""

from __future__ import annotations

import argparse
import ast
import functools
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

PACKAGES = ("solver", "generators", "pipeline", "flows")
KERNELS = {"kernel", "allocating_kernel"}


def modules(root: Path, *packages: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules of packages with their syntax trees."""
    for package in packages:
        yield from parsed(root / package)


@functools.cache
def parsed(package: Path) -> list[tuple[Path, ast.Module]]:
    """Return the modules of a package with their syntax trees."""
    paths = sorted(package.rglob("*.py"))
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def lines_of(root: Path, *packages: str) -> str:
    """Count lines and modules of packages."""
    paths = [path for package in packages for path in (root / package).rglob("*.py")]
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in paths)
    return f"{lines:,} in {len(paths)}"


def largest_folder(root: Path) -> str:
    """Return the number of modules in the largest folder, `__init__` aside, and its name."""
    folders = Counter(
        path.parent.relative_to(root).as_posix()
        for path, _ in modules(root, *PACKAGES)
        if path.stem != "__init__"
    )
    folder, count = folders.most_common(1)[0]
    return f"{count} ({folder}/)"


def at_run_time(tree: ast.AST) -> Iterator[ast.ImportFrom | ast.Import]:
    """Yield the imports that run, within functions too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.ImportFrom, ast.Import)):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        elif not isinstance(node, ast.expr):  # no expression has imports
            yield from at_run_time(node)


@functools.cache
def imports(root: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the names of all modules, and pairs of which the first imports the second."""
    trees = {}
    for path, tree in modules(root, *PACKAGES):
        parts = path.relative_to(root).with_suffix("").parts
        trees[".".join(parts)] = tree
    pairs = []
    for name, tree in trees.items():
        for node in at_run_time(tree):
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            else:
                base = node.module or ""
                found = [f"{base}.{alias.name}" for alias in node.names]
                found = [each if each in trees else base for each in found]
            for other in found:
                known = other if other in trees else f"{other}.__init__"
                if known in trees and known != name:
                    pairs.append((name, known))
    return list(trees), pairs


def folder_of(module: str) -> str:
    """Return the folder of a module."""
    return module.rpartition(".")[0]


def circles_of(nodes: list[str], pairs: list[tuple[str, str]]) -> int:
    """Count the sets of nodes, of two or more, that all lead to each other."""
    place = {node: at for at, node in enumerate(nodes)}
    rows = [place[one] for one, _ in pairs]
    columns = [place[other] for _, other in pairs]
    matrix = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(nodes), len(nodes)))
    _, labels = connected_components(matrix, directed=True, connection="strong")
    return int((np.bincount(labels) > 1).sum())


def folders(root: Path) -> str:
    """Count folders, and arrows between them."""
    names, pairs = imports(root)
    arrows = {(folder_of(one), folder_of(other)) for one, other in pairs}
    count = sum(one != other for one, other in arrows)
    return f"{len({folder_of(name) for name in names})}, {count}"


def sibling_circles(root: Path) -> str:
    """Count circles of the modules and folders that lie side by side in a folder."""
    names, pairs = imports(root)
    nodes: dict[str, set[str]] = {}
    arrows: dict[str, set[tuple[str, str]]] = {}
    for name in names:
        parts = name.split(".")
        for depth in range(1, len(parts)):
            nodes.setdefault(".".join(parts[:depth]), set()).add(parts[depth])
    for one, other in pairs:
        both = list(zip(one.split("."), other.split("."), strict=False))
        depth = next(at for at, (a, b) in enumerate(both) if a != b)
        if "__init__" not in both[depth]:
            arrows.setdefault(".".join(one.split(".")[:depth]), set()).add(both[depth])
    return str(sum(circles_of(sorted(nodes[at]), sorted(arrows[at])) for at in arrows if at))


def circles(root: Path) -> str:
    """Count circles of modules."""
    return str(circles_of(*imports(root)))


def members_of_puzzle(root: Path) -> str:
    """Count the public members of the class `Puzzle`, inherited ones included."""
    classes = {
        node.name: node
        for _, tree in modules(root, "solver")
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in {"Puzzle", "Domain"}
    }
    members = set()
    for node in classes.values():
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                members.add(each.name)
            elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                members.add(each.target.id)
            elif isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
                members.add(each.targets[0].id)
    return str(sum(not name.startswith("_") for name in members))


def largest_kernel(root: Path) -> str:
    """Return the number of arguments of the kernel that has most, and its name."""
    found = []
    for path, tree in modules(root, "solver"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            if KERNELS & {d.id for d in node.decorator_list if isinstance(d, ast.Name)}:
                found.append((len(node.args.args), f"{path.stem}.{node.name}"))
    count, name = max(found)
    return f"{count} ({name})"


COUNTS = {
    "lines and modules of solver/": lambda root: lines_of(root, "solver"),
    "of pipeline/, generators/, flows/": lambda root: lines_of(root, *PACKAGES[1:]),
    "of benchmarks/": lambda root: lines_of(root, "benchmarks"),
    "of tests/": lambda root: lines_of(root, "tests"),
    "modules in the largest folder": largest_folder,
    "folders, arrows between them": folders,
    "circles of modules": circles,
    "circles of modules and folders side by side": sibling_circles,
    "public members of `Puzzle`": members_of_puzzle,
    "arguments of the largest kernel": largest_kernel,
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
