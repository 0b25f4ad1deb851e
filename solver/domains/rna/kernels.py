"""Inverse RNA folding, the compiled side: instance, state, moves and score.

Bases are placed from left to right; a '(' takes both bases of its pair at once,
so the base before a position is always there. The full sequence is folded, by `fold` with
ViennaRNA's energies or else by ViennaRNA itself, and scored as in NEMO (Portela 2018).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.rules import Moves
from solver.domains.rna.contexts import contexts
from solver.domains.rna.engines import ENGINES, Engine, engine_called, like_which
from solver.domains.rna.fold.call import fold_address, fold_at
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.fold.parameters import MAX_BASES, packed
from solver.domains.rna.fold.workspace import new_fold_memory
from solver.domains.rna.folding import (
    Text,
    as_text,
    begin_energies,
    end_energies,
    energy_of,
    fold,
    model_address,
)
from solver.domains.rna.loops import situations
from solver.domains.rna.requests.kernels import NoRequests, lowered
from solver.domains.rna.rivals import (
    Rivals,
    add_rivals,
    gain_of_rivals,
    new_rivals,
    read_pairs,
)
from solver.domains.rna.text import (
    IUPAC,
    PAIRS,
    RnaTarget,
    new_target,
    pair_partners,
)

BASES = "ACGU"
MOVES = (*BASES, *PAIRS)
ENGINE_NAMES = list(ENGINES)
N_BASES, N_MOVES = len(BASES), len(MOVES)
_MOVE_LETTERS = np.array([[ord(m[0]), ord(m[-1])] for m in MOVES], np.uint8)

STEP = 0  # scalar of a state
SEEN_BITS = 13  # scores of so many sequences are kept
NO_REQUESTS = NoRequests()


class Rna(NamedTuple):
    """A structure of n positions to find a sequence for."""

    target: Text
    """uint8[n + 1]: dot-bracket as C has it."""
    partner: npt.NDArray[np.int32]
    """int32[n]: the other end of a pair, -1 at unpaired positions."""
    position: npt.NDArray[np.int32]
    """int32[steps]: where each step places a base or a pair."""
    allowed: npt.NDArray[np.int16]
    """int16[steps]: bit m is set where move m is possible."""
    situation: npt.NDArray[np.int8]
    """int8[n]: a `Situation`."""
    context: npt.NDArray[np.int32]
    """int32[n, 3]: see `contexts`."""
    letters: npt.NDArray[np.uint8]
    """uint8[moves, 2]: letters that a move places at its position and at the partner's."""
    n_pairs: int
    engine: int
    """Number of the engine in `ENGINE_NAMES`, -1 if nothing is folded."""
    celsius: float
    """Temperature of its energies."""
    model: int
    """Address of ViennaRNA's model details, 0 if nothing is folded."""
    fold: int
    """Address of the compiled fold, 0 if ViennaRNA folds."""
    energies: npt.NDArray[np.int32]
    """int32[energies]: parameters of the compiled fold; empty without it."""
    requests: Any
    """`Requests`, or `NoRequests`."""
    enclosed: bool = False
    """True if the first and the last base, which pair, are taken to pair whatever the fold would
    be: of a part, where what surrounds it holds them together."""


class RnaState(NamedTuple):
    """A sequence under construction."""

    sequence: Text
    """uint8[n + 1]: letters placed so far."""
    folded: Text
    """uint8[n + 1]: structure by ViennaRNA; scratch of `score`."""
    pairs: npt.NDArray[np.int32]
    """int32[n]: pairs of the fold, as `Rna.partner`; scratch of `score`."""
    stack: npt.NDArray[np.int32]
    """int32[n]: scratch of `score`."""
    seen: npt.NDArray[np.uint64]
    """uint64[2**SEEN_BITS]: hashes of folded sequences, in places given by their first bits."""
    seen_score: npt.NDArray[np.float64]
    """float64[2**SEEN_BITS]: their scores."""
    memory: npt.NDArray[np.int32]
    """int32[memory]: matrices of the sequence folded last; empty where ViennaRNA folds."""
    rivals: Rivals
    """These and the scores of sequences are memos: a copy of the state leaves them behind."""
    scalars: npt.NDArray[np.int64]
    """int64[1]: steps made."""


@rules.reset.register(Rna)
def reset(instance: Rna, state: RnaState) -> None:
    state.scalars[STEP] = 0


@rules.copy_state.register(Rna)
def copy_state(instance: Rna, source: RnaState, target: RnaState) -> None:
    copy_items(source.sequence, target.sequence)
    target.scalars[STEP] = source.scalars[STEP]


@rules.legal_moves.register(Rna)
def legal_moves(instance: Rna, state: RnaState, stream: Stream, moves: Moves) -> int:
    step = state.scalars[STEP]
    if step == len(instance.position):
        return 0
    count = 0
    for move in range(N_MOVES):
        if instance.allowed[step] >> move & 1:
            moves[count] = move
            count += 1
    return count


@rules.play.register(Rna)
def play(instance: Rna, state: RnaState, move: int) -> None:
    position = instance.position[state.scalars[STEP]]
    state.sequence[position] = instance.letters[move, 0]
    if instance.partner[position] >= 0:
        state.sequence[instance.partner[position]] = instance.letters[move, 1]
    state.scalars[STEP] += 1


@inlined
def _hash(sequence: Text) -> np.uint64:
    """FNV-1a of the letters, 0 left out as the mark of an empty place."""
    value = np.uint64(0xCBF29CE484222325)
    for index in range(len(sequence) - 1):
        value = (value ^ np.uint64(sequence[index])) * np.uint64(0x100000001B3)
    return value ^ (value >> np.uint64(29)) | np.uint64(1)


@inlined
def pair_distance(instance: Rna, pairs: npt.NDArray[np.int32]) -> int:
    """Return the number of pairs in which a structure and the target differ."""
    distance = 0
    for position in range(len(pairs)):
        if pairs[position] != instance.partner[position]:
            distance += int(pairs[position] > position)
            distance += int(instance.partner[position] > position)
    return distance


@inlined
def _near(instance: Rna, distance: int) -> float:
    """First factor of NEMO's score, for a structure that is `distance` pairs away."""
    if instance.n_pairs == 0:
        return 1.0 / (1.0 + distance)
    return 1.0 - 0.5 * distance / instance.n_pairs


@inlined
def _nemo_score(near: float, gap: float) -> float:
    """Score of a sequence whose fold has `gap` kcal/mol less than the target (Portela 2018)."""
    return near / (1.01 + gap) if near >= 0.0 else near * (1.01 + gap)


@inlined
def fold_by_viennarna(instance: Rna, state: RnaState) -> float:
    """Fold like `fold_sequence`, always by ViennaRNA."""
    energy = fold(state.sequence, state.folded, instance.model)
    read_pairs(state.folded, state.stack, state.pairs)
    return energy


@inlined
def fold_sequence(instance: Rna, state: RnaState) -> float:
    """Fold the sequence; returns its energy in kcal/mol, in single precision as ViennaRNA's."""
    if instance.fold == 0:
        return fold_by_viennarna(instance, state)
    hundredths = fold_at(
        instance.fold, state.memory, instance.energies, state.sequence, state.pairs
    )
    return float(np.float32(hundredths / 100.0))


@inlined
def _folded_score(instance: Rna, state: RnaState, of_target: float) -> float:
    """Fold the sequence; its fold becomes a rival of the target."""
    lowest = fold_sequence(instance, state)
    distance = pair_distance(instance, state.pairs)
    if distance == 0:
        return 1.0
    add_rivals(state.rivals, instance.partner, state.pairs)
    # A structure that the engine never forms (a large interior loop) may lie below its minimum.
    return _nemo_score(_near(instance, distance), max(of_target - lowest, 0.0))


@inlined
def _bound(instance: Rna, state: RnaState, energies: Any, of_target: float, floor: float) -> float:
    """Upper bound on the score; rivals that bring it below `floor` need not be improved on."""
    near = _near(instance, 1)
    enough = near / floor - 1.0
    gain = gain_of_rivals(state.rivals, state.sequence, energies, of_target, enough)
    return _nemo_score(near, gain) if gain > 0.0 else 1.0


@inlined
def _score_from(instance: Rna, state: RnaState, floor: float) -> float:
    if instance.model == 0:
        return 1.0
    key = _hash(state.sequence)
    place = np.int64(key >> np.uint64(64 - SEEN_BITS))
    if state.seen[place] == key:
        return state.seen_score[place]
    energies = begin_energies(state.sequence, instance.model)
    of_target = energy_of(energies, instance.target)
    bound = _bound(instance, state, energies, of_target, floor) if floor > 0.0 else 1.0
    end_energies(energies)
    if bound < floor:
        return bound
    state.seen[place] = key
    state.seen_score[place] = _folded_score(instance, state, of_target)
    return state.seen_score[place]


@rules.score.register(Rna)
def score(instance: Rna, state: RnaState) -> float:
    return lowered(instance.requests, state.sequence, _score_from(instance, state, -np.inf))


@rules.score_from.register(Rna)
def score_from(instance: Rna, state: RnaState, floor: float) -> float:
    return lowered(instance.requests, state.sequence, _score_from(instance, state, floor))


@rules.code.register(Rna)
def code(instance: Rna, state: RnaState, move: int) -> int:
    return int(instance.position[state.scalars[STEP]] * N_MOVES + move)


@rules.is_solution_move.register(Rna)
def is_solution_move(instance: Rna, state: RnaState, solution: Moves, step: int, move: int) -> bool:
    position = instance.position[step]
    if solution[position] != instance.letters[move, 0]:
        return False
    partner = instance.partner[position]
    return partner < 0 or bool(solution[partner] == instance.letters[move, 1])


def engine_number(name: str) -> int:
    """Index in `ENGINE_NAMES` of an engine, or of the one that codes take it for."""
    return ENGINE_NAMES.index(like_which(name))


def _allowed_moves(target: RnaTarget, position: int, partner: int) -> int:
    """Bits of the moves that the fixed bases leave at `position`."""
    one = IUPAC[target.bases[position]]
    if partner < 0:
        return sum(1 << number for number, base in enumerate(BASES) if base in one)
    other = IUPAC[target.bases[partner]]
    fits = [pair[0] in one and pair[1] in other for pair in PAIRS]
    return sum(1 << N_BASES + number for number, fit in enumerate(fits) if fit)


def new_rna(target: RnaTarget, engine: str | None, name: str, requests: Any = NO_REQUESTS) -> Rna:
    """Number the steps of `target` and load `engine`, None to fold nothing.

    `requests` are what is asked for besides, as `Rna.requests`.
    """
    target = new_target(target.structure, target.bases, name)
    partners = pair_partners(target.structure, name)
    positions = [i for i, partner in enumerate(partners) if partner < 0 or partner > i]
    allowed = [_allowed_moves(target, i, partners[i]) for i in positions]
    known = None
    if engine is not None and len(partners) < MAX_BASES:
        known = load_fold_parameters(engine)
    return Rna(
        target=as_text(target.structure),
        partner=np.array(partners, np.int32),
        position=np.array(positions, np.int32),
        allowed=np.array(allowed, np.int16),
        situation=np.array(situations(target.structure), np.int8),
        context=contexts(target.structure),
        letters=_MOVE_LETTERS.copy(),
        n_pairs=target.structure.count("("),
        engine=-1 if engine is None else engine_number(engine),
        celsius=Engine.celsius if engine is None else engine_called(engine).celsius,
        model=0 if engine is None else model_address(engine),
        fold=0 if known is None else fold_address(),
        energies=np.zeros(0, np.int32) if known is None else packed(known),
        requests=requests,
    )


def new_rna_state(instance: Rna, n_rivals: int) -> RnaState:
    """Allocate a state that has folded nothing; without rivals every new sequence is folded."""
    n = len(instance.partner)
    memory = np.zeros(0, np.int32)
    if instance.fold:
        memory = new_fold_memory(n, instance.enclosed)
    return RnaState(
        sequence=as_text("A" * n),
        folded=as_text("." * n),
        pairs=np.zeros(n, np.int32),
        stack=np.zeros(n, np.int32),
        seen=np.zeros(2**SEEN_BITS, np.uint64),
        seen_score=np.zeros(2**SEEN_BITS),
        memory=memory,
        rivals=new_rivals(n, n_rivals),
        scalars=np.zeros(1, np.int64),
    )
