"""Random streams: xoshiro256++ (Blackman and Vigna, 2021), one stream per run.

A stream is a uint64[4] array that the functions below consume, i.e. change in
place. Streams are seeded from `numpy.random.SeedSequence`, so that run `i` of
seed `s` has the same stream whatever thread executes it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.errors import FieldError

Stream = npt.NDArray[np.uint64]

_TO_UNIT = 1.0 / (1 << 53)
#: The polynomial of 2**128 steps, from the C code of xoshiro256++.
_JUMP = np.array(
    [0x180EC6D33CFD0ABA, 0xD5A61266F0C9392C, 0xA9582618E03FC9AA, 0x39ABDC4529B1661C], np.uint64
)


def new_stream(seed: int, *key: int) -> Stream:
    """Return the stream number `key` of `seed`, a fresh uint64[4] array.

    Raises
    ------
    InputError
        If `seed` is negative.
    """
    if seed < 0:
        raise FieldError("seed", f"is {seed}, expected 0 or more")
    sequence = np.random.SeedSequence(seed, spawn_key=key)
    return sequence.generate_state(4, np.uint64).astype(np.uint64)


@inlined
def _rotate_left(x: np.uint64, bits: int) -> np.uint64:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@inlined
def next_uint64(stream: Stream) -> np.uint64:
    """Consume one step of `stream` and return 64 random bits."""
    result = _rotate_left(stream[0] + stream[3], 23) + stream[0]
    shifted = stream[1] << np.uint64(17)
    stream[2] ^= stream[0]
    stream[3] ^= stream[1]
    stream[1] ^= stream[2]
    stream[0] ^= stream[3]
    stream[2] ^= shifted
    stream[3] = _rotate_left(stream[3], 45)
    return result


@inlined
def jump(stream: Stream) -> None:
    """Advance `stream` by 2**128 steps: the new stream never meets the old one."""
    first = second = third = fourth = np.uint64(0)
    for index in range(256):
        word = _JUMP[index >> 6]
        if (word >> np.uint64(index & 63)) & np.uint64(1):
            first ^= stream[0]
            second ^= stream[1]
            third ^= stream[2]
            fourth ^= stream[3]
        next_uint64(stream)
    stream[0], stream[1], stream[2], stream[3] = first, second, third, fourth


#: `jump` alone, for Python.
jump_kernel = kernel(jump)


@inlined
def next_uniform(stream: Stream) -> float:
    """Consume one step of `stream` and return a float64 in [0, 1)."""
    return float(next_uint64(stream) >> np.uint64(11)) * _TO_UNIT


@inlined
def next_below(stream: Stream, bound: int) -> int:
    """Consume one step of `stream` and return an integer in [0, bound).

    Takes the high bits of a 53-bit uniform; the bias is below bound / 2**53.
    """
    return int(next_uniform(stream) * bound)


@inlined
def next_place(stream: Stream, n: int) -> int:
    """`next_below`, but a single one is no matter of chance and consumes no step."""
    return next_below(stream, n) if n > 1 else 0


@kernel
def shuffle(stream: Stream, items: npt.NDArray[np.int64]) -> None:
    """Permute `items` in place, uniformly (Fisher and Yates), consuming `stream`."""
    for last in range(len(items) - 1, 0, -1):
        other = next_below(stream, last + 1)
        items[last], items[other] = items[other], items[last]
