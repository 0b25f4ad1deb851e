"""Small seed files for the tests of what is made of Rfam."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from solver.system import datasets

#: Two families as Rfam writes them, in a form that Biopython reads too.
TWO_FAMILIES = """\
# STOCKHOLM 1.0
#=GF ID   Hairpin
#=GF AC   RF90001
#=GF DE   Not a real family
#=GS one/1-12   AC    X00001.1

one/1-12             GCGC.UUCG.GCGC
two/3-12             GGG-.AAAA.-CCC
three/1-14           GCAUAGAAAUAUGC
#=GC SS_cons         <<<<.____.>>>>
#=GC RF              gcgc.uucg.gcgc
//
# STOCKHOLM 1.0
#=GF ID   Other
#=GF AC   RF90002

four/9-20            AGGCACUUUGCCUA
#=GC SS_cons         :((((,...)))):
//
"""

#: Every reason to drop a row, beside rows that are kept; what Biopython refuses.
ODD_FAMILIES = """\
# STOCKHOLM 1.0
#=GF AC   RF90003
twice                GGGGAAAACCCC
twice                GGGGAAAACCCC
short                GGGGAAAACCC
strange              GGGGANAACCCC
open                 AAAAAAAAAAAA
#=GC SS_cons         <<<<____>>>>
#=GC SS_cons_2       <<________>>
//# STOCKHOLM 1.0
#=GF AC   RF90004
none                 GGGGAAAACCCC
//
# STOCKHOLM 1.0
#=GF AC   RF90005
crooked              GGGGAAAACCCC
#=GC SS_cons         <<<<____>>>.
//
# STOCKHOLM 1.0
#=GF AC   RF90006
caf\xe9                 ggggtttucccc
#=GC SS_cons         <<<<____>>>>
//
"""

#: What the rows are worth: usable ones of each text, and all of them.
N_TWO, N_ODD_USABLE, N_ODD = 4, 3, 8


def register_rfam(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make `folder` a data home whose Rfam is both families above; returns the file."""
    path = folder / "Rfam.seed.gz"
    path.write_bytes(gzip.compress((TWO_FAMILIES + ODD_FAMILIES).encode("latin-1")))
    shipped = folder / "shipped"
    shipped.mkdir()
    (shipped / "registry.toml").write_text(
        f'[rfam]\nfiles = ["{path.name}"]\nurl = "http://127.0.0.1:9/"\nrows = {N_TWO + N_ODD}\n'
    )
    monkeypatch.setattr(datasets, "FOLDER", shipped)
    monkeypatch.setenv("NESTOR_DATA", str(folder))
    return path
