"""Sequences that can form all structures of a switch: which there are, and changes between them.

Positions that pair in some structure are a graph. Each of its connected components must be
bipartite [1]_: one side has A and G, the other C and U. Then GU, GC and AU are pairs and only A
and C at the two ends of an edge are not; so with a *bit* of 1 for A and C, 0 for G and U, what
fits are the independent sets of a bipartite graph. All bits 0 fit always, unless bases are fixed.

References
----------
.. [1] C. Flamm, I. Hofacker, S. Maurer-Stroh, P. Stadler, M. Zehl, Design of multistable RNA
   molecules, 2001.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from solver.domains.rna.text import IUPAC
from solver.errors import UnsolvableError

#: Letters by the side of a component, and by their bits.
LETTERS = (("G", "A"), ("U", "C"))
_SIDE = {letter: side for side, letters in enumerate(LETTERS) for letter in letters}
_BIT = {letter: bit for letters in LETTERS for bit, letter in enumerate(letters)}
#: Probabilities of unpaired bases, and of the bit 1 on either side.
UNPAIRED = {"A": 0.7, "G": 0.15, "U": 0.1, "C": 0.05}
ONES = (0.3, 0.7)
#: Rates of turned pairs and larger components; a base that became G or U becomes part of a
#: Watson-Crick pair.
TURN_PAIR, TURN_MORE, STRENGTHEN = 0.4, 0.1, 0.8
#: Positions that messages list.
SHOWN = 7


class Compatible:
    """Sequences compatible with all structures and the fixed bases.

    Parameters
    ----------
    partners : list of list of int
        For each structure the other end of the pair of each position, -1 where there is none.
    bases : str
        IUPAC letters.
    name : str
        Name of the target, for messages.

    Raises
    ------
    UnsolvableError
        If nothing fits.
    """

    def __init__(self, partners: Sequence[Sequence[int]], bases: str, name: str) -> None:
        n = len(bases)
        self.allowed = [IUPAC[letter] for letter in bases]
        self.neighbours = [sorted({pairs[i] for pairs in partners} - {-1}) for i in range(n)]
        self.component: list[list[int]] = [[] for _ in range(n)]
        """Positions of the component of each position, itself alone where it never pairs."""
        self._side = [0] * n
        self._turns: list[list[int]] = [[] for _ in range(n)]
        for position in range(n):
            if not self.component[position]:
                self._add_component(position, name)

    def _add_component(self, first: int, name: str) -> None:
        """Find the component of `first`, the side of its positions, and how it can be turned."""
        found, before = [first], {first: -1}
        for position in found:
            for neighbour in self.neighbours[position]:
                if neighbour not in before:
                    before[neighbour] = position
                    self._side[neighbour] = 1 - self._side[position]
                    found.append(neighbour)
                elif self._side[neighbour] == self._side[position]:
                    cycle = _cycle(before, position, neighbour)
                    raise UnsolvableError(
                        f"{name}: the pairs of {_listed(cycle)} are a cycle of {len(cycle)}, an "
                        "odd number: no sequence has all of these structures"
                    )
        turns = [turn for turn in (0, 1) if self._is_possible(found, turn)]
        if not turns and len(found) > 1:
            raise UnsolvableError(
                f"{name}: the fixed bases of positions {_listed(sorted(found))} leave no sequence "
                "that has all of these structures"
            )
        for position in found:
            self.component[position], self._turns[position] = found, turns

    def _is_possible(self, component: list[int], turn: int) -> bool:
        """Return whether the fixed bases allow `turn` for a component."""
        return all(self._bits(position, turn) for position in component) and not any(
            self._bits(position, turn) == self._bits(neighbour, turn) == [1]
            for position in component
            for neighbour in self.neighbours[position]
        )

    def _bits(self, position: int, turn: int) -> list[int]:
        """Bits that a position can have."""
        letters = LETTERS[self._side[position] ^ turn]
        return [bit for bit in (0, 1) if letters[bit] in self.allowed[position]]

    @property
    def is_single(self) -> bool:
        """True if exactly one sequence fits."""
        return all(
            len(self.allowed[component[0]]) == 1
            if len(component) == 1
            else len(self._turns[component[0]]) == 1
            and all(self._is_fixed(i, self._turns[component[0]][0]) for i in component)
            for component in self.component
        )

    def _is_fixed(self, position: int, turn: int) -> bool:
        """Return whether one bit is left; 1 is not left beside one that can only be 1."""
        return len(self._bits(position, turn)) == 1 or any(
            self._bits(neighbour, turn) == [1] for neighbour in self.neighbours[position]
        )

    def drawn(self, random: Random) -> str:
        """Draw a sequence; consumes `random`."""
        letters = []
        for position, allowed in enumerate(self.allowed):
            side = random.randrange(2)
            paired = LETTERS[side][random.random() < ONES[side]]
            letters.append(paired if self.neighbours[position] else _unpaired(allowed, random))
        return self.near("".join(letters), random)

    def near(self, sequence: str, random: Random) -> str:
        """Return a sequence that fits, and has many of the letters of `sequence`."""
        letters = list(sequence)
        for first, component in enumerate(self.component):
            if component[0] == first:
                self._fit(letters, component, random)
        return "".join(letters)

    def _fit(self, letters: list[str], component: list[int], random: Random) -> None:
        """Change the letters of a component until they fit."""
        first = component[0]
        if len(component) == 1:
            if letters[first] not in self.allowed[first]:
                letters[first] = _unpaired(self.allowed[first], random)
            return

        def agreeing(turn: int) -> int:
            return sum(_SIDE[letters[i]] == self._side[i] ^ turn for i in component)

        turn = max(self._turns[first], key=lambda turn: (agreeing(turn), random.random()))
        bits = {i: self._bit_wanted(letters[i], i, turn, random) for i in component}

        def rank(position: int) -> tuple[bool, float]:
            return self._bits(position, turn) != [1], random.random()

        for position in sorted(component, key=rank):  # ones that must be, which never meet, first
            if bits[position]:
                for neighbour in self.neighbours[position]:
                    bits[neighbour] = 0
        for position in component:
            letters[position] = LETTERS[self._side[position] ^ turn][bits[position]]

    def _bit_wanted(self, letter: str, position: int, turn: int, random: Random) -> int:
        """Bit of a letter, or where that is on the other side a drawn one."""
        side, bits = self._side[position] ^ turn, self._bits(position, turn)
        wanted = _BIT[letter] if _SIDE[letter] == side else int(random.random() < ONES[side])
        return wanted if wanted in bits else bits[0]

    def changed(self, sequence: str, position: int, random: Random) -> str:
        """Return a sequence with another letter at `position` if there is one that fits."""
        letters, component = list(sequence), self.component[position]
        if len(component) == 1:
            others = self.allowed[position].replace(sequence[position], "")
            if others:
                letters[position] = _unpaired(others, random)
            return "".join(letters)
        turning = TURN_PAIR if len(component) == 2 else TURN_MORE
        turn = _SIDE[sequence[position]] ^ self._side[position]
        if len(self._turns[position]) == 2 and random.random() < turning:
            for i in component:  # its complement, as far as that fits
                letters[i] = LETTERS[1 - _SIDE[letters[i]]][1 - _BIT[letters[i]]]
            self._fit(letters, component, random)
        elif _BIT[sequence[position]]:
            self._set(letters, position, turn, 0)
            for neighbour in self.neighbours[position]:
                free = all(not _BIT[letters[i]] for i in self.neighbours[neighbour])
                if free and random.random() < STRENGTHEN:
                    self._set(letters, neighbour, turn, 1)
        elif all(0 in self._bits(i, turn) for i in self.neighbours[position]):
            self._set(letters, position, turn, 1)
            if _BIT[letters[position]]:
                for neighbour in self.neighbours[position]:
                    self._set(letters, neighbour, turn, 0)
        return "".join(letters)

    def _set(self, letters: list[str], position: int, turn: int, bit: int) -> None:
        """Change the bit of a position if fixed bases let it."""
        if bit in self._bits(position, turn):
            letters[position] = LETTERS[self._side[position] ^ turn][bit]


def _unpaired(letters: str, random: Random) -> str:
    """Draw a letter for a base that never pairs."""
    return random.choices(letters, [UNPAIRED[letter] for letter in letters])[0]


def _cycle(before: dict[int, int], one: int, other: int) -> list[int]:
    """Positions of the cycle that the edge of `one` and `other` closes in a tree."""
    path = [one]
    while before[path[-1]] >= 0:
        path.append(before[path[-1]])
    branch = [other]
    while branch[-1] not in path:
        branch.append(before[branch[-1]])
    return path[: path.index(branch[-1])] + branch[::-1]


def _listed(positions: Sequence[int]) -> str:
    """Positions, counted from 1, the first ones of many."""
    shown = ", ".join(str(position + 1) for position in positions[:SHOWN])
    return shown if len(positions) <= SHOWN else f"{shown} ..."
