"""The Investment Pair Game: units give wealth to units of their team, in the order A1, B1, A2, ...

Paper 'mcps', 4.3. A1 plays against B1, A2 against B2 and so on; whose wealth is 3 first wins the
pair, and the loser passes from then on. Only units of undecided pairs are given to. The team that
wins most pairs wins; teams that win as many share that. Three teams play triples (4.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import FAR, hash_items, mixed
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_place
from solver.contract import rules
from solver.contract.domain import Limits, Problem
from solver.contract.rules import Floats, Moves
from solver.errors import InputError
from solver.games.teams.ring import close_ring, leave_ring, take_out
from solver.games.teams.units import MOST_UNITS, TeamsGame, Units, unit_name
from solver.system.fields import Range, check_fields

Ints = npt.NDArray[np.int32]
#: Kinds of codes of moves.
Codes = Literal["abstract", "target", "exact"]
CODES = get_args(Codes)
ABSTRACT, TARGET, EXACT = range(3)
#: Wealth that decides a pair.
ENOUGH = 3
UNDECIDED = -1


class Firm(NamedTuple):
    """A position; units are numbered in the order in which they give."""

    wealth: Ints
    """int32[teams * units]."""
    team: Ints
    """int32[teams * units]."""
    teams: int
    turn: int
    codes: int
    """Kind of codes of moves: ABSTRACT, TARGET or EXACT."""


class FirmState(NamedTuple):
    """Wealth, decided pairs, and the giver."""

    wealth: Ints
    """int32[teams * units]."""
    winner: Ints
    """int32[units]: the team that has won a pair."""
    undecided: Ints
    """int32[units]: the first units of the pairs that nobody has won, in order."""
    ring: Ints
    """int32[2, teams * units]: which unit gives after each one and which before."""
    counters: Ints
    """int32[2]: giver, number of undecided pairs."""


@inlined
def _decide(instance: Firm, state: FirmState, winner: int) -> None:
    """Let a unit win its pair; the others give no more."""
    team = instance.team[winner]
    first = winner - team
    state.winner[first // instance.teams] = team
    take_out(state.undecided, state.counters[1], first)
    state.counters[1] -= 1
    for unit in range(first, first + instance.teams):
        if unit != winner:
            leave_ring(state.ring, unit)


@rules.reset.register(Firm)
def reset(instance: Firm, state: FirmState) -> None:
    close_ring(state.ring)
    for pair in range(len(state.winner)):
        state.winner[pair] = UNDECIDED
        state.undecided[pair] = instance.teams * pair
    state.counters[1] = len(state.winner)
    for unit in range(len(instance.wealth)):
        state.wealth[unit] = instance.wealth[unit]
        if instance.wealth[unit] == ENOUGH:
            _decide(instance, state, unit)
    unit = instance.turn
    while not _gives(instance, state, unit):
        unit = unit + 1 if unit + 1 < len(instance.wealth) else 0
    state.counters[0] = unit


@inlined
def _gives(instance: Firm, state: FirmState, unit: int) -> bool:
    """Return whether the pair of a unit is not lost."""
    winner = state.winner[unit // instance.teams]
    return bool(winner == UNDECIDED or winner == instance.team[unit])


@rules.legal_moves.register(Firm)
def legal_moves(instance: Firm, state: FirmState, stream: Stream, moves: Moves) -> int:
    own, n = instance.team[state.counters[0]], state.counters[1]
    for place in range(n):
        moves[place] = state.undecided[place] + own
    return int(n)


@rules.draw_move.register(Firm)
def draw_move(instance: Firm, state: FirmState, stream: Stream, moves: Moves) -> int:
    own, n = instance.team[state.counters[0]], state.counters[1]
    if n > 0:
        moves[0] = state.undecided[next_place(stream, n)] + own
    return int(n)


@rules.player.register(Firm)
def player(instance: Firm, state: FirmState) -> int:
    return int(instance.team[state.counters[0]])


@rules.play.register(Firm)
def play(instance: Firm, state: FirmState, move: int) -> None:
    state.wealth[move] += 1
    if state.wealth[move] == ENOUGH:
        _decide(instance, state, move)
    state.counters[0] = state.ring[0, state.counters[0]]


@rules.rewards.register(Firm)
def rewards(instance: Firm, state: FirmState, rewards: Floats) -> None:
    most, sharing = 0.0, 0
    for team in range(instance.teams):
        won = 0.0
        for pair in range(len(state.winner)):
            won += state.winner[pair] == team
        rewards[team] = won
        if won > most:
            most, sharing = won, 0
        sharing += won == most
    for team in range(instance.teams):
        rewards[team] = 1.0 / sharing if rewards[team] == most else 0.0


@rules.code.register(Firm)
def code(instance: Firm, state: FirmState, move: int) -> int:
    if instance.codes == TARGET:
        return int(move)
    if instance.codes == ABSTRACT:
        return int(state.counters[0] * len(state.wealth) + move)
    # The giver may have won his pair already, who is given to has not: wealth is 0 ... 2.
    first, levels = move // instance.teams * instance.teams, move
    for unit in range(first, first + instance.teams):
        levels = ENOUGH * levels + state.wealth[unit]
    return int((ENOUGH + 1) * levels + state.wealth[state.counters[0]])


@rules.key.register(Firm)
def key(instance: Firm, state: FirmState) -> np.uint64:
    return mixed(FAR + state.counters[0]) + hash_items(state.wealth, ENOUGH + 3)


@dataclass(frozen=True)
class InvestmentOptions:
    """Options of the investment game: its players and the codes of moves.

    Parameters
    ----------
    units : int
        Units of each team; with an odd number two teams never share.
    players : int
        2 or 3, a team each.
    codes : {"abstract", "target", "exact"}
        Giver and receiver; receiver; or receiver, the wealth in his pair, and that of the
        giver.
    """

    units: Annotated[int, Range(1, MOST_UNITS)] = 11
    players: Literal[2, 3] = 2
    codes: Codes = "abstract"

    def __post_init__(self) -> None:
        check_fields(self)


class Investment(TeamsGame):
    """Investment game of teams; a move is the name of the unit that is given to."""

    name: ClassVar[str] = "investment"
    instance_class: ClassVar[type] = Firm
    options: ClassVar[type[InvestmentOptions]] = InvestmentOptions
    most: ClassVar[int] = ENOUGH

    def start(self, options: InvestmentOptions) -> Problem:
        """Return the start, without any wealth."""
        return self.full(options.players, options.units, 0)

    def position(self, instance: Firm, state: FirmState) -> Units:
        """Wealth and turn of a state."""
        wealth = state.wealth.reshape(-1, instance.teams).T
        return Units(np.ascontiguousarray(wealth, np.int64), int(state.counters[0]))

    def instance(self, problem: Problem, options: InvestmentOptions) -> Firm:
        """Put the units in order."""
        points, turn = problem.data
        for pair, won in enumerate((points == ENOUGH).sum(axis=0).tolist(), start=1):
            if won > 1:
                raise InputError(f"{problem.name}: {won} winners of pair {pair}, expected one")
        wealth = np.ascontiguousarray(points.T.ravel(), np.int32)
        team = np.arange(len(wealth), dtype=np.int32) % np.int32(len(points))
        return Firm(wealth, team, len(points), int(turn), CODES.index(options.codes))

    def new_state(self, instance: Firm) -> FirmState:
        """Allocate a state."""
        units, pairs = len(instance.wealth), len(instance.wealth) // instance.teams
        shapes = units, pairs, pairs, (2, units), 2
        return FirmState(*(np.zeros(shape, np.int32) for shape in shapes))

    def limits(self, instance: Firm) -> Limits:
        """A pair is decided when all of its units but one lack a point, at the latest."""
        units = len(instance.wealth)
        pairs = units // instance.teams
        codes = units * (units, 1, (ENOUGH + 1) * ENOUGH**instance.teams)[instance.codes]
        steps = int((ENOUGH - instance.wealth).sum())
        return Limits(steps, pairs, steps * pairs, codes)

    def format_move(self, instance: Firm, state: FirmState, move: int) -> str:
        """Write the name of the unit."""
        return unit_name(move, instance.teams)
