"""The commands on inverse RNA folding. Engines other than vienna2 run in processes of their own."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import RNA

from generators.rna.generator import RnaGenerator
from pipeline.commands.compare import read_run_request
from pipeline.comparing.jobs import plan_jobs
from pipeline.comparing.plan import plan_families, plan_methods
from solver.commands.subjects import find_subject
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import use_engine
from solver.priors.priors import load_prior
from tests.commands.shell import Run, in_a_process, rows_of
from tests.generators.seed_file import register_rfam

DOMAIN = RnaDomain()
HAIRPIN = "((((....))))"
QUICK = ["--playouts", 300]
FACTS = ["sequence", "structure", "energy", "engine", "unique_mfe"]
COMMON = ["playouts", "seconds", "algorithm", "prior", "seed"]


def assert_folds(line: dict[str, Any], structure: str) -> None:
    """The facts of an answer are what vienna2 says of its sequence."""
    compound = RNA.fold_compound(line["sequence"], use_engine("vienna2"))
    folded, energy = compound.mfe()
    assert folded == line["structure"] == structure
    assert float(line["energy"]) == round(energy, 2)
    assert line["engine"] == "vienna2"


def test_a_structure_on_the_command_line(run: Run) -> None:
    """The answer is a FASTA record: facts in the title, the sequence, what it folds into."""
    finished = run("solve", "rna", HAIRPIN, *QUICK, "--algorithm", "gnrpa", "--prior", "nemo")
    assert finished.status == 0
    title, sequence, structure = finished.out.splitlines()
    assert title.startswith(">rna solved=True score=1.0 energy=-")
    facts = dict(fact.split("=") for fact in title.split()[1:])
    assert list(facts) == ["solved", "score", *FACTS[2:], "forbidden", *COMMON]
    assert facts["forbidden"] == '"synthesis"'
    assert facts["prior"] == "nemo"
    assert_folds({**facts, "sequence": sequence, "structure": structure}, HAIRPIN)
    assert finished.err.startswith("rna: solved and verified: ")


@pytest.mark.parametrize("source", ["file", "stdin", "inline"])
def test_facts_in_json(run: Run, tmp_path: Path, source: str) -> None:
    """Wherever the problem comes from, a line of JSON has all facts and the answer as a record."""
    text = f"{HAIRPIN} GNNNNNNNNNNC"
    path = tmp_path / "target.txt"
    path.write_text(text)
    argument = {"file": str(path), "stdin": "-", "inline": text}[source]
    finished = run("solve", "rna", argument, *QUICK, "--json", stdin=text)
    line = json.loads(finished.out)
    assert finished.status == 0
    assert [name for name in line if name in FACTS] == FACTS
    assert line["name"] == {"file": path.name, "stdin": "standard input", "inline": "rna"}[source]
    assert (line["solved"], line["score"]) == (True, 1.0)
    assert isinstance(line["unique_mfe"], bool)
    assert_folds(line, HAIRPIN)
    (problem,) = DOMAIN.parse(text, "again")
    answer = DOMAIN.parse_answer(problem, line["answer"], "line")
    DOMAIN.verify(problem, answer)
    assert answer == (line["sequence"], "vienna2")


def test_a_table(run: Run, tmp_path: Path) -> None:
    """With --csv a header and a row per problem, of a table of problems too."""
    path, out = tmp_path / "targets.csv", tmp_path / "answers.csv"
    path.write_text(f'name,structure\n"a, b",{HAIRPIN}\nopen,.....\n')
    finished = run("solve", "rna", path, *QUICK, "--csv", "--out", out)
    assert (finished.status, finished.out) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [name for name in rows[0] if name in FACTS] == FACTS
    assert [row["name"] for row in rows] == ["a, b", "open"]
    for row, structure in zip(rows, (HAIRPIN, "....."), strict=True):
        assert (row["solved"], row["prior"]) == ("True", "ngram")
        assert_folds(row, structure)
    assert finished.err.endswith("\n2 of 2 solved and verified\n")


def test_several_records(run: Run) -> None:
    """Records follow each other as FASTA has them, each with its name."""
    finished = run("solve", "rna", "-", *QUICK, stdin=f">a\n{HAIRPIN}\n>b c\n.....\n")
    lines = finished.out.splitlines()
    assert finished.status == 0
    assert len(lines) == 6
    assert lines[0].startswith(">a solved=True ")
    assert lines[3].startswith(">b c solved=True ")
    assert lines[2::3] == [HAIRPIN, "....."]


def test_one_too_long_costs_no_other(run: Run, tmp_path: Path) -> None:
    """A target that guided search does not take is told by its name, the others are solved."""
    path = tmp_path / "targets.fa"
    path.write_text(f">long\n{'(' * 2050}....{')' * 2050}\n>a\n{HAIRPIN}\n")
    finished = run("solve", "rna", path, "--quiet", *QUICK)
    assert finished.status == 2
    assert finished.err == (
        "long: error: 4,104 bases, guided search takes 4,095 at most: choose another algorithm, "
        "as --algorithm gnrpa\n"
    )
    assert finished.out.startswith(">a solved=True ")
    path.write_text(f">long\n{'(' * 2050}....{')' * 2050}\n>bad\n((\n")
    finished = run("solve", "rna", path, "--quiet", *QUICK)
    titles = [line.partition(": ")[0] for line in finished.err.splitlines()]
    assert (finished.status, finished.out, titles) == (2, "", ["long", "bad"])


def test_a_target_that_cannot_be_reached(run: Run) -> None:
    """Fixed bases that fold otherwise: proved by one playout, and what they fold into is said."""
    finished = run("solve", "rna", "............ GGGGAAAACCCC", *QUICK, "--json")
    line = json.loads(finished.out)
    assert (finished.status, line["solved"], line["playouts"]) == (3, False, 1)
    assert 0 < line["score"] < 1
    assert_folds(line, HAIRPIN)


def test_nothing_is_folded(run: Run) -> None:
    """With the engine none the first sequence is taken, without a structure or an energy."""
    finished = run("solve", "rna", HAIRPIN, *QUICK, "--engine", "none", "--forbid", "none")
    title, sequence = finished.out.splitlines()
    assert finished.status == 0
    assert " engine=none playouts=1 " in title
    assert "energy" not in title
    assert len(sequence) == len(HAIRPIN)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rna", "((((....)))"], "rna: line 1, position 1: '(' is never closed"),
        (["rna", f"{HAIRPIN} GGGG"], "rna: line 1: 4 bases, expected 12, one a position"),
        (["rna", f"(((.{'.' * 30}((((....)))))))"],
         "rna: the loop between the pairs 3-47 and 35-46 has 31 unpaired bases, the folding "
         "engines form interior loops of 30 at most: no sequence folds into this target"),
        (["rna", HAIRPIN, "--engine", "x" * 99],
         f"engine is '{'x' * 80}..., expected vienna1, t99d2, vienna2, dna, none or a .par file"),
        (["rna", HAIRPIN, "--level", "9" * 5000],
         f"--level is '{'9' * 80}..., expected a whole number, 1 ... 10"),
        (["latin-square", "--dead-ends", 10**20],
         f"--dead-ends is {10**20}, expected {2**62:,} at most"),
        (["rna", "-"], "standard input: no structure found, expected dot-bracket"),
        (["rna", "missing.txt"], "cannot read missing.txt: No such file or directory"),
        (["rna", "GGGG"], "cannot read GGGG: No such file or directory"),
        (["rna", ""], "an empty name, expected that of a file"),
        (["rna", "two\nlines"], r"cannot read two\nlines: No such file or directory"),
        (["rna", "(((((" + 5000 * "." + ")))))", "--playouts", 2],
         "5,010 bases, guided search takes 4,095 at most: choose another algorithm, as "
         "--algorithm gnrpa"),
        (["eterna100:foo"], "eterna100 is a set of problems itself and has none called 'foo'"),
        (["rna", " "], "cannot read  : No such file or directory"),
        (["rna", HAIRPIN, "--engine", "turbo"],
         "engine is 'turbo', expected vienna1, t99d2, vienna2, dna, none or a .par file"),
        (["rna", HAIRPIN, "--prior", "nemo", "--prior-temperature", 2],
         "--prior-temperature needs a --prior from a file"),
        (["latin-square", "--prior", "nemo"],
         "no prior called 'nemo': neither a file nor one of: none, "
         "latin-square, latin-square-belief, latin-square-dual"),
        (["eterna100", "targets.txt"], "eterna100 is a set of problems and takes no file"),
        (["eterna100-v2", "--instances", 0], "--instances is 0, expected 1 or more"),
    ],
)  # fmt: skip
def test_bad_input(run: Run, arguments: list[Any], message: str) -> None:
    """Invalid input ends with status 2 and one line on standard error."""
    finished = run("solve", *arguments)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")


@pytest.mark.parametrize(("name", "engine"), [("eterna100", "t99d2"), ("eterna100-v2", "vienna2")])
def test_a_benchmark_set(name: str, engine: str) -> None:
    """The first puzzles of a set are solved with the set's own engine, without a warning."""
    puzzles = DOMAIN.benchmark(name)[:2]
    finished = in_a_process("solve", name, "--instances", 2, "--json", *QUICK)
    lines = [json.loads(line) for line in finished.out.splitlines()]
    assert finished.status == 0
    assert [line["name"] for line in lines] == [puzzle.name for puzzle in puzzles]
    assert [line["structure"] for line in lines] == [puzzle.data.structure for puzzle in puzzles]
    assert {line["engine"] for line in lines} == {engine}
    assert finished.err.count("\n") == 3
    assert finished.err.endswith("\n2 of 2 solved and verified\n")


def test_generated_targets() -> None:
    """Without a problem there are generated ones; no warning is printed."""
    finished = in_a_process("solve", "rna", "--instances", 2, *QUICK, "--csv")
    rows = list(csv.DictReader(io.StringIO(finished.out)))
    assert [row["name"] for row in rows] == ["rna-60-0-0", "rna-60-0-1"]
    assert "Warning" not in finished.err
    assert finished.err.count("\n") == 3


@pytest.mark.parametrize("targets", ["consensus", "vienna2"])
def test_learning(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, targets: Any) -> None:
    """A prior is learned from all of a corpus, and can be used at once."""
    register_rfam(tmp_path, monkeypatch)
    out = tmp_path / "ngram.parquet"
    common = ["--work", tmp_path / "work", "--out", out]
    finished = run("learn", "rna", "--targets", targets, *common)
    assert (finished.status, finished.err) == (0, "")
    assert ", 7 solved instances replayed, 0 rejected, " in finished.out
    prior = load_prior(out, DOMAIN)
    assert prior.metadata is not None
    assert prior.metadata["options"] == asdict(RnaOptions("none"))
    source = prior.metadata["source"]
    assert (source["corpus"], source["targets"]) == ("rfam", targets)
    assert source["dropped"]["ambiguous base"] == 1
    counts = pq.read_table(out.with_suffix(".counts.parquet"))
    steps = 0
    for number in range(7):
        problem, _ = RnaGenerator(targets).generate(1, number)
        steps += len(problem.data.structure) - problem.data.structure.count(")")
    assert sum(counts["count"].to_pylist()) == steps
    found = run("solve", "rna", HAIRPIN, *QUICK, "--prior", out)
    assert found.status == 0


def test_learning_more_than_there_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More instances than the corpus has are refused, and so is a corpus that is not there."""
    home = register_rfam(tmp_path, monkeypatch)
    command = ["learn", "rna", "--work", tmp_path / "work", "--out", tmp_path / "p.parquet"]
    finished = run(*command, "--instances", 8)
    assert finished.status == 2
    assert finished.err == "learn: 7 sequences to learn from, asked for 8\n"
    home.unlink()
    monkeypatch.setenv("NESTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    missing = run(*command, "--instances", 8)
    assert missing.status == 2
    assert "learn: cannot download http://127.0.0.1:9/ (" in missing.err
    assert "Traceback" not in missing.err
    assert not (tmp_path / "p.parquet").exists()


def test_comparing_on_a_benchmark_set(tmp_path: Path) -> None:
    """Puzzles of a set with the set's engine, which names the family; nemo is a method."""
    methods = ["--algorithm", "gnrpa", "--prior", "none,nemo"]
    budget = ["--instances", 2, "--playouts", 40]
    finished = in_a_process("compare", "eterna100", *methods, *budget, "--out", tmp_path)
    assert (finished.status, finished.err) == (0, "")
    rows = rows_of(tmp_path)
    assert sorted((row["instance"], row["prior"]) for row in rows) == [
        ("0-0", "nemo"),
        ("0-0", "none"),
        ("0-1", "nemo"),
        ("0-1", "none"),
    ]
    assert {row["family"] for row in rows} == {"eterna100, t99d2"}
    assert {row["family_parameters"] for row in rows} == {'{"set": "eterna100", "engine": "t99d2"}'}
    puzzles = DOMAIN.benchmark("eterna100")
    solved = [row for row in rows if row["solved"]]
    assert solved
    for row in solved:
        puzzle = puzzles[int(row["instance"].partition("-")[2])]
        answer = DOMAIN.parse_answer(puzzle, row["solution"], "row")
        assert answer.engine == "t99d2"
        DOMAIN.verify(puzzle, answer)
    report = (tmp_path / "report.md").read_text()
    assert "\n## Eterna100, t99d2\n" in report
    assert "nemo" in report


@pytest.mark.usefixtures("no_report")
def test_comparing_on_a_corpus(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences of the corpus are instances too; the report knows their family."""
    register_rfam(tmp_path, monkeypatch)
    options = ["--algorithm", "sampling", "--instances", 2, "--playouts", 20]
    finished = run("compare", "rna", *options, "--targets", "vienna2", "--out", tmp_path / "out")
    assert (finished.status, finished.err) == (0, "")
    assert {row["family"] for row in rows_of(tmp_path / "out")} == {
        "Rfam up to 500 bases, vienna2 targets"
    }


def test_two_engines_in_one_comparison(tmp_path: Path) -> None:
    """A process has one engine: two are refused in a line before anything is run."""
    options = ["--algorithm", "sampling", "--instances", 1, "--playouts", 2]
    finished = in_a_process(
        "compare", "eterna100", *options, "--engine", "t99d2,vienna2", "--out", tmp_path
    )
    assert (finished.status, finished.out) == (2, "")
    assert finished.err == (
        "compare: engine vienna2 after t99d2: ViennaRNA cannot change its parameters, "
        "use one engine per process\n"
    )
    assert list(tmp_path.iterdir()) == []


def planned(subject: str, *options: Any) -> tuple[list[str], list[str], int]:
    """Names of the families and priors that `compare` plans, and the number of its jobs."""
    _, request = read_run_request(subject, [subject, *map(str, options)])
    methods = plan_methods(DOMAIN, request)
    jobs = plan_jobs(plan_families(find_subject(subject), request), methods, 1)
    names = dict.fromkeys(job.family.name(job.varying) for job in jobs)
    return list(names), [method.prior.name for method in methods if method.prior], len(jobs)


def test_plans() -> None:
    """A set is compared on as a whole; options other than the usual ones name the family."""
    gnrpa = ["--algorithm", "gnrpa"]
    assert planned("eterna100", *gnrpa) == (["eterna100, t99d2"], ["none"], 100)
    assert planned("eterna100-v2", *gnrpa) == (["eterna100-v2"], ["none"], 100)
    nemo = ["--prior", "none,nemo", "--prior-temperature", "1,2", "--instances", 3]
    assert planned("eterna100-v2", *gnrpa, *nemo) == (["eterna100-v2"], ["none", "nemo"], 6)
    both = ["--engine", "none,vienna2", "--instances", 1]
    families, _, jobs = planned("eterna100", *gnrpa, *both)
    assert (families, jobs) == (["eterna100, none", "eterna100, vienna2"], 2)


def test_plans_that_are_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More puzzles than a set has, and two priors of one name, are refused before any run."""
    prior = tmp_path / "nemo.parquet"
    with monkeypatch.context() as patched:
        register_rfam(tmp_path, patched)
        learned = run("learn", "rna", "--work", tmp_path / "work", "--out", prior)
    assert learned.status == 0
    for options, message in (
        (["--instances", 101], "--instances is 101, eterna100-v2 has 100"),
        (["--prior", f"{prior},nemo"], f"{prior} and nemo: a report needs different file names"),
        (["--prior", f"nemo,{prior}"], f"nemo and {prior}: a report needs different file names"),
    ):
        finished = run("compare", "eterna100-v2", *options, "--out", tmp_path / "out")
        assert (finished.status, finished.out, finished.err) == (2, "", f"compare: {message}\n")
        assert not (tmp_path / "out").exists()
