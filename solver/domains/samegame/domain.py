"""SameGame: remove groups of equal neighbours, the larger the better (paper 'gnrpa', 6.1).

A move removes a group of n >= 2 connected cells of one colour for (n - 2)**2 points; cells
fall, empty columns close to the left, an empty board is worth 1000 more. There is
no penalty for what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from solver.contract.codes import PriorCode
from solver.contract.domain import Benchmark, Limits, Problem, Puzzle, read_each
from solver.contract.rules import Moves
from solver.domains.samegame.board import (
    MAX_COLOURS,
    N_COLUMNS,
    N_PLANES,
    PLY,
    SameGame,
    SameGameState,
    new_samegame_state,
    set_up_board,
)
from solver.domains.samegame.choices import solution_array
from solver.domains.samegame.kernels import CLEARED
from solver.domains.samegame.orders import new_cell_orders
from solver.domains.samegame.priors import JOIN_CLASSES, SIZE_CLASSES, GroupTable, new_tabu_prior
from solver.domains.samegame.replay import CellOrders
from solver.domains.samegame.text import (
    board_pieces,
    check_board,
    first_group,
    format_board,
    format_moves,
    parse_boards,
    parse_moves,
    replay_game,
)
from solver.errors import VerificationError
from solver.system.datasets import corpus_path, dataset_path
from solver.system.fields import check_fields
from solver.system.files import read_text

#: Playouts of GNRPA that a relay begins with; on boards of so few cells there are none.
START_PLAYOUTS, MOST_CELLS_OF_SMALL = 2000, 64
#: The colour that is kept for the end fills this share at most, of so many cells at least: on
#: smaller boards, and where it fills more, the rule makes the best games impossible.
MOST_TABU_SHARE, LEAST_TABU_CELLS = 0.45, 150
#: Seed of the keys that codes of groups are made of.
KEY_SEED = 2026


@dataclass(frozen=True)
class SameGameOptions:
    """Options of the moves to try.

    Parameters
    ----------
    tabu : {"auto", "on", "off"}
        `on`: groups of the most frequent colour are played only where nothing else is
        left, or as pairs after ten moves; `auto`: so on boards of 150 cells or more of which
        that colour fills at most 45 %.

    Raises
    ------
    InputError
        If a value is none of these.
    """

    tabu: Literal["auto", "on", "off"] = "auto"

    def __post_init__(self) -> None:
        check_fields(self)


class SameGameDomain(Puzzle):
    """SameGame."""

    name: ClassVar[str] = "samegame"
    instance_class: ClassVar[type] = SameGame
    fact_names: ClassVar[tuple[str, ...]] = ("moves", "cells_left")
    priors: ClassVar[dict[str, PriorCode]] = {
        "group": PriorCode(
            "group",
            {"size": SIZE_CLASSES, "dominant": 2, "joins": JOIN_CLASSES},
            GroupTable,
            temperature=2.0,
        ),
    }
    handmade: ClassVar[dict[str, Any]] = {"tabu": new_tabu_prior()}
    options: ClassVar[type[SameGameOptions]] = SameGameOptions
    generator: ClassVar[Any] = "generators.samegame:SameGameGenerator"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.samegame"
    shipped_prior: ClassVar[str | None] = "samegame"
    default_level: ClassVar[int] = 3
    benchmarks: ClassVar[dict[str, Benchmark]] = {
        "samegame-board1": Benchmark("the first of the 20 standard boards", {}),
        "samegame20": Benchmark("the 20 standard boards", {}),
    }

    def benchmark(self, name: str) -> list[Problem]:
        """Read the standard boards; those after the first from the data home."""
        if name == "samegame-board1":
            path = dataset_path("samegame-board1.txt")
            return self.parse(read_text(path), str(path))
        path = corpus_path(name)
        boards = parse_boards(read_text(path), str(path))  # under lines `board N`
        return [Problem(f"samegame-{line.replace(' ', '')}", board) for line, board in boards]

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read boards."""
        return read_each(board_pieces(text, source))

    def instance(self, problem: Problem, options: SameGameOptions) -> SameGame:
        """List the groups of the start."""
        board = np.array(problem.data, np.int8)
        check_board(board, problem.name)
        height, width = board.shape
        start = new_samegame_state(width, height)
        for x, column in enumerate(board.T[:, ::-1].astype(np.int64)):
            for plane in range(N_PLANES):
                start.column[x, plane] = ((column >> plane & 1) << np.arange(height)).sum()
        start.scalars[N_COLUMNS] = int((board[-1] > 0).sum())
        start.left[1:] = np.bincount(board.ravel(), minlength=MAX_COLOURS + 1)[1:]
        key = np.random.SeedSequence(KEY_SEED).generate_state(board.size, np.uint64)
        start.key[:-1, 1:] = np.bitwise_xor.accumulate(
            key.view(np.int64).reshape(width, height), axis=1
        )
        set_up_board(height, start)
        dominant = int(np.argmax(start.left))
        return SameGame(width, height, start, dominant, int(_has_tabu(start.left, options)))

    def new_state(self, instance: SameGame) -> SameGameState:
        """Allocate a state."""
        return new_samegame_state(instance.width, instance.height)

    def best_algorithm(self, options: SameGameOptions) -> str:
        """GNRPA, then tempering of orders of cells, which know nothing of a tabu colour."""
        return "relay"

    def start_playouts(self, instance: SameGame) -> int:
        """So many as make a good game of a large board, none where tempering soon tries all."""
        cells = int(instance.start.left.sum())
        return START_PLAYOUTS if cells > MOST_CELLS_OF_SMALL else 0

    def new_orders(self, instance: SameGame) -> CellOrders:
        """Orders of the cells of the start."""
        return new_cell_orders(instance)

    def limits(self, instance: SameGame) -> Limits:
        """A move removes two cells or more, and every group has two or more."""
        pairs = int(instance.start.left.sum()) // 2
        return Limits(steps=pairs, moves=pairs, choices=pairs * (pairs + 1) // 2, codes=0)

    def answer(self, instance: SameGame, state: SameGameState) -> npt.NDArray[np.int64]:
        """Columns and rows of the moves from 0 at the left and the bottom, int64[moves, 2]."""
        played = state.played[: state.scalars[PLY]]
        return np.stack([played // instance.height, played % instance.height], axis=1)

    def verify(self, problem: Problem, answer: npt.NDArray[np.int64]) -> None:
        """Every move removes a group, and in the end there is none left."""
        _, columns = replay_game(problem.data, answer)
        group = first_group(columns)
        if group is not None:
            x, y = min(group)
            raise VerificationError(f"the group at {x + 1},{y + 1} is left, expected none")

    def objective(self, problem: Problem, answer: npt.NDArray[np.int64]) -> float:
        """Points for the groups, and for an empty board."""
        groups, columns = replay_game(problem.data, answer)
        points = sum((len(group) - 2) ** 2 for group in groups)
        return float(points if columns else points + CLEARED)

    def facts(self, problem: Problem, answer: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Return how many moves were made and how many cells are left."""
        _, columns = replay_game(problem.data, answer)
        return {"moves": len(answer), "cells_left": sum(map(len, columns))}

    def format_problem(self, problem: Problem) -> str:
        """Return the board."""
        return format_board(problem.data)

    def format(self, problem: Problem, answer: npt.NDArray[np.int64]) -> str:
        """Return the moves as `column,row` on a line."""
        return format_moves(answer)

    def parse_answer(self, problem: Problem, text: str, source: str) -> npt.NDArray[np.int64]:
        """Read moves."""
        return parse_moves(text, source)

    def solution(self, problem: Problem, answer: npt.NDArray[np.int64]) -> Moves:
        """Moves as the cells that groups are known by, and when each cell is removed."""
        height, width = problem.data.shape
        groups, _ = replay_game(problem.data, answer)
        return solution_array(groups, width, height)


def _has_tabu(left: npt.NDArray[np.int64], options: SameGameOptions) -> bool:
    """Return whether the tabu rule holds for a board of cells `left`, int64[10], of each colour."""
    if options.tabu != "auto":
        return options.tabu == "on"
    cells = int(left.sum())
    return cells >= LEAST_TABU_CELLS and int(left.max()) <= MOST_TABU_SHARE * cells
