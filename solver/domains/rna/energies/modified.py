"""Modified bases, whose energies ViennaRNA has, and compounds that are folded with them.

The process that refolds designs imports this: nothing of the search, no compiled code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from solver.domains.rna.text import STRANDS
from solver.errors import FieldError, quoted

#: Bases that are modified, by the name of the modification; ViennaRNA's own tables, of Kierzek et
#: al. 2022 and Hudson et al. 2013.
BASES = {"m6A": "A", "pseudouridine": "U"}
#: Temperature that energies are given for: there ViennaRNA rounds none.
CELSIUS = 37.0
#: Mark of ViennaRNA's constraints for a position that pairs with none.
UNPAIRED = "x"
#: Energy of a structure with a pair or a hairpin that there is not, at least, in kcal/mol.
IMPOSSIBLE = 1000.0


class Modification(NamedTuple):
    """A kind of modified bases."""

    name: str
    positions: Sequence[int] = ()
    """Positions, from 1; empty for every base of its letter."""

    @property
    def word(self) -> str:
        """Name with its positions, as `parse_modified` reads it."""
        return ":".join([self.name, *map(str, self.positions)])


def parse_modified(text: str) -> tuple[Modification, ...]:
    """Read modifications: names, each with its positions behind colons, with commas between them.

    Raises
    ------
    FieldError
        If there is no such modification, or a position is none.
    """
    found = []
    for word in filter(None, (word.strip() for word in text.split(","))):
        name, *places = (part.strip() for part in word.split(":"))
        if name not in BASES:
            raise FieldError("modified", f"has {quoted(name)}, expected {' or '.join(BASES)}")
        if not all(re.fullmatch(r"[1-9]\d{0,5}", place, re.ASCII) for place in places):
            expected = "expected positions behind the name: m6A:12:30"
            raise FieldError("modified", f"has {quoted(word)}, {expected}")
        found.append(Modification(name, tuple(sorted(set(map(int, places))))))
    if len({each.name for each in found}) < len(found):
        raise FieldError("modified", "names a modification twice, expected all positions at once")
    return tuple(found)


#: Modifications of the engine in use, by the address of its model details.
_modified: dict[int, tuple[Modification, ...]] = {}


def modify(model: Any, modified: tuple[Modification, ...]) -> None:
    """Fold with modified bases wherever `model` is used from now on."""
    _modified[int(model.this)] = modified


def modifications(model: Any) -> tuple[Modification, ...]:
    """Return the modified bases that `model` is used with."""
    return _modified.get(int(model.this), ())


def has_exact_energies(model: Any) -> bool:
    """Return whether the energy of a structure is that which it has in a fold.

    ViennaRNA 2.7.2 evaluates modified bases and helices that stack (dangles 3) otherwise.
    """
    return model.dangles < 3 and not modifications(model)


def has_ensemble(model: Any) -> bool:
    """Return whether probabilities are of the energies that sequences are folded with.

    With dangles 1, and without lonely pairs, ViennaRNA's ensemble is another one.
    """
    return model.dangles in (0, 2) and not model.noLP and not modifications(model)


def new_compound(text: str, model: Any, options: int = 0) -> Any:
    """Return ViennaRNA's compound of bases, with `&` between strands, for a model."""
    import RNA

    return with_modified(RNA.fold_compound(text, model, options), text, modifications(model))


def least_fold(compound: Any, dimer: bool = False) -> tuple[str, float]:
    """Structure of least energy of a compound, without `&`, and its energy in kcal/mol.

    Of two strands of a base each ViennaRNA returns no structure: they stay apart.
    """
    structure, energy = compound.mfe_dimer() if dimer else compound.mfe()
    return str(structure) or "." * int(compound.length), float(energy)


def free_energy(compound: Any, strands: Sequence[str]) -> float:
    """Free energy of the ensemble of a compound, in kcal/mol; two strands also apart.

    Strands count as different ones, as in the energies of structures: ViennaRNA divides complexes
    by the turns that leave both strands, one behind the other, the same.
    """
    if len(strands) == 1:
        return float(compound.pf()[1])
    _, first, second, _, total = compound.pf_dimer()
    n_turns = turns("".join(strands))
    if n_turns == 1:
        return float(total)
    kt = compound.exp_params.kT / 1000
    apart = math.exp(min((total - first - second) / kt, 0.0))
    return float(total - kt * math.log(n_turns - (n_turns - 1) * apart))


def energy_in_ensemble(text: str, structure: str, model: Any, energy: float) -> float:
    """Return the energy of a structure as its share in the ensemble has it, in kcal/mol.

    At 37 degrees this is `energy`, that of the structure by itself. At other temperatures ViennaRNA
    rounds that loop by loop, but no Boltzmann factor: shares would be wrong, some of them above 1.
    So there it is the free energy of an ensemble that is constrained to the structure. Of two
    strands it is `energy`: ViennaRNA 2.7.2 does not enforce all pairs between them.
    """
    if model.temperature == CELSIUS or STRANDS in text or energy >= IMPOSSIBLE:
        return energy
    return constrained_energy(text, structure.replace(".", UNPAIRED), model, energy)


def enforce(compound: Any, marks: str) -> None:
    """Constrain a compound to pairs in dot-bracket, with `UNPAIRED` where there is none.

    Positions marked `.` are open.
    """
    import RNA

    compound.hc_add_from_db(marks, RNA.CONSTRAINT_DB_DEFAULT | RNA.CONSTRAINT_DB_ENFORCE_BP)


def constrained_energy(text: str, marks: str, model: Any, energy: float) -> float:
    """Free energy of the structures of one strand that agree with `marks`, in kcal/mol.

    Parameters
    ----------
    marks : str
        See `enforce`.
    energy : float
        That of a structure that agrees, kcal/mol: Boltzmann factors are scaled by it.
    """
    compound = new_compound(text, model)
    enforce(compound, marks)
    compound.exp_params_rescale(energy)
    return float(compound.pf()[1])


def turns(text: str) -> int:
    """Return how many turns of a text in a circle leave it the same: 2 for `ABAB`."""
    return len(text) // (text + text).index(text, 1)


def with_modified(compound: Any, text: str, modified: Sequence[Modification]) -> Any:
    """Modify bases of a compound, and return it."""
    import RNA

    letters = text.replace(STRANDS, "")
    for name, positions in modified:
        places = positions or [i for i, base in enumerate(letters, start=1) if base == BASES[name]]
        if places:
            silent = RNA.SC_MOD_DEFAULT | RNA.SC_MOD_SILENT
            getattr(compound, f"sc_mod_{name}")(list(places), silent)
    return compound


def energy_in_fold(text: str, structure: str, model: Any) -> float:
    """Energy, in kcal/mol, that a structure of one strand has in a fold."""
    compound = new_compound(text, model)
    if not has_exact_energies(model):
        enforce(compound, structure.replace(".", UNPAIRED))
        found, energy = compound.mfe()
        if found == structure:
            return float(energy)
    return float(compound.eval_structure(structure))
