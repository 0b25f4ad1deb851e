"""Files of answers: the text or the JSON that `solve` prints, or what others wrote like it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from solver.errors import InputError, UnsolvableError, quoted

if TYPE_CHECKING:
    from solver.contract.domain import Problem, Puzzle


@dataclass(frozen=True)
class StatedAnswer:
    """An answer as a file states it."""

    problem: Problem
    source: str
    """File and place in it, for messages."""
    text: str | None
    """Answer in the domain's format; None where the file states that there is none."""
    score: float | None = None
    """Score that the file states, None without one."""
    infeasible: bool = False
    """True if the problem is said to have no answer."""


class _Namesakes:
    """Problems by name; answers to those of one name come in their order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.of: dict[str, list[Problem]] = {}
        for problem in problems:
            self.of.setdefault(problem.name, []).append(problem)
        self._last: dict[str, tuple[int, int | None]] = {}

    def next_of(self, name: str, number: Any, where: str) -> Problem:
        """Return the problem of the next answer to `name`.

        Several answers to a problem have numbers that grow, or else it is the only one of its name.
        """
        namesakes = self.of[name]
        place, last = self._last.get(name, (-1, None))
        if not isinstance(number, int) or last is None or number <= last:
            place += 1
        self._last[name] = place, number if isinstance(number, int) else None
        if place >= len(namesakes) > 1:
            raise InputError(
                f"{where}: another answer to {quoted(name)}, expected one to each of "
                f"{len(namesakes)} problems of that name"
            )
        return namesakes[min(place, len(namesakes) - 1)]


def read_answers(
    domain: Puzzle, problems: Sequence[Problem], text: str, source: str
) -> list[StatedAnswer]:
    """Return the answers in `text`, each with its problem.

    Raises
    ------
    InputError
        If there is none, or its problem cannot be told; the message names `source` and line.
    """
    content = text.removeprefix("\ufeff")
    if not content.strip():
        if len(problems) > 1 or not _is_answered_by(domain, problems[0], content, source):
            raise InputError(f"{source}: no answer found, the file is empty")
        return [StatedAnswer(problems[0], source, content)]
    if content.lstrip()[0] in "{[" and (records := _records(content, source)) is not None:
        namesakes = _Namesakes(problems)
        found = [_stated(domain, namesakes, record, where) for where, record in records]
        answers = [one for one in found if one is not None]
        if not answers:
            raise InputError(f'{source}: no answer found, expected objects with "answer"')
        return answers
    return _text_answers(domain, problems, content, source)


def _is_answered_by(domain: Puzzle, problem: Problem, blank: str, source: str) -> bool:
    """Return whether an empty text answers `problem`, as no moves do where none is possible."""
    options = domain.options()
    try:
        domain.verify(problem, domain.read_answer(problem, blank, source, options))
        return _is_over(domain, domain.instance(problem, options))
    except Exception:  # of whatever kind: code of users may expect words
        return False


def _is_over(domain: Puzzle, instance: Any) -> bool:
    """Return whether no move is possible at the start."""
    import numpy as np

    from solver.compiling.random import new_stream
    from solver.contract.rules import legal_moves, reset

    state = domain.new_state(instance)
    moves = np.zeros(max(domain.limits(instance).moves, 1), np.int64)
    with np.errstate(over="ignore"):  # streams wrap around
        reset(instance, state)
        return int(legal_moves(instance, state, new_stream(0), moves)) == 0


def _records(text: str, source: str) -> list[tuple[str, Any]] | None:
    """Return the objects of a JSON text, or of its lines; None if its first line is no JSON."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        if isinstance(whole, list):
            return [(f"{source}: entry {n}", one) for n, one in enumerate(whole, start=1)]
        return [(source, whole)]
    records: list[tuple[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            records.append((f"{source}: line {number}", json.loads(line)))
        except (ValueError, RecursionError) as error:
            is_text = isinstance(error, ValueError) and line.lstrip()[0] != "{"
            if is_text and not records:
                return None
            reason = getattr(error, "msg", "nested too deeply")
            place = f", position {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            raise InputError(f"{source}: line {number}{place}: no JSON: {reason}") from None
    return records


def _stated(domain: Puzzle, namesakes: _Namesakes, record: Any, where: str) -> StatedAnswer | None:
    """Return the answer of a line of `solve --json`; None for a summary of several answers."""
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: {quoted(record)}, expected an object with name and answer")
    if "answer" not in record:
        if "solutions" in record:
            return None
        raise InputError(f'{where}: an object without "answer"')
    answer, name, score = record["answer"], record.get("name"), record.get("score")
    if answer is not None and not isinstance(answer, str):
        raise InputError(f"{where}: answer is {quoted(answer)}, expected a text or null")
    if record.get("domain", domain.name) != domain.name:
        raise InputError(f"{where}: an answer of {quoted(record['domain'])}, not of {domain.name}")
    names = list(namesakes.of)
    if name not in names:
        n_problems = sum(map(len, namesakes.of.values()))
        if n_problems > 1:
            if name is None:
                raise InputError(f"{where}: no name, expected that of one of {n_problems} problems")
            raise InputError(f"{where}: name is {quoted(name, names)}, which no problem has")
        name = names[0]
    number = record.get("design", record.get("solution"))
    if score is not None and (not isinstance(score, int | float) or isinstance(score, bool)):
        raise InputError(f"{where}: score is {quoted(score)}, expected a number or null")
    if answer is None:
        score = None
    return StatedAnswer(
        namesakes.next_of(name, number, where),
        where,
        answer,
        score,
        record.get("status") == "infeasible",
    )


def _text_answers(
    domain: Puzzle, problems: Sequence[Problem], text: str, source: str
) -> list[StatedAnswer]:
    """Return the answers of a text, each below a line that names its problem if there are several.

    Numbers of lines in messages are those of the file. Names in comments are left out.
    """
    lines = text.splitlines()
    names = sorted((problem.name for problem in problems), key=len, reverse=True)
    begins = [
        (at, found)
        for at, line in enumerate(lines)
        if (found := _named(line, domain.answer_mark, names)) is not None
    ]
    if not begins:
        if len(problems) > 1:
            mark = domain.answer_mark
            raise InputError(
                f"{source}: no line {mark}NAME, expected one above the answer to each of "
                f"{len(problems)} problems, as {quoted(f'{mark}{problems[0].name}')}"
            )
        return _unnamed(domain, problems[0], text, source)
    head = [at for at in range(begins[0][0]) if lines[at].strip() and lines[at].lstrip()[0] != "#"]
    if head:
        raise InputError(f"{source}: line {head[0] + 1}: {quoted(lines[head[0]])}, expected a name")
    stops = [at for at, _ in begins[1:]] + [len(lines)]
    namesakes = _Namesakes(problems)
    answers = []
    for (begin, (name, number)), stop in zip(begins, stops, strict=True):
        first = begin + domain.answer_mark.startswith("#")
        block = "\n".join([*[""] * first, *lines[first:stop]]) + "\n"
        problem = namesakes.next_of(name, number, f"{source}: line {begin + 1}")
        answers.append(StatedAnswer(problem, source, block))
    return answers


def _unnamed(domain: Puzzle, problem: Problem, text: str, source: str) -> list[StatedAnswer]:
    """Return the answer of a text without names, or several, as `solve --solutions` prints them.

    Then blank lines are between them, and the text is none as a whole.
    """

    def is_answer(part: str, *, right_or_wrong: bool) -> bool:
        try:
            domain.read_answer(problem, part, source, domain.options())
        except UnsolvableError:  # read as far as it shows that it is wrong
            return right_or_wrong
        except Exception:  # of whatever kind: code of users may expect other words
            return False
        return True

    parts = [f"{part}\n" for part in re.split(r"\n[ \t\r]*\n", text) if part.strip()]
    several = len(parts) > 1 and not is_answer(text, right_or_wrong=False)
    if several and all(is_answer(part, right_or_wrong=True) for part in parts):
        return [StatedAnswer(problem, source, part) for part in parts]
    return [StatedAnswer(problem, source, text)]


def _named(line: str, mark: str, names: Sequence[str]) -> tuple[str, int | None] | None:
    """Return the name in a line above an answer and the number behind; None if it is no such line.

    That is the number of one of several designs.
    """
    if not line.startswith(mark):
        return None
    title = line[len(mark) :].strip()
    for name in names:
        rest = title.removeprefix(name)
        if title.startswith(name) and (found := re.fullmatch(r"(?:_(\d{1,9}))?(\s.*)?", rest)):
            return name, int(found[1]) if found[1] else None
    return None
