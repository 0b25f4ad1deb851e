"""Connect tables, .bpseq, Stockholm and Eterna's JSON, against ViennaRNA's own pair tables."""

from __future__ import annotations

import json
from random import Random

import pytest
import RNA

from solver.domains.rna.files.formats import parse_targets, target_pieces
from solver.domains.rna.text import IUPAC, RnaTarget
from solver.errors import InputError

HAIRPIN = "((((....))))"
BASES = "GGGGAAAACCCC"


def folded(seed: int) -> tuple[str, str]:
    """A random sequence and the structure that ViennaRNA folds it into."""
    random = Random(seed)
    sequence = "".join(random.choices("ACGU", k=random.randint(20, 120)))
    return sequence, RNA.fold(sequence)[0]


def ct_of(name: str, sequence: str, structure: str) -> str:
    table, n = RNA.ptable(structure), len(sequence)
    rows = [
        f"{i:5d} {base} {i - 1:6d} {(i + 1) % (n + 1):6d} {table[i]:6d} {i:6d}"
        for i, base in enumerate(sequence, start=1)
    ]
    return "\n".join([f"{n:5d}  ENERGY = -3.4  {name}", *rows, ""])


def bpseq_of(sequence: str, structure: str) -> str:
    table = RNA.ptable(structure)
    return "".join(f"{i} {base} {table[i]}\n" for i, base in enumerate(sequence, start=1))


@pytest.mark.parametrize("seed", range(20))
def test_tables_of_pairs(seed: int) -> None:
    """A fold written as a table of ViennaRNA's pairs is read as that fold; bases fix nothing."""
    sequence, structure = folded(seed)
    target = RnaTarget(structure, "N" * len(sequence))
    assert parse_targets(bpseq_of(sequence, structure), "f") == [("f", target)]
    text = ct_of("a b", sequence, structure) + ct_of("", BASES, HAIRPIN)
    assert parse_targets(text, "f") == [("a b", target), ("f#2", RnaTarget(HAIRPIN, "N" * 12))]


@pytest.mark.parametrize("seed", range(20))
def test_families(seed: int) -> None:
    """The consensus is what ViennaRNA makes of it, in blocks, with gaps that RF leaves out."""
    random = Random(seed)
    sequence, structure = folded(seed)
    wuss = structure
    for mark, others in {"(": "<([{", ")": ">)]}", ".": ",_:-"}.items():
        wuss = wuss.replace(mark, others[seed % 4])
    if "[" not in wuss:  # ViennaRNA 2.7 leaves these pairs out
        assert RNA.db_from_WUSS(wuss) == structure
    columns = [*zip(wuss, sequence, sequence.lower(), strict=True)]
    for _ in range(5):  # inserts, which the reference line has gaps in
        columns.insert(random.randint(0, len(columns)), (".", "A", "."))
    cons, row, reference = ("".join(letters) for letters in zip(*columns, strict=True))
    half = len(cons) // 2
    text = f"# STOCKHOLM 1.0\n\n#=GF AC RF0\n#=GF ID the family\n\na/1-9 {row[:half]}\n"
    text += f"#=GR a/1-9 PP {row[:half]}\n#=GC SS_cons {cons[:half]}\n#=GC RF {reference[:half]}\n"
    text += f"\na/1-9 {row[half:]}\n#=GC SS_cons {cons[half:]}\n#=GC RF {reference[half:]}\n//\n"
    expected = [("the family", RnaTarget(structure, "N" * len(sequence)))]
    assert parse_targets(text, "f") == expected
    joined = text.removesuffix("\n") + text  # as in Rfam's seed of all families
    assert [name for name, _ in parse_targets(joined, "f")] == ["the family"] * 2


@pytest.mark.parametrize("seed", range(10))
def test_conserved_bases(seed: int) -> None:
    """A letter stands for the fewest bases that enough sequences have; others fix nothing."""
    random = Random(seed)
    weights = [[random.choice([0.1, 1, 9]) for _ in "ACGU-"] for _ in range(30)]
    rows = ["".join(random.choices("ACGu-", w)[0] for w in weights) for _ in range(25)]
    text = "# STOCKHOLM 1.0\n" + "".join(f"s{i} {row}\n" for i, row in enumerate(rows))
    text += f"#=GC SS_cons {'.' * 30}\n#=GC RF {'x' * 30}\n//\n"
    ((_, make),) = target_pieces(text, "f", 80.0)
    for letter, column in zip(make().bases, zip(*rows, strict=True), strict=True):
        bases = "".join(column).upper().replace("-", "")
        within = [sum(base in IUPAC[each] for base in bases) >= 0.8 * len(bases) for each in IUPAC]
        fewest = min(len(IUPAC[each]) for each, is_ in zip(IUPAC, within, strict=True) if is_)
        assert len(IUPAC[letter]) == fewest
        assert sum(base in IUPAC[letter] for base in bases) >= 0.8 * len(bases)
    assert {target.bases for _, target in parse_targets(text, "f")} == {"N" * 30}


def test_conserved_bases_of_pairs() -> None:
    """Bases that are conserved and do not pair fix nothing at either end."""
    text = "# STOCKHOLM 1.0\na GGAAACA\nb GGCAACA\n#=GC SS_cons <<...>>\n//\n"
    ((_, make),) = target_pieces(text, "f", 100.0)
    assert make() == RnaTarget("((...))", "NGMAACN")


def test_columns_of_gaps_without_a_reference() -> None:
    """Columns that most sequences have no base in are left out, and pairs that lose an end."""
    text = "# STOCKHOLM 1.0\na GG.AAACC\nb G-.AAA-C\nc G-.AAA-C\n#=GC SS_cons <<....>>\n//\n"
    assert parse_targets(text, "f") == [("f", RnaTarget("(...)", "NNNNN"))]


def test_puzzles_of_eterna() -> None:
    """The structure, the title, and bases where they are locked, whatever surrounds them."""
    puzzle = {"id": 7, "title": "A b", "secstruct": HAIRPIN, "locks": "xxoooooooooo"}
    puzzle |= {"beginseq": "GCAAAAAAAAAA", "rna_type": "single", "constraints": []}
    expected = [("A b", RnaTarget(HAIRPIN, "GC" + "N" * 10))]
    for whole in (puzzle, {"data": {"puzzle": puzzle, "comments": []}}, [puzzle]):
        assert parse_targets(json.dumps(whole), "f") == expected


def test_a_table_of_excel() -> None:
    """The line that says the delimiter is left out; semicolons delimit."""
    text = f"sep=;\nname;structure;comment\na, b;{HAIRPIN};1,5\n"
    assert parse_targets(text, "f") == [("a, b", RnaTarget(HAIRPIN, "N" * 12))]
    assert parse_targets(text.partition("\n")[2], "f") == parse_targets(text, "f")


CT = ct_of("a", BASES, HAIRPIN)
STOCKHOLM = f"# STOCKHOLM 1.0\na {BASES}\n#=GC SS_cons {HAIRPIN}\n//\n"
ETERNA = {"secstruct": HAIRPIN, "locks": "x" * 12, "beginseq": BASES}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CT.replace("12  ENERGY", "13  ENERGY"), "line 1: 12 rows follow, expected 13"),
        (CT.replace("    3 G", "    4 G"), "line 4: position '4', expected 3"),
        (CT.replace("    3 G", "    3 7"), "line 4: '7', expected the letter of a base"),
        (CT + "more\n", "line 14: 'more', expected the number of bases and a title"),
        ("1 G 5\n2 A 0\n3 A 0\n4 A 0\n5 C 2\n",
         "line 1: position 1 is paired with 5, which is paired with 2, expected the same pair at "
         "both"),
        ("1 G 0\n2 A 6\n3 A 0\n4 A 0\n5 C 0\n6 U 3\n",
         "line 2: position 2 is paired with 6, which is paired with 3, expected the same pair at "
         "both"),
        ("1 G 5\n2 A 6\n3 A 0\n4 A 0\n5 C 1\n6 U 2\n",
         "line 1: the pairs 1-5 and 2-6 cross, a pseudoknot, which no engine folds"),
        ("1 G 9\n2 A 0\n", "line 1: partner '9', expected 0 ... 2, 0 where there is none"),
        ("1 G 0\n2 A\n", "line 2: 2 columns, expected 3"),
        (STOCKHOLM.replace("//\n", ""), "line 1: the alignment is not ended, expected //"),
        (STOCKHOLM.replace("SS_cons", "SS"),
         "line 1: no structure, expected a line #=GC SS_cons"),
        (STOCKHOLM.replace("....", ".AA."),
         "line 3, column 6: 'A', a pseudoknot, which no engine folds, expected WUSS"),
        (STOCKHOLM.replace("....", "...?"), "line 3, column 8: '?', expected WUSS"),
        (STOCKHOLM.replace("((((", ".((("), "line 3, column 12: ')' closes no bracket"),
        (STOCKHOLM.replace("))))", ")))."), "line 3, column 1: '(' is never closed"),
        (STOCKHOLM.replace(BASES, BASES[1:]),
         "line 3: a structure of 12 columns, sequence 'a' has 11"),
        (STOCKHOLM + "more\n", "line 5: 'more', expected # STOCKHOLM 1.0"),
        (json.dumps(ETERNA | {"locks": "x"}),
         "line 1: locks has 1 positions, expected 12 as secstruct has"),
        (json.dumps(ETERNA | {"locks": "x" * 11 + "?"}),
         "line 1: locks is 'xxxxxxxxxxx?', expected x (locked) and o"),
        (json.dumps(ETERNA | {"title": 7}), "line 1: title is 7, expected text"),
    ],
)  # fmt: skip
def test_errors(text: str, message: str) -> None:
    """Errors are named with the line, and the column of an alignment."""
    with pytest.raises(InputError) as error:
        parse_targets(text, "f")
    assert str(error.value) == f"f: {message}"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
@pytest.mark.parametrize("wrong", [f">seed_seq\n{BASES}", ">seq_restr"])
def test_a_wrong_section(wrong: str, order: tuple[int, int, int]) -> None:
    """It costs its target only, wherever it stands; the next begins where one comes again."""
    sections = [">name\na", f">sec_struct\n{HAIRPIN}", wrong]
    bad = "\n".join(sections[place] for place in order)
    pieces = list(target_pieces(f"{bad}\n{bad}\n>name\nb\n>sec_struct\n{HAIRPIN}\n", "f"))
    assert pieces[2][1]().structure == HAIRPIN
    for name, read in pieces[:2]:
        assert name == "a"
        with pytest.raises(InputError, match=r"^f: line \d+: (>seed_seq is not|nothing follows)"):
            read()


def test_energies_of_further_structures() -> None:
    """They are left out, as behind the first."""
    other = "." * len(HAIRPIN)
    text = f">sec_struct\n{HAIRPIN} (-1.0)\n>alt_sec_struct\n{other} (-2.00)\n"
    ((_, target),) = parse_targets(text, "f")
    assert [target.structure, *target.others] == [HAIRPIN, other]
