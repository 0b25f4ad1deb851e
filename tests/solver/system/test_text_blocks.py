"""Lines of files of several problems."""

from __future__ import annotations

import pytest

from solver.system.text_blocks import content_lines, named_blocks, numbered_lines, whole_number


def test_comments_name_blocks_and_are_skipped_within_them() -> None:
    """The last comment before a block is its name; those within it say nothing, indented or not."""
    lines = numbered_lines("# a file\n\n  # one\n1\n # remark\n2\n\n3\n#\n4\n")
    assert list(named_blocks(lines, "f")) == [
        ("one", [(4, "1"), (6, "2")]),
        ("f#2", [(8, "3"), (10, "4")]),
    ]


def test_content_lines_keep_their_numbers() -> None:
    """Blank lines and comments are left out."""
    assert content_lines("\n# a\n x\n\t\n  #b\ny # z") == [(3, " x"), (6, "y # z")]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("0", 0), ("07", 7), ("10", 10), ("11", None), ("007", None), ("", None), ("-1", None),
        ("+1", None), ("1.0", None), ("1_0", None), ("٣", None), ("²", None), ("9" * 5000, None),
    ],
)  # fmt: skip
def test_whole_numbers(word: str, expected: int | None) -> None:
    """Decimal ASCII digits within a range, and nothing else that `int` takes."""
    assert whole_number(word, 0, 10) == expected
