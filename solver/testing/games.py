"""Check of the contract of a game, see `solver.testing`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.checks import (
    ContractError,
    check_copies,
    check_drawn,
    check_playouts_within_limits,
    check_priors,
    check_registered,
    check_reset,
    check_undo,
    contents,
    listed,
    playout,
    require,
    rewards_of,
)
from solver.contract.domain import Game, Problem
from solver.games.moves import moves_by_text
from solver.games.playouts import random_playouts
from solver.searching.analysis import wrong_players

#: Random playouts that are made twice.
PLAYOUTS = 50
#: Playouts whose states are told apart by their keys.
KEYED = 5
#: Every so many moves of a playout the position is written and read back.
EVERY = 3


def check_game(game: Game, positions: Sequence[Problem] = (), options: Any = None) -> None:
    """Check everything that can be checked of `game`, from its start and on a few positions.

    Parameters
    ----------
    game : Game
        Rules and texts to check.
    positions : sequence of Problem, optional
        As `game.parse` returns them.
    options : object, optional
        Options of the game; its defaults by default.

    Raises
    ------
    ContractError
        If a property does not hold: its name, and the position. It is an `InputError`.
    """
    check_priors(game)
    unknown = {*game.start_options} - {field.name for field in fields(game.options)}
    require(not unknown, game.name, f"start_options names {', '.join(sorted(unknown))}, no option")
    options = game.options() if options is None else options
    for problem in (game.start(options), *positions):
        name = problem.name
        try:
            instance = game.instance(problem, options)
            check_registered(game, instance)
            check_playouts_within_limits(game, instance, name)
            check_players(game, instance, name)
            check_copies(game, instance, name)
            check_drawn(game, instance, name)
            check_undo(game, instance, name)
            check_reset(game, instance, name)
            check_moves(game, instance, name)
            check_urgent(game, instance, name)
            check_left_out(game, instance, name)
            check_forced(game, instance, name)
            check_keys(game, instance, name)
            check_positions(game, problem, options)
            check_playouts(game, instance, name)
        except IndexError as error:
            raise ContractError(f"{name}: {error}: beyond the end of an array") from error


def check_players(game: Game, instance: Any, name: str) -> None:
    """Check that `player` gives one of the players, each at some time, and changes nothing."""
    players = game.players(instance)
    require(players >= 1, name, f"players is {players}, expected 1 or more")
    wrong = wrong_players(game, instance)
    require(wrong is None, name, wrong or "")
    state, long, movers = game.new_state(instance), False, set()
    for seed in range(KEYED):
        contract.reset(instance, state)
        for step, _ in enumerate(playout(game, instance, state, new_stream(4, seed), name)):
            player = contract.player(instance, state)
            expected = f"expected 0 ... {players - 1}"
            require(0 <= player < players, name, f"player {player} moves, {expected}")
            require(
                player == contract.player(instance, state), name, "player changes between calls"
            )
            movers.add(player)
            long = long or step >= players
    require(len(movers) == players or not long, name, f"only {len(movers)} of {players} move")


def check_moves(game: Game, instance: Any, name: str) -> None:
    """Check that moves of a state are distinct words, listed alike for any random numbers."""
    state = game.new_state(instance)
    contract.reset(instance, state)
    for moves, _ in playout(game, instance, state, new_stream(5), name):
        again = listed(game, instance, state, new_stream(12), name)
        require(moves == again, name, "legal_moves of a game depends on random numbers")
        words = [game.format_move(instance, state, move) for move in moves]
        for word in words:
            require(word.split() == [word], name, f"format_move writes {word!r}, expected a word")
        require(len(set(words)) == len(words), name, f"two moves are written alike: {words[:20]}")


def check_urgent(game: Game, instance: Any, name: str) -> None:
    """Check that `decisive_move` wins at once, and that all but `saving_move` lose at once."""
    functions = contract.decisive_move, contract.saving_move, contract.urgent_move
    if not any(game.has(function) for function in functions):
        return
    state, after = game.new_state(instance), game.new_state(instance)
    for seed in range(KEYED):
        contract.reset(instance, state)
        for moves, _ in playout(game, instance, state, new_stream(8, seed), name):
            mover = int(contract.player(instance, state))
            decisive = int(contract.decisive_move(instance, state))
            saving = int(contract.saving_move(instance, state)) if decisive < 0 else -1
            for move in (decisive, saving, int(contract.urgent_move(instance, state))):
                require(move < 0 or move in moves, name, f"move {move} is urgent, and not legal")
            for move in moves if saving >= 0 else [decisive] if decisive >= 0 else []:
                contract.copy_state(instance, state, after)
                contract.play(instance, after, move)
                if move == decisive:
                    won = _has_won(game, instance, after, mover)
                    require(won, name, f"decisive_move is {move}, which does not win at once")
                elif move != saving:
                    lost = _wins_next(game, instance, after)
                    require(lost, name, f"saving_move is {saving}, {move} does not lose at once")
        for function in functions:
            require(function(instance, state) < 0, name, "a move is urgent after the end")


def check_left_out(game: Game, instance: Any, name: str) -> None:
    """Check that `saving_moves` leaves moves, and that those it leaves out lose as soon as it says.

    Longer wins than at once are taken on trust.
    """
    if not game.has(contract.saving_moves):
        return
    state, after = game.new_state(instance), game.new_state(instance)
    known = contract.decisive_move, contract.forced_move, contract.saving_move
    for seed in range(KEYED):
        contract.reset(instance, state)
        for moves, _ in playout(game, instance, state, new_stream(13, seed), name):
            if len(moves) < 2 or any(function(instance, state) >= 0 for function in known):
                continue
            left = np.array(listed(game, instance, state, new_stream(9), name))
            n, longest = contract.saving_moves(instance, state, left, len(moves))
            require(sorted(left) == sorted(moves), name, "saving_moves changes the moves")
            require(0 < n <= len(moves), name, f"saving_moves leaves {n} moves of {len(moves)}")
            require(n == len(moves) or longest >= 2, name, f"saving_moves ends in {longest} moves")
            for move in left[n:] if longest == 2 else ():
                contract.copy_state(instance, state, after)
                contract.play(instance, after, move)
                lost = _wins_next(game, instance, after)
                require(lost, name, f"saving_moves leaves {move} out, which does not lose at once")


def check_forced(game: Game, instance: Any, name: str) -> None:
    """Check that `won_by_force` leaves states alone, and wins in one or two moves where it says so.

    Longer wins are taken on trust.
    """
    if not game.has(contract.won_by_force):
        return
    state, players = game.new_state(instance), game.players(instance)
    for seed in range(KEYED):
        contract.reset(instance, state)
        for moves, _ in playout(game, instance, state, new_stream(14, seed), name):
            before = _copied(game, instance, state)
            winner, longest = contract.won_by_force(instance, state)
            same = contents(_copied(game, instance, state)) == contents(before)
            require(same, name, "won_by_force changes the state")
            require(-1 <= winner < players, name, f"won_by_force tells that player {winner} wins")
            if winner < 0:
                known = longest == 1 or not _has_more(game, instance, state, moves)
                require(known, name, "won_by_force tells that no move is forced, and one is")
                continue
            require(longest >= 1, name, f"won_by_force ends in {longest} moves")
            mover = int(contract.player(instance, state))
            if longest == 1:
                won = winner == mover and _wins_next(game, instance, state)
                require(won, name, f"won_by_force tells that {winner} wins at once")
            elif longest == 2 and winner != mover:
                for move in moves:
                    after = _copied(game, instance, state)
                    contract.play(instance, after, move)
                    won = _has_won(game, instance, after, winner) or _wins_next(
                        game, instance, after
                    )
                    require(won, name, f"won_by_force tells of a loss in 2, {move} does not lose")
        told, _ = contract.won_by_force(instance, state)
        require(told < 0, name, "won_by_force tells who wins after the end")


def _has_more(game: Game, instance: Any, state: Any, moves: Sequence[int]) -> bool:
    """Return whether a move stands for all, or some are left out."""
    if contract.forced_move(instance, state) >= 0 or contract.saving_move(instance, state) >= 0:
        return True
    left = np.array(listed(game, instance, state, new_stream(9), game.name))
    return bool(contract.saving_moves(instance, state, left, len(moves))[0] < len(moves))


def _copied(game: Game, instance: Any, state: Any) -> Any:
    after = game.new_state(instance)
    contract.copy_state(instance, state, after)
    return after


def _has_won(game: Game, instance: Any, state: Any, player: int) -> bool:
    """Return whether the game is over, and the reward of `player` 1."""
    over = not listed(game, instance, state, new_stream(9), game.name)
    return over and rewards_of(game, instance, state)[player] == 1.0


def _wins_next(game: Game, instance: Any, state: Any) -> bool:
    """Return whether who moves has a move that ends the game with the reward 1."""
    mover, after = int(contract.player(instance, state)), game.new_state(instance)
    for move in listed(game, instance, state, new_stream(9), game.name):
        contract.copy_state(instance, state, after)
        contract.play(instance, after, move)
        if _has_won(game, instance, after, mover):
            return True
    return False


def check_keys(game: Game, instance: Any, name: str) -> None:
    """States that have the same key have the same players, moves and positions."""
    state = game.new_state(instance)
    seen: dict[int, Any] = {}
    for seed in range(KEYED):
        contract.reset(instance, state)
        for moves, _ in playout(game, instance, state, new_stream(seed), name):
            with np.errstate(over="ignore"):
                found, again = (int(contract.key(instance, state)) for _ in range(2))
            require(found == again, name, "key changes when asked")
            position = contents((game.position(instance, state),))
            told = sorted(moves), int(contract.player(instance, state)), position
            same = seen.setdefault(found, told) == told
            require(same, name, "two states with the same key play differently")


def check_positions(game: Game, problem: Problem, options: Any) -> None:
    """Positions on the way are written and read back, and the game goes on from there as before."""
    instance, name = game.instance(problem, options), problem.name
    state = game.new_state(instance)
    contract.reset(instance, state)
    same = contents((game.position(instance, state),)) == contents((problem.data,))
    require(same, name, "parse reads another position than format_problem wrote of the start")
    written = [game.position(instance, state)]
    for step, _ in enumerate(playout(game, instance, state, new_stream(6), name)):
        if step % EVERY == 0:
            written.append(game.position(instance, state))
    for data in (*written, game.position(instance, state)):
        text = game.format_problem(Problem(name, data))
        found = game.parse(text, name)
        require(len(found) == 1, name, f"format_problem writes {len(found)} positions")
        same = contents((found[0].data,)) == contents((data,)) and found[0].name == name
        require(same, name, f"{text!r} is read back as another position")
    _check_goes_on(game, instance, options, name)


def _check_goes_on(game: Game, instance: Any, options: Any, name: str) -> None:
    """The instance of a position on the way has the moves and rewards of the game it is of."""
    state = game.new_state(instance)
    contract.reset(instance, state)
    other = other_state = None
    for step, (moves, move) in enumerate(playout(game, instance, state, new_stream(6), name)):
        if step == EVERY:
            position = Problem(name, game.position(instance, state))
            other = game.instance(position, options)
            other_state = game.new_state(other)
            contract.reset(other, other_state)
        if other is None:
            continue
        words = {game.format_move(instance, state, one) for one in moves}
        others = moves_by_text(game, other, other_state)
        where = f"{name}, {step - EVERY} moves from a position on the way"
        require(words == others.keys(), where, f"{sorted(others)}, not {sorted(words)}")
        players = contract.player(instance, state), contract.player(other, other_state)
        require(players[0] == players[1], where, "another player moves")
        word = game.format_move(instance, state, move)
        contract.play(other, other_state, others[word])
    if other is not None:
        ends = rewards_of(game, instance, state), rewards_of(game, other, other_state)
        require(ends[0] == ends[1], name, "a game continued from its text ends with other rewards")


def check_playouts(game: Game, instance: Any, name: str) -> None:
    """Compiled playouts repeat themselves, and leave the state that they are from alone."""
    state = game.new_state(instance)
    contract.reset(instance, state)
    for step, _ in enumerate(playout(game, instance, state, new_stream(7), name)):
        if step == EVERY:
            break
    before = contents(state)
    first, second = (random_playouts(game, instance, PLAYOUTS, state=state) for _ in range(2))
    same = all(map(np.array_equal, first, second))
    require(same, name, "random playouts differ with the same seed")
    require(contents(state) == before, name, "random playouts change their first state")
