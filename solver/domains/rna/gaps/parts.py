"""Parts of a target that can be solved by themselves: the regions that its helices close.

Many a part would not fold alone, as the open chain has less energy. So its first and last base
are taken to pair, and only what is between them is to fold right.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from solver.contract.rules import Moves
from solver.domains.rna.contexts import PLACE
from solver.domains.rna.kernels import Rna
from solver.domains.rna.requests.kernels import requests_of_part

#: Least length of a part; each is so many times as long as the longest within it, at least.
LEAST, GROWTH = 12, 1.15


def parts_of(instance: Rna) -> Iterator[tuple[Rna, Moves]]:
    """Yield the parts of a target, those within others first.

    Yields
    ------
    Rna, int64[steps]
        The target of a part, the same object where parts are alike, and the numbers that its steps
        have in the whole.
    """
    alike: dict[bytes, Rna] = {}
    partner = instance.partner
    outermost = [
        i for i, p in enumerate(partner) if p > i and not (i > 0 and partner[i - 1] == p + 1)
    ]
    longest: list[tuple[int, int]] = []
    for first in sorted(outermost, key=lambda i: int(partner[i]) - i):
        last = int(partner[first])
        length = last - first + 1
        within = max((b - a + 1 for a, b in longest if first < a and b < last), default=0)
        if max(LEAST, GROWTH * within) <= length < len(partner):
            longest.append((first, last))
            part, steps = _part(instance, first, last)
            yield alike.setdefault(_content(part), part), steps


def _part(instance: Rna, first: int, last: int) -> tuple[Rna, Moves]:
    """The target from `first` to `last`, which pair."""
    inside = slice(first, last + 1)
    steps = np.flatnonzero((instance.position >= first) & (instance.position <= last))
    partner = instance.partner[inside]
    part = instance._replace(
        target=np.append(instance.target[inside], np.uint8(0)),
        partner=np.where(partner < 0, partner, partner - first).astype(np.int32),
        position=(instance.position[steps] - first).astype(np.int32),
        allowed=instance.allowed[steps].copy(),
        situation=instance.situation[inside].copy(),
        context=_moved(instance.context[inside], first),
        n_pairs=int((partner >= 0).sum()) // 2,
        requests=requests_of_part(instance.requests, first, last),
        enclosed=True,
    )
    return part, steps.astype(np.int64)


def _content(part: Rna) -> bytes:
    """Return the bytes that a design of a part depends on."""
    asked = (np.asarray(array).tobytes() for array in part.requests)
    return b"|".join((part.target.tobytes(), part.allowed.tobytes(), *asked))


def _moved(context: npt.NDArray[np.int32], first: int) -> npt.NDArray[np.int32]:
    """Return the contexts of the positions of a part, int32[n, 3], counted from its `first`."""
    moved = np.maximum(context - first, -1).astype(np.int32)
    moved[:, PLACE] = context[:, PLACE]
    return moved
