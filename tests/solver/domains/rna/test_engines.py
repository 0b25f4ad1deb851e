"""Folding engines: the energies they promise, one of them in a process."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver.domains.rna.designs import check_modified_letters
from solver.domains.rna.engines import (
    ENGINES,
    check_engine,
    engine_at,
    engine_called,
    use_engine,
)
from solver.errors import InputError, VerificationError
from tests.copies import finished

ROOT = Path(__file__).parents[4]
PATIENCE = 300.0
HAIRPIN = ("GCGCUUCGGCGC", "((((....))))")

STRICT = "import warnings; warnings.simplefilter('error')"
BEGIN = """
import json, sys
import RNA
from solver.domains.rna.engines import use_engine
from solver.errors import InputError

LOAD = {"1999": RNA.params_load_RNA_Turner1999, "2004": RNA.params_load_RNA_Turner2004}

def energy(model, sequence="GCGCUUCGGCGC", structure="((((....))))"):
    return round(RNA.fold_compound(sequence, model).eval_structure(structure), 2)

def model(dangles):
    made = RNA.md()
    made.dangles = dangles
    return made

found = []
"""


def in_a_process(script: str) -> Any:
    """Run `script` behind `BEGIN` in a process of its own; returns its `found`."""
    text = f"{STRICT}\n{BEGIN}\n{script}\nprint(json.dumps(found))"
    done = finished(["-c", text], cwd=ROOT, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


#: Two hairpins and a base between them, which dangles on one or on both.
DANGLING = "GCGCUUCGGCGCAGCGCUUCGGCGC", "((((....)))).((((....))))"


@pytest.mark.parametrize(
    ("engine", "energy"), [("vienna1", -8.4), ("t99d2", -8.4), ("vienna2", -5.5)]
)
@pytest.mark.parametrize("before", ["", "1999", "2004"])
@pytest.mark.parametrize("last", [(0, 1, 2), (2, 1)])
def test_known_energies(engine: str, energy: float, before: str, last: tuple[int, ...]) -> None:
    """Whatever ViennaRNA was used for before, an engine has the energies of its Turner set.

    Without the flush in `solver.domains.rna.engines` ViennaRNA 2.7.2 keeps those in use before.
    """
    script = f"""
if {before!r}:
    LOAD[{before!r}]()
    RNA.fold("GCGCUUCGGCGC")
    for dangles in {last}:  # parameters in use stay in use for the same model details
        found.append(energy(model(dangles)))
chosen = use_engine({engine!r})
found += [energy(chosen), RNA.fold_compound("GCGCUUCGGCGC", chosen).mfe()[0], chosen.dangles]
found.append(use_engine({engine!r}) is chosen)
"""
    dangles = 1 if engine == "vienna1" else 2
    assert in_a_process(script)[-4:] == [energy, HAIRPIN[1], dangles, True]


def test_vienna_keeps_the_energies_it_has_used() -> None:
    """The reason for the flush: a parameter set loaded after another one is in use is ignored."""
    script = """
same = model(2)
found.append(energy(same))
LOAD["1999"]()
found.append(energy(same))
"""
    assert in_a_process(script) == [-5.5, -5.5]


def test_engines_differ() -> None:
    """Turner's set and the dangling ends both change what a sequence is worth."""
    energies = {
        engine: in_a_process(f"found = energy(use_engine({engine!r}), *{DANGLING!r})")
        for engine in ENGINES
    }
    assert len(set(energies.values())) == 3
    assert energies["t99d2"] < energies["vienna1"]


@pytest.mark.parametrize(("first", "second"), [("vienna2", "t99d2"), ("t99d2", "vienna1")])
def test_a_second_engine_is_refused(first: str, second: str) -> None:
    """A process keeps to its engine, and says so; the first goes on as it was."""
    script = f"""
use_engine({first!r})
try:
    use_engine({second!r})
except InputError as error:
    found.append(str(error))
found.append(energy(use_engine({first!r})))
"""
    message, energy = in_a_process(script)
    assert message == (
        f"engine {second} after {first}: ViennaRNA cannot change its parameters, "
        "use one engine per process"
    )
    assert energy == (-5.5 if first == "vienna2" else -8.4)


def test_energies_are_checked_when_an_engine_is_chosen() -> None:
    """An engine whose energies ViennaRNA lacks is refused when it is chosen."""
    script = """
RNA.params_load_RNA_Turner1999 = lambda: 1
for _ in range(2):
    try:
        use_engine("t99d2")
    except RuntimeError as error:
        found.append(str(error))
RNA.params_load_RNA_Turner1999 = lambda: 0
try:
    use_engine("t99d2")
except RuntimeError as error:
    found.append(str(error))
found.append(energy(use_engine("vienna2")))
"""
    *failed, unloaded, energy = in_a_process(script)
    assert len(failed) == 2
    for message in failed:
        assert message.startswith("ViennaRNA ")
        assert message.endswith(
            " gives -5.5 kcal/mol to GCGCUUCGGCGC, expected -8.4 with the parameters 1999"
        )
    assert unloaded == "ViennaRNA cannot load the parameters 1999"
    assert energy == -5.5


@pytest.mark.parametrize("engine", ["vienna2", "t99d2"])
@pytest.mark.parametrize("celsius", [25, 50])
def test_energies_at_another_temperature(engine: str, celsius: int) -> None:
    """Engine and compiled fold have the energies that ViennaRNA has at that temperature."""
    script = f"""
from solver.domains.rna.fold.check import load_fold_parameters, structure_energy
chosen = use_engine("{engine}@{celsius}C")
there = model(2)
there.temperature = {celsius}
known = load_fold_parameters("{engine}@{celsius}C")
for sequence in ("GCGCUUCGGCGC", "GGGAAACUUCGGUUACCCAAGGGCAACCC", "GGCAGGAAACCAGGAAACCAGCC"):
    structure, energy = RNA.fold_compound(sequence, there).mfe()
    found.append([energy(chosen, sequence, structure), round(energy_there, 2),
                  structure_energy(known, sequence, structure) / 100])
found.append(energy(model(2)))
""".replace("structure, energy =", "structure, energy_there =")
    *energies, at_37 = in_a_process(script)
    assert all(mine == theirs == compiled for mine, theirs, compiled in energies)
    assert energies[0][0] != at_37 == (-5.5 if engine == "vienna2" else -8.4)


@pytest.mark.parametrize(
    ("name", "celsius", "message"),
    [
        ("vienna2", -1.0, "celsius is -1.0, expected 0 ... 100, with two decimals at most"),
        (
            "vienna2",
            float("nan"),
            "celsius is nan, expected 0 ... 100, with two decimals at most",
        ),
        ("vienna2", 25.001, "celsius is 25.001, expected 0 ... 100, with two decimals at most"),
        ("none", 25.0, "celsius is for an engine, with none nothing is folded"),
    ],
)
def test_temperatures_without_energies(name: str, celsius: float, message: str) -> None:
    """Beyond water, or without an engine, a temperature is refused."""
    with pytest.raises(InputError) as error:
        engine_at(name, celsius)
    assert str(error.value) == message


@pytest.mark.parametrize("celsius", [0.0, 12.34, 25.0, 37.0, 99.5, 100.0])
def test_names_of_engines_at_a_temperature_are_read_back(celsius: float) -> None:
    """A name says the temperature, 37 degrees apart."""
    name = engine_at("t99d2", celsius)
    assert engine_called(name) == replace(ENGINES["t99d2"], celsius=celsius)
    assert ("@" in name) == (celsius != 37)
    for wrong in (f"{name}@", "vienna2@hot", "none"):
        with pytest.raises(InputError):
            engine_called(wrong)


@pytest.mark.parametrize("check", [check_engine, use_engine])
def test_unknown_engines(check: Any) -> None:
    """An engine that does not exist is refused with those that do."""
    with pytest.raises(InputError) as error:
        check("turbo")
    known = "vienna1, t99d2, vienna2, dna, none or a .par file"
    assert str(error.value) == f"engine is 'turbo', expected {known}"


def test_names_that_no_command_writes() -> None:
    """Temperatures beyond water's are refused in a title, too; a file may be called `.par`."""
    with pytest.raises(InputError, match=r"engine is 'vienna2@999C', expected 0 ... 100 degrees"):
        engine_called("vienna2@999C")
    assert engine_called(".par").parameters == ".par"


def test_modified_positions_beyond_the_end() -> None:
    """A sequence that is too short for them is wrong."""
    with pytest.raises(VerificationError, match=r"m6A:99: position 99 of 12"):
        check_modified_letters("GGGGAAAACCCC", "vienna2+m6A:99")
