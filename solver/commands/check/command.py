"""`check`: answers made elsewhere, against the rules of their problems."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.commands.answers import in_words
from solver.commands.check.answer_files import StatedAnswer, read_answers
from solver.commands.options import (
    Parser,
    from_arguments,
    new_parser,
    run_command,
)
from solver.commands.problem_files import parsed, read_problem_file
from solver.commands.progress import say
from solver.commands.solve_parser import add_problem
from solver.commands.subjects import HELP, find_subject, is_game, subject_word
from solver.compiling.user_files import in_a_line
from solver.contract.designer import designer_class, designer_of
from solver.contract.problems import UnreadableProblem, refuse_unreadable
from solver.domains import BENCHMARKS, domain_names
from solver.errors import InputError, UnsolvableError, cut, message_of
from solver.system.files import read_standard_input, read_text

if TYPE_CHECKING:
    from solver.contract.designer import Designer
    from solver.contract.domain import Problem, Puzzle
    from solver.searching.checking import Finding

DESCRIPTION = """\
Check answers made elsewhere, or by `solve`, from the rules of their problems, and
print their facts. ANSWER is text as `solve` prints it, or JSON as of `solve --json`.
Exit status: 0 every problem has a right answer, 1 not all: a line says what is
wrong and where, 2 a file that cannot be read, or an answer that cannot be checked."""

EPILOG = """\
examples:
  check tsptw tours.txt answer.txt
  check tsptw tours.txt answer.txt --objective makespan
  check rna "((((....))))" design.fa --gc 40-60
  check sudoku puzzles.txt answers.json --json
  check eterna100 answers.json
  check my_puzzle.py problem.txt answer.txt"""

RIGHT, WRONG, UNREADABLE = 0, 1, 2
#: Words for what a check finds: right, wrong, not known.
WORDS = {True: "right", False: "wrong", None: "not checked"}


def build_parser(word: str | None) -> Parser:
    """Return the parser for problems of `word`; without one, of the common options."""
    parser = new_parser("check", DESCRIPTION, EPILOG)
    names = (*domain_names(), *BENCHMARKS)
    parser.of_problems = lambda: {name: build_parser(name) for name in names}
    parser.add_argument(
        "subject",
        metavar="PROBLEM",
        help=f"one of: {', '.join(domain_names())}; or a benchmark set: "
        f"{', '.join(BENCHMARKS)}; {HELP}",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE ANSWER",
        help="file of problems (none of a benchmark set), then file of answers, - for standard "
        "input",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="one JSON object per answer")
    if word is not None:
        add_problem(parser, find_subject(word))
    return parser


def run(argv: Sequence[str]) -> int:
    """Run `check` with the arguments `argv`; returns the exit status."""
    word = subject_word(argv, [build_parser(None)], lambda: map(build_parser, domain_names()))
    if word is not None and is_game(word):
        raise InputError(f"{word} is a game, expected a problem: {', '.join(domain_names())}")
    arguments = build_parser(word).parse_intermixed_args(argv)
    subject = find_subject(arguments.subject)
    options = from_arguments(subject.domain.options, arguments)
    domain = subject.domain.with_options(options)
    requests = from_arguments(designer_class(domain).requests_class, arguments)
    designer = designer_of(domain, requests)
    problems, source = _problems(designer.domain, subject.benchmark, arguments)
    designer.check(problems)
    is_input = source == "-"
    text = read_standard_input() if is_input else read_text(Path(source))
    answers = read_answers(domain, problems, text, "standard input" if is_input else source)
    statuses: list[int] = []
    for name, finding, error in _findings(designer, options, answers):
        statuses.append(_status_of(finding))
        line = _record(domain, name, finding, error) if arguments.json else None
        sys.stdout.write(json.dumps(line) if line else _told(domain, name, finding, error))
        sys.stdout.write("\n")
    missing, few = _unanswered(problems, answers), _too_few(designer, answers)
    for problem in missing:
        if isinstance(problem, UnreadableProblem):
            say(problem.message)
            statuses.append(UNREADABLE)
    lack = _lack([problem.name for problem in missing], "none", problems)
    lack += _lack(few, "too few", problems)
    if lack or len(answers) > 1:
        say(f"{statuses.count(RIGHT)} of {len(answers)} answers right{lack}")
    return max([*statuses, WRONG if lack else RIGHT])


def _status_of(finding: Finding | None) -> int:
    """Return the exit status of one answer."""
    if finding is None or finding.right is None:
        return UNREADABLE
    return RIGHT if finding.right else WRONG


def _unanswered(problems: Sequence[Problem], answers: Sequence[StatedAnswer]) -> list[Problem]:
    """Return the problems without an answer."""
    answered = {id(one.problem) for one in answers}
    return [problem for problem in problems if id(problem) not in answered]


def _too_few(designer: Designer, answers: Sequence[StatedAnswer]) -> list[str]:
    """Return the names of problems with fewer answers than requested, and both numbers.

    A problem that is said to have no answer needs none.
    """
    given: dict[int, list[StatedAnswer]] = {}
    for stated in answers:
        given.setdefault(id(stated.problem), []).append(stated)
    few = []
    for group in given.values():
        problem = group[0].problem
        if isinstance(problem, UnreadableProblem) or any(one.infeasible for one in group):
            continue
        n, expected = sum(one.text is not None for one in group), designer.n_answers(problem)
        if 0 < n < expected:
            few.append(f"{problem.name} {n} of {expected}")
    return few


def _lack(found: Sequence[str], kind: str, problems: Sequence[Problem]) -> str:
    """Say how many problems lack answers, and name the first; "" if none does."""
    if not found:
        return ""
    more = " ..." if len(found) > 1 else ""
    return f", {len(found)} of {len(problems)} problems have {kind}: {found[0]}{more}"


def _problems(
    domain: Puzzle, benchmark: str | None, arguments: argparse.Namespace
) -> tuple[list[Problem], str]:
    """Return the problems that the command line names, and the file of answers."""
    expected = 1 if benchmark is not None else 2
    if len(arguments.files) != expected:
        words = "the file of answers" if expected == 1 else "FILE and ANSWER"
        raise InputError(f"{len(arguments.files)} files, expected {words}")
    if benchmark is not None:
        return list(domain.benchmark(benchmark)), arguments.files[0]
    source, answers = arguments.files
    if source == "-":
        if answers == "-":
            raise InputError("standard input is read once, expected a file for one of both")
        return parsed(domain, read_standard_input(), "standard input"), answers
    return read_problem_file(domain, source), answers


def _findings(
    designer: Designer, options: Any, answers: Sequence[StatedAnswer]
) -> Iterator[tuple[str, Finding | None, str]]:
    """Yield the name of each problem with what is found of its answer, or with an error.

    Where several answers to a problem are requested, each must differ from the right ones before.
    """
    from solver.searching.checking import Finding

    right: dict[int, list[Any]] = {}
    for stated in answers:
        problem = stated.problem
        try:
            refuse_unreadable(problem)
            earlier = right.setdefault(id(problem), [])
            finding = _finding(designer.excluding(earlier), options, stated)
            if finding.right and finding.answer is not None and designer.n_answers(problem) > 1:
                earlier.append(finding.answer)
        except UnsolvableError as error:  # as values that exclude each other, seen while reading
            yield problem.name, Finding(problem, right=False, why=_reason(error, problem)), ""
        except InputError as error:
            yield problem.name, None, _reason(error, problem)
        except (ValueError, TypeError, IndexError, KeyError) as error:  # code of users, mostly
            message = f"{type(error).__name__}: {cut(str(error))}"
            yield problem.name, None, f"{stated.source}: not as answers are written: {message}"
        except Exception as error:
            yield problem.name, None, f"{stated.source}: {in_a_line(error)}"
        else:
            yield problem.name, finding, ""


def _finding(designer: Designer, options: Any, stated: StatedAnswer) -> Finding:
    """Return the finding on an answer, or on the statement that there is none.

    Raises
    ------
    InputError
        If the answer cannot be read, or the requests do not fit the problem.
    """
    from solver.searching.checking import Finding, check_answer, check_infeasible

    problem = stated.problem
    if stated.infeasible:
        return check_infeasible(designer, problem, options)
    if stated.text is None:
        return Finding(problem, right=False, why="no answer is stated")
    answer = designer.puzzle.read_answer(problem, stated.text, stated.source, options)
    designer.check_problem(problem, options, answer)
    return check_answer(designer, problem, answer, stated.score)


def _reason(error: InputError, problem: Problem) -> str:
    """Return the message of an error without the problem's name, with which its line begins."""
    message = message_of(error)
    for end in (": ", ", "):
        message = message.removeprefix(f"{problem.name}{end}")
    return message


def _told(domain: Puzzle, name: str, finding: Finding | None, error: str) -> str:
    """Say in a line what was found."""
    from solver.searching.checking import is_same

    if finding is None:
        return f"{name}: unreadable: {error}"
    known = {key: value for key, value in finding.facts.items() if value is not None}
    facts = [f"{key} {in_words(value)}" for key, value in known.items()]
    score = finding.score
    told_values = [abs(value) for value in known.values() if isinstance(value, int | float)]
    is_told = score is not None and any(is_same(abs(score), value) for value in told_values)
    if finding.right and score is not None and not is_told:
        facts.insert(0, domain.describe_scores([(finding.problem, score)]))
    why = f": {finding.why}" if finding.why else ""
    told = f"{name}: {WORDS[finding.right]}{why}"
    return "; ".join([told, ", ".join(facts)]) if facts else told


def _record(domain: Puzzle, name: str, finding: Finding | None, error: str) -> dict[str, Any]:
    """Return what was found for JSON."""
    head = {"name": name, "domain": domain.name}
    if finding is None:
        return head | {"status": "unreadable", "right": None, "why": error}
    answer = finding.answer
    return head | {
        "status": WORDS[finding.right],
        "right": finding.right,
        "why": finding.why or None,
        "score": finding.score,
        "best_known": domain.best_known(finding.problem) if finding.score is not None else None,
        **{key: finding.facts.get(key) for key in domain.fact_names},
        "answer": None if answer is None else domain.format(finding.problem, answer),
    }


def main() -> None:
    """Entry point of `check`."""
    run_command("check", run)


if __name__ == "__main__":
    main()
