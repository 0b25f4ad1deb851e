"""Answers that searches find, as the domain reads them in a state."""

from __future__ import annotations

from typing import Any

from solver.contract.domain import Puzzle
from solver.errors import InputError


def answer_in(domain: Puzzle, instance: Any, state: Any) -> Any:
    """Return the answer in `state`, the end of a playout of `instance`.

    Raises
    ------
    InputError
        If the domain returns None, which stands for the lack of a playout.
    """
    answer = domain.answer(instance, state)
    if answer is None:
        raise InputError(f"{domain.name}: answer returns None, expected the answer")
    return answer
