"""Decisions of many files, made ready for the passes of a fit, in memory as far as there is room.

Instances are parted by the digits of their digests: most train, some choose the parameters of the
fit, some judge it. Decisions beyond the memory's room are read again at each pass.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipeline.tables.checks import check_decisions
from pipeline.tables.decisions import (
    DECISION,
    GROUP,
    INSTANCE,
    PLAYED,
    column_of,
    whole_decisions,
)
from solver.contract.codes import PriorCode
from solver.contract.domain import Domain
from solver.kernels.likelihood import Block

#: Parts of the instances, by the digest of an instance modulo 10.
TRAINING, CHOOSING, JUDGING = "training", "choosing", "judging"
PARTS = (TRAINING, CHOOSING, JUDGING)
_PART_OF_DIGIT = np.array([2, 1, 0, 0, 0, 0, 0, 0, 0, 0])
#: Bytes of decisions that are kept in memory.
ROOM = 1 << 30
#: Moves of the largest block but one decision's, and of those that are made one.
BLOCK_MOVES = 1 << 21


class Blocks:
    """Decisions of `files`, a prior's rows numbered among those that were ever possible.

    Parameters
    ----------
    files : sequence of Path
        Tables of `pipeline.tables.decisions`.
    seen : int64[rows seen]
        Dense rows that were ever possible, in order.
    room : int
        Bytes of decisions that may be kept in memory.
    """

    def __init__(
        self,
        files: Sequence[Path],
        domain: Domain,
        code: PriorCode,
        seen: npt.NDArray[np.int64],
        room: int = ROOM,
    ) -> None:
        self.domain, self.code = domain, code
        self.seen = seen
        self._place = np.full(code.rows, -1, np.int32)
        self._place[seen] = np.arange(len(seen), dtype=np.int32)
        self._kept: dict[str, list[Block]] = {part: [] for part in PARTS}
        self._later: list[Path] = []
        self._checked: set[Path] = set()
        pending: list[Block] = []
        asked_room = room
        for number, path in enumerate(files):
            if room <= 0:
                self._later = list(files[number:])
                break
            for part, block in self._parts(path):
                if part == TRAINING:
                    pending.append(block)
                    continue
                self._kept[part].append(block)
                room -= _bytes(block)
            if sum(len(block.right) for block in pending) >= BLOCK_MOVES:
                pending = [without_repeats(joined(pending))]
                if len(pending[0].right) >= BLOCK_MOVES // 2:
                    self._kept[TRAINING].append(pending.pop())
                    room -= _bytes(self._kept[TRAINING][-1])
        if pending:
            self._kept[TRAINING].append(without_repeats(joined(pending)))
            room -= _bytes(self._kept[TRAINING][-1])
        self.kept_bytes = asked_room - room

    def of(self, parts: Iterable[str]) -> Iterator[Block]:
        """Yield the decisions of some parts of the instances, in no order that means anything."""
        asked = set(parts)
        for part in PARTS:
            if part in asked:
                yield from self._kept[part]
        for path in self._later:
            yield from (block for _, block in self._parts(path, asked))

    def _parts(self, path: Path, asked: Container[str] = PARTS) -> Iterator[tuple[str, Block]]:
        """Decisions of a file, by the part of their instances."""
        if path not in self._checked:
            check_decisions(path, self.domain)
            self._checked.add(path)
        for table in whole_decisions(path):
            block = self._block(table)
            part = _PART_OF_DIGIT[block.instance % 10]
            for number, name in enumerate(PARTS):
                chosen = np.flatnonzero(part == number)
                if len(chosen) and name in asked:
                    yield name, selected(block, chosen)

    def _block(self, table: pa.Table) -> Block:
        decision, group = table[DECISION].to_numpy(), table[GROUP].to_numpy()
        begin = np.flatnonzero(np.diff(decision, prepend=-1))
        # Of each decision one move was played.
        right_group = group[np.flatnonzero(table[PLAYED].to_numpy())]
        singles = zip(self.code.singles, self.code.first_rows, strict=True)
        rows = [
            self._place[table[column_of(part.name)].to_numpy() + first] for part, first in singles
        ]
        return Block(
            end=np.append(begin, len(decision)),
            rows=np.ascontiguousarray(np.column_stack(rows)),
            right=group == right_group[decision - decision[0]],
            times=np.ones(len(begin), np.int64),
            instance=table[INSTANCE].to_numpy()[begin],
        )


def selected(block: Block, decisions: npt.NDArray[np.int64]) -> Block:
    """Return some of the decisions of `block`, by their numbers in order."""
    begin, end = block.end[decisions], block.end[decisions + 1]
    sizes = end - begin
    ends = np.append(0, np.cumsum(sizes))
    moves = np.repeat(begin - ends[:-1], sizes) + np.arange(ends[-1])
    return Block(
        ends, block.rows[moves], block.right[moves], block.times[decisions],
        block.instance[decisions],
    )  # fmt: skip


def joined(blocks: Sequence[Block]) -> Block:
    """Return the decisions of all `blocks` as one."""
    sizes = [np.diff(block.end) for block in blocks]
    return Block(
        np.append(0, np.cumsum(np.concatenate(sizes))),
        *(np.concatenate([getattr(block, name) for block in blocks]) for name in Block._fields[1:]),
    )


def without_repeats(block: Block) -> Block:
    """Return each decision once, with the number of times that it was met.

    Decisions are the same if they have the same moves in the same order, as the last bits of a sum
    depend on it; of two moves they do not. They are told apart by a sum of 64-bit hashes, which
    differs but for one of some 10^19 pairs.
    """
    if not len(block.times):
        return block
    mixed = _mixed(block.right.astype(np.uint64) + np.uint64(1))
    for rows in block.rows.T:
        mixed = _mixed(mixed + rows.astype(np.uint64))
    sizes = np.diff(block.end)
    places = np.arange(len(mixed)) - np.repeat(block.end[:-1], sizes)
    places[np.repeat(sizes == 2, sizes)] = 0
    mixed = _mixed(mixed + places.astype(np.uint64))
    sums = np.add.reduceat(mixed, block.end[:-1])
    _, first, inverse = np.unique(sums, return_index=True, return_inverse=True)
    order = np.argsort(first)
    times = np.zeros(len(first), np.int64)
    np.add.at(times, inverse, block.times)
    return selected(block, first[order])._replace(times=times[order])


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Finaliser of splitmix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values + np.uint64(0x9E3779B97F4A7C15)


def _bytes(block: Block) -> int:
    return sum(array.nbytes for array in block)
