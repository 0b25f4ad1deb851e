"""Order sheets: templates, primers and their melting, against published values and plain string."""

from __future__ import annotations

import csv
import io
import math

import pytest

from solver.domains.rna.files.melting import complement, duplex, melting_celsius
from solver.domains.rna.files.order import COLUMNS, order_sheet

T7 = "TAATACGACTCACTATA"


def test_a_duplex_of_the_paper() -> None:
    """SantaLucia's worked example, CGTTGA: -5.35 kcal/mol at 37 degrees."""
    enthalpy, entropy = duplex("CGTTGA")
    assert enthalpy - 310.15 * entropy / 1000 == pytest.approx(-5.35, abs=0.1)
    assert duplex("CGTTGA") == pytest.approx(duplex(complement("CGTTGA")))


@pytest.mark.parametrize("dna", ["GCATGC", "TAATACGACTCACTATAGG", "GTGTGTGTGTCCAGAGAATTTA"])
def test_half_is_melted(dna: str) -> None:
    """At the melting point the constant of the equilibrium is that of half the primer."""
    kelvin = melting_celsius(dna, primer=1e-6, sodium=1.0) + 273.15
    enthalpy, entropy = duplex(dna)
    free_energy = 1000 * enthalpy - kelvin * entropy
    share = 1e-6 / (1 if dna == complement(dna) else 4)
    assert math.exp(-free_energy / (1.987 * kelvin)) == pytest.approx(1 / share)
    assert melting_celsius(dna, 1e-6) < melting_celsius(dna, 1e-6, 1.0)


def sheet_of(engine: str = "vienna2", **sequences: str) -> str:
    """Sheet of sequences by name."""
    return order_sheet(
        (name, {"sequence": sequence, "engine": engine}) for name, sequence in sequences.items()
    )


def test_a_sheet() -> None:
    """Templates, complements and primers are of the sequence; two strands have a row each."""
    text = sheet_of(x="GGGAAACUCC", y="ACGU" * 9 + "&" + "GACU" * 2)
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["name"] for row in rows] == ["x", "y_a", "y_b"]
    assert [row["starts_for_t7"] for row in rows] == ["yes", "no", "yes"]
    for row in rows:
        template = T7 + row["rna"].replace("U", "T")
        other = "".join({"A": "T", "C": "G", "G": "C", "T": "A"}[base] for base in template[::-1])
        assert (row["template"], row["reverse_complement"]) == (template, other)
        assert int(row["rna_length"]) + 17 == int(row["template_length"]) == len(template)
        for end, strand in (("forward", template), ("reverse", other)):
            primer, celsius = row[f"{end}_primer"], float(row[f"{end}_celsius"])
            assert strand.startswith(primer)
            assert celsius == pytest.approx(melting_celsius(primer), abs=0.06)
            whole = len(primer) in (18, min(len(strand), 40))
            assert whole or celsius >= 60 > melting_celsius(primer[:-1])


def test_a_sheet_of_dna_and_of_many_strands() -> None:
    """DNA is ordered as it is, without a promoter; each of four strands has a row."""
    rows = list(
        csv.DictReader(io.StringIO(sheet_of("dna@25C", x="GCTA" * 6, y="GGCC")), delimiter="\t")
    )
    row, short = rows
    assert (short["rna"], short["template"]) == ("", "GGCC")  # no T says so, the engine does
    assert (row["rna"], row["rna_length"], row["starts_for_t7"]) == ("", "", "")
    assert (row["template"], row["reverse_complement"]) == ("GCTA" * 6, "TAGC" * 6)
    text = sheet_of(y="GGAA&GGCC&GGUU&GGGG")
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert [(row["name"], row["rna"]) for row in rows] == [
        ("y_a", "GGAA"), ("y_b", "GGCC"), ("y_c", "GGUU"), ("y_d", "GGGG"),
    ]  # fmt: skip
