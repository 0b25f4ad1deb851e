"""Formats of RNA targets: what each line means, and what cannot be told."""

from __future__ import annotations

import re

import pytest

from solver.domains.rna.domain import RnaDomain
from solver.domains.rna.files.formats import parse_targets, target_pieces
from solver.domains.rna.files.tables import COLUMNS, NOT_READ
from solver.domains.rna.text import RnaTarget, format_target
from solver.errors import InputError
from solver.system.datasets import dataset_path

DOMAIN = RnaDomain()
ALTERNATIVE = ".((......))."
ONE, OTHER = "((((....))))", ".((...))."
FREE = "N" * 12
FIXED = "GNNNGRAANNNC"
FOLDED = "GGGGAAAACCCC"
NO_JSON = 'no JSON, expected objects such as {"name": "a", "structure": "((...))"}'
KNOWN = "; ".join(", ".join(names) for names in [*COLUMNS.values(), NOT_READ])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{ONE}\n", [("f", ONE, FREE)]),
        (f"\n  {ONE}  \r\n\n{OTHER}", [("f", ONE, FREE), ("f#2", OTHER, "N" * 9)]),
        (f"{ONE} {FIXED}\n", [("f", ONE, FIXED)]),
        (f"{ONE}\tgnnnGraannnc\n{OTHER}", [("f", ONE, FIXED), ("f#2", OTHER, "N" * 9)]),
        (f"{ONE} GNNNTTTTNNNC", [("f", ONE, "GNNNUUUUNNNC")]),
        (f">a\n{ONE}\n", [("a", ONE, FREE)]),
        (f"> a b \n\n{ONE}\n{FIXED}\n>c\n{OTHER}\n", [("a b", ONE, FIXED), ("c", OTHER, "N" * 9)]),
        (f">\n{ONE}\n>\n{OTHER}\n", [("f", ONE, FREE), ("f#2", OTHER, "N" * 9)]),
        (f"structure\n{ONE}\n", [("f", ONE, FREE)]),
        (f"name,structure\na,{ONE}\nb c, {OTHER} \n", [("a", ONE, FREE), ("b c", OTHER, "N" * 9)]),
        (f"Bases , Structure,number\n{FIXED},{ONE},7\n", [("f", ONE, FIXED)]),
        (f'"name","structure","bases"\n"a, b","{ONE}",""\n', [("a, b", ONE, FREE)]),
        (f"name\tstructure\tbases\na\t{ONE}\t{FIXED}\n\t{OTHER}\t\n",
         [("a", ONE, FIXED), ("f#2", OTHER, "N" * 9)]),
    ],
)  # fmt: skip
def test_formats(text: str, expected: list[tuple[str, str, str]]) -> None:
    """Lines, records, CSV and TSV; names where there are some, else the file's and a number."""
    found = parse_targets(text, "f")
    assert [(name, target.structure, target.bases) for name, target in found] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: no structure found, expected dot-bracket"),
        (" \n\t\n", "f: no structure found, expected dot-bracket"),
        ("((((....)))", "f: line 1, position 1: '(' is never closed"),
        (".((((....)))", "f: line 1, position 2: '(' is never closed"),
        ("(((....).", "f: line 1, position 2: '(' is never closed"),
        ("((....)).(", "f: line 1, position 10: '(' is never closed"),
        (f"{ONE}\n(....))", "f: line 2, position 7: ')' closes no '('"),
        ("(((..)))", "f: line 1, position 3: the pair encloses 2 bases, expected 3 or more"),
        ("()", "f: line 1, position 1: the pair encloses 0 bases, expected 3 or more"),
        ("((([....])))",
         "f: line 1, position 4: '[', a pseudoknot, which no engine folds, expected ( ) or ."),
        ("\n((..AA..))..aa",
         "f: line 2, position 5: 'A', a pseudoknot, which no engine folds, expected ( ) or ."),
        ("((..AA..))..UU", "f: line 1, position 5: 'A', expected ( ) or ."),
        ("GGGGAAAACCCC", "f: line 1: 'GGGGAAAACCCC', expected a sequence and on the line below its "
         "structure, as the file begins with letters"),
        (f"{ONE} GGGG", "f: line 1: 4 bases, expected 12, one a position"),
        (f"{ONE} GNNNXAAANNNC",
         "f: line 1, position 5: 'X', expected one of A C G U T R Y S W K M B D H V N"),
        (f"{ONE} GNNNAAAANNNG", "f: line 1: positions 1 and 12 are a pair, G and G cannot be"),
        (f"{ONE} NNNMAAAAMNNN", "f: line 1: positions 4 and 9 are a pair, M and M cannot be"),
        (f"{ONE} {FIXED} more",
         "f: line 1: 3 words, expected a structure and perhaps fixed bases, and a name only with a "
         "TAB behind it"),
        (f">a\n>b\n{ONE}\n", "f: line 1: 0 lines follow, expected a structure, "
         "or those of a switch, and perhaps a line of fixed bases"),
        (f">a\n{ONE}\n\n>b\n{ONE}\n{FIXED}\n{FIXED}\n", "f: line 4: 3 lines follow, expected a "
         "structure, or those of a switch, and perhaps a line of fixed bases"),
        (f">a\n{ONE}\n>b\n(...", "f: line 4, position 1: '(' is never closed"),
        (f">a\n\n{ONE}\nGGGG", "f: line 4: 4 bases, expected 12, one a position"),
        (f"name,structure\n\na,{ONE}\nb\n", "f: line 4: 1 fields, expected 2"),
        (f"name,structure\na,{ONE},b\n", "f: line 2: 3 fields, expected 2"),
        (f"name,structure\na,{ONE}\nb,((...)\n", "f: line 3, position 1: '(' is never closed"),
        ("name,structure\na,\n", "f: line 2: an empty structure"),
        ("name,shape\na,...\n", f"f: line 1: column 'shape' is unknown, there are: {KNOWN}"),
        ("structure\n\n", "f: no structure found, expected dot-bracket"),
        (
            f'{{"name": "a\\ud83d", "structure": "{ONE}"}}',
            "f: line 1: name 'a\\ud83d', expected text in one line",
        ),
        (
            f'{{"name": "a\\n>b", "structure": "{ONE}"}}',
            "f: line 1: name 'a\\n>b', expected text in one line",
        ),
        (f">a\x01b\n{ONE}\n", "f: line 2: name 'a\\x01b', expected text in one line"),
        ("structures\n", "f: line 1, position 1: 's', expected ( ) or ."),
    ],
)  # fmt: skip
def test_errors(text: str, message: str) -> None:
    """Errors are named with the line, and the position in the structure."""
    with pytest.raises(InputError) as error:
        parse_targets(text, "f")
    assert str(error.value) == message


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE} (-3.40)\n",
        f"{ONE} ( -3.40)",
        f"{ONE}\t(-3.40)",
        f"{ONE}(-12)",
        f"{FOLDED}\n{ONE} (-3.40)\n",
        f"{FOLDED}\n{ONE}\n",
        f"{FOLDED.lower().replace('u', 't')}\n{ONE} ( 0.00)\n",
        f"# RNAfold\n\n  # of a hairpin\n{ONE}\n# the end",
        f"{ONE}\n\n@\n",
    ],
)
def test_what_is_no_constraint(text: str) -> None:
    """Energies, comments, the end of RNAinverse's input, and the sequence above a structure."""
    assert parse_targets(text, "f") == [("f", RnaTarget(ONE, FREE))]


def test_what_rnafold_prints() -> None:
    """With names and without, each structure has its sequence above it, which fixes nothing."""
    hairpin, open_chain = f"{FOLDED}\n{ONE} (-5.40)\n", "AAAAA\n..... (  0.00)\n"
    found = parse_targets(f">a b\n{hairpin}>c\n{open_chain}", "f")
    assert found == [("a b", RnaTarget(ONE, FREE)), ("c", RnaTarget(".....", "NNNNN"))]
    found = parse_targets(hairpin + open_chain, "f")
    assert found == [("f", RnaTarget(ONE, FREE)), ("f#2", RnaTarget(".....", "NNNNN"))]


@pytest.mark.parametrize(
    ("letters", "bases"),
    [
        ("NNNNNNNNNNNN", FREE),
        ("NNN", FREE),
        ("gNNNAAAANNNc", "GNNNNNNNNNNC"),
        ("gnnntttt", "GNNNUUUUNNNN"),
        ("Ggggaaaa", "NGGGAAAANNNN"),
        ("nnnnnrnn", "NNNNNRNNNNNN"),
    ],
)
def test_start_sequences_of_rnainverse(letters: str, bases: str) -> None:
    """Below a structure lower case is fixed, capitals are free, missing letters are N."""
    found = parse_targets(f"{OTHER}\n{ONE}\n{letters}\n{OTHER}\n", "f")
    assert [target for _, target in found] == [
        RnaTarget(OTHER, "N" * 9), RnaTarget(ONE, bases), RnaTarget(OTHER, "N" * 9),
    ]  # fmt: skip


def test_names_before_a_tab() -> None:
    """A name, a TAB and what a line has otherwise; names may hold blanks."""
    text = (
        f"the first\t{ONE}\n2\t{ONE} {FIXED}\n3\t{ONE}\t{FIXED}\n{OTHER}\n4\t{ONE} (-1)\n"
        f" (-1.0)\t{OTHER}\n"
    )
    found = parse_targets(text, "f")
    assert [(name, target.structure, target.bases) for name, target in found] == [
        ("the first", ONE, FREE), ("2", ONE, FIXED), ("3", ONE, FIXED), ("f#4", OTHER, "N" * 9),
        ("4", ONE, FREE), ("(-1.0)", OTHER, "N" * 9),
    ]  # fmt: skip


def test_what_desirna_reads() -> None:
    """Sections in any order; one that comes again begins the next target."""
    text = (
        f">name\nfirst\n>seq_restr\n{FIXED}\n>sec_struct\n{ONE}\n# next\n"
        f">SEC_STRUCT\n{OTHER}\n>name\nsecond\n>name\nthird\n>sec_struct\n{ONE}\n"
    )
    found = parse_targets(text, "f")
    assert [(name, target.structure, target.bases) for name, target in found] == [
        ("first", ONE, FIXED), ("second", OTHER, "N" * 9), ("third", ONE, FREE),
    ]  # fmt: skip


@pytest.mark.parametrize("structure", COLUMNS["structure"])
@pytest.mark.parametrize("bases", COLUMNS["bases"])
def test_names_of_columns(structure: str, bases: str) -> None:
    """Letters in a column of bases are fixed, whatever that and the other columns are called."""
    for name in COLUMNS["name"]:
        title = bases.replace("_", " ").title()
        text = f"{name};{title};{structure}\na;ANNNNNNNNNNU;{ONE}\n"
        assert parse_targets(text, "f") == [("a", RnaTarget(ONE, "ANNNNNNNNNNU"))]


def test_columns_that_say_nothing_of_the_target() -> None:
    """Numbers, lengths and notes may stand in a table."""
    text = f"#,a remark\n{','.join(NOT_READ)},target\n{',' * len(NOT_READ)}{ONE}\n"
    assert parse_targets(text, "f") == [("f", RnaTarget(ONE, FREE))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"structure,v2\n{ONE},{ONE}\n", f"f: line 1: column 'v2' is unknown, there are: {KNOWN}"),
        (f"structure,{'x' * 99}\n{ONE},\n",
         f"f: line 1: column '{'x' * 80}... is unknown, there are: {KNOWN}"),
        (f"structure,Sequence,constraint\n{ONE},,\n", "f: line 1: columns 'Sequence' and "
         "'constraint' have the same meaning, expected one of them"),
        (f"target\tstructure\n{ONE}\t{ONE}\n", "f: line 1: columns 'target' and 'structure' have "
         "the same meaning, expected one of them"),
        ("name,bases\na,NNNNN\n", "f: line 1: no column of structures, expected one called: "
         f"{', '.join(COLUMNS['structure'])}"),
        (f"GNNNAAAANNNC\n{ONE}\n", "f: line 1, position 2: 'N' above a structure, expected the "
         "sequence that was folded into it, of A C G U; letters that fix bases stand below"),
        (f">a\nGNNNAAAANNNC\n{ONE}\n", "f: line 2, position 2: 'N' above a structure, expected "
         "the sequence that was folded into it, of A C G U; letters that fix bases stand below"),
        (f">a\nGGGG\n{ONE}\n", "f: line 2: 4 bases above a structure of 12, expected the sequence "
         "that was folded into it"),
        (f"{FOLDED}\n{ONE}\n{ONE}\n", f"f: line 3: '{ONE}', expected a sequence and on the line "
         "below its structure, as the file begins with letters"),
        (f"{FOLDED}\n{ONE} {FIXED}\n", "f: line 2: bases above and behind a structure"),
        (f"{ONE}\nGNNNNNNNNNNC\n", "f: line 2: capitals below a structure are free for RNAinverse: "
         "write the bases to be fixed in lower case, or behind the structure on its line"),
        (f"{ONE}\ngNNNRNNNNNNc\n", "f: line 2, position 5: 'R', expected A C G U or N where the "
         "base is free, and lower case where it is fixed"),
        (f"{ONE}\n{'n' * 13}\n", "f: line 2: 13 bases, expected 12 at most, one a position"),
        (f"{ONE} {FIXED}\nnnnn\n", "f: line 2: bases below a structure that has some behind it"),
        (f"{ONE}\n@\n{ONE}\n", "f: line 2: `@` ends the targets, but lines follow"),
        ("@\n", "f: no structure found, expected dot-bracket"),
        (f">sec_struct\n{ONE}\n>seed_seq\n{FOLDED}\n",
         "f: line 3: >seed_seq is not supported, remove it"),
        (f">sec_struct\n{ONE}\n>seq\n{FOLDED}\n",
         "f: line 3: '>seq', expected one of: >name >sec_struct >seq_restr >alt_sec_struct"),
        (f">sec_struct\n{ONE}\n{ONE}\n",
         f"f: line 3: '{ONE}', expected one of: >name >sec_struct >seq_restr >alt_sec_struct"),
        (f">name\n>sec_struct\n{ONE}\n", "f: line 1: nothing follows >name, expected a line"),
        (f">sec_struct\n{ONE}\n>name\na\n>name\nb\n", "f: line 6: no >sec_struct for this target"),
        (f"name structure\na {ONE}\n",
         "f: line 1, position 1: 'n', expected ( ) or ."),
    ],
)  # fmt: skip
def test_what_cannot_be_told(text: str, message: str) -> None:
    """An ambiguous constraint is an error with its line; nothing is left out."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        parse_targets(text, "f")


def test_the_table_itself_is_a_file_of_problems() -> None:
    """A copy of the shipped table is read as any other once one version is its structure."""
    rows = [line.split("\t") for line in dataset_path("eterna100.tsv").read_text().splitlines()]
    text = "\n".join("\t".join((number, name, v2)) for number, name, _, v2 in rows)
    found = parse_targets(text.replace("\tv2", "\tstructure", 1), "copy")
    problems = DOMAIN.benchmark("eterna100-v2")
    assert found == [(problem.name, problem.data) for problem in problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'{{"structure": "{ONE}"}}', [("f", ONE, FREE)]),
        (f'{{"id": "a", "Target": "{ONE} (-3.40)", "constraints": "{FIXED}", "length": 12}}\n'
         f'\n{{"name": null, "dbn": "{OTHER}"}}\n',
         [("a", ONE, FIXED), ("f#2", OTHER, "N" * 9)]),
        (f' [ {{"name": "a", "structure": "{ONE}"}},\n {{ "structure": "{OTHER}"}} ]\n',
         [("a", ONE, FREE), ("f#2", OTHER, "N" * 9)]),
    ],
)  # fmt: skip
def test_json(text: str, expected: list[tuple[str, str, str]]) -> None:
    """Objects in lines or in an array, their keys named as columns are."""
    found = parse_targets(text, "f")
    assert [(name, target.structure, target.bases) for name, target in found] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'{{"structure": "{ONE}"}}\n{{"structure": 7}}',
         "f: line 2: structure is 7, expected text"),
        (f'{{"structure": "{ONE}"}}\n{{"structure": "((..))"}}',
         "f: line 2, position 2: the pair encloses 2 bases, expected 3 or more"),
        (f'{{"structure": "{ONE}", "structure": "{ONE}"}}',
         "f: line 1: columns 'structure' and 'structure' have the same meaning, expected one of "
         "them"),
        ('{"structure": ""}', "f: line 1: an empty structure"),
        ('{"name": "a"}', "f: line 1: no column of structures, expected one called: structure, "
         "target, target_structure, dot_bracket, dotbracket, dbn, secondary_structure, sec_struct"),
        ('{"structure": "...",}', f"f: line 1: {NO_JSON}"),
        ('[{"structure": "..."}', f"f: line 1: {NO_JSON}"),
        ('{"structure": "..."}\n[1]', "f: line 2: [1], expected an object"),
        ('{"structure": "..."}\n...', f"f: line 2: {NO_JSON}"),
        ('{"structure": ' + "[" * 10**5, f"f: line 1: {NO_JSON}"),
        ('{"structure": ' + "1" * 10**4 + "}", f"f: line 1: {NO_JSON}"),
        ('{"structure": "...", "colour": 1}',
         f"f: line 1: column 'colour' is unknown, there are: {KNOWN}"),
    ],
)  # fmt: skip
def test_broken_json(text: str, message: str) -> None:
    """The line of what is wrong is named."""
    with pytest.raises(InputError) as error:
        parse_targets(text, "f")
    assert str(error.value) == message


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}|{ALTERNATIVE}\n",
        f"s\t{ONE}|{ALTERNATIVE} (-1.20)\n",
        f">s\n{ONE} (-3.4)\n{ALTERNATIVE} (-3.40)\nNNNNNNNNNNNN\n",
        f">s\nGGGGAAAACCCC\n{ONE}\n{ALTERNATIVE}\n",
        f">name\ns\n>sec_struct\n{ONE}\n>alt_sec_struct\n{ALTERNATIVE}\n",
        f"name,structure\ns,{ONE}|{ALTERNATIVE}\n",
        f'{{"name": "s", "structure": ["{ONE}", "{ALTERNATIVE}"]}}\n',
    ],
)
def test_switches(text: str) -> None:
    """Several structures of a sequence, in all formats."""
    ((name, target),) = parse_targets(text, "f")
    assert name in ("s", "f")
    assert target == RnaTarget(ONE, FREE, (ALTERNATIVE,))
    assert parse_targets(format_target(name, target), "f") == [(name, target)]


@pytest.mark.parametrize(
    "text",
    [
        "((((&)))) GNNN&NNNC\n",
        "((((&)))) (-1.00)\ngNNN&NNNc\n",
        ">f\n((((&))))\nGNNNNNNC\n",
        "structure,bases\n((((&)))),GNNN&NNNC\n",
    ],
)
def test_two_strands(text: str) -> None:
    """`&` stands between the strands, among the fixed bases, too, or not."""
    ((name, target),) = parse_targets(text, "f")
    assert target == RnaTarget("(((())))", "GNNNNNNC", (), 4)
    assert parse_targets(format_target(name, target), "f") == [(name, target)]


def test_a_sequence_of_two_strands_above_its_structure() -> None:
    """RNAcofold's output fixes nothing; a nick in another place is an error."""
    assert parse_targets("GGGG&CCCC\n((((&)))) (-5.80)\n", "f") == [
        ("f", RnaTarget("(((())))", "NNNNNNNN", (), 4))
    ]
    with pytest.raises(InputError) as error:
        parse_targets("GGG&GCCCC\n((((&))))\n", "f")
    assert str(error.value).startswith("f: line 1, position 4: '&' above a structure")


def test_requests_of_a_target() -> None:
    """Columns of requests are kept with their target, and written so that they are read again."""
    text = f"name,structure,bases,gc,avoid\na,{ONE},{FIXED},40-60,G4\nb,{OTHER},,,\n"
    (name, target), (_, plain) = parse_targets(text, "f")
    assert (target.asked, plain.asked) == ((("gc", "40-60"), ("forbid", "G4")), ())
    assert parse_targets(format_target(name, target), "f") == [(name, target)]
    with pytest.raises(InputError, match=r"^f: line 2: forbid has 'X', expected IUPAC letters"):
        parse_targets(text.replace("G4", "X"), "f")


def test_a_title_with_a_tab() -> None:
    """As files of databases have it, before a description."""
    ((name, _),) = parse_targets(f">a\tsome description\n{ONE}\n", "f")
    assert name == "a\tsome description"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (">a\n((((....))))\nGNNNNNNNNNNJ\n", "line 3, position 12"),
        (">a\n((((....))))....\n\n....((((....)))\n", "line 4, structure 2, position 5"),
        (">a\n((((....))))....|....((((....)))\n", "line 2, structure 2, position 5"),
        (">sec_struct\n((((....))))....\n>alt_sec_struct\n....((((....))))\n"
         ">alt_sec_struct\n....((((....)))\n", "line 6, structure 3, position 5"),
        (">sec_struct\n((((....))))\n>seq_restr\nNNNJ\n", "line 4"),
    ],
)  # fmt: skip
def test_lines_of_letters_and_of_other_structures(text: str, place: str) -> None:
    """Errors name the line that is wrong, not that of the first structure."""
    with pytest.raises(InputError, match=f"^f: {place}: "):
        parse_targets(text, "f")


def test_a_bad_line_of_json() -> None:
    """It costs no other line; an object of several lines ends the file."""
    good = '{"structure": "((((....))))"}\n'
    pieces = list(target_pieces(f'{good}{{"structure"}}\n{good}', "f"))
    assert [pieces[0][1]().structure, pieces[2][1]().structure] == ["((((....))))"] * 2
    with pytest.raises(InputError, match=f"^f: line 2: {re.escape(NO_JSON)}$"):
        pieces[1][1]()
    with pytest.raises(InputError, match=f"^f: line 2: {re.escape(NO_JSON)}$"):
        target_pieces('{"structure":\n((((....))))}\n', "f")
