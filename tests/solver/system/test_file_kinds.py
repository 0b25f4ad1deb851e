"""Files that are no text in UTF-8 are called what they are."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import sys
import zipfile
from pathlib import Path

import pytest

from solver.errors import InputError
from solver.system.files import read_standard_input, read_text

TEXT = "# a name\n((((....))))\n"


def archive(*members: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for member in members:
            file.writestr(member, "content")
    return made.getvalue()


FILES = {
    "UTF-16 text: save it as UTF-8": (TEXT.encode("utf-16-be"), TEXT.encode("utf-16-le")),
    "UTF-32 text: save it as UTF-8": (TEXT.encode("utf-32"),),
    "a gzip file: unpack it first": (gzip.compress(TEXT.encode()),),
    "a bzip2 file: unpack it first": (bz2.compress(TEXT.encode()),),
    "an xz file: unpack it first": (lzma.compress(TEXT.encode()),),
    "a zip archive: unpack it first": (archive("targets.txt"),),
    "an Excel workbook: save it as CSV": (archive("[Content_Types].xml", "xl/workbook.xml"),),
    "a Word document: save it as plain text": (archive("word/document.xml"),),
    "a PDF document": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",),
}
CASES = [(content, what) for what, contents in FILES.items() for content in contents]


@pytest.mark.parametrize(("content", "what"), CASES, ids=map(str, range(len(CASES))))
def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, what: str) -> None:
    """The kind of a file is told by its first bytes, also on standard input, in any locale."""
    path = tmp_path / "targets.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_text(path)
    assert str(error.value) == f"{path}: not text in UTF-8, but {what}"
    stdin = io.TextIOWrapper(io.BytesIO(content), "ascii", "surrogateescape")
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InputError) as error:
        read_standard_input()
    assert str(error.value) == f"standard input: not text in UTF-8, but {what}"


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_utf_16(tmp_path: Path, mark: bytes) -> None:
    """Text in UTF-16 with its mark, as Excel saves, is read; half a character is refused."""
    path = tmp_path / "targets.txt"
    text = "1\r\n\u00e9\n".encode("utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be")
    path.write_bytes(mark + text)
    assert read_text(path) == "1\n\u00e9\n"
    path.write_bytes(mark + text[:-1])
    with pytest.raises(InputError, match=r"not a text file \(byte 11 is not UTF-16\)$"):
        read_text(path)


@pytest.mark.parametrize(
    "text", ["", "1", "\ufeff1\r\n2\r", "\u00e9\n", "a\0b\n", "\0" * 9, "PK\n"]
)
def test_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Texts are read, without a byte order mark, with lines ended alike."""
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    expected = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    assert read_text(path) == expected
    stdin = io.TextIOWrapper(io.BytesIO(text.encode()), "ascii", "surrogateescape")
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_standard_input() == expected
