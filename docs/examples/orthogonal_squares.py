"""Orthogonal Latin squares in one file: two squares whose pairs of values are all different.

A file has n rows of n pairs, `12` for 1 in the first square and 2 in the second, `..` for a hole;
n is 9 at most. Run it: `solve orthogonal_squares.py FILE`.

It shows an exact cover whose candidates share several sets: a pair of values in a cell is one.
"""

from typing import NamedTuple

import numpy as np

from solver.extend import (
    BELIEF,
    CoverPuzzle,
    InputError,
    VerificationError,
    new_cover,
    read_each,
    register_cover_branching,
    register_cover_rules,
)


class Pairs(NamedTuple):
    given: np.ndarray  # int64[cells]: first value * order + second, -1 in holes
    place: np.ndarray  # int64[c]: cell of each candidate
    value: np.ndarray  # int64[c]: its pair
    cover: tuple
    contradiction: int


register_cover_rules(Pairs)
register_cover_branching(Pairs)


def new_pairs(given, order):
    n = order * order
    place, value = (one.ravel() for one in np.indices((n, n)))
    row, column = place // order, place % order
    first, second = value // order, value % order
    sets = np.stack([place, n + row * order + first, 2 * n + column * order + first,
                     3 * n + row * order + second, 4 * n + column * order + second,
                     5 * n + value], axis=1)  # fmt: skip
    fits = (given[place] < 0) | (given[place] == value)
    cover = new_cover(
        sets[fits], 6 * n, n_variables=6 * n, n_propagated=6 * n, n_assignments=n, random_ties=True
    )
    return Pairs(given, place[fits], value[fits], cover, 0)


class OrthogonalSquares(CoverPuzzle):
    name = "orthogonal-squares"
    instance_class = Pairs
    priors = {"belief": BELIEF}  # noqa: RUF012

    def instance(self, problem, options):
        given = np.array(problem.data, np.int64)
        known = self.propagated(new_pairs(given.ravel(), len(given)))
        made = new_pairs(given.ravel() if known.contradiction else known.given, len(given))
        return made._replace(contradiction=known.contradiction)

    def answer(self, instance, state):
        order = round(len(instance.given) ** 0.5)
        return self.filled(instance, state).reshape(order, order)

    def verify(self, problem, answer):
        given, order = problem.data, len(problem.data)
        if answer.shape != given.shape or (answer != given)[given >= 0].any():
            raise VerificationError("a given was changed")
        if sorted(answer.ravel().tolist()) != list(range(order * order)):
            raise VerificationError("the pairs are not all different")
        for square in (answer // order, answer % order):
            for line in (*square.tolist(), *square.T.tolist()):
                if sorted(line) != list(range(order)):
                    raise VerificationError("a row or a column does not hold every value once")

    def parse(self, text, source):
        return read_each([(source, lambda: read_pairs(text, source))])

    def parse_answer(self, problem, text, source):
        return read_pairs(text, source)

    def format(self, problem, answer):
        order = len(answer)
        words = [[f"{v // order + 1}{v % order + 1}" if v >= 0 else ".." for v in row]
                 for row in answer.tolist()]  # fmt: skip
        return "".join(" ".join(row) + "\n" for row in words)

    def format_problem(self, problem):
        return self.format(problem, problem.data)


def read_pairs(text, source):
    rows = [line.split() for line in text.splitlines() if line.strip()]
    order = len(rows)
    known = {f"{a + 1}{b + 1}": a * order + b for a in range(order) for b in range(order)}
    known[".."] = -1
    for number, row in enumerate(rows, start=1):
        wrong = [word for word in row if word not in known]
        if wrong or len(row) != order or order > 9:
            raise InputError(
                f"{source}: row {number}: expected {order} pairs 11 ... {order}{order}, or .., "
                f"found {' '.join(wrong[:1] or row)!r}"
            )
    if not rows:
        raise InputError(f"{source}: no row found, expected pairs")
    return np.array([[known[word] for word in row] for row in rows], np.int64)
