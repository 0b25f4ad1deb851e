"""`solve rna` with requests: what is asked for is what the sequences are, checked from outside."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.commands.shell import ROOT, Run
from tests.solver.domains.rna.plain_designs import (
    differences,
    fold,
    gap,
    gc,
    has,
    least_distance,
)

SCHEMA = json.loads((ROOT / "docs" / "solve.schema.json").read_text())
STEM = "((((((...((((....))))...))))))"
HAIRPIN = "((((....))))"
BUDGET = ["--playouts", 300]
DETAILS = ["gap", "probability", "defect", "gc", "design", "distance", "missing"]


def lines_of(text: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    for line in found:
        jsonschema.validate(line, SCHEMA)
    return found


def test_several_designs(run: Run) -> None:
    """The number of designs and their distances are those asked for; a seed repeats them."""
    command = ["solve", "rna", STEM, "--designs", 6, "--min-distance", 12, *BUDGET, "--json"]
    finished = run(*command)
    lines = lines_of(finished.out)
    sequences = [line["sequence"] for line in lines]
    assert finished.status == 0
    assert [line["design"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert least_distance(sequences) >= 12
    for number, line in enumerate(lines):
        near = [differences(line["sequence"], other) for other in sequences[:number]]
        assert line["distance"] == min(near, default=None)
        assert (line["solved"], line["missing"], fold(line["sequence"])) == (True, None, STEM)
    assert sum(line["playouts"] for line in lines) <= 300
    assert finished.err.startswith("rna: 6 of 6 solved and verified: ")
    again = lines_of(run(*command).out)
    assert [line["sequence"] for line in again] == sequences
    other = lines_of(run(*command, "--seed", 1).out)
    assert [line["sequence"] for line in other] != sequences


def test_gc_and_motifs(run: Run, tmp_path: Path) -> None:
    """GC, forbidden and required motifs hold of every design of every target of a file."""
    path = tmp_path / "targets.txt"
    path.write_text(f">stem\n{STEM}\n>fixed\n{STEM}\nNNNNNNAAANNNNNNNNNNNNNNNNNNNNN\n")
    options = ["--gc", "45-50", "--forbid", "G3,EcoRI,BsaI,CNNC", "--require", "GNRA,UAY"]
    finished = run("solve", "rna", path, "--designs", 3, *options, "--playouts", 3000, "--json")
    lines = lines_of(finished.out)
    assert finished.status == 0, finished.err
    assert [line["name"] for line in lines] == ["stem"] * 3 + ["fixed"] * 3
    for line in lines:
        sequence = line["sequence"]
        assert 45 <= gc(sequence) <= 50
        assert line["gc"] == pytest.approx(gc(sequence), abs=0.01)
        for motif in ("GGG", "GAATTC", "GGTCTC", "GAGACC", "CNNC"):
            assert not has(sequence, motif)
        assert has(sequence, "GNRA")
        assert has(sequence, "UAY")
        assert fold(sequence) == STEM
    assert all(line["sequence"][6:9] == "AAA" for line in lines[3:])
    assert finished.err.endswith("\n6 of 6 solved and verified\n")


def test_the_gap(run: Run) -> None:
    """The second-best structure lies as far above the target as asked for."""
    asked = ["--gc", "45-55", "--forbid", "G-run", "--require", "GNRA"]
    command = ["solve", "rna", STEM, "--seed", 1, *asked, *BUDGET, "--json"]
    (plain,) = lines_of(run(*command).out)
    assert plain["gap"] == pytest.approx(gap(plain["sequence"], STEM), abs=1e-4)
    assert plain["gap"] < 2
    finished = run(*command, "--gap", 2)
    (line,) = lines_of(finished.out)
    assert (finished.status, line["status"], fold(line["sequence"])) == (0, "solved", STEM)
    assert gap(line["sequence"], STEM) >= 2 - 1e-6
    assert line["gap"] == pytest.approx(gap(line["sequence"], STEM), abs=1e-4)
    assert line["playouts"] > plain["playouts"]


@pytest.mark.parametrize(
    ("objective", "signs"), [("probability", (1, 0)), ("defect", (0, -1)), ("both", (1, -1))]
)
def test_objectives(run: Run, objective: str, signs: tuple[int, int]) -> None:
    """All of the budget is spent, and the ensemble is better than where it began."""
    command = ["solve", "rna", STEM, "--seed", 3, "--gc", "40-60", "--playouts", 60, "--json"]
    (plain,) = lines_of(run(*command).out)
    (line,) = lines_of(run(*command, "--objective", objective).out)
    assert (line["playouts"], line["solved"], fold(line["sequence"])) == (60, True, STEM)
    assert 40 <= gc(line["sequence"]) <= 60
    found, before = (
        signs[0] * one["probability"] + signs[1] * one["defect"] for one in (line, plain)
    )
    assert found > before


def test_what_cannot_be_met(run: Run) -> None:
    """The best found is printed with what it lacks; the status is 1."""
    finished = run("solve", "rna", STEM, "--gap", 15, "--playouts", 20, "--json")
    (line,) = lines_of(finished.out)
    assert (finished.status, line["status"], line["solved"]) == (1, "budget", False)
    assert line["missing"] == f"gap is {line['gap']:.2f} kcal/mol, expected 15 or more"
    assert f"({line['missing']})" in finished.err
    text = run("solve", "rna", STEM, "--gap", 15, "--playouts", 20)
    assert f' missing="{line["missing"]}" ' in text.out
    # Loops of As and Us alone, and Gs in all pairs: the hairpin has four pairs.
    few = ["--designs", 9, "--min-distance", 4, "--gc", "33-34", "--require", "GGCC"]
    finished = run("solve", "rna", HAIRPIN, *few, *BUDGET, "--json")
    *found, last = lines_of(finished.out)
    assert (finished.status, last["solved"], last["status"]) == (1, False, "budget")
    assert all(line["solved"] for line in found)
    assert len(found) < 8
    assert f"rna: {len(found)} of 9 solved and verified: " in finished.err


def test_forms(run: Run, tmp_path: Path) -> None:
    """FASTA, CSV and TSV say the same of each design; records have names of their own."""
    command = ["solve", "rna", STEM, "--designs", 3, "--gc", "40-60", *BUDGET]
    tables = []
    for form, delimiter in (("--csv", ","), ("--tsv", "\t")):
        out = tmp_path / "designs"
        assert run(*command, form, "--out", out).status == 0
        tables.append(list(csv.DictReader(io.StringIO(out.read_text()), delimiter=delimiter)))
    for table in tables:
        for row in table:
            assert float(row.pop("seconds")) >= 0
    assert tables[0] == tables[1]
    assert [key for key in tables[0][0] if key in DETAILS] == DETAILS
    records = run(*command).out.splitlines()
    assert records[1::3] == [row["sequence"] for row in tables[0]]
    assert records[2::3] == [STEM] * 3
    for number, (title, row) in enumerate(zip(records[::3], tables[0], strict=True), start=1):
        name, *facts = title.split()
        assert name == f">rna_{number}"
        told = dict(fact.split("=") for fact in facts)
        for key in ("energy", "engine", "gap", "probability", "defect", "gc", "seed", "design"):
            assert told[key] == row[key]


def test_titles_without_requests(run: Run) -> None:
    """Records without requests have the titles that they always had."""
    title = run("solve", "rna", HAIRPIN, *BUDGET).out.splitlines()[0]
    assert not set(DETAILS) & {fact.partition("=")[0] for fact in title.split()}


def test_other_searches(run: Run) -> None:
    """Requests are part of the score: nested search meets them, too."""
    command = ["solve", "rna", HAIRPIN, "--algorithm", "gnrpa", "--level", 1, "--playouts", 20000]
    finished = run(*command, "--gc", "60-70", "--require", "GAAA", "--json")
    (line,) = lines_of(finished.out)
    assert finished.status == 0
    assert has(line["sequence"], "GAAA")
    assert 60 <= gc(line["sequence"]) <= 70


def test_without_folding(run: Run) -> None:
    """With the engine none letters alone are asked for."""
    command = ["solve", "rna", HAIRPIN, "--engine", "none", "--gc", "45-55", "--designs", 2]
    finished = run(*command, *BUDGET, "--json")
    lines = lines_of(finished.out)
    assert finished.status == 0
    assert all(45 <= gc(line["sequence"]) <= 55 for line in lines)
    assert {line["probability"] for line in lines} == {None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gc", "50"], "--gc is '50', expected LEAST-MOST in per cent, such as 45-55"),
        (["--gc", "0.4-0.6"], "--gc is '0.4-0.6', expected LEAST-MOST in per cent, such as 45-55"),
        (["--gc", "60-50"], "--gc is '60-50', expected LEAST-MOST in per cent, such as 45-55"),
        (["--gc", "51-52"], "rna: no number of G and C among 12 bases is 51-52 %"),
        (["--designs", 0], "--designs is 0, expected 1 ... 10,000"),
        (["--min-distance", 4], "--min-distance is between designs: it needs 2 designs or more"),
        (["--designs", 2, "--min-distance", 0], "--min-distance is 0, expected 1 or more"),
        (["--designs", 2, "--min-distance", 13],
         "rna: designs at distance 13 are wanted, there are 12 positions at which they can differ"),
        (["--designs", 5, "--min-distance", 12],
         "rna: 5 designs at distance 12 are wanted, there are 4 at most"),
        (["--gap", "nan"], "--gap is nan, expected a number, 0 ... 20 kcal/mol"),
        (["--objective", "defect", "--engine", "none"],
         "--objective needs an engine with dangles 2 or 0, not none: t99d2, vienna2, dna"),
        (["--objective", "best"],
         "--objective is 'best', expected one of: mfe, probability, defect, both"),
        (["--forbid", "N"],
         "rna: N is forbidden, all that is allowed has it at position 1"),
        (["--require", "GGGGG", "--forbid", "G4"], "rna: GGGGG is required and has G4, forbidden"),
        (["--require", "A9"],
         "rna: A9 is required, the pairs and fixed bases have no place for it"),
    ],
)  # fmt: skip
def test_bad_requests(run: Run, arguments: list[Any], message: str) -> None:
    """Invalid or impossible requests end with a line before the search, and status 2."""
    finished = run("solve", "rna", HAIRPIN, *arguments)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")


def test_long_targets_are_not_refined(run: Run) -> None:
    """One evaluation of an ensemble would take longer than the budget: the line says so at once."""
    finished = run("solve", "rna", "((((....))))" * 84, "--objective", "defect", "--seconds", 1)
    message = "rna: 1008 bases, expected 1000 at most with --objective"
    assert (finished.status, finished.err) == (2, f"solve: {message}\n")


def test_fixed_bases_against_requests(run: Run) -> None:
    """A motif that fixed bases force, and GC that they exclude, are named; others are solved."""
    targets = f">a\n{HAIRPIN}\nGGGGNNNNNNNN\n>b\n{HAIRPIN}\n>c\n{HAIRPIN}\nNNNNSSSSNNNN\n"
    finished = run("solve", "rna", "-", "--forbid", "GGGG", *BUDGET, "--json", stdin=targets)
    assert (finished.status, [line["status"] for line in lines_of(finished.out)]) == (
        2,
        ["error", "solved", "solved"],
    )
    assert (
        "a: error: a: GGGG is forbidden, all that is allowed has it at position 1" in finished.err
    )
    finished = run("solve", "rna", "-", "--gc", "0-25", *BUDGET, "--json", stdin=targets)
    assert "c: error: c: GC of 0-25 % is wanted, the pairs and fixed bases allow 33.3-100.0 %" in (
        finished.err
    )


def test_what_is_hard_to_synthesise(run: Run) -> None:
    """New designs have no runs and repeats but those that fixed bases force, which are named."""
    targets = "".join(f">{n}\n{'.' * (20 + n)}\n" for n in range(19))
    targets += f">fixed\n{STEM}\n" + "N" * 12 + "GGGG" + "N" * 14 + "\n"
    finished = run("solve", "rna", "-", *BUDGET, "--json", stdin=targets)
    lines = lines_of(finished.out)
    assert finished.status == 0, finished.err
    for line in lines:
        sequence = line["sequence"]
        forced = [12] if line["name"] == "fixed" else []
        assert [m.start() for m in re.finditer("(?=GGGG)", sequence)] == forced
        assert not re.search(r"C{4}|A{6}|U{6}|(?!(.)\1)(..)\2{3}", sequence)
    assert {line["forbidden"] for line in lines[:-1]} == {"synthesis"}
    assert lines[-1]["forbidden"] == "synthesis but for GGGG at 13"
    (plain,) = lines_of(run("solve", "rna", "." * 40, "--forbid", "none", *BUDGET, "--json").out)
    assert (plain["forbidden"], "AAAAAA" in plain["sequence"]) == (None, True)


def test_stretches_that_pair_with_themselves(run: Run, tmp_path: Path) -> None:
    """No 8 bases are their own reverse complement, but for those that are fixed and named."""
    path = tmp_path / "target.fa"
    path.write_text(f">a\n((((((....)))))){'.' * 24}\n{'N' * 22}GAAUUCGAAUUC{'N' * 6}\n")
    words = ["--designs", 10, "--playouts", 900, "--json"]
    finished = run("solve", "rna", path, "--forbid", "synthesis,palindromes", *words)
    assert finished.status == 0, finished.err
    fixed = "GAAUUCGAAUUC"
    own = [i for i in range(5) if turned(fixed[i : i + 8]) == fixed[i : i + 8]]
    assert own == [2]
    for line in lines_of(finished.out):
        sequence = line["sequence"]
        stretches = [sequence[i : i + 8] for i in range(len(sequence) - 7)]
        places = [i for i, one in enumerate(stretches, start=1) if turned(one) == one]
        assert places == [22 + 2 + 1]
        assert line["forbidden"] == f"synthesis,palindromes but for {fixed[2:10]} at 25"


def turned(letters: str) -> str:
    """Reverse complement."""
    return letters.translate(str.maketrans("ACGU", "UGCA"))[::-1]


def test_quadruplexes(run: Run) -> None:
    """A fold that is another one with a quadruplex is no solution, unless that is permitted."""
    target = "." * 26 + " AAGGGAAAGGGAAAGGGAAAGGGAAA"
    finished = run("solve", "rna", target, *BUDGET, "--json")
    (line,) = lines_of(finished.out)
    assert (finished.status, line["solved"], line["quadruplex"]) == (1, False, -12.64)
    assert line["missing"].startswith("a G-quadruplex at 3-23, with which the fold has -12.64 ")
    finished = run("solve", "rna", target, *BUDGET, "--quadruplex", "--json")
    (line,) = lines_of(finished.out)
    assert (finished.status, line["solved"], line["quadruplex"]) == (0, True, -12.64)
    free = "." * 26 + " AAGGGAAAGGGAAAGGGAAAGGNAAA"
    (line,) = lines_of(run("solve", "rna", free, *BUDGET, "--json").out)
    assert (line["solved"], line["quadruplex"]) == (True, None)


def test_the_order(run: Run, tmp_path: Path) -> None:
    """Solved designs stand in the table, numbered; a folder in its place is refused at once."""
    path = tmp_path / "new" / "order.tsv"
    targets = f">a\n{STEM}\n>b\n{'.' * 14}\nGGGGGAAAACCCCC\n"
    finished = run("solve", "rna", "-", *BUDGET, "--designs", 2, "--order", path, stdin=targets)
    rows = list(csv.DictReader(io.StringIO(path.read_text()), delimiter="\t"))
    assert [row["name"] for row in rows] == ["a_1", "a_2"]
    assert all(row["rna"] in finished.out.splitlines() for row in rows)
    assert all(fold(row["rna"]) == STEM for row in rows)
    refused = run("solve", "rna", STEM, "--order", tmp_path)
    message = f"solve: --order is {tmp_path}, a folder, expected the name of a file\n"
    assert (refused.status, refused.out, refused.err) == (2, "", message)
    refused = run("solve", "rna", STEM, *BUDGET, "--out", path, "--order", path)
    message = f"solve: --order is {path}, the file of --out, expected another\n"
    assert (refused.status, refused.out, refused.err) == (2, "", message)
    assert path.read_text().startswith("name")
    file = tmp_path / "targets.fa"
    file.write_text(f"{STEM}\n")
    for option in ("--out", "--order"):
        refused = run("solve", "rna", file, *BUDGET, option, tmp_path / "new/../targets.fa")
        assert (refused.status, refused.out) == (2, "")
        assert refused.err.endswith("targets.fa, the file of the problems, expected another\n")
    assert file.read_text() == f"{STEM}\n"
    long = f"((((({'.' * 300})))))"  # longer than names of files
    written = run("solve", "rna", long, *BUDGET, "--out", tmp_path / "long.fa")
    assert written.status in (0, 1), written.err
    assert long in (tmp_path / "long.fa").read_text()


@pytest.mark.parametrize("form", ["csv", "json"])
def test_requests_of_a_row(run: Run, form: str) -> None:
    """Columns ask for one target, in place of the options, which hold where a field is empty."""
    rows: list[dict[str, str]] = []
    for number in range(20):
        low = 30 + 2 * number
        asked = {"gc": f"{low}-{low + 10}", "forbid": "CNNC,GGG"[: 4 + 4 * (number % 2)]}
        rows.append({"name": str(number), "structure": STEM, **asked, "require": "GNRA"})
    rows.append({"name": "plain", "structure": STEM, "gc": "", "forbid": "", "require": ""})
    text = "\n".join(map(json.dumps, rows))
    if form == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        text = out.getvalue()
    options = ["--gc", "45-55", "--forbid", "UUU", "--playouts", 3000, "--json"]
    finished = run("solve", "rna", "-", *options, stdin=text)
    lines = lines_of(finished.out)
    assert [line["name"] for line in lines] == [row["name"] for row in rows]
    for line, row in zip(lines, rows, strict=True):
        assert line["solved"], (line, finished.err)
        least, most = map(float, (row["gc"] or "45-55").split("-"))
        sequence = line["sequence"]
        assert least <= gc(sequence) <= most
        assert not any(has(sequence, motif) for motif in (row["forbid"] or "UUU").split(","))
        assert has(sequence, row["require"])
        assert fold(sequence) == STEM


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("threads", [1, 2])
def test_designs_of_a_row(run: Run, form: str, threads: int) -> None:
    """Each target has as many designs as its row asks for, else as the command does."""
    text = f"name,structure,designs\na,{HAIRPIN},3\nb,{HAIRPIN},\nc,{STEM},1\n"
    if form == "json":
        rows = [{"name": "a", "structure": HAIRPIN, "designs": 3},
                {"name": "b", "structure": HAIRPIN},
                {"name": "c", "structure": STEM, "designs": "1"}]  # fmt: skip
        text = json.dumps(rows)
    words = ["--designs", 2, "--min-distance", 4, "--json", "--threads", threads]
    finished = run("solve", "rna", "-", *BUDGET, *words, stdin=text)
    assert finished.status == 0, finished.err
    lines = lines_of(finished.out)
    assert [line["name"] for line in lines] == [*"aaabbc"]
    assert [line["design"] for line in lines] == [1, 2, 3, 1, 2, None]
    assert least_distance([line["sequence"] for line in lines[:3]]) >= 4
    assert "6 of 6 solved and verified" in finished.err


def test_titles_of_designs_that_rows_ask_for(run: Run) -> None:
    """Requests of a row are said of its designs alone, without an option."""
    text = f"name,structure,designs,gc\na,{HAIRPIN},2,40-60\nb,{HAIRPIN},,\n"
    finished = run("solve", "rna", "-", *BUDGET, stdin=text)
    titles = [line for line in finished.out.splitlines() if line.startswith(">")]
    assert [title.split()[0] for title in titles] == [">a_1", ">a_2", ">b"]
    assert [re.search(r"design=\d", title) is not None for title in titles] == [True, True, False]


def test_a_bad_number_of_designs(run: Run) -> None:
    """It costs its target alone."""
    text = f"name,structure,designs\na,{HAIRPIN},x\nb,{HAIRPIN},20000\nc,{HAIRPIN},1\n"
    finished = run("solve", "rna", "-", *BUDGET, "--json", stdin=text)
    assert [line["status"] for line in lines_of(finished.out)] == ["error", "error", "solved"]
    assert "line 2: designs is 'x', expected a number" in finished.err
    assert "line 3: designs is 20000, expected 1 ... 10,000" in finished.err


def test_a_bad_request_of_a_row(run: Run) -> None:
    """It costs its target alone, with the line and the name of the column."""
    text = f"name,structure,gc\na,{HAIRPIN},50\nb,{HAIRPIN},0-100\n"
    finished = run("solve", "rna", "-", *BUDGET, "--json", stdin=text)
    assert [line["status"] for line in lines_of(finished.out)] == ["error", "solved"]
    message = "line 2: gc is '50', expected LEAST-MOST in per cent, such as 45-55"
    assert message in finished.err
