"""The problems that tests share: small files in tests/problems, named after the edge case."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.domains.kakuro.board import BLACK, runs_of
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.text import IUPAC, pair_partners

PROBLEMS = Path(__file__).parent / "problems"


@functools.cache
def problems(domain: str) -> dict[str, Problem]:
    """Problems of `domain` by name of their file."""
    found = {}
    for path in sorted((PROBLEMS / domain).iterdir()):
        (found[path.stem],) = load_domain(domain).parse(path.read_text(), path.stem)
    return found


def broken_latin_squares(problem: Problem, answer: Any) -> Iterator[tuple[str, Any]]:
    """Wrong answers, one of each kind for each cell, row or column, with what is wrong."""
    order = len(answer)
    for row in range(order):
        for column in range(order):
            for value in {-1, order, (answer[row, column] + 1) % order} - {answer[row, column]}:
                changed = answer.copy()
                changed[row, column] = value
                yield f"value {value} at {row}, {column}", changed
    given = problem.data >= 0
    for one in range(order - 1):
        for name, axis in (("rows", answer), ("columns", answer.T)):
            swapped = axis.copy()
            swapped[[one, one + 1]] = axis[[one + 1, one]]
            swapped = swapped if name == "rows" else swapped.T
            if (swapped != problem.data)[given].any():
                yield f"{name} {one} and {one + 1} swapped: a given changed", swapped
            changed = axis.copy()
            changed[one] = axis[one + 1]
            yield f"{name} {one} and {one + 1} equal", changed if name == "rows" else changed.T
    yield "a row too many", np.vstack([answer, answer[:1]])
    yield "a column too few", answer[:, 1:]
    yield "holes left", np.where(given, answer, -1) if (~given).any() else -answer - 1
    yield "values counted from 1", answer + 1


def broken_sudokus(problem: Problem, answer: Any) -> Iterator[tuple[str, Any]]:
    """Wrong answers as those of Latin squares, and one itself, where nothing is given."""
    grid = problem.data.grid
    yield from broken_latin_squares(Problem(problem.name, grid), answer)
    if (grid < 0).all():
        yield "a Latin square", np.add.outer(*[np.arange(len(grid))] * 2) % len(grid)


def broken_kakuro(problem: Problem, answer: Any) -> Iterator[tuple[str, Any]]:
    """Wrong answers, one of each kind for each cell and pair of cells, with what is wrong."""
    board = problem.data
    white = np.argwhere(board.cells != BLACK)
    for row, column in white:
        others = {0, -1, board.least - 1, board.most + 1, answer[row, column] + 1}
        for value in others - {answer[row, column]}:
            changed = answer.copy()
            changed[row, column] = value
            yield f"value {value} at {row}, {column}", changed
    for row, column in np.argwhere(board.cells == BLACK):
        changed = answer.copy()
        changed[row, column] = board.least
        yield f"a value in the black cell at {row}, {column}", changed
    for one, other in itertools.combinations(white, 2):
        # The sum of a run that holds both stays: it is a run that holds one of them that breaks.
        changed = answer.copy()
        changed[tuple(one)] += 1
        changed[tuple(other)] -= 1
        yield f"moved one from {other} to {one}", changed
    for run in runs_of(board.cells != BLACK):
        if run.length > 1:
            changed = answer.copy()
            changed[run.cells] = answer[run.cells][0]
            yield f"the first value all along {run}", changed
    yield "a row too many", np.vstack([answer, answer[:1]])
    yield "a column too few", answer[:, 1:]
    yield "nothing filled in", np.zeros_like(answer)


def broken_rna_designs(problem: Problem, answer: Any) -> Iterator[tuple[str, Any]]:
    """Wrong designs: letters that are none, bases that are fixed otherwise, pairs that are none."""
    sequence = answer.sequence

    def changed(letters: dict[int, str]) -> RnaDesign:
        bases = [letters.get(position, base) for position, base in enumerate(sequence)]
        return RnaDesign("".join(bases), "vienna2")

    yield "a base too many", RnaDesign(sequence + "A", "vienna2")
    yield "a base too few", RnaDesign(sequence[1:], "vienna2")
    yield "no base", RnaDesign("", "vienna2")
    for position, letter in enumerate(problem.data.bases):
        for base in {"N", "T", "-", sequence[position].lower(), *"ACGU"} - set(IUPAC[letter]):
            yield f"{base} at {position}", changed({position: base})
    partners = pair_partners(problem.data.structure, problem.name)
    pairs = [(i, partner) for i, partner in enumerate(partners) if partner > i]
    for one, other in pairs:
        for bases in ("AA", "GA", "CC", "UU"):
            letters = {one: bases[0], other: bases[1]}
            yield f"{bases} at {one} and {other}", changed(letters)
    if pairs:
        yield "no pairs", RnaDesign("A" * len(sequence), "vienna2")
        weak = {one: "U" for one, _ in pairs} | {other: "G" for _, other in pairs}
        yield "pairs too weak to fold", changed(dict.fromkeys(range(len(sequence)), "A") | weak)


def broken_samegame_moves(problem: Problem, answer: Any) -> Iterator[tuple[str, Any]]:
    """Wrong moves: beside the board, on cells that are alone or gone; too few, too many."""
    height, width = problem.data.shape
    for number in range(len(answer)):
        for cell in ((-1, 0), (0, -1), (width, 0), (0, height)):
            changed = answer.copy()
            changed[number] = cell
            yield f"{cell} as move {number}", changed
        yield f"ends before move {number}", answer[:number]
    yield "a move too many", np.vstack([answer, [[0, height - 1]]])
    yield "no cell is left there", np.vstack([answer, [[width - 1, height - 1]]])


def broken_tours(problem: Problem, answer: Any) -> Iterator[tuple[str, Any]]:
    """Wrong tours: a node missing, too many, visited twice or unknown, another depot."""
    n = len(problem.data)
    yield "a node too few", answer[:-1]
    yield "a node too many", np.append(answer, 0)
    yield "no way back", np.append(answer[:-1], n)
    for place in range(n):
        for node in {-1, n, int(answer[place + 1]), 0} - {int(answer[place])}:
            changed = answer.copy()
            changed[place] = node
            yield f"{node} at {place}", changed
    yield "another depot", np.roll(answer[:-1], 1) if n > 1 else answer + 1


def broken_morpion_games(problem: Problem, answer: Any) -> Iterator[tuple[str, Any]]:
    """Wrong games: dots that are there, lines without their dots, moves too early or twice."""
    x, y = np.argwhere(problem.data.cells)[0][::-1]
    yield "a dot of the start", np.vstack([answer, [[x, y, 0, 0]]])
    yield "a line far from all dots", np.vstack([answer, [[-50, -50, 1, 2]]])
    yield "no direction", np.vstack([answer, [[x - 1, y, 4, 0]]])
    yield "a sixth dot of a line", np.vstack([answer, [[x - 1, y, 0, 5]]])
    for number in range(len(answer)):
        yield f"move {number} twice", np.insert(answer, number, answer[number], axis=0)
        for shift in (-2, 2):
            changed = answer.copy()
            changed[number, 3] = answer[number, 3] + 5 * shift
            yield f"move {number} with a dot beyond its line", changed
            changed = answer.copy()
            changed[number, :2] += 60 * shift
            yield f"move {number} elsewhere", changed


BROKEN: dict[str, Callable[[Problem, Any], Iterator[tuple[str, Any]]]] = {
    "latin-square": broken_latin_squares,
    "kakuro": broken_kakuro,
    "sudoku": broken_sudokus,
    "morpion": broken_morpion_games,
    "rna": broken_rna_designs,
    "samegame": broken_samegame_moves,
    "tsptw": broken_tours,
}
