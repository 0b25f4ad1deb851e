"""Structures and letters in plain Python, for checkers that share nothing with the project."""

from __future__ import annotations


def pairs_of(structure: str) -> dict[int, int]:
    """Partners of the positions of a structure, `&` left out."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for i, mark in enumerate(structure.replace("&", "")):
        if mark == "(":
            opened.append(i)
        elif mark == ")":
            found[i] = opened.pop()
            found[found[i]] = i
    return found


def agrees(asked: str, fold: str) -> bool:
    """Return whether a fold has the pairs and unpaired bases of a structure, N left out."""
    here, there = pairs_of(asked), pairs_of(fold)
    marks = asked.replace("&", "")
    return all(mark == "N" or here.get(i) == there.get(i) for i, mark in enumerate(marks))


def gc(letters: str) -> float:
    """Share of G and C, in per cent."""
    return 100 * (letters.count("G") + letters.count("C")) / len(letters)
