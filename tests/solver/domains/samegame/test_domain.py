"""SameGame against its rules in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.algorithms import Gnrpa, Sampling
from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.samegame.board import CELL, COLOUR, N_GROUPS, SIZE
from solver.domains.samegame.domain import SameGameDomain, SameGameOptions
from solver.domains.samegame.priors import GroupTable, new_tabu_prior
from solver.domains.samegame.text import board_columns
from solver.errors import InputError, VerificationError
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system import datasets
from tests.instances import problems
from tests.solver.algorithms.test_tempering import best_score

DOMAIN = SameGameDomain()
ALL = SameGameOptions(tabu="off")
TABU = SameGameOptions(tabu="on")
Cells = frozenset[tuple[int, int]]


@st.composite
def boards(draw: Any) -> Any:
    """Boards of few colours, with columns that are not full and empty ones at the right."""
    height, width = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    colours = draw(st.integers(1, 9))
    n_columns = draw(st.integers(1, width))
    board = np.zeros((height, width), np.int8)
    for x in range(n_columns):
        filled = draw(st.integers(1, height))
        cells = draw(st.lists(st.integers(1, colours), min_size=filled, max_size=filled))
        board[height - filled :, x] = cells
    return board


class PlainBoard:
    """The rules in the shortest way: a dictionary of cells, searched from scratch."""

    def __init__(self, board: Any) -> None:
        rows = board[::-1]
        self.cells = {(x, y): int(c) for (y, x), c in np.ndenumerate(rows) if c}
        self.origin = {cell: cell for cell in self.cells}
        self.score = 0

    def groups(self) -> dict[Cells, int]:
        """Groups of two cells or more, with their colours."""
        found: dict[Cells, int] = {}
        rest = set(self.cells)
        while rest:
            group, border = set(), {rest.pop()}
            while border:
                x, y = border.pop()
                group.add((x, y))
                for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                    if near in rest and self.cells[near] == self.cells[x, y]:
                        rest.remove(near)
                        border.add(near)
            if len(group) > 1:
                found[frozenset(group)] = self.cells[min(group)]
        return found

    def remove(self, group: Cells) -> None:
        """Remove a group: cells fall, then empty columns close."""
        self.score += (len(group) - 2) ** 2
        left = sorted(set(self.cells) - group)
        columns = sorted({x for x, _ in left})
        fallen, origin = {}, {}
        for place, x in enumerate(columns):
            for row, cell in enumerate(cell for cell in left if cell[0] == x):
                fallen[place, row] = self.cells[cell]
                origin[place, row] = self.origin[cell]
        self.cells, self.origin = fallen, origin


def listed(instance: Any, state: Any) -> list[tuple[tuple[int, int], int, int, int]]:
    """Groups as the state lists them: the cell they stand for, size, colour and code."""
    rows = state.group[: state.scalars[N_GROUPS]]
    cells = [divmod(int(cell), instance.height) for cell in rows[:, CELL]]
    for place, cell in enumerate(rows[:, CELL]):
        assert state.group_of[cell] == place
    columns = (rows[:, column].tolist() for column in (SIZE, COLOUR))
    codes = [contract.code(instance, state, int(cell)) for cell in rows[:, CELL]]
    return sorted(zip(cells, *columns, codes, strict=True))


def expected(instance: Any, plain: PlainBoard) -> list[tuple[tuple[int, int], int, int, int]]:
    """The same from the plain board; a code stands for the cells where the group's ones began."""
    found = []
    start = instance.start.key
    for group, colour in plain.groups().items():
        keys = [start[x, y] ^ start[x, y + 1] for x, y in (plain.origin[cell] for cell in group)]
        code = int(np.bitwise_xor.reduce(np.array(keys)))
        found.append((min(group), len(group), colour, code))
    return sorted(found)


def playout(board: Any, options: SameGameOptions, seed: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Play at random on both boards; yield instance, state, plain board and moves before each."""
    instance = DOMAIN.instance(Problem("b", board), options)
    state, stream, plain = DOMAIN.new_state(instance), new_stream(seed), PlainBoard(board)
    buffer = np.zeros(max(DOMAIN.limits(instance).moves, 1), np.int64)
    contract.reset(instance, state)
    with np.errstate(over="ignore"):
        while True:
            n = contract.legal_moves(instance, state, stream, buffer)
            moves = [divmod(int(move), instance.height) for move in buffer[:n]]
            yield instance, state, plain, moves
            if n == 0:
                return
            choice = int(next_below(stream, n))
            (group,) = (group for group in plain.groups() if min(group) == moves[choice])
            plain.remove(group)
            contract.play(instance, state, int(buffer[choice]))


@given(boards(), st.integers(0, 99))
def test_groups_are_kept_up_to_date(board: Any, seed: int) -> None:
    """After every move the list has the groups of a flood fill, and the score is the sum."""
    for instance, state, plain, moves in playout(board, ALL, seed):
        assert listed(instance, state) == expected(instance, plain)
        assert sorted(moves) == sorted(map(min, plain.groups()))
        left = [list(plain.cells.values()).count(colour) for colour in range(1, 10)]
        assert state.left[1:].tolist() == left
        cleared = 0 if plain.cells else 1000
        assert contract.score(instance, state) == plain.score + cleared


@given(boards(), st.integers(0, 99))
def test_the_shaped_score(board: Any, seed: int) -> None:
    """Every board counts as empty, less 15 points for a cell that is left."""
    *_, (instance, state, plain, _) = playout(board, ALL, seed)
    score = contract.score(instance, state)
    left = len(plain.cells)
    assert contract.shaped_score(instance, state, score) == plain.score + 1000 - 15 * left


def test_groups_of_a_large_board() -> None:
    """The same on boards where groups wind through many columns, up to the largest height."""
    rng = np.random.default_rng(5)
    for shape, colours in [((15, 15), 2), ((62, 9), 3), ((20, 25), 2), ((9, 40), 3)]:
        board = rng.integers(1, colours + 1, shape).astype(np.int8)
        for instance, state, plain, _ in playout(board, ALL, 1):
            assert listed(instance, state) == expected(instance, plain)


@given(boards(), st.integers(0, 99))
def test_the_dominant_colour_is_tabu(board: Any, seed: int) -> None:
    """Its groups are played only after all others, or as pairs after ten moves."""
    counts = np.bincount(board.ravel(), minlength=10)[1:]
    dominant = int(np.argmax(counts)) + 1
    for step, (instance, _, plain, moves) in enumerate(playout(board, TABU, seed)):
        assert instance.dominant == dominant
        groups = plain.groups()
        free = {
            min(group)
            for group, colour in groups.items()
            if colour != dominant or (step >= 10 and len(group) == 2)
        }
        assert set(moves) == (free or set(map(min, groups)))


@given(boards(), st.integers(0, 99))
def test_answers_are_worth_what_the_search_says(board: Any, seed: int) -> None:
    """The verifier accepts every answer with its score, and not with another one."""
    problem = Problem("b", board)
    solution = solve(DOMAIN, problem, ALL, Sampling(), Budget(playouts=5), seed=seed)
    assert solution.solved
    assert solution.verified
    assert DOMAIN.objective(problem, solution.answer) == solution.search.score
    facts = DOMAIN.facts(problem, solution.answer)
    assert facts["moves"] == len(solution.answer)
    cleared = facts["cells_left"] == 0
    assert cleared == (solution.search.score >= 1000)


def test_a_wrong_score_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is not worth its score is an error, not a result."""
    problem = problems("samegame")["random-06-3"]
    monkeypatch.setattr(SameGameDomain, "objective", lambda *_: 1.0)
    with pytest.raises(VerificationError, match=r"^random-06-3: the objective is 1.0, not "):
        solve(DOMAIN, problem, ALL, Sampling(), Budget(playouts=5))


def test_objective() -> None:
    """Points by hand: 1 for three, 4 for four, and 1000 for the empty board."""
    ((_, board),) = [(p.name, p) for p in DOMAIN.parse("112\n122\n313\n", "b")]
    answer = np.array([[0, 1], [1, 1], [1, 0]])
    with pytest.raises(VerificationError, match=r"^move 3, 2,1: the cell is alone"):
        DOMAIN.verify(board, answer)
    DOMAIN.verify(board, answer[:2])
    assert DOMAIN.objective(board, answer[:2]) == 2.0
    assert DOMAIN.facts(board, answer[:2]) == {"moves": 2, "cells_left": 3}
    (board,) = DOMAIN.parse("1122\n1122", "b")
    assert DOMAIN.objective(board, np.array([[2, 1], [1, 0]])) == 1008.0


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[0, 0]], "move 1, 1,1: the cell is alone, expected a group of 2 or more"),
        ([[3, 0]], "move 1, 4,1: there is no cell"),
        ([[0, 1], [0, 2]], "move 2, 1,3: there is no cell"),
        ([[0, 1]], "the group at 2,2 is left, expected none"),
    ],
)
def test_broken_rules(cells: Any, message: str) -> None:
    """The error names the move and what is wrong with it."""
    (problem,) = DOMAIN.parse("112\n122\n313\n", "b")
    with pytest.raises(VerificationError) as error:
        DOMAIN.verify(problem, np.array(cells))
    assert str(error.value) == message


def test_any_cell_of_a_group_names_it() -> None:
    """Answers may name any cell; the solution has the one that the search knows."""
    (problem,) = DOMAIN.parse("112\n122\n313\n", "b")
    for cells in ([[0, 1], [1, 1]], [[1, 2], [2, 1]], [[0, 2], [2, 1]]):
        answer = np.array(cells)
        DOMAIN.verify(problem, answer)
        assert DOMAIN.solution(problem, answer)[:2].tolist() == [1, 4]


def test_the_tabu_prior() -> None:
    """The bias is min(n - 2 - tabu, 8), tabu being 1 for a pair of the dominant colour."""
    text = "333333333333\n111111111111\n111111111111\n222222222222\n334422556633\n"
    (problem,) = DOMAIN.parse(text, "b")
    instance = DOMAIN.instance(problem, ALL)
    state = DOMAIN.new_state(instance)
    contract.reset(instance, state)
    found = {}
    for place in range(state.scalars[N_GROUPS]):
        move = int(state.group[place, CELL])
        odds = contract.odds(new_tabu_prior(), instance, state, move)
        found[int(state.group[place, SIZE]), int(state.group[place, COLOUR])] = np.log(odds)
    assert found == pytest.approx(
        {(12, 3): 8, (24, 1): 8, (14, 2): 8, (2, 3): 0, (2, 4): 0, (2, 5): 0, (2, 6): 0}
    )
    (problem,) = DOMAIN.parse("11222\n33111", "b")
    instance = DOMAIN.instance(problem, ALL)
    contract.reset(instance, state := DOMAIN.new_state(instance))
    biases = {
        (int(row[SIZE]), int(row[COLOUR])): np.log(
            contract.odds(new_tabu_prior(), instance, state, int(row[CELL]))
        )
        for row in state.group[: state.scalars[N_GROUPS]]
    }
    assert biases == pytest.approx({(2, 1): -1, (3, 2): 1, (2, 3): 0, (3, 1): 1})


@given(boards(), st.integers(0, 99))
def test_the_prior_code(board: Any, seed: int) -> None:
    """Size class, dominance and equal cells that meet are what a plain board says."""
    table = GroupTable(np.zeros(DOMAIN.priors["group"].rows))
    classes = [2, 3, 4, 5, 6, 7, 9, 12, 17, 25]
    for instance, state, plain, _ in playout(board, ALL, seed):
        for group, colour in plain.groups().items():
            x, y = min(group)
            row = contract.prior_code(table, instance, state, x * instance.height + y)
            rest, joins = divmod(row, 4)
            size_class, dominant = divmod(rest, 2)
            assert classes[size_class] <= len(group)
            assert size_class == 9 or len(group) < classes[size_class + 1]
            assert dominant == (colour == instance.dominant)
            assert joins == min(meeting_cells(plain.cells, group), 3)


def meeting_cells(cells: Any, group: Any) -> int:
    """Return in how many runs of the group the cells right below and right above are equal."""
    meetings = 0
    for x, bottom in group:
        if (x, bottom - 1) not in group:
            top = bottom
            while (x, top) in group:
                top += 1
            above, below = cells.get((x, top), 0), cells.get((x, bottom - 1), 0)
            meetings += above == below != 0
    return meetings


def test_the_prior_and_the_tabu_colour_help() -> None:
    """A search with both scores far more on random boards than one with neither."""
    rng = np.random.default_rng(2)
    means = []
    for options, prior in [(ALL, None), (SameGameOptions(), DOMAIN.handmade["tabu"])]:
        scores = []
        for seed in range(5):
            problem = Problem("random", rng.integers(1, 6, (15, 15)).astype(np.int8))
            found = solve(
                DOMAIN, problem, options, Gnrpa(level=2, iterations=30), Budget(playouts=900),
                seed=seed, prior=prior,
            )  # fmt: skip
            scores.append(found.search.score)
        means.append(np.mean(scores))
    assert means[1] > 1.2 * means[0]


def test_codes_are_kept_by_a_nested_search() -> None:
    """A long search meets thousands of codes and still repeats itself."""
    (problem,) = DOMAIN.benchmark("samegame-board1")
    assert (problem.name, problem.data.shape) == ("samegame-board1", (15, 15))
    one, two = (
        solve(
            DOMAIN,
            problem,
            SameGameOptions(),
            Gnrpa(level=2, iterations=40),
            Budget(playouts=1600),
            seed=3,
            prior=DOMAIN.handmade["tabu"],
        )
        for _ in range(2)
    )
    assert one.search.moves.tolist() == two.search.moves.tolist()
    assert one.search.score > 900


def test_the_standard_boards(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read from the data home; another file of that name is refused, none is explained."""
    monkeypatch.setenv("NESTOR_DATA", str(tmp_path))
    with pytest.raises(
        InputError, match=r"^no samegame20.txt in the data home, the folder that NESTOR_DATA"
    ):
        DOMAIN.benchmark("samegame20")
    path = tmp_path / "samegame20.txt"
    path.write_text("# a title\nboard 1\n001\n012\nboard 2\n4321\n4321\n")
    with pytest.raises(InputError, match=r"samegame20.txt: wrong checksum, expected the 20"):
        DOMAIN.benchmark("samegame20")
    entry = datasets.registry()["samegame20"] | {"sha256": datasets.sha256(path)}
    monkeypatch.setattr(datasets, "registry", lambda: {"samegame20": entry})
    one, two = DOMAIN.benchmark("samegame20")
    assert (one.name, two.name) == ("samegame-board1", "samegame-board2")
    assert one.data.tolist() == [[1, 1, 2], [1, 2, 3]]
    assert two.data.tolist() == [[5, 4, 3, 2]] * 2


@pytest.mark.parametrize(
    ("shape", "filled", "tabu"),
    [((5, 5), 9, 0), ((12, 12), 40, 0), ((15, 15), 101, 1), ((15, 15), 102, 0), ((40, 40), 9, 1)],
)
def test_when_the_tabu_rule_holds(shape: tuple[int, int], filled: int, tabu: int) -> None:
    """By default not on small boards, nor where the colour fills more than 45 %."""
    colours = np.resize(np.array([2, 3, 4, 5, 6, 7, 8, 9], np.int8), shape).ravel()
    colours[:filled] = 1
    problem = Problem("b", colours.reshape(shape))
    assert DOMAIN.instance(problem, SameGameOptions()).tabu == tabu
    assert [DOMAIN.instance(problem, options).tabu for options in (TABU, ALL)] == [1, 0]


def test_gnrpa_finds_the_best_game_of_a_small_board() -> None:
    """Two colours on 5 x 5 cells: the best of all games, which the tabu rule shuts out."""
    board = np.array(
        [[1, 1, 2, 1, 1], [1, 2, 1, 1, 2], [1, 1, 2, 2, 1], [2, 1, 1, 1, 1], [1, 1, 2, 1, 1]],
        np.int8,
    )
    problem, search = Problem("b", board), Gnrpa(level=2, iterations=30)
    scores = [
        solve(DOMAIN, problem, options, search, Budget(playouts=900)).search.score
        for options in (SameGameOptions(), TABU)
    ]
    assert scores[0] == best_score(board_columns(board)) > scores[1]


def test_bad_options() -> None:
    with pytest.raises(InputError, match=r"^tabu is 'maybe', expected one of: auto, on, off$"):
        SameGameOptions(tabu="maybe")  # type: ignore[arg-type]
