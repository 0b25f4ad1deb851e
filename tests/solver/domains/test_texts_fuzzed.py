"""Every parser on files that were valid before they were damaged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.contract.domain import Puzzle
from solver.domains import load_domain
from solver.errors import InputError

HAIRPIN = "((((....))))"
SAMPLES = {
    "latin-square": [
        "# a name\n1 . 3\n. . .\n2 . .\n\n12\n21\n",
        "order 3\n0 -1 2\n-1 -1 -1\n1 -1 -1\n",
        "c a graph\np edge 4 4\ne 1 2\ne 1 3\ne 2 4\ne 3 4\nf 1 1\nf 2 1 2\nn 4 1\n",
    ],
    "kakuro": [
        "# a name\nX 16\\ 11\\\n\\17 . 9\n\\10 . .\n\nvalues 1-4\nX 3\\\n\\3 _\n",
        "values 1-11\ncolumns 18 14\nrows 15 8 9\n",
    ],
    "sudoku": [
        "# a name\n1 . 3 4\n. . . .\n2 . . .\n. . . 3\n\n1234341221434321\n................\n",
        "diagonals\nboxes 2x2\n1,,,\n,2,,\n,,,\n,,,\nregions\nAABB\nAABB\nCCDD\nCCDD\n",
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n",
        "12|..\n..|..\n--+--\n2.|..\n..|12\n",
    ],
    "morpion": ["# a name\n5T\noooo.\n..o..\n\no o o o\n. . . .\n"],
    "tsptw": [
        "2\n0 3.25\n4 0\n0 100\n5 9\n",
        "A\nVEHICLE\nNUMBER CAPACITY\n1 9\nCUST NO. XCOORD.\n0 3 3 0 0 99 0\n1 4 9 2 5 60 1\n",
        "1 0 0 0 0 408 0\n2 0 9.9 0 62 68 0\n999 0 0 0 0 0 0\n",
        'x,y,ready,due,service,name\n0,0,0,99,0,depot\n3,4,5,60,1,"a, b"\n',
        "x,y,ready,due,ready2,due2\n0,0,0,99,,\n3,4,5,6,8,9\n",
        '{"vehicles": [{"start": [0, 0], "end": [1, 0], "time_window": [0, 99]}],\n'
        ' "jobs": [{"location": [3, 4], "service": 1, "time_windows": [[5, 9], [0, 3]]}]}\n',
        "TYPE : TSPTW\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n"
        "2 3 4\nTIME_WINDOW_SECTION\n1 0 99\n2 5 60\nDEPOT_SECTION\n1\n-1\nEOF\n",
        "DIMENSION : 2\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"
        "EDGE_WEIGHT_SECTION\n0 3\n4 0\nSERVICE_TIME_SECTION\n1 0\n2 1\nTIME_WINDOW_SECTION\n"
        "1 0 99\n2 5 60\n",
    ],
    "samegame": ["# a name\n1..\n12.\n\n1 2\n3 4\n", "colours 0-4\nboard 1\n401\n010\n"],
    "rna": [
        f"{HAIRPIN} GNNNAAAANNNC\n{HAIRPIN} (-3.40)\na b\t{HAIRPIN}\n",
        f"{HAIRPIN}\ngNNNAAAANNNc\n\n{HAIRPIN}\nNNNN\n@\n",
        f"GGGGAAAACCCC\n{HAIRPIN} ( -5.40)\n",
        f">a b\n{HAIRPIN}\nGNNNAAAANNNC\n>c\nGGGGAAAACCCC\n{HAIRPIN} (-5.4)\n",
        f">name\na\n>seq_restr\nGNNNAAAANNNC\n>sec_struct\n{HAIRPIN}\n",
        f'name,Sequence,target\n"a, b",GNNNAAAANNNC,{HAIRPIN}\n,,.....\n',
        f"id\tlength\tdot-bracket\na\t12\t{HAIRPIN}\n",
        "5 dG = -1.2 a b\n1 G 0 2 5 1\n2 A 1 3 0 2\n3 A 2 4 0 3\n4 A 3 5 0 4\n5 C 4 0 1 5\n",
        "Filename: a.bpseq\n1 G 5\n2 A 0\n3 A 0\n4 A 0\n5 C 1\n",
        "# STOCKHOLM 1.0\n#=GF ID a\nb GA.AAC\n#=GC SS_cons <_._->\n#=GC RF ga.aac\n//\n",
        f'{{"secstruct": "{HAIRPIN}", "locks": "xooooooooooo", "beginseq": "GAAAAAAAAAAA"}}\n',
    ],
}
ANSWERS = {
    "latin-square": "1 2 3\n2 3 1\n3 1 2\n",
    "kakuro": "X 3\\\n\\3 3\n",
    "sudoku": "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1\n",
    "morpion": "5,1-5 3,-1|1\n",
    "samegame": "1,1 2,3\n",
    "tsptw": "0 1 0\n",
    "rna": ">a engine=vienna2\nGGGGAAAACCCC\n",
}
#: What damage is made of: letters of the formats, numbers beyond all bounds, odd characters.
PIECES = [
    *"0129.-_#>XNn(),;\\\t \n\"'e@", "\n\n", "\r\n", "9" * 20, "9" * 5000, "-1", "1e400", "nan",
    "\0", "٣", "²", "é", "\u2028", "\x1c", "structure", "order 2", "values 1-9", "colours 0-4",
    "board", "p edge 4 4", "f 1 1", "regions",
    "boxes 2x2", "diagonals", "5D", ">sec_struct", HAIRPIN,
]  # fmt: skip


@st.composite
def damaged(draw: Any, samples: list[str]) -> str:
    """One of the samples after a few edits."""
    text: str = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 9])))
        edit = draw(st.sampled_from(["replace", "replace", "repeat", "move", "cut"]))
        piece = draw(st.sampled_from(PIECES)) if edit == "replace" else text[start:end]
        edited = {
            "replace": text[:start] + piece + text[end:],
            "repeat": text[:end] + piece + text[end:],
            "move": piece + text[:start] + text[end:],
            "cut": text[:start],
        }
        text = edited[edit]
    return text


def assert_read_or_refused(read: Any, text: str) -> None:
    """`read` returns, or raises an `InputError` of one line that begins with the source."""
    try:
        read(text)
    except InputError as error:
        message = str(error)
    else:
        return
    assert message.startswith("f: ")
    assert len(message.splitlines()) == 1
    assert len(message) < 700


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_valid(name: str) -> None:
    """Samples that are damaged below can be read before."""
    for sample in SAMPLES[name]:
        assert load_domain(name).parse(sample, "f")


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=300, derandomize=True, deadline=None)
@given(data=st.data())
def test_damaged_files(name: str, data: Any) -> None:
    """Nothing but an `InputError` comes out of a parser."""
    domain: Puzzle = load_domain(name)
    text = data.draw(damaged(SAMPLES[name]))
    assert_read_or_refused(lambda text: domain.parse(text, "f"), text)


@pytest.mark.parametrize("name", ANSWERS)
@settings(max_examples=150, derandomize=True, deadline=None)
@given(data=st.data())
def test_damaged_answers(name: str, data: Any) -> None:
    """Answers are read or refused like problems."""
    domain: Puzzle = load_domain(name)
    (problem, *_) = domain.parse(SAMPLES[name][0], "f")
    text = data.draw(damaged([ANSWERS[name]]))
    assert_read_or_refused(lambda text: domain.parse_answer(problem, text, "f"), text)
