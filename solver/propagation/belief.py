"""Beliefs in the candidates of a set of an exact cover: two steps of belief propagation.

Sets and candidates send messages. The message of a set to one of its candidates is the odds that
the set chooses it: 1 over the sum of the messages of its rivals there. The message of a candidate
to a set is the product of the messages from its other sets. This is the sum-product algorithm on
the factor graph of candidates and sets (F. R. Kschischang, B. J. Frey, H.-A. Loeliger, Factor
graphs and the sum-product algorithm, 2001). Candidates begin with messages of 1, so the first
message of a set of n is 1/(n - 1); the belief is read after the second messages of sets.

A state needs the arrays `alive` and `size`, and the scratch `odds` and `listed`, of a `CoverState`.
The belief is a prior code of any domain whose instances have a `cover`: `BELIEF`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.propagation.exact_cover import LISTED, WEIGHED, Cover

#: Bounds of odds.
LEAST_ODDS, MOST_ODDS = 1e-12, 1e12
#: Logarithms of odds from -8 to 8, in so many steps for each.
BELIEF_STEPS, BELIEF_CAP = 8, 64


class BeliefTable(NamedTuple):
    """Odds of a candidate in its set, by two steps of belief propagation."""

    table: npt.NDArray[np.float64]


@inlined
def _first_product(cover: Cover, state: Any, candidate: int) -> float:
    """Product of the first messages from the sets of a candidate, each halved: 1/(2 n - 2).

    A set of one, which only an unpropagated kind has, counts as one of 1.5.
    """
    product = 1.0
    for kind in range(cover.sets.shape[1]):
        item = cover.sets[candidate, kind]
        if item < len(cover.size):
            product *= max(2.0 * float(state.size[item]) - 2.0, 1.0)
    return 1.0 / product


@inlined
def _rival_products(cover: Cover, state: Any, item: int, candidate: int) -> float:
    """Sum of `_first_product` over the rivals of a candidate in set `item`."""
    total = 0.0
    for index in range(cover.first[item], cover.first[item + 1]):
        rival = cover.members[index]
        if state.alive[rival] and rival != candidate:
            total += _first_product(cover, state, rival)
    return total


@called
def _weigh_candidates(cover: Cover, state: Any, item: int) -> None:
    """Write into `state.odds` the odds that set `item` chooses each of its candidates.

    They are the product of the second messages from a candidate's sets, relative to the sum of
    those of its rivals. The first message of a set is the same to all its candidates, so products
    of a candidate's messages to it may include it.
    """
    total = 0.0
    for index in range(cover.first[item], cover.first[item + 1]):
        candidate = cover.members[index]
        if state.alive[candidate]:
            worth = _first_product(cover, state, candidate)
            for kind in range(cover.sets.shape[1]):
                of = cover.sets[candidate, kind]
                if of < len(cover.size):
                    rivals = _rival_products(cover, state, of, candidate)
                    worth /= max(rivals, LEAST_ODDS)
            state.odds[candidate] = worth
            total += worth
    for index in range(cover.first[item], cover.first[item + 1]):
        candidate = cover.members[index]
        if state.alive[candidate]:
            worth = state.odds[candidate]
            odds = worth / max(total - worth, worth * LEAST_ODDS)
            state.odds[candidate] = min(max(odds, LEAST_ODDS), MOST_ODDS)


@inlined
def belief(cover: Cover, state: Any, candidate: int) -> float:
    """Return the odds that the set just listed chooses `candidate`, one of those listed."""
    if state.listed[WEIGHED] == 0:
        _weigh_candidates(cover, state, state.listed[LISTED])
        state.listed[WEIGHED] = 1
    return float(state.odds[candidate])


@rules.prior_code.register(BeliefTable)
def belief_code(prior: BeliefTable, instance: Any, state: Any, move: int) -> int:
    """Step of the logarithm of the odds of a candidate in its set."""
    step = np.rint(BELIEF_STEPS * np.log(belief(instance.cover, state, move)))
    return int(min(max(step, -BELIEF_CAP), BELIEF_CAP)) + BELIEF_CAP


@rules.odds.register(BeliefTable)
def belief_odds(prior: BeliefTable, instance: Any, state: Any, move: int) -> float:
    """Return what the table says, as any learned table does."""
    return float(prior.table[rules.prior_code(prior, instance, state, move)])


#: The code, for the `priors` of a domain.
BELIEF = PriorCode("belief", {"odds": 2 * BELIEF_CAP + 1}, BeliefTable, temperature=64.0)
