"""Futoshiki in one file: a Latin square whose neighbours are in order.

A file has a row of values or `.` per line, and below them a line for each sign, `r1c1 < r1c2`. Run
it: `solve futoshiki.py FILE`.

It shows an exact cover with sets that hold one candidate at most. That cell a is less than cell b
means for each value k: not both a >= k and b <= k.
"""

from typing import NamedTuple

import numpy as np

from solver.extend import (
    BELIEF,
    CoverPuzzle,
    InputError,
    VerificationError,
    new_cover,
    new_grid_cover,
    new_groups,
    read_each,
    register_cover_branching,
    register_cover_rules,
)


class Futoshiki(NamedTuple):
    given: np.ndarray  # int64[cells]: values from 0, -1 in holes
    place: np.ndarray  # int64[c]: cell of each candidate
    value: np.ndarray  # int64[c]
    cover: tuple
    contradiction: int


class Board(NamedTuple):
    grid: np.ndarray  # int64[order, order]: values from 0, -1 in holes
    less: np.ndarray  # int64[signs, 2]: numbers of two cells, the first of which is less


register_cover_rules(Futoshiki)
register_cover_branching(Futoshiki)


def new_futoshiki(given, order, less):
    cells = np.arange(order * order).reshape(order, order)
    made = new_grid_cover(given, new_groups(order * order, order, [*cells, *cells.T]))
    keep = np.ones(len(made.place), bool)
    for a, b in less:  # a sign with a given at one end
        keep &= (made.place != a) | (given[b] < 0) | (made.value < given[b])
        keep &= (made.place != b) | (given[a] < 0) | (made.value > given[a])
    place, value, sets = made.place[keep], made.value[keep], made.cover.sets[keep].astype(int)
    first = len(made.cover.size)  # behind the sets of cells, rows and columns
    n_sets = first + len(less) * order
    more = np.full((len(place), len(less) * order), n_sets)
    for sign, (a, b) in enumerate(less):
        for k in range(order):
            shared = ((place == a) & (value >= k)) | ((place == b) & (value <= k))
            more[shared, sign * order + k] = first + sign * order + k
    more.sort(axis=1)  # those that a candidate lacks come last: the columns of none go
    width = int((more < n_sets).sum(axis=1).max(initial=0))
    n_open = int((given < 0).sum())
    cover = new_cover(
        np.hstack([sets, more[:, :width]]), n_sets,
        n_variables=first, n_propagated=first, n_assignments=n_open, random_ties=True,
    )  # fmt: skip
    broken = any(0 <= given[b] <= given[a] for a, b in less)
    return Futoshiki(given, place.copy(), value.copy(), cover, int(broken))


class FutoshikiDomain(CoverPuzzle):
    name = "futoshiki"
    instance_class = Futoshiki
    priors = {"belief": BELIEF}  # noqa: RUF012

    def instance(self, problem, options):
        grid, less = problem.data
        made = new_futoshiki(np.array(grid, np.int64).ravel(), len(grid), less)
        known = self.propagated(made)
        if made.contradiction or known.contradiction:
            return made._replace(contradiction=1)
        return new_futoshiki(known.given, len(grid), less)

    def answer(self, instance, state):
        order = round(len(instance.given) ** 0.5)
        return self.filled(instance, state).reshape(order, order)

    def verify(self, problem, answer):
        grid, less = problem.data
        values = list(range(len(grid)))
        if answer.shape != grid.shape or (answer != grid)[grid >= 0].any():
            raise VerificationError("a given was changed")
        if any(sorted(line) != values for line in (*answer.tolist(), *answer.T.tolist())):
            raise VerificationError("a row or a column does not hold every value once")
        for a, b in less:
            if answer.flat[a] >= answer.flat[b]:
                raise VerificationError(f"cell {a + 1} is not less than cell {b + 1}")

    def parse(self, text, source):
        return read_each([(source, lambda: read_board(text, source))])

    def parse_answer(self, problem, text, source):
        return read_board(text, source).grid

    def format(self, problem, answer):
        return "".join(
            " ".join(str(v + 1) if v >= 0 else "." for v in row) + "\n" for row in answer
        )

    def format_problem(self, problem):
        order = len(problem.data.grid)
        names = [[f"r{cell // order + 1}c{cell % order + 1}" for cell in pair]
                 for pair in problem.data.less.tolist()]  # fmt: skip
        return self.format(problem, problem.data.grid) + "".join(f"{a} < {b}\n" for a, b in names)


ENTRIES = range(1, 100)  # of the largest board


def read_board(text, source):
    rows, less = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        try:
            if "<" in words:
                cells = [tuple(map(int, word[1:].split("c"))) for word in (words[0], words[2])]
                order = len(rows)
                if len(words) != 3 or not all(1 <= one <= order for cell in cells for one in cell):
                    raise ValueError("two cells and < between them")
                less.append([(row - 1) * order + column - 1 for row, column in cells])
            elif words:
                if less:
                    raise ValueError("a row below a sign")
                rows.append([-1 if word == "." else ENTRIES.index(int(word)) for word in words])
        except (ValueError, IndexError) as error:
            raise InputError(f"{source}: line {number}: {line!r}, expected values, or r1c1 < r1c2"
                             ) from error  # fmt: skip
    if not rows or any(len(row) != len(rows) or max(row) >= len(rows) for row in rows):
        raise InputError(f"{source}: expected n rows of n entries, 1 ... n or .")
    return Board(np.array(rows, np.int64), np.array(less, np.int64).reshape(-1, 2))
