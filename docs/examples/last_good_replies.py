"""UCB1-Tuned whose playouts have a policy: last good replies (Drake 2009).

`compare hex --algorithm uct,docs/examples/last_good_replies.py`. docs/add-a-tree-search.md
says what it is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from solver.extend import (
    Factor,
    Made,
    Moves,
    Node,
    TreeAlgorithm,
    learn_playout,
    move_value,
    move_weight,
)


class Tuned(NamedTuple):
    """Parameters of UCB1-Tuned."""

    exploration: float


@move_value.register(Tuned)
def tuned_value(parameters: Tuned, node: Node, place: int) -> float:
    """Return the upper confidence bound of UCB1-Tuned; infinity where there is no playout."""
    n = node.n[place]
    if n == 0:
        return np.inf
    mean = node.total[place] / n
    share = (mean - node.least) / max(node.span, 1e-9)
    log = math.log(node.visits) / n
    variance = min(0.25, share * (1.0 - share) + math.sqrt(2.0 * log))
    return mean + parameters.exploration * node.span * math.sqrt(log * variance)


class Replies(NamedTuple):
    """A policy of playouts: the reply to each move by which its player won last."""

    rate: float
    reply: np.ndarray  # int32[codes]: 1 + code of the last good reply to a move

    @classmethod
    def new(cls, rate: float, codes: int) -> Replies:
        """Return the policy before the first playout."""
        return cls(rate, np.zeros(codes, np.int32))


@move_weight.register(Replies)
def reply_weight(policy: Replies, before: Moves, step: int, code: int) -> float:
    """Return `rate` for the last good reply, 1 for other moves."""
    return policy.rate if step > 0 and policy.reply[before[step - 1]] == code + 1 else 1.0


@learn_playout.register(Replies)
def learn_replies(policy: Replies, made: Made) -> None:
    """Note the replies of the winner, and forget those of others."""
    for step in range(1, made.steps):
        before, code = made.code[step - 1], made.code[step]
        if made.rewards[made.player[step]] == made.least + made.span:
            policy.reply[before] = code + 1
        elif policy.reply[before] == code + 1:
            policy.reply[before] = 0


@dataclass(frozen=True)
class Replied(TreeAlgorithm):
    """UCB1-Tuned with last good replies.

    Parameters
    ----------
    exploration : float
        Factor of the confidence bound.
    policy : str
        Policy of the playouts.
    policy_rate : float
        How many times likelier a good reply is than another move.
    """

    name: ClassVar[str] = "replied"
    label: ClassVar[str] = "Last good replies"
    rule: ClassVar[type] = Tuned
    policies: ClassVar[dict[str, type]] = {"replies": Replies}
    exploration: Factor = 1.0
    policy: str = "replies"
    policy_rate: Factor = 20.0
