"""The fold as one function that kernels call by its address.

A search has a dozen kernels that fold, each for several priors: called by address the fold is
compiled once, not into each of them, and its dozens of arrays travel as two.
"""

from __future__ import annotations

import functools
from typing import Any

from solver.compiling.jit import external
from solver.compiling.parts import before_compiling, part
from solver.domains.rna.fold.matrices import fold
from solver.domains.rna.fold.parameters import parameters_of
from solver.domains.rna.fold.trace import least_energy, trace
from solver.domains.rna.fold.vectors import Int32s, array_at, letters_at
from solver.domains.rna.fold.workspace import workspace_of
from solver.domains.rna.folding import Text
from solver.system.forks import lock_over_forks

#: Addresses and lengths: memory, its length, energies, their length, sequence, pairs.
_SIGNATURE = f"int64({', '.join(['int64'] * 6)})"
_lock = lock_over_forks()


def _fold_addresses(  # type: ignore[no-untyped-def]
    memory, size, energies, count, sequence, pairs
):
    workspace = workspace_of(array_at(memory, size))
    parameters = parameters_of(array_at(energies, count))
    n = len(workspace.pairs) - 1
    fold(workspace, parameters, letters_at(sequence, n))
    trace(workspace, parameters)
    partner = array_at(pairs, n)
    for position in range(n):
        partner[position] = workspace.pairs[position + 1] - 1
    return least_energy(workspace, parameters)


@functools.cache
def _compiled_fold() -> Any:
    """Compile the fold; the returned object keeps its machine code."""
    return external(_SIGNATURE, _fold_addresses)


def fold_address() -> int:
    """Address of the compiled fold for `fold_at`, for this process; 0 where nothing is compiled."""
    import numba

    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return 0
    with _lock:  # compiled twice, the code of one would be gone while its address is in use
        return int(_compiled_fold().address)


def fold_at(address: int, memory: Int32s, energies: Int32s, sequence: Text, pairs: Int32s) -> int:
    """Fold `sequence` and find its structure.

    Parameters
    ----------
    address : int
        From `fold_address`.
    memory : int32[:]
        From `new_fold_memory`.
    energies : int32[:]
        From `packed`.
    sequence : uint8[n] or longer
    pairs : int32[n]
        Written: the other end of the pair of each position, counted from 0, or -1.

    Returns
    -------
    int
        Minimum free energy in 1/100 kcal/mol; where the memory is enclosed, of the structures in
        which the first and the last base pair.
    """
    workspace, parameters = workspace_of(memory), parameters_of(energies)
    fold(workspace, parameters, sequence)
    trace(workspace, parameters)
    pairs[:] = workspace.pairs[1:] - 1
    return least_energy(workspace, parameters)


def _call(address: int, *numbers: int) -> int:
    """Call the fold at `address` with the numbers of `_SIGNATURE`; compiled code only."""
    raise NotImplementedError


@before_compiling
def _lower_call() -> None:
    from solver.compiling.machine_code.intrinsics import register_intrinsic
    from solver.domains.rna.fold.lowering import call

    register_intrinsic(_call, call)


@part(fold_at, forceinline=True)
def _fold_at(address, memory, energies, sequence, pairs):  # type: ignore[no-untyped-def]
    def compiled(address, memory, energies, sequence, pairs):  # type: ignore[no-untyped-def]
        return _call(
            address,
            int(memory.ctypes.data),
            len(memory),
            int(energies.ctypes.data),
            len(energies),
            int(sequence.ctypes.data),
            int(pairs.ctypes.data),
        )

    return compiled
