"""Beliefs in the values of a cell of lines with sums: two steps of belief propagation.

As `solver.propagation.belief` for exact covers: a candidate is a value in a cell, its sets are the
cell and the places for the value in either line. A line may leave a value out, which is another
rival there: its odds are those of the line's possible sets of values without it to those that
hold it.
"""

from __future__ import annotations

from solver.compiling.jit import called, inlined
from solver.propagation.bits import count_bits, lowest_bit
from solver.propagation.combinations import LISTED, WEIGHED, Lines, LinesState

#: Bounds of odds.
LEAST_ODDS, MOST_ODDS = 1e-12, 1e12
#: Rivals that a candidate has at least in a first message.
FEWEST_RIVALS = 0.5


@inlined
def _left_out(lines: Lines, state: LinesState, line: int, value: int) -> float:
    """Odds that `line` leaves `value` out, by its possible sets; 0 if sets are not known."""
    begin, live = lines.first_set[line], state.live[line]
    holding = 0
    for index in range(begin, begin + live):
        holding += (state.sets[index] >> value) & 1
    return (live - holding) / max(float(holding), 1.0)


@inlined
def _first_of_line(lines: Lines, state: LinesState, line: int, value: int) -> float:
    """Return the first message of `line` to each of its cells that may have `value`."""
    rivals = _left_out(lines, state, line, value) - 1.0
    for index in range(lines.first[line], lines.first[line + 1]):
        rivals += (state.domain[lines.members[index]] >> value) & 1
    return 1.0 / max(rivals, FEWEST_RIVALS)


@inlined
def _first_of_cell(state: LinesState, cell: int) -> float:
    """Return the first message of `cell` to each of its values."""
    return 1.0 / max(count_bits(state.domain[cell]) - 1.0, FEWEST_RIVALS)


@inlined
def _rivals_in_line(lines: Lines, state: LinesState, cell: int, side: int, value: int) -> float:
    """Sum of the messages to a line of `cell` of its other cells that may have `value`.

    With the odds that the line leaves it out.
    """
    line = lines.lines[cell, side]
    total = _left_out(lines, state, line, value)
    for index in range(lines.first[line], lines.first[line + 1]):
        other = lines.members[index]
        if other != cell and (state.domain[other] >> value) & 1:
            crossing = lines.lines[other, 1 - side]
            total += _first_of_cell(state, other) * _first_of_line(lines, state, crossing, value)
    return total


@called
def _weigh_values(lines: Lines, state: LinesState, cell: int) -> None:
    """Write into `state.odds` the odds that `cell` has each of its values."""
    of_lines, domain = 0.0, state.domain[cell]
    while domain:
        value = lowest_bit(domain)
        domain &= domain - 1
        product = _first_of_line(lines, state, lines.lines[cell, 0], value)
        product *= _first_of_line(lines, state, lines.lines[cell, 1], value)
        state.odds[value] = product
        of_lines += product
    total, domain = 0.0, state.domain[cell]
    while domain:
        value = lowest_bit(domain)
        domain &= domain - 1
        worth = 1.0 / max(of_lines - state.odds[value], LEAST_ODDS)
        for side in range(2):
            worth /= max(_rivals_in_line(lines, state, cell, side, value), LEAST_ODDS)
        state.odds[value] = worth
        total += worth
    domain = state.domain[cell]
    while domain:
        value = lowest_bit(domain)
        domain &= domain - 1
        odds = state.odds[value] / max(total - state.odds[value], LEAST_ODDS)
        state.odds[value] = min(max(odds, LEAST_ODDS), MOST_ODDS)


@inlined
def belief(lines: Lines, state: LinesState, value: int) -> float:
    """Return the odds that the cell listed last has `value`, one of those listed."""
    if state.listed[WEIGHED] == 0:
        _weigh_values(lines, state, state.listed[LISTED])
        state.listed[WEIGHED] = 1
    return float(state.odds[value])
