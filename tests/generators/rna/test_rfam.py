"""The reader of Rfam's seed alignments, against Biopython's where that reads them."""

from __future__ import annotations

import gzip
import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from Bio import Align
from hypothesis import given
from hypothesis import strategies as st

from generators.rna.rfam import (
    consensus_pairs,
    map_consensus,
    read_families,
    read_sequences,
)
from solver.domains.rna.text import PAIRS, pair_partners
from solver.errors import InputError
from tests.generators.seed_file import N_ODD, N_ODD_USABLE, N_TWO, ODD_FAMILIES, TWO_FAMILIES

TWO = TWO_FAMILIES.encode("latin-1")
ODD = ODD_FAMILIES.encode("latin-1")
PACKED = gzip.compress(TWO, mtime=0)


def biopython(text: str) -> Any:
    """Biopython's own reading of a Stockholm file."""
    parse: Any = Align.parse
    return parse(io.StringIO(text), "stockholm")


def written(folder: Path, content: bytes, name: str = "seed.txt") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["seed.txt", "seed.gz"])
def test_families_equal_those_of_biopython(tmp_path: Path, name: str) -> None:
    """Accessions, consensus structures, names and rows with their gaps, compressed or not."""
    families = list(read_families(written(tmp_path, TWO, name)))
    alignments = list(biopython(TWO_FAMILIES))
    assert len(families) == len(alignments) == 2
    for family, alignment in zip(families, alignments, strict=True):
        assert family.accession == alignment.annotations["accession"]
        structure = alignment.column_annotations["consensus secondary structure"]
        # Biopython writes all gaps alike.
        assert re.sub("[.,:_-]", ".", family.consensus) == re.sub("[.,:_-]", ".", structure)
        names = [sequence.id for sequence in alignment.sequences]
        assert [name for name, _ in family.rows] == names
        rows = [alignment[number] for number in range(len(names))]
        assert [row.replace(".", "-") for _, row in family.rows] == rows


def test_rows_that_biopython_refuses(tmp_path: Path) -> None:
    """Repeated names, and a family that begins where another ends, are read all the same."""
    families = list(read_families(written(tmp_path, ODD)))
    assert [(family.accession, len(family.rows)) for family in families] == [
        ("RF90003", 5),
        ("RF90004", 1),
        ("RF90005", 1),
        ("RF90006", 1),
    ]
    assert families[0].rows[:2] == [("twice", "GGGGAAAACCCC")] * 2
    assert families[0].consensus == "<<<<____>>>>"  # SS_cons_2 is another one
    assert families[3].rows == [("caf\xe9", "ggggtttucccc")]
    with pytest.raises(ValueError, match=r"."):
        list(biopython(ODD_FAMILIES))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# FASTA\n", "PATH: line 1: expected # STOCKHOLM 1.0"),
        (b">one\nGGGG\n", "PATH: line 1: expected # STOCKHOLM 1.0"),
        (TWO[:-3], "PATH: ends within family RF90002, expected //"),
        (b"# STOCKHOLM 1.0\none GG\n", "PATH: ends within family ?, expected //"),
        (
            b"# STOCKHOLM 1.0\none GG\n\ntwo words here\n",
            "PATH: line 4: 3 words, expected a name and a row",
        ),
        (b"# STOCKHOLM 1.0\nalone\n", "PATH: line 2: 1 words, expected a name and a row"),
    ],
)
def test_files_that_are_no_seed_files(tmp_path: Path, content: bytes, message: str) -> None:
    """Files that are no Stockholm file, or end too soon, are refused with the place."""
    path = written(tmp_path, content)
    with pytest.raises(InputError) as error:
        list(read_families(path))
    assert str(error.value) == message.replace("PATH", str(path))


@pytest.mark.parametrize(
    "content",
    [PACKED[:-20], PACKED[:-4], PACKED[:-8] + bytes(8), PACKED[:10] + b"\xff" * 30, TWO],
)
def test_packed_files_that_are_damaged(tmp_path: Path, content: bytes) -> None:
    """A file that gzip cannot unpack to its end is refused, whatever is wrong with it."""
    path = tmp_path / "seed.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"^cannot read {re.escape(str(path))}: "):
        list(read_families(path))


def test_files_that_are_missing(tmp_path: Path) -> None:
    """A path to nothing is refused in one line."""
    for name in ("seed.gz", "seed.txt"):
        with pytest.raises(InputError, match=r"^cannot read .*: .*No such file or directory"):
            list(read_families(tmp_path / name))


@pytest.mark.parametrize(
    ("consensus", "pairs"),
    [
        ("", []),
        ("....", []),
        ("<..>", [(0, 3)]),
        ("<(.[.{.}.].)>", [(0, 12), (1, 11), (3, 9), (5, 7)]),
        ("<<_>>,((-))", [(0, 4), (1, 3), (6, 10), (7, 9)]),
        ("<<AA.>>.aa", [(0, 6), (1, 5)]),  # letters are pseudoknots
        ("<<.>", None),
        ("<.>>", None),
        ("<.)", None),
        (")(", None),
    ],
)
def test_consensus_pairs(consensus: str, pairs: Any) -> None:
    """Brackets of each kind pair with their own; None if one is left over."""
    found = consensus_pairs(consensus)
    assert (found if found is None else sorted(found)) == pairs


@pytest.mark.parametrize(
    ("row", "consensus", "sequence", "structure"),
    [
        ("GCGCUUCGGCGC", "<<<<____>>>>", "GCGCUUCGGCGC", "((((....))))"),
        ("gcgcttcggcgc", "<<<<____>>>>", "GCGCUUCGGCGC", "((((....))))"),
        ("GC.GCUUCGGC~GC", "<<.<<____>>.>>", "GCGCUUCGGCGC", "((((....))))"),
        ("G-GCUUCGGC-C", "<<<<____>>>>", "GGCUUCGGCC", "(((....)))"),
        ("G_GCUUCGGCGC", "<<<<____>>>>", "GGCUUCGGCGC", "(((....)).)"),
        ("GAGCUUCGGCGC", "<<<<____>>>>", "GAGCUUCGGCGC", "(.((....)).)"),  # A and G
        ("GUGCUUCGGCGU", "<<<<____>>>>", "GUGCUUCGGCGU", "((((....))))"),  # G and U
        ("GCGC---GGCGC", "<<<<____>>>>", "GCGCGGCGC", "(((...)))"),  # too tight inside
        ("GCG-----CGC", "<<<_____>>>", "GCGCGC", "(....)"),
        ("NCGCUUCGGCGC", "<<<<____>>>>", "NCGCUUCGGCGC", ".(((....)))."),
        ("AAAA", "....", "AAAA", "...."),
        ("----", "<..>", "", ""),
    ],
)
def test_consensus_on_a_sequence(row: str, consensus: str, sequence: str, structure: str) -> None:
    """Gaps vanish, and with them pairs that are cut, that cannot form or are too tight."""
    pairs = consensus_pairs(consensus)
    assert pairs is not None
    assert map_consensus(row, pairs) == (sequence, structure)


@given(st.lists(st.tuples(st.sampled_from("<>()."), st.sampled_from("ACGUTacgu.-_~")), max_size=40))
def test_every_structure_can_be_formed(columns: list[tuple[str, str]]) -> None:
    """Whatever row and consensus are, the structure is a target whose pairs the sequence has."""
    consensus, row = ("".join(column) for column in zip(*columns, strict=True)) if columns else "  "
    pairs = consensus_pairs(consensus.strip().replace("<", "(").replace(">", ")"))
    if pairs is None:
        return
    sequence, structure = map_consensus(row.strip(), pairs)
    assert len(sequence) == len(structure)
    assert not set(sequence) - set("ACGU")
    if structure:
        for one, other in enumerate(pair_partners(structure, "p")):
            assert other < 0 or sequence[min(one, other)] + sequence[max(one, other)] in PAIRS


def test_usable_sequences(tmp_path: Path) -> None:
    """Sequences in the order of the file, without gaps, with what they can form."""
    found = list(read_sequences(written(tmp_path, TWO)))
    assert len(found) == N_TWO
    assert [(one.family, one.name, one.sequence, one.structure) for one in found] == [
        ("RF90001", "one/1-12", "GCGCUUCGGCGC", "((((....))))"),
        ("RF90001", "two/3-12", "GGGAAAACCC", "(((....)))"),
        ("RF90001", "three/1-14", "GCAUAGAAAUAUGC", "((((......))))"),
        ("RF90002", "four/9-20", "AGGCACUUUGCCUA", ".((........))."),
    ]


def test_rows_are_dropped_for_a_reason(tmp_path: Path) -> None:
    """Every row is either used or counted under the reason why not."""
    dropped: Counter[str] = Counter()
    found = list(read_sequences(written(tmp_path, ODD), dropped))
    assert [(one.name, one.sequence) for one in found] == [
        ("twice", "GGGGAAAACCCC"),
        ("twice", "GGGGAAAACCCC"),
        ("caf\xe9", "GGGGUUUUCCCC"),
    ]
    assert dropped == {
        "row and consensus of different lengths": 1,
        "ambiguous base": 1,
        "no pair of the consensus left": 1,
        "family without a usable consensus structure": 2,
    }
    assert len(found) == N_ODD_USABLE == N_ODD - dropped.total()
