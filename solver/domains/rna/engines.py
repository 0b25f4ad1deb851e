"""Folding engines: ViennaRNA with one of its parameter sets, one engine per process.

ViennaRNA 2.7.2 keeps the energies of the first parameter set in use when a
second one is loaded, without a word. So a process that has chosen an engine
refuses another, and every choice is checked against a known energy.

An engine is known by its name and, where that is not 37 degrees, its temperature: `vienna2@25C`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from solver.errors import FieldError, InputError, quoted
from solver.system.forks import lock_over_forks


@dataclass(frozen=True)
class Engine:
    """Energy parameters and treatment of dangling ends."""

    parameters: str
    """Turner's set of RNA, by its year, or Mathews's of DNA."""
    dangles: int
    """ViennaRNA's `-d`: 1 counts dangling bases where they are free, 2 always."""
    description: str
    celsius: float = 37.0
    """Temperature of the energies: that at which the sets were measured, or another, to which
    ViennaRNA scales them by their enthalpies."""


ENGINES = {
    "vienna1": Engine("1999", 1, "Turner 1999, dangles 1: what Vienna 1.8.5 folds"),
    "t99d2": Engine("1999", 2, "Turner 1999, dangles 2: most published counts for Eterna100-V1"),
    "vienna2": Engine("2004", 2, "Turner 2004, dangles 2: ViennaRNA 2 as it is installed"),
}
#: Engine for DNA, of which no prior knows: codes take it for the first one of dangles 2 in 2004.
DNA = "dna"
#: All engines that can be asked for.
ALL_ENGINES = ENGINES | {DNA: Engine("dna-2004", 2, "Mathews 2004, dangles 2: DNA")}
#: In place of an engine: nothing is folded, every sequence whose pairs can form is taken as right.
NO_ENGINE = "none"

_HAIRPIN = ("GCGCUUCGGCGC", "((((....))))")
_HAIRPIN_ENERGY = {
    "1999": -8.4,
    "2004": -5.5,
    "dna-2004": -4.1,
}  # kcal/mol, of the hairpin with dangles 2

#: Water, and the temperatures that enthalpies are good for.
LEAST_CELSIUS, MOST_CELSIUS = 0.0, 100.0

_lock = lock_over_forks()
_chosen: dict[str, Any] = {}


def check_engine(name: str, where: str = "") -> None:
    """Raise `InputError` if there is no engine called `name`; `where` begins the message."""
    if name not in ALL_ENGINES and name != NO_ENGINE:
        called = quoted(name, (*ALL_ENGINES, NO_ENGINE))
        known = ", ".join(ALL_ENGINES)
        raise InputError(f"{where}engine is {called}, expected {known} or {NO_ENGINE}")


def engine_at(name: str, celsius: float) -> str:
    """Name of engine `name` with its energies at another temperature than 37 degrees.

    Raises
    ------
    InputError
        If there is no such engine, or it has no energies at that temperature.
    """
    check_engine(name)
    if not LEAST_CELSIUS <= celsius <= MOST_CELSIUS or round(celsius, 2) != celsius:
        raise FieldError(
            "celsius",
            f"is {celsius}, expected {LEAST_CELSIUS:g} ... {MOST_CELSIUS:g}, with two decimals at "
            "most",
        )
    if celsius == Engine.celsius:
        return name
    if name == NO_ENGINE:
        raise FieldError("celsius", f"is for an engine, with {NO_ENGINE} nothing is folded")
    return f"{name}@{celsius:g}C"


def engine_called(name: str, where: str = "") -> Engine:
    """Return the engine of a name that `engine_at` has made; `where` begins the message.

    Raises
    ------
    InputError
        If there is none.
    """
    parts = re.fullmatch(r"(\w+)(?:@(\d{1,3}(?:\.\d{1,2})?)C)?", name, re.ASCII)
    if parts is None or parts[1] not in ALL_ENGINES:
        check_engine(name, where)
        raise InputError(f"{where}with {name} nothing is folded")
    engine = ALL_ENGINES[parts[1]]
    return replace(engine, celsius=float(parts[2])) if parts[2] else engine


def is_dna(name: str) -> bool:
    """Return whether an engine, at any temperature, is for DNA, whose letters have T for U."""
    return name.partition("@")[0] == DNA


def use_engine(name: str) -> Any:
    """Load engine `name`, for the rest of the process; returns ViennaRNA's model details.

    Raises
    ------
    InputError
        If there is no such engine, or the process has chosen another one.
    """
    engine = engine_called(name)
    with _lock:
        if name not in _chosen:
            if _chosen:
                raise InputError(
                    f"engine {name} after {next(iter(_chosen))}: ViennaRNA cannot change its "
                    "parameters, use one engine per process"
                )
            _chosen[name] = _load(engine)
        return _chosen[name]


def _load(engine: Engine) -> Any:
    import RNA

    load = {
        "1999": RNA.params_load_RNA_Turner1999,
        "2004": RNA.params_load_RNA_Turner2004,
        "dna-2004": RNA.params_load_DNA_Mathews2004,
    }
    if not load[engine.parameters]():
        raise RuntimeError(f"ViennaRNA cannot load the parameters {engine.parameters}")
    other = RNA.md()
    other.temperature = 36.0
    RNA.param(other)  # flushes the parameters of before, which would stay in use
    model = RNA.md()
    model.dangles = 2
    sequence, structure = _HAIRPIN
    energy = RNA.fold_compound(sequence, model).eval_structure(structure)
    if abs(energy - _HAIRPIN_ENERGY[engine.parameters]) > 0.05:
        raise RuntimeError(
            f"ViennaRNA {RNA.__version__} gives {energy:.1f} kcal/mol to {sequence}, expected "
            f"{_HAIRPIN_ENERGY[engine.parameters]} with the parameters {engine.parameters}"
        )
    model.dangles = engine.dangles
    model.temperature = engine.celsius
    return model
