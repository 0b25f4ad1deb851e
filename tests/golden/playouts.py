"""A few short playouts as text, to be read by people and compared as diffs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.domain import Puzzle
from solver.domains import DOMAINS, load_domain
from solver.domains.morpion.board import AREA, SIZE
from solver.domains.morpion.text import SIGNS
from solver.domains.rna.kernels import MOVES as MOVE_NAMES
from tests.instances import problems

FOLDER = Path(__file__).parent
SEED = 2026

#: For each domain: problem and options of every playout, and how a move is written.
PLAYOUTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "latin-square": [
        ("order-01-hole", {}),
        ("order-04-complete", {}),
        ("order-04-contradiction", {}),
        ("order-04-empty", {"propagation": "channeling", "variables": "sets", "ties": "random"}),
        ("order-04-empty", {"propagation": "channeling", "variables": "cells", "ties": "first"}),
        ("order-04-empty", {"propagation": "forward", "variables": "cells", "ties": "random"}),
        ("order-05-stuck", {}),
        ("order-05-stuck", {"propagation": "forward", "ties": "first"}),
    ],
    "kakuro": [
        ("cell-1-hole", {}),
        ("square-2-contradiction", {}),
        ("square-2-contradiction", {"propagation": "forward"}),
        ("square-3-stuck", {"propagation": "combinations", "ties": "random"}),
        ("black-runs-of-one", {}),
        ("rectangle-2-5-values-7-13", {"propagation": "combinations", "ties": "first"}),
        ("rectangle-2-5-values-7-13", {"propagation": "forward", "ties": "random"}),
        ("black-6-7", {}),
    ],
    "sudoku": [
        ("order-04-complete", {}),
        ("order-04-contradiction", {}),
        ("order-04-empty", {}),
        ("order-04-empty", {"ties": "first"}),
        ("order-05-jigsaw", {}),
        ("order-06-high-boxes", {}),
        ("order-09-diagonals", {}),
    ],
    "morpion": [
        ("touching-row", {}),
        ("one-dot", {}),
        ("four-rows", {}),
        ("four-rows", {"variant": "5T"}),
        ("cross", {}),
        ("cross", {"variant": "5T"}),
    ],
    "rna": [
        ("hairpin", {}),
        ("hairpin-all-fixed", {}),
        ("hairpin-some-fixed", {}),
        ("multibranch", {"engine": "none"}),
        ("multibranch", {"engine": "vienna2"}),
        ("unpaired-folds-anyway", {}),
    ],
    "samegame": [
        ("fallen", {"tabu": "on"}),
        ("middle-row", {"tabu": "on"}),
        ("no-move", {"tabu": "on"}),
        ("random-06-3", {"tabu": "on"}),
        ("random-06-3", {"tabu": "off"}),
        ("with-blanks", {"tabu": "on"}),
    ],
    "tsptw": [
        ("asymmetric", {}),
        ("asymmetric", {"pruning": "off"}),
        ("no-feasible-tour", {}),
        ("one-node", {}),
        ("waiting", {}),
    ],
}


def latin_square_move(instance: Any, move: int) -> str:
    row, column = divmod(int(instance.cell[move]), instance.order)
    return f"{row + 1}/{column + 1}/{instance.value[move] + 1}"


def sudoku_move(instance: Any, move: int) -> str:
    row, column = divmod(int(instance.place[move]), round(len(instance.given) ** 0.5))
    return f"{row + 1}/{column + 1}/{instance.value[move] + 1}"


def kakuro_move(instance: Any, move: int) -> str:
    cell, value = divmod(move, instance.lines.n_values)
    row, column = divmod(int(instance.place[cell]), instance.columns)
    return f"{row + 1}/{column + 1}/{value + instance.lines.least}"


def morpion_move(instance: Any, move: int) -> str:
    direction, place = divmod(move, AREA)
    x, y = place % SIZE - instance.left, place // SIZE - instance.top
    return f"{x + 1},{y + 1}{SIGNS[direction]}"


def rna_move(instance: Any, move: int) -> str:
    return str(MOVE_NAMES[move])


def samegame_move(instance: Any, move: int) -> str:
    column, row = divmod(move, instance.height)
    return f"{column + 1},{row + 1}"


def tsptw_move(instance: Any, move: int) -> str:
    return str(move)


MOVES: dict[str, tuple[str, Callable[[Any, int], str]]] = {
    "latin-square": ("row/column/value", latin_square_move),
    "kakuro": ("row/column/value", kakuro_move),
    "sudoku": ("row/column/value", sudoku_move),
    "morpion": ("column,row of the first dot of the line, and its direction", morpion_move),
    "rna": ("base or pair", rna_move),
    "samegame": ("column,row from below", samegame_move),
    "tsptw": ("the next node", tsptw_move),
}


def golden_text(domain_name: str) -> str:
    """All playouts of a domain."""
    domain = load_domain(domain_name)
    legend, _ = MOVES[domain_name]
    lines = [
        f"# Playouts of {domain_name} with random moves, seed {SEED}; moves are {legend}.",
        "# Written by `python -m tests.golden --write`; a change is to be read before it is kept.",
    ]
    for name, options in PLAYOUTS[domain_name]:
        lines += ["", *playout_lines(domain, domain_name, name, options)]
    return "\n".join(lines) + "\n"


def playout_lines(
    domain: Puzzle, domain_name: str, name: str, options: dict[str, Any]
) -> Iterator[str]:
    """One playout, a line per step."""
    _, written = MOVES[domain_name]
    problem = problems(domain_name)[name]
    given = domain.options(**options)
    yield f"{name}: {given}"
    yield from domain.format_problem(problem).splitlines()
    instance = domain.instance(problem, given)
    state = domain.new_state(instance)
    stream = new_stream(SEED)
    buffer = np.zeros(max(domain.limits(instance).moves, 1), np.int64)
    contract.reset(instance, state)
    step = 0
    with np.errstate(over="ignore"):
        while n := contract.legal_moves(instance, state, stream, buffer):
            step += 1
            move = int(buffer[next_below(stream, n)])
            legal = " ".join(written(instance, int(option)) for option in buffer[:n])
            yield f"step {step}: {legal} -> {written(instance, move)}"
            contract.play(instance, state, move)
        yield f"score {contract.score(instance, state):g}"
    yield from domain.format(problem, domain.answer(instance, state)).splitlines()


def golden_file(domain_name: str) -> Path:
    """File with the playouts of a domain."""
    return FOLDER / f"{domain_name}.txt"


def write_all() -> None:
    """Write the files of all domains."""
    for domain_name in DOMAINS:
        golden_file(domain_name).write_text(golden_text(domain_name))
