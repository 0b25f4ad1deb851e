"""Inverse RNA folding against ViennaRNA's Python API and plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import RNA
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.algorithms import Gnrpa
from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import use_engine
from solver.domains.rna.kernels import BASES, MOVES, _hash
from solver.domains.rna.text import IUPAC, PAIRS, RnaTarget, new_target, pair_partners
from solver.errors import InputError, VerificationError
from solver.searching.driver import Budget, search
from solver.searching.solution import solve
from tests.helpers import needs_jit, same_search
from tests.instances import problems

DOMAIN = RnaDomain()
HAIRPIN = "((((....))))"
JUNCTION = "((((.((((....)))).((((....)))).))))"
NONE = RnaOptions(engine="none")
STRUCTURES = (HAIRPIN, ".....", JUNCTION, "..((..((...))..)).", "(((...)))((....))")


@st.composite
def targets(draw: Any) -> RnaTarget:
    """One of a few structures, with IUPAC letters that leave every pair possible."""
    structure = draw(st.sampled_from(STRUCTURES))
    letters = [draw(st.sampled_from([*IUPAC, *["N"] * 10])) for _ in structure]
    for one, other in enumerate(pair_partners(structure, "drawn")):
        fits = (a + b in PAIRS for a in IUPAC[letters[one]] for b in IUPAC[letters[other]])
        if other > one and not any(fits):
            letters[one] = letters[other] = "N"
    return new_target(structure, "".join(letters), "drawn")


def playout(
    target: RnaTarget, seed: int, options: RnaOptions = NONE
) -> Iterator[tuple[Any, Any, list[int], int]]:
    """Play at random; yield instance and state with the moves possible and the one played."""
    instance = DOMAIN.instance(Problem("p", target), options)
    state, stream = DOMAIN.new_state(instance), new_stream(seed)
    buffer = np.zeros(DOMAIN.limits(instance).moves, np.int64)
    contract.reset(instance, state)
    with np.errstate(over="ignore"):
        while n := contract.legal_moves(instance, state, stream, buffer):
            move = int(buffer[next_below(stream, n)])
            yield instance, state, [int(m) for m in buffer[:n]], move
            contract.play(instance, state, move)


def finished(structure: str, seed: int) -> tuple[Any, Any]:
    """Instance and state at the end of a random playout that vienna2 scores."""
    target = RnaTarget(structure, "N" * len(structure))
    *_, (instance, state, _, _) = playout(target, seed, RnaOptions())
    return instance, state


def score(instance: Any, state: Any) -> float:
    with np.errstate(over="ignore"):  # hashes wrap around
        return float(contract.score(instance, state))


def nemo_score(sequence: str, structure: str) -> float:
    """NEMO's score (Portela 2018), from ViennaRNA and the definition."""
    compound = RNA.fold_compound(sequence, use_engine("vienna2"))
    folded, energy = compound.mfe()
    distance = RNA.bp_distance(folded, structure)
    if distance == 0:
        return 1.0
    pairs = structure.count("(")
    near = 1 - distance / (2 * pairs) if pairs else 1 / (1 + distance)
    gap = 1.01 + compound.eval_structure(structure) - energy
    return float(near / gap if near >= 0 else near * gap)


def test_score_equals_nemo() -> None:
    """Sequences are scored by base pair distance and energy gap, below 0 beyond twice the pairs."""
    found = []
    few, open_chain = "(...)" + "." * 45, "." * 40
    for structure, seed in [(s, n) for s in (*STRUCTURES, few, open_chain) for n in range(12)]:
        instance, state = finished(structure, seed)
        sequence = DOMAIN.answer(instance, state).sequence
        found.append(score(instance, state))
        assert found[-1] == pytest.approx(nemo_score(sequence, structure), rel=1e-5)
    assert min(found) < 0 < max(found) == 1.0
    assert len(set(found)) > 40


@needs_jit
@pytest.mark.parametrize("structure", [JUNCTION, "..((..((...))..)).", "(.((....)).(((....))).)"])
def test_searches_are_the_same_where_viennarna_folds(structure: str) -> None:
    """With the fold of our own a search is, score for score, the one with ViennaRNA's."""
    target = RnaTarget(structure, "N" * len(structure))
    instance = DOMAIN.instance(Problem("p", target), RnaOptions())
    assert instance.fold > 0
    slower = instance._replace(fold=0, energies=np.zeros(0, np.int32))
    for seed in range(4):
        results = [
            search(DOMAIN, one, Gnrpa(level=1), Budget(playouts=300), seed=seed)
            for one in (instance, slower)
        ]
        assert same_search(*results)


def test_score_is_1_exactly_where_the_target_is_reached() -> None:
    """Every sequence of a search is scored 1 if and only if it folds into the target."""
    reached = 0
    for seed in range(60):
        instance, state = finished(HAIRPIN, seed)
        sequence = DOMAIN.answer(instance, state).sequence
        folds = RNA.fold_compound(sequence, use_engine("vienna2")).mfe()[0] == HAIRPIN
        assert (score(instance, state) == 1.0) == folds
        reached += folds
    assert 0 < reached < 60


def test_without_an_engine_every_sequence_is_right() -> None:
    """With `none` nothing is folded and the answer says so."""
    target = RnaTarget(HAIRPIN, "N" * 12)
    *_, (instance, state, _, _) = playout(target, 0)
    assert score(instance, state) == 1.0
    answer = DOMAIN.answer(instance, state)
    assert answer.engine == "none"
    DOMAIN.verify(Problem("p", target), answer)
    facts = {"sequence": answer.sequence, "engine": "none"}
    assert DOMAIN.facts(Problem("p", target), answer) == facts


def test_a_sequence_is_folded_once() -> None:
    """The score of a sequence seen before is the one kept, until another takes its place."""
    instance, state = finished(HAIRPIN, 3)
    first = score(instance, state)
    (place,) = np.flatnonzero(state.seen)
    assert state.seen_score[place] == first
    state.seen_score[place] = 0.123
    assert score(instance, state) == 0.123
    contract.reset(instance, state)
    assert score(instance, state) == 0.123
    state.sequence[4] = ord("C" if state.sequence[4] != ord("C") else "A")
    assert score(instance, state) != 0.123
    assert np.count_nonzero(state.seen) == 2
    state.seen[place] += np.uint64(2)  # another sequence in the same place
    state.sequence[:] = np.frombuffer(
        DOMAIN.answer(*finished(HAIRPIN, 3))[0].encode() + b"\0", "u1"
    )
    assert score(instance, state) == first


@given(st.text("ACGU", min_size=1, max_size=40), st.text("ACGU", min_size=1, max_size=40))
def test_hashes_tell_sequences_apart(one: str, other: str) -> None:
    """No hash is 0, the mark of an empty place, and different sequences have different ones."""
    with np.errstate(over="ignore"):
        hashes = [int(_hash(np.frombuffer(s.encode() + b"\0", np.uint8))) for s in (one, other)]
    assert all(value % 2 for value in hashes)  # so none is 0
    assert (hashes[0] == hashes[1]) == (one == other)


@settings(max_examples=60)
@given(target=targets(), seed=st.integers(0, 2**20))
def test_moves_are_those_that_the_letters_allow(target: RnaTarget, seed: int) -> None:
    """Moves at each position are the bases or pairs that the IUPAC letters allow."""
    partners = pair_partners(target.structure, "p")
    positions = [i for i, partner in enumerate(partners) if partner < 0 or partner > i]
    sequence = ["?"] * len(partners)
    steps = list(playout(target, seed))
    for _, _, moves, move in steps:
        position = positions.pop(0)
        partner = partners[position]
        allowed = {
            a + b if partner >= 0 else a
            for a in IUPAC[target.bases[position]]
            for b in (IUPAC[target.bases[partner]] if partner >= 0 else "A")
            if partner < 0 or a + b in ("AU", "UA", "GC", "CG", "GU", "UG")
        }
        assert {MOVES[m] for m in moves} == allowed
        assert len(moves) == len(allowed)
        sequence[position], sequence[partner if partner >= 0 else position] = (
            MOVES[move][0], MOVES[move][-1],
        )  # fmt: skip
    assert not positions
    state = steps[-1][1]
    assert bytes(state.sequence[:-1]).decode() == "".join(sequence)


@settings(max_examples=60)
@given(target=targets(), seed=st.integers(0, 2**20))
def test_ngram_counts_what_stands_before(target: RnaTarget, seed: int) -> None:
    """The code holds the target here and before, the base before and the move, nothing else."""
    prior = DOMAIN.priors["ngram"]
    table = prior.table_class(np.zeros(prior.rows))
    partners = pair_partners(target.structure, "p")
    placed: dict[int, str] = {}
    for instance, state, moves, move in playout(target, seed):
        here = next(i for i in range(len(partners)) if i not in placed)
        for one in moves:
            code = contract.prior_code(table, instance, state, one)
            found = [int(c) for c in np.unravel_index(code, list(prior.components.values()))]
            if here:
                before = [
                    ".()".index(target.structure[here - 1]),
                    1 + BASES.index(placed[here - 1]),
                ]
            else:
                before = [3, 0]
            assert found == [".(".index(target.structure[here]), *before, one]
        placed[here] = MOVES[move][0]
        if partners[here] >= 0:
            placed[partners[here]] = MOVES[move][1]
    assert len(placed) == len(partners)


def test_policy_codes_name_position_and_move() -> None:
    """Two moves share a policy code only if they place the same at the same position."""
    seen: dict[int, tuple[int, int]] = {}
    target = RnaTarget(JUNCTION, "N" * len(JUNCTION))
    for seed in range(3):
        for step, (instance, state, moves, _) in enumerate(playout(target, seed)):
            for move in moves:
                code = contract.code(instance, state, move)
                assert seen.setdefault(code, (step, move)) == (step, move)
    assert len(set(seen.values())) == len(seen) == 12 * 6 + 11 * 4


@pytest.mark.parametrize("name", ["hairpin", "multibranch"])
def test_threads_do_not_change_the_answer(name: str) -> None:
    """Seed and playouts decide what is found, however many fold at a time."""
    instance = DOMAIN.instance(problems("rna")[name], RnaOptions())
    algorithm = Gnrpa(level=1, iterations=16)
    results = [
        search(DOMAIN, instance, algorithm, Budget(playouts=700), seed=4, threads=threads)
        for threads in (1, 2)
    ]
    assert same_search(*results)


@pytest.mark.parametrize(
    ("structure", "bases", "sequence", "message"),
    [
        (HAIRPIN, "", "GGGGAAAACCC", "11 bases, expected 12, one a position"),
        (HAIRPIN, "", "GGGGAANACCCC", "position 7: N, expected A, C, G or U"),
        (HAIRPIN, "", "ggggaaaacccc", "position 1: g, expected A, C, G or U"),
        (HAIRPIN, "NNNNRNNNNNNN", "GGGGCAAACCCC", "position 5: C where R is given"),
        (HAIRPIN, "", "GGGAAAAACCCC", "positions 4 and 9: A and C do not pair"),
        ("." * 12, "", "GGGGAAAACCCC", "vienna2 folds it differently at 8 positions, the first 1"),
    ],
)
def test_verify_names_the_rule(structure: str, bases: str, sequence: str, message: str) -> None:
    """A wrong design is refused with the rule and the position, counted from 1."""
    problem = Problem("p", new_target(structure, bases, "p"))
    with pytest.raises(VerificationError) as error:
        DOMAIN.verify(problem, RnaDesign(sequence, "vienna2"))
    assert str(error.value) == message


def test_facts_are_what_the_engine_says() -> None:
    """Fold, energy and uniqueness come from folding the sequence again."""
    problem = problems("rna")["hairpin-all-fixed"]
    answer = RnaDesign("GCGCUUCGGCGC", "vienna2")
    facts = DOMAIN.facts(problem, answer)
    assert facts == {
        "sequence": "GCGCUUCGGCGC",
        "structure": HAIRPIN,
        "energy": -5.5,
        "engine": "vienna2",
        "unique_mfe": True,
        "quadruplex": None,
    }
    record = DOMAIN.record(problem, answer, {"solved": True, **facts}, several=False)
    assert record == (
        ">hairpin-all-fixed solved=True energy=-5.5 engine=vienna2 unique_mfe=True\n"
        f"GCGCUUCGGCGC\n{HAIRPIN}\n"
    )


def test_engines_are_checked_when_chosen() -> None:
    """An engine that does not exist is refused with those that do."""
    message = "^engine is 'turbo', expected vienna1, t99d2, vienna2, dna, none or a .par file$"
    with pytest.raises(InputError, match=message):
        RnaOptions(engine="turbo")


@pytest.mark.parametrize("text", ["", "GGGG", ">p\nGGGG", ">p engine=vienna2"])
def test_answers_that_are_no_records(text: str) -> None:
    """An answer without its engine, or without its sequence, is refused."""
    first = text.partition("\n")[0]
    with pytest.raises(InputError) as error:
        DOMAIN.parse_answer(problems("rna")["hairpin"], text, "file")
    assert str(error.value) == f"file: line 1: {first!r}, expected >NAME engine=NAME"


def test_a_hard_puzzle_is_solved_with_nemo_sooner() -> None:
    """NEMO's weights find a design of a junction in fewer playouts than none, for every seed."""
    problem = problems("rna")["multibranch"]
    for seed in range(3):
        playouts = []
        for prior in (DOMAIN.handmade["nemo"], None):
            found = solve(
                DOMAIN, problem, RnaOptions(), Gnrpa(level=1), Budget(playouts=5000),
                prior=prior, seed=seed,
            )  # fmt: skip
            playouts.append(found.search.playouts)
            assert found.solved or prior is None
        assert playouts[0] < playouts[1]
