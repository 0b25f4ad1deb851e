"""Building blocks of a report's sections; both templates print them."""

from __future__ import annotations

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
