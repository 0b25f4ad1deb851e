"""Solved RNA designs made of a corpus, and the generated set of `solve`."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from generators.rna.generator import RnaGenerator, benchmark
from generators.rna.hardened import BEGINNINGS
from generators.rna.rfam import RfamSequence, read_sequences
from generators.solved import describe, solved_table
from solver.contract.references import problem_of
from solver.domains.rna.domain import RnaDomain
from solver.domains.rna.engines import ENGINES
from solver.errors import InputError, UnsolvableError
from solver.system.datasets import corpus_path, sha256
from tests.generators.seed_file import N_ODD, N_TWO, ODD_FAMILIES, TWO_FAMILIES, register_rfam

DOMAIN = RnaDomain()
N_USABLE = 4 + 3


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home with a small seed file, registered as Rfam."""
    return register_rfam(tmp_path, monkeypatch)


@pytest.mark.usefixtures("corpus")
def test_the_seed_decides_the_order() -> None:
    """Every usable sequence comes once, in an order that the seed alone decides."""
    generator = RnaGenerator()
    assert generator.n_available == N_USABLE
    orders = []
    for seed in (1, 2):
        drawn = [generator.generate(seed, number) for number in range(N_USABLE)]
        again = [RnaGenerator().generate(seed, n) for n in reversed(range(N_USABLE))][::-1]
        assert drawn == again
        orders.append([problem.name for problem, _ in drawn])
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    assert sorted(orders[0])[0] == "RF90001/one/1-12"


def test_consensus_targets(corpus: Path) -> None:
    """Targets are what the sequences can form of their family's structure, and not folded."""
    expected = {(f"{s.family}/{s.name}", s.sequence, s.structure) for s in read_sequences(corpus)}
    found = set()
    for number in range(N_USABLE):
        problem, answer = RnaGenerator().generate(1, number)
        assert answer.engine == "none"
        assert problem.data.bases == "N" * len(answer.sequence)
        DOMAIN.verify(problem, answer)
        found.add((problem.name, answer.sequence, problem.data.structure))
    assert found == expected


@pytest.mark.usefixtures("corpus")
def test_searches_get_targets_that_can_be_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs around a loop too large for every engine are left out for searches, not for replays."""
    long = RfamSequence("RF1", "long", "G" * 40 + "CCCC" + "GGGG", f"((({'.' * 32}(((....))))))")
    generator = RnaGenerator()
    plain = [generator.generate(1, number)[0] for number in range(N_USABLE)]
    assert [problem_of(generator, 1, number) for number in range(N_USABLE)] == plain
    corpus = generator._corpus
    monkeypatch.setattr(RnaGenerator, "_corpus", replace(corpus, sequences=[long]))
    replayed, _ = generator.generate(1, 0)
    assert replayed.data.structure == long.structure
    searched = problem_of(generator, 1, 0)
    assert searched.name == replayed.name
    assert searched.data.structure == "." * 35 + "(((....)))" + "..."
    with pytest.raises(UnsolvableError):
        DOMAIN.instance(replayed, DOMAIN.options())
    DOMAIN.instance(searched, DOMAIN.options())


@pytest.mark.usefixtures("corpus")
def test_folded_targets() -> None:
    """With an engine the target is what the sequence folds into, as another process finds too."""
    generator = RnaGenerator(targets="vienna2")
    for number in range(N_USABLE):
        problem, answer = generator.generate(1, number)
        consensus, same = RnaGenerator().generate(1, number)
        assert (problem.name, answer.sequence) == (consensus.name, same.sequence)
        assert answer.engine == "vienna2"
        DOMAIN.verify(problem, answer)
    assert solved_table(DOMAIN, generator, 1, range(N_USABLE)).num_rows == N_USABLE


def test_the_source_is_described(corpus: Path) -> None:
    """Tables say which corpus it was, which file, and what was dropped for which reason."""
    about = describe(RnaGenerator(longest=12))
    assert about == {
        "domain": "rna",
        "targets": "consensus",
        "longest": 12,
        "guide": "ngram",
        "corpus": "rfam",
        "sha256": sha256(corpus),
        "dropped": {
            "ambiguous base": 1,
            "family without a usable consensus structure": 2,
            "longer than 12": 2,
            "no pair of the consensus left": 1,
            "row and consensus of different lengths": 1,
        },
    }
    table = solved_table(DOMAIN, RnaGenerator(longest=12), 1, range(3))
    assert json.loads(table.schema.metadata[b"nestor"]) == {**about, "seed": 1}
    assert RnaGenerator(longest=12).n_available == N_USABLE - 2
    assert RnaGenerator(longest=11).n_available == 1


@pytest.mark.usefixtures("corpus")
def test_families_are_named_by_their_parameters() -> None:
    """Families that a report distinguishes have different names and parameters."""
    generators = [RnaGenerator(), RnaGenerator("vienna2"), RnaGenerator(longest=100)]
    assert [one.family for one in generators] == [
        "Rfam up to 500 bases, consensus targets",
        "Rfam up to 500 bases, vienna2 targets",
        "Rfam up to 100 bases, consensus targets",
    ]
    assert generators[1].family_parameters == {"targets": "vienna2", "longest": 500}


@pytest.mark.usefixtures("corpus")
def test_more_than_there_are() -> None:
    """Beyond the last sequence there is none."""
    with pytest.raises(InputError, match=r"^7 sequences to learn from, asked for 8$"):
        RnaGenerator().generate(1, N_USABLE)
    with pytest.raises(InputError, match=r"^0 sequences to learn from, asked for 1$"):
        RnaGenerator(longest=3).generate(1, 0)


def test_another_file_is_refused(corpus: Path) -> None:
    """A seed file with other rows than registered is not learned from."""
    corpus.write_bytes(gzip.compress(TWO_FAMILIES.encode()))
    with pytest.raises(InputError) as error:
        RnaGenerator(longest=499).generate(1, 0)
    assert str(error.value) == f"{corpus}: {N_TWO} rows, expected {N_TWO + N_ODD}"
    assert ODD_FAMILIES


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"targets": "none"}, "targets is 'none', expected one of: consensus, t99d2, vienna2, "
         "vienna1, hard"),
        ({"targets": "hard", "guide": "nobody"}, "no prior called 'nobody': neither a file nor "
         "one of: none, nemo, loops, ngram"),
        ({"longest": 0}, "longest is 0, expected 1 or more"),
    ],
)  # fmt: skip
def test_parameters(parameters: dict[str, str], message: str) -> None:
    """A parameter out of range is refused with the range."""
    with pytest.raises(InputError) as error:
        RnaGenerator(**parameters)  # type: ignore[arg-type]
    assert str(error.value) == message


@pytest.mark.slow
def test_designs_of_hard_targets() -> None:
    """Each folds into its target by the engine whose turn it is; instance i is the same alone."""
    generator = RnaGenerator("hard")
    turn, others = list(ENGINES).index("vienna2"), len(ENGINES)
    numbers = [turn, turn + others]
    made = [generator.generate(3, number) for number in numbers]
    for number, (problem, design) in zip(numbers, made, strict=True):
        DOMAIN.verify(problem, design)
        assert problem.name == f"{BEGINNINGS[number // others]}-3-{number}"
        assert design.engine == "vienna2"
    assert generator.generate(3, numbers[1]) == made[1]
    assert generator.family == "hard targets, designed under each engine"
    assert set(generator.source) == {"guide_sha256"}


def test_generated_benchmark() -> None:
    """Targets that random sequences of 60 bases fold into; instance i is the same in any set."""
    problems = list(benchmark(4, 7))
    assert [problem.name for problem in problems] == [f"rna-60-7-{n}" for n in range(4)]
    assert list(benchmark(2, 7)) == problems[:2]
    assert len({problem.data for problem in [*problems, *islice(benchmark(4, 8), 4)]}) == 8
    for problem in problems:
        assert len(problem.data.structure) == 60
        assert set(problem.data.bases) == {"N"}
        (again,) = DOMAIN.parse(DOMAIN.format_problem(problem), "again")
        assert again == problem


@pytest.mark.slow
def test_the_real_corpus() -> None:
    """67,799 of 72,262 rows of Rfam 14.2 are usable; each reason to drop one is counted."""
    home = os.environ.get("NESTOR_DATA")
    names = ("Rfam.seed.gz", "Rfam-14.2.seed.gz")
    if not home or not any((Path(home).expanduser() / name).exists() for name in names):
        pytest.skip("NESTOR_DATA names no folder with Rfam.seed.gz")
    generator = RnaGenerator(longest=10**6)
    assert generator.n_available == 67_799
    dropped = generator.source["dropped"]
    assert sum(dropped.values()) == 72_262 - 67_799
    assert corpus_path("rfam").parent == Path(home).expanduser()
    for number in range(0, 67_799, 677):
        DOMAIN.verify(*generator.generate(1, number))
