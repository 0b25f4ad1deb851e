from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from solver.compiling.jit import kernel
from solver.compiling.random import (
    Stream,
    jump_kernel,
    new_stream,
    next_below,
    next_uint64,
    next_uniform,
    shuffle,
)
from tests.reference import xoshiro256pp

WORD = st.integers(0, 2**64 - 1)
STATE = st.lists(WORD, min_size=4, max_size=4)


@kernel
def fill(stream: Stream, words: Any, uniforms: Any, below: Any, bound: int) -> None:
    """Draw with the compiled functions, one array after the other."""
    for index in range(len(words)):
        words[index] = next_uint64(stream)
    for index in range(len(uniforms)):
        uniforms[index] = next_uniform(stream)
    for index in range(len(below)):
        below[index] = next_below(stream, bound)


@kernel
def shuffle_rows(stream: Stream, rows: Any) -> None:
    for row in rows:
        shuffle(stream, row)


def draw(
    stream: Stream, words: int = 0, uniforms: int = 0, below: int = 0, bound: int = 1
) -> tuple[Any, Any, Any]:
    drawn = np.zeros(words, np.uint64), np.zeros(uniforms), np.zeros(below, np.int64)
    fill(stream, *drawn, bound)
    return drawn


def stream_of(state: list[int]) -> Stream:
    return np.array(state, np.uint64)


@given(STATE)
@example([1, 2, 3, 4])
@example([2**64 - 1] * 4)
def test_words_equal_the_reference_generator(state: list[int]) -> None:
    """Outputs and states are those of xoshiro256++ computed with Python's integers."""
    stream = stream_of(state)
    words, _, _ = draw(stream, words=20)
    assert words.tolist() == [xoshiro256pp(state) for _ in range(20)]
    assert stream.tolist() == state


def bits_of(state: list[int]) -> Any:
    """The 256 bits of a state, as numbers."""
    words = np.array(state, "<u8")
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(np.float32)


def test_a_jump_is_so_many_steps() -> None:
    """A step is a matrix over the field of two elements: its power 2**128 is what a jump does."""
    step = np.zeros((256, 256), np.float32)
    for bit in range(256):
        state = [(1 << bit) >> 64 * word & 2**64 - 1 for word in range(4)]
        xoshiro256pp(state)
        step[:, bit] = bits_of(state)
    for _ in range(128):
        step = (step @ step) % 2
    stream = new_stream(7)
    expected = (step @ bits_of(stream.tolist())) % 2
    jump_kernel(stream)
    assert np.array_equal(bits_of(stream.tolist()), expected)


def test_first_words_of_the_published_generator() -> None:
    """The first outputs from state 1, 2, 3, 4 are the published ones."""
    words, _, _ = draw(stream_of([1, 2, 3, 4]), words=4)
    assert words.tolist() == [41943041, 58720359, 3588806011781223, 3591011842654386]


def test_interpreted_words_equal_compiled_ones() -> None:
    """The functions give the same words when Python runs them."""
    words, uniforms, below = draw(new_stream(5), 50, 50, 50, 7)
    stream = new_stream(5)
    with np.errstate(over="ignore"):
        assert [int(next_uint64(stream)) for _ in range(50)] == words.tolist()
        assert [next_uniform(stream) for _ in range(50)] == uniforms.tolist()
        assert [next_below(stream, 7) for _ in range(50)] == below.tolist()


def test_uniform_is_the_high_bits_of_a_word() -> None:
    """A uniform is the 53 high bits of one word, in [0, 1) even for the largest word."""
    words, _, _ = draw(new_stream(1), words=100)
    _, uniforms, _ = draw(new_stream(1), uniforms=100)
    assert uniforms.tolist() == [(word >> 11) / 2**53 for word in words.tolist()]
    largest = stream_of([2**64 - 1, 0, 0, 1])
    assert draw(largest.copy(), words=1)[0].tolist() == [2**64 - 1]
    assert draw(largest, uniforms=1)[1].tolist() == [1.0 - 2.0**-53]


@given(bound=st.integers(1, 2**53), seed=st.integers(0, 2**32))
@example(bound=1, seed=0)
@example(bound=3, seed=0)
@example(bound=2**53, seed=0)
def test_next_below_is_in_range(bound: int, seed: int) -> None:
    """Integers are in [0, bound), also for the largest word a stream can give."""
    _, _, below = draw(new_stream(seed), below=50, bound=bound)
    assert below.min() >= 0
    assert below.max() < bound
    _, _, top = draw(stream_of([2**64 - 1, 0, 0, 1]), below=1, bound=bound)
    assert top.tolist() == [bound - 1]


@pytest.mark.parametrize("bound", [2, 7, 1000])
def test_next_below_is_uniform(bound: int) -> None:
    """Counts of 200,000 integers pass a chi-square test."""
    _, _, below = draw(new_stream(2026), below=200_000, bound=bound)
    counts = np.bincount(below, minlength=bound)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_streams_of_different_keys_differ() -> None:
    """Seeds, run numbers and longer keys all name streams of their own."""
    names = [(seed, *key) for seed in range(20) for key in [(), *((k,) for k in range(20)), (0, 0)]]
    states = {tuple(new_stream(*name).tolist()) for name in names}
    assert len(states) == len(names)


def test_streams_of_neighbouring_keys_are_uncorrelated() -> None:
    """First uniforms of 20,000 runs of one seed are uniform, and independent of the next run's."""
    first = np.array([draw(new_stream(3, key), uniforms=1)[1][0] for key in range(20_000)])
    assert stats.kstest(first, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 4 / np.sqrt(len(first))


def test_a_stream_is_a_fresh_array_of_the_same_words() -> None:
    """Asking twice for a stream gives equal arrays that share no memory."""
    one, two = new_stream(9, 4), new_stream(9, 4)
    draw(one, words=1)
    assert two.tolist() == new_stream(9, 4).tolist() != one.tolist()
    assert two.dtype == np.uint64
    assert two.shape == (4,)


@given(length=st.integers(0, 30), seed=st.integers(0, 1000))
def test_shuffle_is_a_permutation(length: int, seed: int) -> None:
    """Shuffling keeps every item."""
    rows = np.arange(length)[None, :].copy()
    shuffle_rows(new_stream(seed), rows)
    assert sorted(rows[0].tolist()) == list(range(length))


def test_shuffle_is_uniform() -> None:
    """The 24 orders of four items are equally frequent by a chi-square test."""
    rows = np.tile(np.arange(4), (48_000, 1))
    shuffle_rows(new_stream(7), rows)
    counts = np.unique(rows @ [64, 16, 4, 1], return_counts=True)[1]
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-4
