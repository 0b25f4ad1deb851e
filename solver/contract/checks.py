"""Checks of the contract common to puzzles and games, which run the rules as plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

import numpy as np

from solver.compiling.random import Stream, new_stream, next_below, next_place
from solver.contract import rules as contract
from solver.contract.domain import Domain, Game, Puzzle
from solver.errors import InputError

#: Stubs that every domain registers for the class of its instances, and those of each kind.
REQUIRED = ("reset", "legal_moves", "play", "code")
OF_PUZZLES, OF_GAMES = ("score", "is_solution_move"), ("player", "rewards")
#: Times that moves are listed where ties are broken at random.
LISTINGS = 40
#: Playouts held against the limits.
PLAYOUTS = 2
#: Moves played before a state is copied.
BEFORE_COPY = 3


class ContractError(InputError):
    """A domain that breaks a promise of `solver.contract.domain`."""


def require(holds: bool, where: str, otherwise: str) -> None:
    """Raise a `ContractError` unless the promise `holds`."""
    if not holds:
        raise ContractError(f"{where}: {otherwise}")


def check_priors(domain: Domain) -> None:
    """Prior codes are called by their keys, and have table classes that functions know."""
    for name, code in domain.priors.items():
        where = f"{domain.name}, prior code {name!r}"
        require(code.name == name, where, f"its name is {code.name!r}, expected its key")
        require(
            bool(code.components) and all(n > 0 for n in code.components.values()),
            where,
            f"components are {code.components}, expected names and numbers of 1 or more",
        )
        fields = getattr(code.table_class, "_fields", ())
        require(fields == ("table",), where, f"its class has the fields {fields}, expected 'table'")
        for stub in ("prior_code", "odds"):
            function = getattr(contract, stub).implementation(code.table_class)
            require(function is not None, where, f"no {stub} is registered for its class")


def check_registered(domain: Domain, instance: Any) -> None:
    """Every function that a domain needs is registered for the class of its instances."""
    cls, expected = type(instance), domain.instance_class
    require(
        cls is expected,
        domain.name,
        f"instance_class is {expected.__name__}, and instance returns a {cls.__name__}",
    )
    for stub in REQUIRED + (OF_GAMES if isinstance(domain, Game) else OF_PUZZLES):
        there = domain.has(getattr(contract, stub))
        require(there, domain.name, f"no {stub} is registered for {cls.__name__}")
    for stub, other in (("mark", "undo"), ("undo", "mark")):
        alone = domain.has(getattr(contract, stub)) and not domain.has(getattr(contract, other))
        require(not alone, domain.name, f"{stub} is registered for {cls.__name__} without {other}")


def listed(domain: Domain, instance: Any, state: Any, stream: Stream, name: str) -> list[int]:
    """Moves that are possible in `state`, in a buffer that a wrong `Limits.moves` does not end."""
    most = domain.limits(instance).moves
    beyond = max(most, 1)
    buffer = np.zeros(2 * beyond + 64, np.int64)
    with np.errstate(over="ignore"):
        n = int(contract.legal_moves(instance, state, stream, buffer))
    require(n >= 0, name, f"legal_moves returns {n}")
    require(n <= most, name, f"legal_moves lists {n} moves, Limits.moves is {most}")
    return [int(move) for move in buffer[:n]]


def playout(
    domain: Domain, instance: Any, state: Any, stream: Stream, name: str
) -> Iterator[tuple[list[int], int]]:
    """Play random moves from `state` on; yield legal moves and the one that comes next."""
    steps = domain.limits(instance).steps
    played = 0
    while moves := listed(domain, instance, state, stream, name):
        require(played < steps, name, f"a playout is longer than Limits.steps, which is {steps}")
        with np.errstate(over="ignore"):
            move = moves[next_below(stream, len(moves))]
        yield moves, move
        contract.play(instance, state, move)
        played += 1


def rewards_of(domain: Domain, instance: Any, state: Any) -> list[float]:
    """Return the reward of a terminal state for each player; nan where `rewards` sets none."""
    rewards = np.full(domain.players(instance) if isinstance(domain, Game) else 1, np.nan)
    with np.errstate(over="ignore"):  # hashes wrap around
        contract.rewards(instance, state, rewards)
    return [float(reward) for reward in rewards]


def shown(domain: Domain, instance: Any, state: Any) -> Any:
    """Return a state as Python objects: the answer of a puzzle, the position of a game."""
    if isinstance(domain, Puzzle):
        return contents((domain.answer(instance, state),))
    return contents((domain.position(instance, state),)) if isinstance(domain, Game) else None


def contents(arrays: Any) -> list[Any]:
    """Return the contents of a NamedTuple of arrays, nested ones included, as lists."""
    return [
        contents(item) if isinstance(item, tuple) else np.asarray(item).tolist() for item in arrays
    ]


@contextmanager
def bounds_checked(domain: Domain, instance: Any, name: str) -> Iterator[None]:
    """Check indices of the rules in the block against `Limits`; report any beyond an array.

    Raises
    ------
    ContractError
        Which promise does not hold.
    """
    try:
        check_playouts_within_limits(domain, instance, name)
        yield
    except IndexError as error:
        raise ContractError(
            f"{name}: the rules of {domain.name} reach beyond an array ({error}); "
            "NUMBA_DISABLE_JIT=1 runs them as plain Python, for a debugger"
        ) from error


def check_arrays(state: Any, name: str) -> None:
    """Check that a state has arrays only, in tuples or not: changes to other fields are lost."""
    for field, item in zip(getattr(state, "_fields", ()), state, strict=False):
        if isinstance(item, tuple):
            check_arrays(item, f"{name}, {field}")
            continue
        expected = f"new_state has a {type(item).__name__} as {field}, expected an array"
        require(not np.isscalar(item), name, expected)


def check_playouts_within_limits(domain: Domain, instance: Any, name: str) -> None:
    """Check the moves, steps, choices and codes of playouts against the declared limits."""
    limits = domain.limits(instance)
    state = domain.new_state(instance)
    check_arrays(state, name)
    before = contents(instance)
    for seed in range(PLAYOUTS):
        contract.reset(instance, state)
        choices = 0
        for moves, _ in playout(domain, instance, state, new_stream(seed), name):
            choices += len(moves)
            require(
                len(set(moves)) == len(moves), name, f"a move is listed twice among {moves[:20]}"
            )
            asked = codes_of(domain, instance, state, moves, name)
            again = codes_of(domain, instance, state, moves[::-1], name)[::-1]
            require(asked == again, name, "codes or odds of moves change between calls")
        require(
            choices <= limits.choices,
            name,
            f"a playout had {choices} moves to choose from, Limits.choices is {limits.choices}",
        )
        rewards = rewards_of(domain, instance, state)
        require(bool(np.isfinite(rewards).all()), name, f"rewards of a playout are {rewards}")
        require(
            rewards == rewards_of(domain, instance, state), name, "rewards change between calls"
        )
        shaped = float(contract.shaped_score(instance, state, rewards[0]))
        require(bool(np.isfinite(shaped)), name, f"shaped_score of a playout is {shaped}")
    require(contents(instance) == before, name, "a playout changes the instance")


def codes_of(
    domain: Domain, instance: Any, state: Any, moves: list[int], name: str
) -> list[list[float]]:
    """Policy code and rows of all priors of every move just listed, once they are looked at."""
    n_codes = domain.limits(instance).codes
    found: list[list[float]] = [[int(contract.code(instance, state, move))] for move in moves]
    codes = [code for (code,) in found]
    apart = isinstance(domain, Game) or len(set(codes)) == len(codes)
    require(apart, name, f"two moves of one state share a code: {codes}")
    for move, code in zip(moves, codes, strict=True):
        require(
            not n_codes or 0 <= code < n_codes,
            name,
            f"the code of move {move} is {code}, Limits.codes is {n_codes}",
        )
    for prior in domain.priors.values():
        table = prior.table_class(np.arange(prior.rows) + 0.5)
        for move, numbers in zip(moves, found, strict=True):
            row = int(contract.prior_code(table, instance, state, move))
            where = f"{name}, prior code {prior.name!r}"
            require(0 <= row < prior.rows, where, f"row {row} for move {move} of {prior.rows}")
            odds = float(contract.odds(table, instance, state, move))
            require(odds == row + 0.5, where, f"odds of row {row} are {odds}, not those of it")
            numbers.append(row)
    for prior in domain.handmade.values():
        for move, numbers in zip(moves, found, strict=True):
            odds = float(contract.odds(prior, instance, state, move))
            expected = f"odds of move {move} are {odds}, expected a finite number, 0 or more"
            require(0.0 <= odds < np.inf, name, expected)
            numbers.append(odds)
    return found


def check_copies(domain: Domain, instance: Any, name: str) -> None:
    """A copy made on the way into a state in use plays on as the original does, and apart of it."""
    state, copy = domain.new_state(instance), domain.new_state(instance)
    contract.reset(instance, copy)
    list(playout(domain, instance, copy, new_stream(6), name))
    contract.reset(instance, state)
    begin = contract.mark(instance, state)
    played: list[int] = []
    for _, move in playout(domain, instance, state, new_stream(7), name):
        if len(played) == BEFORE_COPY:
            break
        played.append(move)
    contract.copy_state(instance, state, copy)
    # In turns: an array that both have would be changed twice.
    steps = (_described(domain, instance, one, name) for one in (state, copy))
    for original, other in zip_longest(*steps):
        require(original == other, name, "a copy of a state plays differently")
    if domain.has(contract.mark, contract.undo):
        contract.undo(instance, copy, begin)
        for move in played:
            contract.play(instance, copy, move)
        contract.reset(instance, state)
        for move in played:
            contract.play(instance, state, move)
        same = shown(domain, instance, copy) == shown(domain, instance, state)
        require(same, name, "undo of a copy restores another state")


def _described(domain: Domain, instance: Any, state: Any, name: str) -> Iterator[Any]:
    """Yield all that can be asked on the way of a playout, and at its end."""
    for moves, move in playout(domain, instance, state, new_stream(8), name):
        player = contract.player(instance, state)
        yield player, moves, move, codes_of(domain, instance, state, moves, name)
    yield rewards_of(domain, instance, state), shown(domain, instance, state)


def check_drawn(domain: Domain, instance: Any, name: str) -> None:
    """Check that `draw_move` draws like a draw from the listed moves, with the move's code."""
    if not domain.has(contract.draw_move):
        return
    state, apart = domain.new_state(instance), domain.new_state(instance)
    drawn = np.zeros(max(domain.limits(instance).moves, 1), np.int64)
    contract.reset(instance, state)
    contract.reset(instance, apart)
    stream, other = new_stream(10), new_stream(10)

    def draw(moves: list[int]) -> None:
        with np.errstate(over="ignore"):
            n = int(contract.draw_move(instance, apart, stream, drawn))
            expected = moves[next_place(other, n)] if n == len(moves) > 0 else -1
        require(n == len(moves), name, f"draw_move finds {n} moves where {len(moves)} are listed")
        as_listed = n == 0 or (drawn[0] == expected and (stream == other).all())
        require(bool(as_listed), name, f"draw_move draws {drawn[0]}, expected {expected}")

    for moves, move in playout(domain, instance, state, new_stream(11), name):
        draw(moves)
        codes = [int(contract.code(instance, one, int(drawn[0]))) for one in (state, apart)]
        require(codes[0] == codes[1], name, f"the code of a move drawn is {codes[1]}")
        contract.play(instance, apart, move)
    draw([])


def check_undo(domain: Domain, instance: Any, name: str) -> None:
    """After `undo` the same moves lead to the same end as before, from any step."""
    if not domain.has(contract.mark, contract.undo):
        return
    state = domain.new_state(instance)
    contract.reset(instance, state)
    marks, moves = [], []
    for _, move in playout(domain, instance, state, new_stream(9), name):
        marks.append(contract.mark(instance, state))
        moves.append(move)
    end, answer = rewards_of(domain, instance, state), shown(domain, instance, state)
    for step in sorted({0, len(moves) // 2, max(len(moves) - 1, 0)}, reverse=True)[: len(moves)]:
        contract.undo(instance, state, marks[step])
        where = f"{name}, undone to step {step}"
        _check_undone(domain, instance, moves[: step + 1], state, where)
        for move in moves[step:]:
            contract.play(instance, state, move)
        same = rewards_of(domain, instance, state) == end
        require(same, where, "the same moves end with another score")
        same = shown(domain, instance, state) == answer
        require(same, where, "the same moves end with another answer")


def _check_undone(domain: Domain, instance: Any, moves: list[int], undone: Any, where: str) -> None:
    """Hold `undone` against a new state in which all but the last of `moves` were played."""
    state = domain.new_state(instance)
    contract.reset(instance, state)
    for move in moves[:-1]:
        contract.play(instance, state, move)
    same = shown(domain, instance, state) == shown(domain, instance, undone)
    require(same, where, "the moves lead to another answer when replayed")
    possible: set[int] = set()
    for seed in range(LISTINGS):  # ties between variables are broken at random
        fresh = listed(domain, instance, state, new_stream(seed), where)
        again = listed(domain, instance, undone, new_stream(seed), where)
        require(len(fresh) == len(again), where, "the number of moves differs when replayed")
        possible |= {*fresh, *again}
    require(moves[-1] in possible, where, f"move {moves[-1]} is no longer listed")


def check_reset(domain: Domain, instance: Any, name: str) -> None:
    """A state that was used is, after `reset`, as good as a new one."""
    used, new = domain.new_state(instance), domain.new_state(instance)
    contract.reset(instance, used)
    list(playout(domain, instance, used, new_stream(1), name))
    played: list[Any] = []
    for state in (used, new):
        contract.reset(instance, state)
        played.append(list(_described(domain, instance, state, name)))
    require(played[0] == played[1], name, "a used state plays differently after reset")
