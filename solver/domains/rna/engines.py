"""Folding engines: ViennaRNA with one of its parameter sets, one engine per process.

ViennaRNA 2.7.2 keeps the energies of the first parameter set in use when a
second one is loaded, without a word. So a process that has chosen an engine
refuses another, and every choice is checked against a known energy.

An engine is known by its name, or a file of parameters, and by what it has of its own:
`vienna2@25C` is at 25 degrees, `vienna2-d0` without dangling ends, `vienna2-noLP` without lonely
pairs, `vienna2+m6A:12` has a modified base.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from solver.domains.rna.energies.files import PROBE, SUFFIX, probe_energy, read_parameters
from solver.domains.rna.energies.modified import BASES as MODIFIED_BASES
from solver.domains.rna.energies.modified import CELSIUS, Modification, modify, parse_modified
from solver.domains.rna.text import IUPAC
from solver.errors import FieldError, InputError, quoted
from solver.system.forks import lock_over_forks


@dataclass(frozen=True)
class Engine:
    """Energy parameters and treatment of dangling ends."""

    parameters: str
    """Turner's set of RNA, by its year, Mathews's of DNA, or a file."""
    dangles: int
    """ViennaRNA's `-d`: 0 counts no dangling bases, 1 where they are free, 2 always, 3 helices that
    stack on each other besides."""
    description: str
    celsius: float = CELSIUS
    """Temperature of the energies: that at which the sets were measured, or another, to which
    ViennaRNA scales them by their enthalpies."""
    lonely_pairs: bool = True
    """True if pairs may form that stack on no other."""
    modified: tuple[Modification, ...] = ()
    """Modified bases."""

    @property
    def is_compiled(self) -> bool:
        """True if the project's own fold has the engine; else ViennaRNA's alone has it."""
        return self.dangles < 3 and self.lonely_pairs and not self.modified

    @property
    def has_ensemble(self) -> bool:
        """True if probabilities are of the energies that sequences are folded with."""
        return self.is_compiled and self.dangles != 1


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


#: Engine, temperature, dangles, lonely pairs and modified bases in the name of an engine.
_NAME = re.compile(
    rf"(?P<base>\w+|[\w./~%-]*\{SUFFIX})(?:@(?P<celsius>\d{{1,3}}(?:\.\d{{1,2}})?)C)?"
    r"(?:-d(?P<dangles>[0-3]))?(?P<lonely>-noLP)?(?P<modified>(?:\+\w+(?::\d+)*)*)",
    re.ASCII,
)
#: Characters of the name of a file that stand for themselves in the name of an engine.
_PLAIN = "/~"


def check_engine(name: str, where: str = "") -> None:
    """Raise `InputError` if there is no engine called `name`; `where` begins the message."""
    if name not in ALL_ENGINES and name != NO_ENGINE and not name.endswith(SUFFIX):
        called = quoted(name, (*ALL_ENGINES, NO_ENGINE))
        known = ", ".join(ALL_ENGINES)
        raise InputError(
            f"{where}engine is {called}, expected {known}, {NO_ENGINE} or a {SUFFIX} file"
        )


def engine_at(
    name: str,
    celsius: float,
    dangles: int | None = None,
    *,
    lonely_pairs: bool = True,
    modified: str = "",
) -> str:
    """Name of engine `name` with energies of its own.

    Parameters
    ----------
    name : str
        Name of an engine, or path of a file of parameters.
    celsius : float
        Temperature.
    dangles : int, optional
        ViennaRNA's `-d`, if not that of the engine.
    lonely_pairs : bool
        False to form no pairs that stack on no other.
    modified : str
        Modified bases, as `parse_modified` reads them.

    Raises
    ------
    InputError
        If there is no such engine, or it has no such energies.
    """
    check_engine(name)
    if not LEAST_CELSIUS <= celsius <= MOST_CELSIUS or round(celsius, 2) != celsius:
        raise FieldError(
            "celsius",
            f"is {celsius}, expected {LEAST_CELSIUS:g} ... {MOST_CELSIUS:g}, with two decimals at "
            "most",
        )
    marks = {
        "celsius": "" if celsius == Engine.celsius else f"@{celsius:g}C",
        "dangles": "" if dangles is None else f"-d{dangles}",
        "lonely_pairs": "" if lonely_pairs else "-noLP",
        "modified": "".join(f"+{each.word}" for each in parse_modified(modified)),
    }
    if name == NO_ENGINE:
        for field, mark in marks.items():
            if mark:
                raise FieldError(field, f"is for an engine, with {NO_ENGINE} nothing is folded")
        return name
    if name.endswith(SUFFIX):
        name = quote(name, _PLAIN)
    elif ALL_ENGINES[name].dangles == dangles:
        marks["dangles"] = ""
    if marks["modified"] and is_dna(name):
        raise FieldError("modified", f"is for bases of RNA, not of DNA, as {unquote(name)} has it")
    return name + "".join(marks.values())


def engine_called(name: str, where: str = "") -> Engine:
    """Return the engine of a name that `engine_at` has made; `where` begins the message.

    Raises
    ------
    InputError
        If there is none.
    """
    parts = _NAME.fullmatch(name)
    base = parts["base"] if parts else ""
    if parts is None or not (base in ALL_ENGINES or base.endswith(SUFFIX)):
        check_engine("" if name.endswith(SUFFIX) else name, where)
        raise InputError(f"{where}with {name} nothing is folded")
    engine = ALL_ENGINES.get(base) or Engine(unquote(base), 2, "parameters of a file, dangles 2")
    changes: dict[str, Any] = {"lonely_pairs": not parts["lonely"]}
    if parts["celsius"]:
        changes["celsius"] = float(parts["celsius"])
        if not LEAST_CELSIUS <= changes["celsius"] <= MOST_CELSIUS:
            raise InputError(
                f"{where}engine is {quoted(name)}, expected {LEAST_CELSIUS:g} ... "
                f"{MOST_CELSIUS:g} degrees"
            )
    if parts["dangles"]:
        changes["dangles"] = int(parts["dangles"])
    try:
        changes["modified"] = parse_modified(parts["modified"].replace("+", ",").strip(","))
    except FieldError as error:
        raise InputError(f"{where}engine is {quoted(name)}: {error}") from error
    return replace(engine, **changes)


def is_dna(name: str) -> bool:
    """Return whether an engine is for DNA, whose letters have T for U: a file by its name."""
    parts = _NAME.fullmatch(name)
    return parts is not None and Path(parts["base"]).name.lower().startswith(DNA)


def like_which(name: str) -> str:
    """Return the engine of RNA that codes of priors take an engine for: itself, or `vienna2`."""
    parts = _NAME.fullmatch(name)
    return parts["base"] if parts and parts["base"] in ENGINES else "vienna2"


def check_readable(name: str) -> None:
    """Raise `InputError` if an engine, or what its name begins with, is a file that is none."""
    parts = _NAME.fullmatch(name)
    if parts is not None and parts["base"].endswith(SUFFIX):
        read_parameters(unquote(parts["base"]))


def absolute(name: str) -> str:
    """Name of the same engine for a process in another folder."""
    parts = _NAME.fullmatch(name)
    if parts is None or not parts["base"].endswith(SUFFIX):
        return name
    path = Path(unquote(parts["base"])).absolute()
    return quote(str(path), _PLAIN) + name[parts.end("base") :]


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
    (sequence, structure), expected = _HAIRPIN, _HAIRPIN_ENERGY.get(engine.parameters)
    if engine.parameters in load:
        loaded = load[engine.parameters]()
    else:
        text = read_parameters(engine.parameters)
        loaded = RNA.params_load_from_string(text, engine.parameters)
        (sequence, structure), expected = PROBE, probe_energy(text)
    if not loaded:
        raise RuntimeError(f"ViennaRNA cannot load the parameters {engine.parameters}")
    other = RNA.md()
    other.temperature = 36.0
    RNA.param(other)  # flushes the parameters of before, which would stay in use
    model = RNA.md()
    model.dangles = 2
    energy = RNA.fold_compound(sequence, model).eval_structure(structure)
    if expected is not None and abs(energy - expected) > 0.05:
        raise RuntimeError(
            f"ViennaRNA {RNA.__version__} gives {energy:.1f} kcal/mol to {sequence}, expected "
            f"{expected} with the parameters {engine.parameters}"
        )
    model.dangles = engine.dangles
    model.temperature = engine.celsius
    model.noLP = int(not engine.lonely_pairs)
    modify(model, engine.modified)
    return model


def check_modified(engine: str, n: int, name: str, n_strands: int = 1) -> None:
    """Raise `InputError` if bases are to be modified that a target of `n` bases has not."""
    for kind in _modifications(engine):
        for position in kind.positions:
            if n_strands > 1:
                raise InputError(
                    f"{name}: {kind.word}: positions are for one strand, not for {n_strands}"
                )
            if position > n:
                raise InputError(f"{name}: {kind.word}: position {position} of {n}")


def with_modified_bases(bases: str, engine: str, name: str) -> str:
    """IUPAC letters with those fixed that are to be modified.

    Raises
    ------
    InputError
        If another base is fixed there.
    """
    letters = list(bases)
    for kind in _modifications(engine):
        for position in kind.positions:
            base = MODIFIED_BASES[kind.name]
            if base not in IUPAC[letters[position - 1]]:
                raise InputError(
                    f"{name}: position {position} is {letters[position - 1]}, expected {base} for "
                    f"{kind.name}"
                )
            letters[position - 1] = base
    return "".join(letters)


def _modifications(engine: str) -> Sequence[Modification]:
    return () if engine == NO_ENGINE else engine_called(engine).modified
