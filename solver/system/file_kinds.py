"""Kind of a file that should be a text, by its first bytes."""

from __future__ import annotations

#: First bytes of kinds of files, and what they are called, with what to do about them.
SIGNATURES = (
    (b"\xff\xfe\x00\x00", "UTF-32 text: save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "UTF-32 text: save it as UTF-8"),
    (b"\x1f\x8b", "a gzip file: unpack it first"),
    (b"BZh", "a bzip2 file: unpack it first"),
    (b"\xfd7zXZ\x00", "an xz file: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of an old Office: save it as text or CSV"),
    (b"%PDF-", "a PDF document"),
    (b"PAR1", "a Parquet table"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
)
#: Members of zip archives that tell documents apart.
DOCUMENTS = (
    (b"xl/", "an Excel workbook: save it as CSV"),
    (b"word/", "a Word document: save it as plain text"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file: save it as text or CSV"),
)
ZIP = b"PK\x03\x04"
#: Bytes that are looked at.
HEAD = 4096


def is_utf_16(content: bytes) -> bool:
    """Return whether `content` begins with the mark of UTF-16, as what Excel and Windows save."""
    return content.startswith((b"\xff\xfe", b"\xfe\xff")) and not content.startswith(
        b"\xff\xfe\x00\x00"
    )


def kind_of(content: bytes) -> str:
    """Return the kind of `content`, with advice; "" if it has no known signature."""
    if content.startswith(ZIP):
        found = (what for member, what in DOCUMENTS if member in content)
        return next(found, "a zip archive: unpack it first")
    for signature, what in SIGNATURES:
        if content.startswith(signature):
            return what
    if not is_utf_16(content) and _has_zeros(content[:HEAD]):
        return "UTF-16 text: save it as UTF-8"
    return ""


def _has_zeros(head: bytes) -> bool:
    """Return whether just every other byte is 0, as in UTF-16 without a mark."""
    return len(head) > 3 and any(head[0::2]) != any(head[1::2])
