"""Sequences that fulfil all tables: whether there is one, and changes between them.

Pairs are tables of two positions, so pairs, codons, domains and lists of words are one kind of
constraint. Words that fit no word of another table are struck out first (generalised arc
consistency); what is left is searched by backtracking. A change of a letter is repaired in the
tables that it breaks, one after the other (an ejection chain), with as few other letters as
possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from solver.domains.rna.plans.table import Table, letters_at
from solver.domains.rna.states.compatible import UNPAIRED
from solver.domains.rna.text import IUPAC, PAIRS
from solver.errors import UnsolvableError

#: Words tried in a repair, and for each table in it.
MOST_REPAIRS, MOST_WORDS = 60, 5
#: Assignments of a position between two restarts of the first search, and restarts.
MOST_NODES, RESTARTS = 4000, 10
#: Advantage of GC and AU over GU, in letters that a repair changes.
STRONG = 0.4
_STRONG = {"GC", "CG", "AU", "UA"}


#: Letters and words left, positions fixed, and the letter to fix next.
_Node = tuple[list[set[str]], list[list[str]], int, str | None]


def pair_table(i: int, j: int) -> Table:
    """Return the table of a base pair."""
    return Table(f"the pair of positions {i + 1} and {j + 1}", (i, j), PAIRS)


class Assignments:
    """Sequences that fulfil tables and fixed bases.

    Parameters
    ----------
    bases : str
        IUPAC letters.
    tables : sequence of Table
        Constraints; those of pairs, too.
    name : str
        Name of the target, for messages.

    Raises
    ------
    UnsolvableError
        If no sequence fulfils them.
    """

    def __init__(self, bases: str, tables: Sequence[Table], name: str) -> None:
        self._name = name
        self._what = [table.what for table in tables]
        self._positions = [tuple(table.positions) for table in tables]
        self._at: list[list[int]] = [[] for _ in bases]
        for number, positions in enumerate(self._positions):
            for position in positions:
                self._at[position].append(number)
        domains = [set(IUPAC[letter]) for letter in bases]
        words = [list(dict.fromkeys(table.words)) for table in tables]
        broken = self._strike(domains, words, range(len(tables)))
        if broken is not None:
            raise UnsolvableError(
                f"{name}: {self._what[broken]}: no word of it fits the fixed bases and what else "
                "is asked for"
            )
        self.allowed = ["".join(sorted(domain)) for domain in domains]
        self._words = words
        self._fits = [frozenset(listed) for listed in words]
        self._solved(["N"] * len(bases), Random(0))

    @property
    def is_single(self) -> bool:
        """True if exactly one sequence fits."""
        return all(len(letters) == 1 for letters in self.allowed)

    def _strike(
        self, domains: list[set[str]], words: list[list[str]], begin: Sequence[int]
    ) -> int | None:
        """Strike out words that cannot be; the number of a table that has none left, or None."""
        waiting, queued = list(begin), set(begin)
        while waiting:
            number = waiting.pop()
            queued.discard(number)
            positions = self._positions[number]
            kept = [
                word
                for word in words[number]
                if all(c in domains[p] for c, p in zip(word, positions, strict=True))
            ]
            if not kept:
                return number
            words[number] = kept
            for index, position in enumerate(positions):
                left = {word[index] for word in kept} & domains[position]
                if len(left) < len(domains[position]):
                    domains[position] = left
                    more = [n for n in self._at[position] if n != number and n not in queued]
                    waiting += more
                    queued.update(more)
        return None

    def _solved(self, preferred: list[str], random: Random) -> str:
        """Return a sequence that fits, with letters of `preferred` where that is easy."""
        for _ in range(RESTARTS):
            budget = [MOST_NODES]
            domains = [set(letters) for letters in self.allowed]
            found = self._assigned(domains, list(self._words), preferred, random, budget)
            if found is not None:
                return found
            if budget[0] > 0:
                raise UnsolvableError(f"{self._name}: no sequence is all that is asked for")
        raise UnsolvableError(
            f"{self._name}: no sequence that fits all that is asked for was found"
        )

    def _assigned(
        self,
        domains: list[set[str]],
        words: list[list[str]],
        preferred: list[str],
        random: Random,
        budget: list[int],
    ) -> str | None:
        """Fix position after position, depth first; None if that is impossible or too long."""
        order = sorted(range(len(domains)), key=lambda i: (-len(self._at[i]), random.random()))
        stack: list[_Node] = [(domains, words, 0, None)]
        while stack:
            domains, words, depth, letter = stack.pop()
            if letter is not None:
                budget[0] -= 1
                if budget[0] <= 0:
                    return None
                domains, words = list(domains), list(words)
                position = order[depth]
                domains[position] = {letter}
                if self._strike(domains, words, self._at[position]) is not None:
                    continue
                depth += 1
            while depth < len(order) and len(domains[order[depth]]) == 1:
                depth += 1
            if depth == len(order):
                return "".join(next(iter(domain)) for domain in domains)
            position = order[depth]
            letters = sorted(domains[position])
            random.shuffle(letters)
            letters.sort(key=lambda one: one == preferred[position])  # the last is tried first
            stack += [(domains, words, depth, one) for one in letters]
        return None

    def drawn(self, random: Random) -> str:
        """Draw a sequence; consumes `random`."""
        letters = [self._letter(position, allowed, random) for position, allowed in
                   enumerate(self.allowed)]  # fmt: skip
        return self._solved(letters, random)

    def near(self, sequence: str, random: Random) -> str:
        """Return a sequence that fits, and has many of the letters of `sequence`."""
        letters = list(sequence)
        for position, allowed in enumerate(self.allowed):
            if letters[position] not in allowed:
                letters[position] = self._letter(position, allowed, random)
        if all(self._holds(letters, number) for number in range(len(self._words))):
            return "".join(letters)
        return self._solved(letters, random)

    def changed(self, sequence: str, position: int, random: Random) -> str:
        """Return a sequence with another letter at `position` if one that fits is found."""
        others = self.allowed[position].replace(sequence[position], "")
        if not others:
            return sequence
        return self.with_letters(sequence, {position: self._letter(position, others, random)},
                                 random)  # fmt: skip

    def with_letters(self, sequence: str, wanted: dict[int, str], random: Random) -> str:
        """Return a sequence with letters at some positions, others changed to fit.

        The same sequence if none is found.
        """
        letters = list(sequence)
        pending: list[int] = []
        for position, letter in wanted.items():
            letters[position] = letter
            pending += self._at[position]
        found = self._mended(letters, frozenset(wanted), pending, random, [MOST_REPAIRS])
        return sequence if found is None else "".join(found)

    def _holds(self, letters: Sequence[str], number: int) -> bool:
        return letters_at(letters, self._positions[number]) in self._fits[number]

    def _letter(self, position: int, letters: str, random: Random) -> str:
        """Draw one of `letters` for a position."""
        if self._at[position]:
            return random.choice(letters)
        return random.choices(letters, [UNPAIRED[letter] for letter in letters])[0]

    def _mended(
        self,
        letters: list[str],
        locked: frozenset[int],
        pending: list[int],
        random: Random,
        budget: list[int],
    ) -> list[str] | None:
        """Repair the tables of `pending` without changing `locked` positions; None in vain."""
        pending = list(pending)
        while pending:
            number = pending.pop()
            if self._holds(letters, number):
                continue
            positions = self._positions[number]
            for word in self._repairs(letters, locked, number, random):
                budget[0] -= 1
                if budget[0] < 0:
                    return None
                tried, further = list(letters), list(pending)
                for letter, position in zip(word, positions, strict=True):
                    if tried[position] != letter:
                        tried[position] = letter
                        further += [n for n in self._at[position] if n != number]
                fixed = locked.union(positions)
                found = self._mended(tried, fixed, further, random, budget)
                if found is not None:
                    return found
            return None
        return letters

    def _repairs(
        self, letters: list[str], locked: frozenset[int], number: int, random: Random
    ) -> list[str]:
        """Words of a table that keep the locked letters, those that change few others first."""
        positions = self._positions[number]
        bound = [(i, letters[p]) for i, p in enumerate(positions) if p in locked]
        now = letters_at(letters, positions)
        ranked = []
        for word in self._words[number]:
            if all(word[i] == letter for i, letter in bound):
                distance = sum(a != b for a, b in zip(word, now, strict=True))
                ranked.append((distance + random.random() - STRONG * (word in _STRONG), word))
        ranked.sort()
        return [word for _, word in ranked[:MOST_WORDS]]
