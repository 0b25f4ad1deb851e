"""Other solvers to compare with, on the same problems. They are optional packages.

Domains name theirs: by name on the command line.
"""

from __future__ import annotations

from pipeline.comparing.peers.cadical import complete_latin_square_cadical
from pipeline.comparing.peers.cp_sat import (
    complete_latin_square_cp_sat,
    complete_latin_square_integers,
    complete_sudoku_cp_sat,
    fill_kakuro_cp_sat,
)
from pipeline.comparing.peers.peer import Peer, PeerResult
from pipeline.comparing.peers.rnainverse import design_rnainverse
from pipeline.comparing.peers.tours import route_pyvrp

__all__ = ["KAKURO", "LATIN_SQUARE", "RNA", "SUDOKU", "TSPTW", "Peer", "PeerResult"]

LATIN_SQUARE = {
    "cp-sat": Peer(complete_latin_square_cp_sat, "ortools", "ortools", {"encoding": "exactly one"}),
    "cp-sat-integers": Peer(complete_latin_square_integers, "ortools", "ortools"),
    "cadical": Peer(complete_latin_square_cadical, "pysat", "python-sat"),
}
KAKURO = {"cp-sat": Peer(fill_kakuro_cp_sat, "ortools", "ortools")}
SUDOKU = {"cp-sat": Peer(complete_sudoku_cp_sat, "ortools", "ortools", {"encoding": "exactly one"})}
RNA = {
    "rnainverse": Peer(
        design_rnainverse, "RNA", "ViennaRNA", options=("engine", "celsius", "dangles")
    )
}
TSPTW = {"pyvrp": Peer(route_pyvrp, "pyvrp", "pyvrp", needs_seconds=True, options=("objective",))}
