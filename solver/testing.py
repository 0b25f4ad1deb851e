"""Does a domain keep its contract? Its author may ask; the tests here do of those that ship.

Everything is played as plain Python, so that a debugger can look, but for the searches. A promise
that is broken raises a `ContractError`, one line that says which one, of what problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from solver import domain as contract
from solver.algorithms import Algorithm, Gnrpa, Sampling
from solver.domain import Domain, Moves, Problem
from solver.errors import InputError, VerificationError
from solver.kernels.replay import replay_moves
from solver.random import Stream, new_stream, next_below
from solver.search import Budget, SearchResult, search
from solver.solve import Solution, solve

#: Stubs that every domain registers for the class of its instances.
REQUIRED = ("reset", "legal_moves", "play", "score", "code", "is_solution_move")
#: What `check_answers` searches with.
EFFORT = Gnrpa(level=2, iterations=30)
EFFORT_PLAYOUTS = 9000
#: What `check_searches` repeats.
SHORT: tuple[Algorithm, ...] = (Sampling(), Gnrpa(level=2, iterations=6))
SHORT_PLAYOUTS = 60
#: Times that moves are listed where ties are broken at random.
LISTINGS = 40

Broken = Callable[[Problem, Any], Iterable[tuple[str, Any]]]
"""Yields wrong answers made of a right one, each with what is wrong with it."""


class ContractError(InputError):
    """A domain that breaks a promise of `solver.domain`."""


def check_domain(
    domain: Domain,
    problems: Sequence[Problem],
    options: Any = None,
    broken: Broken | None = None,
) -> None:
    """Check everything that can be checked of `domain` on a few small problems.

    Parameters
    ----------
    problems : sequence of Problem
        As `domain.parse` returns them. Answers are checked of those that a short search solves.
    options : optional
        Of the domain; its defaults by default.
    broken : callable, optional
        Makes wrong answers of a right one, all of which `domain.verify` must reject.

    Raises
    ------
    ContractError
        What does not hold, and for which problem.
    """
    _require(bool(problems), domain.name, "no problem to check it on")
    check_priors(domain)
    options = domain.options() if options is None else options
    for problem in problems:
        try:
            instance = domain.instance(problem, options)
            check_registered(domain, instance)
            check_limits(domain, instance, problem.name)
            check_copies(domain, instance, problem.name)
            check_undo(domain, instance, problem.name)
            check_reset(domain, instance, problem.name)
            check_searches(domain, instance, problem.name)
            check_problem_text(domain, problem)
            solution = solve(domain, problem, options, EFFORT, Budget(playouts=EFFORT_PLAYOUTS))
            if solution.solved:
                check_answer(domain, solution, options, broken)
        except VerificationError as error:
            raise ContractError(
                f"{problem.name}: verify rejects what was found: {error}"
            ) from error
        except IndexError as error:
            raise ContractError(f"{problem.name}: {error}: beyond the end of an array") from error


def _require(holds: bool, where: str, otherwise: str) -> None:
    if not holds:
        raise ContractError(f"{where}: {otherwise}")


def check_priors(domain: Domain) -> None:
    """Prior codes are called by their keys, and have table classes that functions know."""
    for name, code in domain.priors.items():
        where = f"{domain.name}, prior code {name!r}"
        _require(code.name == name, where, f"it calls itself {code.name!r}")
        _require(
            bool(code.components) and all(n > 0 for n in code.components.values()),
            where,
            f"components are {code.components}, expected names and numbers of 1 or more",
        )
        fields = getattr(code.table_class, "_fields", ())
        _require(
            fields == ("table",), where, f"its class has the fields {fields}, expected 'table'"
        )
        for stub in ("prior_code", "odds"):
            function = getattr(contract, stub).implementation(code.table_class)
            _require(function is not None, where, f"no {stub} is registered for its class")


def check_registered(domain: Domain, instance: Any) -> None:
    """Every function that a domain needs is registered for the class of its instances."""
    cls = type(instance)
    for stub in REQUIRED:
        function = getattr(contract, stub).implementation(cls)
        _require(function is not None, domain.name, f"no {stub} is registered for {cls.__name__}")
    for flag, stubs in (
        ("can_undo", ("mark", "undo")),
        ("can_improve", ("improve",)),
        ("can_shape", ("shaped_score",)),
    ):
        for stub in stubs:
            there = getattr(contract, stub).implementation(cls) is not None
            _require(
                there == getattr(domain, flag),
                domain.name,
                f"{flag} is {getattr(domain, flag)}, "
                f"and {stub} is {'' if there else 'not '}registered for {cls.__name__}",
            )


def listed(domain: Domain, instance: Any, state: Any, stream: Stream, name: str) -> list[int]:
    """Moves that are possible in `state`, in a buffer that a wrong `Limits.moves` does not end."""
    most = domain.limits(instance).moves
    beyond = max(most, 1)
    buffer = np.zeros(2 * beyond + 64, np.int64)
    with np.errstate(over="ignore"):
        n = int(contract.legal_moves(instance, state, stream, buffer))
    _require(n >= 0, name, f"legal_moves returns {n}")
    _require(n <= most, name, f"legal_moves lists {n} moves, Limits.moves is {most}")
    return [int(move) for move in buffer[:n]]


def playout(
    domain: Domain, instance: Any, state: Any, stream: Stream, name: str
) -> Iterator[tuple[list[int], int]]:
    """Play random moves from `state` on; yield legal moves and the one that comes next."""
    steps = domain.limits(instance).steps
    played = 0
    while moves := listed(domain, instance, state, stream, name):
        _require(played < steps, name, f"a playout is longer than Limits.steps, which is {steps}")
        with np.errstate(over="ignore"):
            move = moves[next_below(stream, len(moves))]
        yield moves, move
        contract.play(instance, state, move)
        played += 1


def score_of(instance: Any, state: Any) -> float:
    """Score of a terminal state."""
    with np.errstate(over="ignore"):  # hashes wrap around
        return float(contract.score(instance, state))


def contents(arrays: Any) -> list[Any]:
    """Everything in a NamedTuple of arrays, nested ones included, as lists."""
    return [
        contents(item) if isinstance(item, tuple) else np.asarray(item).tolist() for item in arrays
    ]


def check_limits(domain: Domain, instance: Any, name: str, playouts: int = 2) -> None:
    """Moves, steps, choices, policy codes and prior codes are within what is declared."""
    limits = domain.limits(instance)
    state = domain.new_state(instance)
    for seed in range(playouts):
        contract.reset(instance, state)
        choices = 0
        for moves, _ in playout(domain, instance, state, new_stream(seed), name):
            choices += len(moves)
            _require(
                len(set(moves)) == len(moves), name, f"a move is listed twice among {moves[:20]}"
            )
            _check_codes(domain, instance, state, moves, name)
        _require(
            choices <= limits.choices,
            name,
            f"a playout had {choices} moves to choose from, Limits.choices is {limits.choices}",
        )
        score = score_of(instance, state)
        _require(bool(np.isfinite(score)), name, f"the score of a playout is {score}")


def _check_codes(domain: Domain, instance: Any, state: Any, moves: list[int], name: str) -> None:
    n_codes = domain.limits(instance).codes
    codes = [int(contract.code(instance, state, move)) for move in moves]
    _require(len(set(codes)) == len(codes), name, f"two moves of one state share a code: {codes}")
    for move, code in zip(moves, codes, strict=True):
        _require(
            not n_codes or 0 <= code < n_codes,
            name,
            f"the code of move {move} is {code}, Limits.codes is {n_codes}",
        )
    for prior in domain.priors.values():
        table = prior.table_class(np.arange(prior.rows) + 0.5)
        for move in moves:
            row = int(contract.prior_code(table, instance, state, move))
            where = f"{name}, prior code {prior.name!r}"
            _require(0 <= row < prior.rows, where, f"row {row} for move {move} of {prior.rows}")
            odds = float(contract.odds(table, instance, state, move))
            _require(odds == row + 0.5, where, f"odds of row {row} are {odds}, not those of it")


def check_copies(domain: Domain, instance: Any, name: str) -> None:
    """A copy made on the way evolves as the original does, and without touching it."""
    state, copy = domain.new_state(instance), domain.new_state(instance)
    contract.reset(instance, state)
    for step, _ in enumerate(playout(domain, instance, state, new_stream(7), name)):
        if step == 2:
            break
    before = contents(state)
    contract.copy_state(instance, state, copy)
    _require(contents(copy) == before, name, "copy_state makes no equal state")
    played = [list(playout(domain, instance, s, new_stream(8), name)) for s in (copy, state)]
    same = played[0] == played[1] and contents(copy) == contents(state)
    _require(same, name, "a copy plays on otherwise than the state it is of")
    contract.reset(instance, copy)
    contract.copy_state(instance, state, copy)
    contract.reset(instance, state)
    apart = contents(copy) != contents(state) or not played[0]
    _require(apart, name, "reset of a state changes its copy, or nothing at all")


def check_undo(domain: Domain, instance: Any, name: str) -> None:
    """After `undo` the same moves lead to the same end as before, from any step."""
    if not domain.can_undo:
        return
    state = domain.new_state(instance)
    contract.reset(instance, state)
    marks, moves = [], []
    for _, move in playout(domain, instance, state, new_stream(9), name):
        marks.append(contract.mark(instance, state))
        moves.append(move)
    end, answer = score_of(instance, state), domain.answer(instance, state)
    for step in sorted({0, len(moves) // 2, max(len(moves) - 1, 0)}, reverse=True)[: len(moves)]:
        contract.undo(instance, state, marks[step])
        where = f"{name}, undone to step {step}"
        _check_undone(domain, instance, moves[: step + 1], state, where)
        for move in moves[step:]:
            contract.play(instance, state, move)
        _require(score_of(instance, state) == end, where, "the same moves end with another score")
        same = _same(domain.answer(instance, state), answer)
        _require(same, where, "the same moves end with another answer")


def _check_undone(domain: Domain, instance: Any, moves: list[int], undone: Any, where: str) -> None:
    """Hold `undone` against a new state in which all but the last of `moves` were played."""
    state = domain.new_state(instance)
    contract.reset(instance, state)
    for move in moves[:-1]:
        contract.play(instance, state, move)
    same = _same(domain.answer(instance, state), domain.answer(instance, undone))
    _require(same, where, "another answer than before")
    possible: set[int] = set()
    for seed in range(LISTINGS):  # ties between variables are broken at random
        fresh = listed(domain, instance, state, new_stream(seed), where)
        again = listed(domain, instance, undone, new_stream(seed), where)
        _require(len(fresh) == len(again), where, "another number of moves than before")
        possible |= {*fresh, *again}
    _require(moves[-1] in possible, where, f"move {moves[-1]} is no longer listed")


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other))


def check_reset(domain: Domain, instance: Any, name: str) -> None:
    """A state that was used is, after `reset`, as good as a new one."""
    used, new = domain.new_state(instance), domain.new_state(instance)
    contract.reset(instance, used)
    list(playout(domain, instance, used, new_stream(1), name))
    played: list[Any] = []
    for state in (used, new):
        contract.reset(instance, state)
        moves = list(playout(domain, instance, state, new_stream(2), name))
        played.append((moves, score_of(instance, state)))
    same = played[0] == played[1]
    same = same and _same(domain.answer(instance, used), domain.answer(instance, new))
    _require(same, name, "after reset a used state plays otherwise than a new one")


def check_searches(domain: Domain, instance: Any, name: str) -> None:
    """Same seed, same result, which its moves played again give, from an instance left alone."""
    before = contents(instance)
    for algorithm in SHORT:
        first, second = (
            search(domain, instance, algorithm, Budget(playouts=SHORT_PLAYOUTS), seed=5)
            for _ in range(2)
        )
        where = f"{name}, {algorithm.name}"
        _require(same_search(first, second), where, "another result with the same seed")
        score = replay_moves(instance, domain.new_state(instance), first.moves)
        again = f"its moves score {score}, the search says {first.score}"
        _require(score == first.score, where, again)
    _require(contents(instance) == before, name, "a search changed the instance")


def same_search(first: SearchResult, second: SearchResult) -> bool:
    """Whether two searches found the same in the same playouts."""
    return (
        (first.score, first.reached, first.playouts, first.moves.tolist())
        == (second.score, second.reached, second.playouts, second.moves.tolist())
        and first.trace.playouts.tolist() == second.trace.playouts.tolist()
        and first.trace.score.tolist() == second.trace.score.tolist()
    )  # fmt: skip


def check_problem_text(domain: Domain, problem: Problem) -> None:
    """A formatted problem is read back as the same problem."""
    text = domain.format_problem(problem)
    found = domain.parse(text, problem.name)
    _require(len(found) == 1, problem.name, f"format_problem writes {len(found)} problems")
    same = contents((found[0].data,)) == contents((problem.data,))
    _require(same, problem.name, "format_problem is read back as another problem")
    _require(found[0].name == problem.name, problem.name, f"read back as {found[0].name!r}")


def check_answer(
    domain: Domain, solution: Solution, options: Any, broken: Broken | None = None
) -> None:
    """An answer passes the rules, is read back from its text, and can be played again.

    From every state of it just one legal move is the solution's. `verify` changes no answer, and
    rejects what `broken` makes of it.
    """
    problem, answer = solution.problem, solution.answer
    domain.verify(problem, answer)
    before = np.array(answer)
    wrong_answers = list(broken(problem, answer)) if broken is not None else []
    _require(broken is None or bool(wrong_answers), problem.name, "no wrong answers to reject")
    for what, wrong in wrong_answers:
        _require(not _accepted(domain, problem, wrong), problem.name, f"verify accepts {what}")
    _require(_same(answer, before), problem.name, "verify changed the answer")
    text = domain.format(problem, answer)
    _require(text.endswith("\n"), problem.name, "format writes no newline at the end")
    again = domain.parse_answer(problem, text, "answer")
    _require(_same(again, answer), problem.name, f"{text!r} is read back as another answer")
    _check_playable(domain, domain.instance(problem, options), problem, answer)


def _accepted(domain: Domain, problem: Problem, answer: Any) -> bool:
    try:
        domain.verify(problem, answer)
    except VerificationError:
        return False
    return True


def _check_playable(domain: Domain, instance: Any, problem: Problem, answer: Any) -> None:
    state = domain.new_state(instance)
    solution: Moves = domain.solution(problem, answer)
    contract.reset(instance, state)
    stream, step = new_stream(3), 0
    while moves := listed(domain, instance, state, stream, problem.name):
        fitting = [
            m for m in moves if contract.is_solution_move(instance, state, solution, step, m)
        ]
        _require(
            len(fitting) == 1,
            problem.name,
            f"at step {step} is_solution_move says yes to {len(fitting)} of {len(moves)} moves, "
            "expected 1",
        )
        contract.play(instance, state, fitting[0])
        step += 1
    same = _same(domain.answer(instance, state), answer)
    _require(same, problem.name, "the moves of a solution lead to another answer")
