"""Fields of the page's form, with their labels and notes."""

from __future__ import annotations

from typing import NamedTuple

from solver.domains.rna.engines import ALL_ENGINES, Engine
from solver.domains.rna.requests.motifs import RUNS, SITES, SYNTHESIS
from solver.domains.rna.requests.options import ANY_GC, MFE, OBJECTIVES, RnaRequests

_ENGINES = ("vienna2", *(name for name in ALL_ENGINES if name != "vienna2"))
RUN_NAMES, ENZYMES = tuple(RUNS), tuple(SITES)


class Field(NamedTuple):
    """A field; its name is that of `DesignRequest` or `RnaRequests`."""

    name: str
    label: str
    default: str
    hint: str
    choices: tuple[str, ...] = ()
    numeric: bool = False
    wide: bool = False


FIELDS = (
    Field("designs", "Designs", "5", "of each target", numeric=True),
    Field("min_distance", "Distance", "1", "positions that differ", numeric=True),
    Field("gc", "GC", ANY_GC, "per cent, as 45-55"),
    Field("gap", "Gap", "0", "kcal/mol to the next fold", numeric=True),
    Field("objective", "Objective", MFE, "for the rest of the time", choices=OBJECTIVES),
    Field("engine", "Engine", "vienna2", "energies to fold by", choices=_ENGINES),
    Field("celsius", "Temperature", f"{Engine.celsius:g}", "of the energies, °C", numeric=True),
    Field("within", "Within", f"{RnaRequests.within:g}", "kcal/mol, of switches", numeric=True),
    Field("seconds", "Seconds", "30", "for each target", numeric=True),
    Field("seed", "Seed", "0", "change it for different designs", numeric=True),
    Field("forbid", "Forbid", SYNTHESIS, "Motifs that occur nowhere: GGNCC, G4, EcoRI", wide=True),
    Field("require", "Require", "", "Motifs that each occur somewhere: GNRA", wide=True),
    Field("protein", "Protein", "", "Residues that base 31 on code for: 31:MKV*", wide=True),
)  # fmt: skip
