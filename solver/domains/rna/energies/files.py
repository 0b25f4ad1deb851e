"""Files of energy parameters in ViennaRNA's format 2.0 (`.par`), checked before they are loaded.

ViennaRNA itself takes what it can read of a file and says nothing of the rest.
"""

from __future__ import annotations

import re
from pathlib import Path

from solver.errors import InputError, quoted
from solver.system.files import read_text

#: Ending of the name of a file of parameters.
SUFFIX = ".par"
#: First line of such a file.
HEADER = "## RNAfold parameter file v2.0"
_TABLES = {
    "stack": 49,
    **dict.fromkeys(("mismatch_hairpin", "mismatch_internal", "mismatch_internal_1n"), 175),
    **dict.fromkeys(("mismatch_internal_23", "mismatch_multi", "mismatch_exterior"), 175),
    **dict.fromkeys(("dangle5", "dangle3"), 35),
    "int11": 1225,
    "int21": 6125,
    "int22": 9216,
    **dict.fromkeys(("hairpin", "bulge", "internal"), 31),
}
#: Numbers of each section: energies, and enthalpies of these.
_NUMBERS: dict[str, tuple[int, ...]] = {
    **{name: (count,) for name, count in _TABLES.items()},
    **{f"{name}_enthalpies": (count,) for name, count in _TABLES.items()},
    "ML_params": (6,),
    "NINIO": (3,),
    "Misc": (4, 6),
}
#: Bases of the hairpins of each section of those that have energies of their own.
_HAIRPINS = {"Triloops": 5, "Tetraloops": 6, "Hexaloops": 8}
_NUMBER = re.compile(r"-?\d{1,7}|INF|DEF|NST|\*")
#: Of the one section whose last numbers are factors of logarithms.
_DECIMAL, _WITH_DECIMALS = re.compile(r"-?\d{1,7}(\.\d+)?"), "Misc"
_END = "END"
_hairpin_lines = re.compile(r"^[ \t]*[ACGTU]{5,8}[ \t]", re.MULTILINE)


def read_parameters(path: str) -> str:
    """Read the text of a file of parameters, with U for T.

    ViennaRNA knows a hairpin of its own energy by the letters of sequences, which have U here.

    Raises
    ------
    InputError
        If it cannot be read, is no such file or is cut short; the line is named.
    """
    text = read_text(Path(path))
    lines = text.splitlines()
    if not lines or not lines[0].startswith(HEADER):
        found = quoted(lines[0]) if lines else "an empty file"
        raise InputError(f"{path}: line 1: {found}, expected {HEADER}")
    sections: dict[str, tuple[int, int]] = {}
    section = ""
    for number, line in enumerate(lines[1:], start=2):
        title = re.match(r"#\s*(\w+)", line)
        if title:
            section = title[1]
            if section == _END:
                _check_counts(sections, path)
                return _hairpin_lines.sub(lambda found: found[0].replace("T", "U"), text)
            if section not in _NUMBERS and section not in _HAIRPINS:
                raise InputError(f"{path}: line {number}: {quoted(section)} is no section")
            sections[section] = number, 0
        elif section and not line.startswith("#"):
            count = _numbers_in(line, section, f"{path}: line {number}: ")
            sections[section] = sections[section][0], sections[section][1] + count
    raise InputError(f"{path}: line {len(lines)}: the file ends, expected # END: it is cut short")


def _numbers_in(line: str, section: str, where: str) -> int:
    """Return how many numbers a line of a section has, checked."""
    words = re.sub(r"/\*.*?(\*/|$)", " ", line).split()
    if section in _HAIRPINS:
        length = _HAIRPINS[section]
        fits = len(words) == 3 and re.fullmatch(rf"[ACGUT]{{{length}}}", words[0]) is not None
        if words and not (fits and all(_NUMBER.fullmatch(word) for word in words[1:])):
            raise InputError(f"{where}expected {length} bases, an energy and an enthalpy")
        return 0
    for word in words:
        decimal = section == _WITH_DECIMALS and _DECIMAL.fullmatch(word)
        if not (decimal or _NUMBER.fullmatch(word)):
            raise InputError(f"{where}{quoted(word)}, expected a whole number or INF")
    return len(words)


def _check_counts(sections: dict[str, tuple[int, int]], path: str) -> None:
    """Raise `InputError` where a section has not as many numbers as it should have."""
    for section, (number, count) in sections.items():
        expected = _NUMBERS.get(section, (0,))
        if count not in expected:
            raise InputError(
                f"{path}: line {number}: section {section} has {count} numbers, expected "
                f"{' or '.join(map(str, expected))}"
            )


#: A hairpin of nine bases, which no file lists, without ends that dangle.
PROBE = ("GCGCAAAAAAAAAGCGC", "((((.........))))")


def probe_energy(text: str) -> float | None:
    """Energy of `PROBE` at 37 degrees, kcal/mol, by a text; None where it leaves out a table."""
    tables = {
        name: [int(word) for word in found if word.lstrip("-").isdigit()]
        for name in ("stack", "hairpin", "mismatch_hairpin")
        for found in [_words_of(text, name)]
        if len(found) == _TABLES[name]
    }
    if len(tables) < 3 or len(tables["stack"]) < _TABLES["stack"]:
        return None
    size = len(tables["hairpin"]) - (31 - 9)  # sizes 0, 1 and 2 are infinite, and left out
    stack, hairpin = tables["stack"], tables["hairpin"][size]
    # Rows of seven types of pairs, CG first, then GC; mismatches N, A, C, G, U of each.
    total = 2 * stack[1 * 7 + 1] + stack[0] + hairpin + tables["mismatch_hairpin"][1 * 5 + 1]
    return total / 100


def _words_of(text: str, section: str) -> list[str]:
    """Words of a section of a text."""
    found = re.search(rf"^#\s*{section}\s*$(.*?)^#", text, re.MULTILINE | re.DOTALL)
    return re.sub(r"/\*.*?(\*/|$)", " ", found[1], flags=re.MULTILINE).split() if found else []
