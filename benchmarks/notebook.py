"""Notebooks of the documentation, executed: `python -m benchmarks.notebook [--check]`.

Runs the code of every notebook in docs/results from the root of the repository and writes what each
cell prints below it, as Jupyter does, without needing it. With `--check` nothing is written; exit
status 1 if a notebook would change.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.results.plan import FOLDER, ROOT
from solver.commands.options import new_parser, run_command


def executed(path: Path) -> str:
    """Return the text of a notebook with the outputs that its cells have now."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    with contextlib.chdir(ROOT):
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = _outputs("".join(cell["source"]), names, number)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(code: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Outputs of a cell: what it prints, and its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        outputs.append(
            {
                "data": {"text/plain": repr(value).splitlines(keepends=True)},
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return outputs


def run(argv: Sequence[str]) -> int:
    """Execute all notebooks; returns the exit status."""
    parser = new_parser("python -m benchmarks.notebook", __doc__ or "", "")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args(argv)
    same = True
    for path in sorted(FOLDER.glob("*.ipynb")):
        text = executed(path)
        same &= text == path.read_text(encoding="utf-8")
        if not arguments.check:
            path.write_text(text, encoding="utf-8")
    return 0 if same or not arguments.check else 1


main = functools.partial(run_command, "notebook", run)

if __name__ == "__main__":
    main()
