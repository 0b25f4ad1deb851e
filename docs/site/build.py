"""The documentation as a site: `make docs`.

Copies every page of the repository, and what pages link to, into build/site/pages, where links are
as they were; adds the reference of the public names, from their docstrings; and builds
build/site/html with MkDocs. A link that leads nowhere, to a page or within one, is an error.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"
PAGES = SITE / "pages"
#: Link of a page to a file: its target without an anchor.
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")
#: Groups of names of the reference, with the module whose names they are.
REFERENCE = {"solver": "Names for programs", "solver.extend": "Names for authors",
             "pipeline.results": "Runs and decisions as data frames"}  # fmt: skip


def _pages(folder: str) -> list[str]:
    """Pages of a folder, by name."""
    return [f"{folder}/{path.name}" for path in sorted((ROOT / folder).glob("*.md"))]


PACKAGES = ("solver", "pipeline")
CONFIG = {
    "site_name": "Nestor",
    "docs_dir": str(PAGES),
    "site_dir": str(SITE / "html"),
    "theme": {"name": "readthedocs", "navigation_depth": 2},
    "use_directory_urls": False,
    "exclude_docs": "docs/report/report.html",
    "plugins": [
        "search",
        {
            "mkdocstrings": {
                "handlers": {
                    "python": {
                        "paths": [str(ROOT)],
                        "options": {
                            "docstring_style": "numpy",
                            "show_source": False,
                            "show_root_heading": True,
                            "inherited_members": False,
                            "separate_signature": True,
                        },
                    }
                }
            }
        },
    ],
    "markdown_extensions": ["tables", "fenced_code", "toc"],
    "validation": {
        "omitted_files": "ignore",
        "absolute_links": "warn",
        "unrecognized_links": "warn",
        "anchors": "warn",
    },
    "nav": [
        {"Nestor": "README.md"},
        {"Start": ["docs/start/install.md", "docs/start/first-answer.md"]},
        {
            "Use": [
                "docs/which-algorithm-when.md", *_pages("docs/use"), "docs/learning.md",
                "docs/games.md", "docs/puzzles.md", "docs/rna-design.md", "docs/rna-recipes.md",
                "docs/formats.md", "docs/flows.md", "docs/scaling.md",
            ]
        },
        {
            "Problems": _pages("docs/problems")
        },
        {
            "Extend": [
                "docs/add-a-domain.md", "docs/add-an-algorithm.md", "docs/add-a-tree-search.md",
                "docs/add-a-game.md",
            ]
        },
        {
            "Results": [
                "docs/reproduction.md", *_pages("docs/results"), "docs/report/report.md",
                "docs/references.md",
            ]
        },
        {"Reference": ["docs/api.md", "reference.md"]},
        {
            "Develop": [
                "CONTRIBUTING.md", "docs/house.md", "docs/develop/compiling.md",
                "docs/develop/releasing.md", "benchmarks/protocol.md", "benchmarks/measured.md",
                "CHANGELOG.md",
            ]
        },
    ],
}  # fmt: skip


def tracked() -> list[Path]:
    """Files of the repository that git knows or would add, from its root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return [Path(line) for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def stage() -> None:
    """Copy pages, and the files that they link to, to where MkDocs reads them."""
    shutil.rmtree(PAGES, ignore_errors=True)
    wanted = {path for path in tracked() if path.suffix == ".md"}
    for page in list(wanted):
        for target in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
            file = (ROOT / page.parent / target).resolve()
            if file.is_file() and file.is_relative_to(ROOT):
                wanted.add(file.relative_to(ROOT))
    for path in wanted:
        (PAGES / path).parent.mkdir(parents=True, exist_ok=True)
        text = path.suffix == ".md" and (ROOT / path).read_text(encoding="utf-8")
        if text:
            (PAGES / path).write_text(without_folders(text, path), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / path, PAGES / path)


def without_folders(text: str, page: Path) -> str:
    """Write links to folders as text: a site has no lists of files."""

    def shown(found: re.Match[str]) -> str:
        folder = (ROOT / page.parent / found[2]).is_dir()
        return f"{found[1]} (`{found[2]}`)" if folder else found[0]

    return re.sub(r"\[([^\]]*)\]\(([^)#\s:]+)\)", shown, text)


def reference() -> str:
    """The page of all public names, each from its docstring."""
    lines = ["# Reference", ""]
    for module, title in REFERENCE.items():
        lines += [f"## {title}", ""]
        for name, home in sorted(homes(module).items()):
            lines += [f"::: {home}.{name}", "    options:", "      heading_level: 3", ""]
    return "\n".join(lines)


def homes(module: str) -> dict[str, str]:
    """Module of each public name of a module, from its imports: nothing is imported."""
    source = (ROOT / module.replace(".", "/")).with_suffix(".py")
    if not source.exists():
        source = ROOT / module.replace(".", "/") / "__init__.py"
    tree = ast.parse(source.read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    public: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGES):
            found |= {name.name: str(node.module) for name in node.names}
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            public = ast.literal_eval(node.value)
    return {name: home for name, home in found.items() if name in public and not name.isupper()}


def main() -> int:
    """Build the site; returns the exit status of MkDocs."""
    stage()
    (PAGES / "reference.md").write_text(reference(), encoding="utf-8")
    config = SITE / "mkdocs.yml"
    config.write_text(yaml.safe_dump(CONFIG, sort_keys=False), encoding="utf-8")
    # Not --quiet, which would leave warnings out of what --strict counts.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if line and not line.startswith("INFO")]
    sys.stderr.write("".join(f"{line}\n" for line in said))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
