"""Morpion Solitaire: add a dot, draw a line of five through it, as often as can be.

The other four dots of the line are there before. In 5D, disjoint, two lines of one direction share
no dot; in 5T, touching, they may share an end (paper 'beam-nrpa', 2.2, plays 5D).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np

from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Limits, Problem, Puzzle, read_each
from solver.contract.rules import Moves
from solver.domains.morpion import kernels  # noqa: F401 - registers the rules
from solver.domains.morpion.board import (
    AREA,
    DIRECTIONS,
    PLY,
    SIZE,
    STEP,
    Morpion,
    MorpionState,
    most_lines,
    most_moves,
    new_morpion_state,
    set_up_sheet,
)
from solver.domains.morpion.orders import LineOrders, new_line_orders
from solver.domains.morpion.pentasol import format_pentasol, is_pentasol, parse_pentasol
from solver.domains.morpion.priors import GAINS, LOSSES, PLACES, LineTable
from solver.domains.morpion.starts import start_pieces
from solver.domains.morpion.text import (
    CROSS,
    REACH,
    Game,
    Start,
    Variant,
    check_game,
    check_start,
    format_game,
    format_start,
    parse_game,
    points_of,
    wrong_move,
)
from solver.errors import InputError
from solver.system.fields import check_fields
from solver.system.text_blocks import content_lines

#: Longest games known from the cross (C. D. Rosin, 2010 and 2011).
RECORDS = {"5D": 82, "5T": 178}


@dataclass(frozen=True)
class MorpionOptions:
    """Options of the rules.

    Parameters
    ----------
    variant : {"5D", "5T"}
        `5D`, disjoint: lines of one direction share no dot; `5T`, touching: they may share an
        end. A start that names its variant is played by that.
    notation : {"lines", "pentasol"}
        How games are written: moves on a line, as `8,1-5`, or as files of the Pentasol player have
        them.

    Raises
    ------
    InputError
        If a value is none of these.
    """

    variant: Variant = "5D"
    notation: Literal["lines", "pentasol"] = field(default="lines", repr=False)

    def __post_init__(self) -> None:
        check_fields(self)


class MorpionDomain(Puzzle):
    """Morpion Solitaire."""

    name: ClassVar[str] = "morpion"
    instance_class: ClassVar[type] = Morpion
    fact_names: ClassVar[tuple[str, ...]] = ("variant",)
    priors: ClassVar[dict[str, PriorCode]] = {
        "line": PriorCode(
            "line",
            {"diagonal": 2, "place": PLACES, "gained": GAINS, "lost": LOSSES},
            LineTable,
        ),
    }
    generator: ClassVar[Any] = "generators.morpion:MorpionGenerator"
    samples: ClassVar[Any] = "generators.morpion:cross"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.morpion"
    default_level: ClassVar[int] = 3
    options: ClassVar[type[MorpionOptions]] = MorpionOptions

    def __init__(self, chosen: MorpionOptions | None = None) -> None:
        self.chosen = chosen or MorpionOptions()

    def with_options(self, options: MorpionOptions) -> Self:
        """Return the domain with the variant of `options`."""
        return type(self)(options)

    def variant(self, problem: Problem) -> str:
        """The rules that `problem` is played by."""
        return Start(*problem.data).variant or self.chosen.variant

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read starts."""
        return read_each(start_pieces(text, source, self.chosen.variant))

    def instance(self, problem: Problem, options: MorpionOptions) -> Morpion:
        """Put the start into the middle of the sheet."""
        cells, variant, moves = Start(*problem.data)
        start = Start(np.array(cells, np.int8), variant, np.array(moves, np.int64))
        check_start(start, problem.name)
        wrong = wrong_move(start, start.moves, variant or options.variant, on_sheet=True)
        if wrong is not None:
            raise InputError(f"{problem.name}: {wrong[1]}")
        cells = start.cells
        if options.notation == "pentasol" and not np.array_equal(cells, CROSS):
            raise InputError(f"{problem.name}: pentasol is a notation of games from the cross")
        height, width = cells.shape
        left, top = (SIZE - width) // 2, (SIZE - height) // 2
        dots = np.zeros((SIZE, SIZE), np.bool_)
        dots[top : top + height, left : left + width] = cells
        n, reach = int(cells.sum()), REACH[variant or options.variant]
        begun = new_morpion_state(n, reach, len(start.moves))
        set_up_sheet(begun, dots)
        instance = Morpion(left, top, reach, n, begun)
        for line in self.line_numbers(start, start.moves):
            rules.play(instance, begun, line)
        return instance

    def new_state(self, instance: Morpion) -> MorpionState:
        """Allocate a state."""
        played = int(instance.start.scalars[PLY])
        return new_morpion_state(instance.dots, instance.reach, played)

    def best_algorithm(self, options: MorpionOptions) -> str:
        """NRPA, begun anew after a million playouts: there is no prior that helps."""
        return "nrpa"

    def new_orders(self, instance: Morpion) -> LineOrders:
        """Orders of lines."""
        return new_line_orders(instance)

    def limits(self, instance: Morpion) -> Limits:
        """Dots have a limited number of sides."""
        played = int(instance.start.scalars[PLY])
        steps = most_moves(instance.dots, instance.reach) - played
        moves = most_lines(instance.dots + played)
        return Limits(steps, moves, choices=steps * moves, codes=len(DIRECTIONS) * AREA)

    def answer(self, instance: Morpion, state: MorpionState) -> Game:
        """Return the moves, int64[moves, 4]."""
        line, place = (array[: state.scalars[PLY]] for array in (state.line, state.place))
        direction, origin = np.divmod(line, AREA)
        number = (place - origin) // STEP[direction]
        x, y = place % SIZE - instance.left, place // SIZE - instance.top
        return np.stack([x, y, direction, number], axis=1)

    def verify(self, problem: Problem, answer: Game) -> None:
        """Every move adds a dot and draws a line that may be drawn; a game may end at any time."""
        check_game(Start(*problem.data), answer, self.variant(problem))

    def objective(self, problem: Problem, answer: Game) -> float:
        """Return the number of moves."""
        return float(len(answer))

    def best_known(self, problem: Problem) -> float | None:
        """Return the record, for the cross."""
        cells = Start(*problem.data).cells
        return float(RECORDS[self.variant(problem)]) if np.array_equal(cells, CROSS) else None

    def describe_score(self, score: float) -> str:
        """Return the number of moves."""
        return f"{score:g} move{'' if score == 1 else 's'}"

    def facts(self, problem: Problem, answer: Game) -> dict[str, Any]:
        """Return the rules that were played by."""
        return {"variant": self.variant(problem)}

    def format_problem(self, problem: Problem) -> str:
        """Return the start."""
        return format_start(Start(*problem.data))

    def format(self, problem: Problem, answer: Game) -> str:
        """Return the moves on a line, or a line each in the notation of Pentasol."""
        return (
            format_pentasol(answer) if self.chosen.notation == "pentasol" else format_game(answer)
        )

    def parse_answer(self, problem: Problem, text: str, source: str) -> Game:
        """Read moves in either notation, with comments between its lines."""
        lines = content_lines(text)
        if lines and is_pentasol(lines[0][1]):
            return parse_pentasol(lines, source)
        return parse_game("\n".join(line for _, line in lines), source)

    def solution(self, problem: Problem, answer: Game) -> Moves:
        """Lines of the moves behind those of the start, by their numbers on the sheet."""
        start = Start(*problem.data)
        return np.array(self.line_numbers(start, answer[len(start.moves) :]), np.int64)

    def line_numbers(self, start: Start, moves: Game) -> list[int]:
        """Return the number on the sheet of the line of each move."""
        height, width = np.shape(start.cells)
        left, top = (SIZE - width) // 2, (SIZE - height) // 2
        first = [(move[2], points_of(move)[0]) for move in moves.tolist()]
        return [sign * AREA + (y + top) * SIZE + x + left for sign, (x, y) in first]
