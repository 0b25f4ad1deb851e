"""Solvers of puzzles by rules, in plain Python sets: a second opinion on grades and solutions.

A puzzle is a dict of cells to sets of values, and a function `deduce` that strikes values out by
the rules of the puzzle until nothing changes; False at a contradiction.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

Cells = dict[tuple[int, int], set[int]]
Deduce = Callable[[Cells], bool]


def groups_of_sudoku(board: Any) -> list[list[tuple[int, int]]]:
    order = len(board.grid)
    places = list(itertools.product(range(order), repeat=2))
    names: list[Callable[[int, int], Any]] = [
        lambda r, c: ("row", r),
        lambda r, c: ("column", c),
        lambda r, c: ("box", int(board.regions[r, c])),
    ]
    if board.diagonals:
        names += [
            lambda r, c: "falling" if r == c else None,
            lambda r, c: "rising" if r + c == order - 1 else None,
        ]
    groups: dict[Any, list[tuple[int, int]]] = {}
    for place, name in itertools.product(places, names):
        if name(*place) is not None:
            groups.setdefault(name(*place), []).append(place)
    return list(groups.values())


def groups_of_square(grid: Any) -> list[list[tuple[int, int]]]:
    order = range(len(grid))
    return [[(r, c) for c in order] for r in order] + [[(r, c) for r in order] for c in order]


def grid_rules(grid: Any, groups: list[list[tuple[int, int]]]) -> tuple[Cells, Deduce]:
    """Naked singles (a cell with one value) and hidden singles (a value with one cell)."""
    order = len(grid)
    cells = {
        (r, c): {int(grid[r, c])} if grid[r, c] >= 0 else set(range(order))
        for r in range(order)
        for c in range(order)
    }

    def deduce(cells: Cells) -> bool:
        changed = True
        while changed:
            changed = False
            for group in groups:
                places = Counter(itertools.chain.from_iterable(cells[one] for one in group))
                if len(places) < order:
                    return False
                for place in group:
                    if len(cells[place]) == 1:
                        (value,) = cells[place]
                        others = group if places[value] > 1 else []
                        for other in others:
                            if other != place and value in cells[other]:
                                cells[other] -= {value}
                                changed = True
                    elif alone := {value for value in cells[place] if places[value] == 1}:
                        if len(alone) > 1:
                            return False
                        cells[place] = alone
                        changed = True
            if not all(cells.values()):
                return False
        return True

    return cells, deduce


def kakuro_rules(board: Any) -> tuple[Cells, Deduce]:
    """Sets of values with the sum of a run: which can be there, and what all of them need."""
    rows, columns = board.cells.shape
    white = {(r, c) for r in range(rows) for c in range(columns) if board.cells[r, c] >= 0}
    runs = []
    for r, c in itertools.product(range(rows), range(columns)):
        for way, (down, right) in enumerate(((0, 1), (1, 0))):
            if (r, c) not in white and board.clues[r, c, way] > 0:
                places, at = [], (r + down, c + right)
                while at in white:
                    places.append(at)
                    at = (at[0] + down, at[1] + right)
                runs.append((places, int(board.clues[r, c, way])))
    values = range(board.least, board.most + 1)
    sets_of = {
        (n, total): [set(s) for s in itertools.combinations(values, n) if sum(s) == total]
        for n, total in {(len(places), total) for places, total in runs}
    }

    def revise(cells: Cells, places: list[tuple[int, int]], total: int) -> bool:
        """One look at a run; False at a contradiction."""
        fixed = {min(cells[p]) for p in places if len(cells[p]) == 1}
        if len(fixed) < sum(len(cells[p]) == 1 for p in places):
            return False
        open_places = [p for p in places if len(cells[p]) > 1]
        for place in open_places:
            cells[place] -= fixed
        anywhere = fixed.union(*(cells[p] for p in open_places))
        left = [
            one
            for one in sets_of[len(places), total]
            if fixed <= one <= anywhere and all(cells[p] & (one - fixed) for p in open_places)
        ]
        if not left:
            return False
        for place in open_places:
            cells[place] &= set.union(*left) - fixed
        for value in set.intersection(*left) - fixed:
            at = [place for place in open_places if value in cells[place]]
            if not at:
                return False
            if len(at) == 1:
                cells[at[0]] &= {value}
        return all(cells[p] for p in places)

    def deduce(cells: Cells) -> bool:
        while True:
            before = {place: set(values) for place, values in cells.items()}
            if not all(revise(cells, places, total) for places, total in runs):
                return False
            if before == cells:
                return True

    return {place: set(values) for place in white}, deduce


def grade_by_rules(cells: Cells, deduce: Deduce) -> str:
    """Return the grade: deduction alone, trying values one by one, or more."""
    assert deduce(cells)
    if all(len(values) == 1 for values in cells.values()):
        return "propagation"
    changed = True
    while changed:
        changed = False
        for place in list(cells):
            for value in sorted(cells[place]):
                if len(cells[place]) == 1:
                    break
                trial = {other: set(values) for other, values in cells.items()}
                trial[place] = {value}
                if not deduce(trial):
                    cells[place] -= {value}
                    assert deduce(cells)
                    changed = True
    solved = all(len(values) == 1 for values in cells.values())
    return "look-ahead" if solved else "search"


def solutions_by_rules(cells: Cells, deduce: Deduce) -> Iterable[Cells]:
    """Yield all solutions, by trying the values of a smallest cell."""
    if not deduce(cells):
        return
    wide = [place for place in cells if len(cells[place]) > 1]
    if not wide:
        yield cells
        return
    place = min(wide, key=lambda one: len(cells[one]))
    for value in sorted(cells[place]):
        trial = {other: set(values) for other, values in cells.items()}
        trial[place] = {value}
        yield from solutions_by_rules(trial, deduce)


def rules_of(domain: str, data: Any) -> tuple[Cells, Deduce]:
    """Return the cells of a puzzle and what deduces in them."""
    if domain == "sudoku":
        return grid_rules(data.grid, groups_of_sudoku(data))
    if domain == "latin-square":
        return grid_rules(data, groups_of_square(data))
    return kakuro_rules(data)
