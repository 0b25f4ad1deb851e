"""Building blocks of a report's sections; both templates print them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """Text of a cell, its smaller second half, and a share in [0, 1] that shades it."""

    text: str
    small: str = ""
    share: float | None = None


@dataclass(frozen=True)
class Row:
    """Cells of a row; `group` is a heading above it, where it starts a group."""

    cells: list[Cell]
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table; the first `words` columns are text, the others are aligned as numbers."""

    caption: str
    header: list[str]
    rows: list[Row]
    note: str = ""
    words: int = 1
    folded: bool = False  # shown closed, to be opened by the reader
    answer: int | None = None  # the column that is seen first: without scrolling on a phone, too
    kind: str = field(default="table", init=False)

    @property
    def lines(self) -> list[list[str]]:
        """Header and rows; the smaller second half of a cell in parentheses, groups in front."""
        grouped = any(row.group for row in self.rows)
        group, found = "", [[*([""] if grouped else []), *self.header]]
        for row in self.rows:
            group = row.group or group
            cells = [f"{c.text} ({c.small})" if c.small else c.text for c in row.cells]
            found.append([*([group] if grouped else []), *cells])
        return found

    def csv(self) -> str:
        """Return the table as comma-separated values (RFC 4180)."""
        buffer = io.StringIO()
        csv.writer(buffer).writerows(self.lines)
        return buffer.getvalue()

    def latex(self) -> str:
        """Return the table as a `tabular` between the rules of the package booktabs."""
        header, *rows = ([_latex(cell) for cell in line] for line in self.lines)
        words = self.words + len(header) - len(self.header)
        columns = "l" * words + "r" * (len(header) - words)
        body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
        head = f"{' & '.join(header)} \\\\\n"
        return (
            f"% {self.caption}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\\midrule\n{body}"
            "\\bottomrule\n\\end{tabular}\n"
        )


#: Characters that LaTeX reads as something else, and those that its fonts may lack.
_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "\N{MINUS SIGN}": "$-$",
        "\N{MULTIPLICATION SIGN}": r"$\times$",
        "\N{INFINITY}": r"$\infty$",
        "\N{EN DASH}": "--",
    }
)


def _latex(text: str) -> str:
    return text.translate(_LATEX)


@dataclass(frozen=True)
class Drawing:
    """An inline SVG with its name, which is also its file's, and a caption."""

    name: str
    svg: str
    caption: str


@dataclass(frozen=True)
class Drawings:
    """Figures that stand side by side where there is room."""

    drawings: list[Drawing]
    kind: str = field(default="drawings", init=False)


@dataclass(frozen=True)
class Solution:
    """An answer found: whose, as text, and drawn where the domain says how."""

    title: str
    text: str
    drawing: Drawing | None = None

    @property
    def is_line(self) -> bool:
        """True if lines of the text may be broken: there are too few for a grid."""
        return len(self.text.splitlines()) <= 3


@dataclass(frozen=True)
class Solutions:
    """Answers found, one an instance, and a note on those left out."""

    solutions: list[Solution]
    note: str
    kind: str = field(default="solutions", init=False)

    @property
    def drawings(self) -> list[Drawing]:
        """The drawings of those that have one."""
        drawings = (solution.drawing for solution in self.solutions)
        return [drawing for drawing in drawings if drawing is not None]


Block = Table | Drawings | Solutions


@dataclass(frozen=True)
class Section:
    """A heading, the key result in one or two sentences, and its evidence."""

    title: str
    anchor: str
    headline: str
    blocks: list[Block]
