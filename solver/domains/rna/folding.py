"""ViennaRNA inside kernels: its C functions are called from compiled code, without the GIL.

The Python extension module exports the C API; its functions are made known to
the linker by name, so that kernels that call them are kept on disk like all
others. If a function is not exported, its place takes a callback into
ViennaRNA's Python API: the same structures, one thread at a time.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import kernel
from solver.compiling.parts import before_loading, part
from solver.domains.rna.engines import use_engine

Text = npt.NDArray[np.uint8]
"""uint8[n + 1]: ASCII letters and a final 0, as C has it."""

_POINTER = ctypes.c_size_t
#: Result and parameters of each function.
_SIGNATURES: dict[str, Any] = {
    "fold_compound": ctypes.CFUNCTYPE(_POINTER, _POINTER, _POINTER, ctypes.c_uint32),
    "mfe": ctypes.CFUNCTYPE(ctypes.c_float, _POINTER, _POINTER),
    "eval_structure": ctypes.CFUNCTYPE(ctypes.c_float, _POINTER, _POINTER),
    "fold_compound_free": ctypes.CFUNCTYPE(None, _POINTER),
}

_EVAL_ONLY = 8  # VRNA_OPTION_EVAL_ONLY: nothing of the size n * n is allocated

#: Model details in use, by address: kernels know them by that number.
_models: dict[int, Any] = {}
_engines: dict[int, str] = {}


def model_address(engine: str) -> int:
    """Load `engine` for this process and return the address of its model details."""
    model = use_engine(engine)
    address = int(model.this)
    _models[address] = model
    _engines[address] = engine
    return address


def engine_of_model(address: int) -> str:
    """Return the engine, as `engine_at` names it, of an address that `model_address` returned."""
    return _engines[address]


class _PythonFolding:
    """The C functions in terms of ViennaRNA's Python API."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._compounds: dict[int, Any] = {}

    def fold_compound(self, sequence: int, model: int, options: int) -> int:
        import RNA

        number = next(self._numbers)
        text = ctypes.string_at(sequence).decode()
        self._compounds[number] = RNA.fold_compound(text, _models[model], options)
        return number

    def mfe(self, number: int, structure: int) -> float:
        folded, energy = self._compounds[number].mfe()
        ctypes.memmove(structure, folded.encode() + b"\0", len(folded) + 1)
        return float(energy)

    def eval_structure(self, number: int, structure: int) -> float:
        return float(self._compounds[number].eval_structure(ctypes.string_at(structure).decode()))

    def fold_compound_free(self, number: int) -> None:
        del self._compounds[number]


#: Objects that must stay alive while kernels call the functions.
_bound: list[dict[str, Any]] = []


@before_loading
def _bind() -> None:
    """Make the functions known to the linker."""
    import RNA
    from llvmlite import binding

    library = ctypes.CDLL(RNA._RNA.__file__)
    try:
        found: dict[str, Any] = {name: getattr(library, f"vrna_{name}") for name in _SIGNATURES}
    except AttributeError as error:
        warnings.warn(
            f"ViennaRNA {RNA.__version__} does not export its C API ({error}): "
            "folding goes through Python, on one core",
            RuntimeWarning,
            stacklevel=2,
        )
        python = _PythonFolding()
        found = {name: kind(getattr(python, name)) for name, kind in _SIGNATURES.items()}
    for name, function in found.items():
        address = ctypes.cast(function, ctypes.c_void_p).value
        binding.add_symbol(f"nestor_{name}", address)
    _bound.append(found)


@functools.cache
def _linked() -> dict[str, Any]:
    """Numba's descriptions of the functions, by name."""
    from numba import types

    pointer = types.uintp
    signatures = {
        "fold_compound": pointer(pointer, pointer, types.uint32),
        "mfe": types.float32(pointer, pointer),
        "eval_structure": types.float32(pointer, pointer),
        "fold_compound_free": types.void(pointer),
    }
    return {
        name: types.ExternalFunction(f"nestor_{name}", signature)
        for name, signature in signatures.items()
    }


def fold(sequence: Text, structure: Text, model: int) -> float:
    """Fold `sequence` and write its minimum free energy structure into `structure`.

    Parameters
    ----------
    sequence, structure : uint8[n + 1]
        Letters and a final 0.
    model : int
        From `model_address`.

    Returns
    -------
    float
        Minimum free energy in kcal/mol.
    """
    import RNA

    compound = RNA.fold_compound(sequence[:-1].tobytes().decode(), _models[model])
    folded, energy = compound.mfe()
    structure[:-1] = np.frombuffer(folded.encode(), np.uint8)
    return float(energy)


# Numba compares whole signatures: without annotations here they are alike.
@part(fold, forceinline=True)
def _fold(sequence, structure, model):  # type: ignore[no-untyped-def]
    c = _linked()
    fold_compound, mfe, free = c["fold_compound"], c["mfe"], c["fold_compound_free"]

    def compiled(sequence, structure, model):  # type: ignore[no-untyped-def]
        compound = fold_compound(sequence.ctypes.data, model, 0)
        energy = float(mfe(compound, structure.ctypes.data))
        free(compound)
        return energy

    return compiled


def begin_energies(sequence: Text, model: int) -> Any:
    """Return the argument of `energy_of` for `sequence`; `end_energies` must follow."""
    import RNA

    letters = sequence[:-1].tobytes().decode()
    return RNA.fold_compound(letters, _models[model], RNA.OPTION_EVAL_ONLY)


@part(begin_energies, forceinline=True)
def _begin_energies(sequence, model):  # type: ignore[no-untyped-def]
    fold_compound = _linked()["fold_compound"]

    def compiled(sequence, model):  # type: ignore[no-untyped-def]
        return fold_compound(sequence.ctypes.data, model, _EVAL_ONLY)

    return compiled


def energy_of(energies: Any, structure: Text) -> float:
    """Energy of `structure` in kcal/mol; a thousand times sooner there than a fold."""
    return float(energies.eval_structure(structure[:-1].tobytes().decode()))


@part(energy_of, forceinline=True)
def _energy_of(energies, structure):  # type: ignore[no-untyped-def]
    eval_structure = _linked()["eval_structure"]

    def compiled(energies, structure):  # type: ignore[no-untyped-def]
        return float(eval_structure(energies, structure.ctypes.data))

    return compiled


def end_energies(energies: Any) -> None:
    """Free the result of `begin_energies`."""


@part(end_energies, forceinline=True)
def _end_energies(energies):  # type: ignore[no-untyped-def]
    free = _linked()["fold_compound_free"]

    def compiled(energies):  # type: ignore[no-untyped-def]
        free(energies)

    return compiled


def as_text(letters: str) -> Text:
    """`letters` as C has them, uint8[n + 1]."""
    return np.frombuffer(letters.encode() + b"\0", np.uint8).copy()


@kernel
def _fold_only(sequence: Text, structure: Text, model: int) -> None:
    fold(sequence, structure, model)


def fold_structure(sequence: str, engine: str) -> str:
    """Structure of minimum free energy of `sequence`, other threads running meanwhile."""
    structure = as_text("." * len(sequence))
    _fold_only(as_text(sequence), structure, model_address(engine))
    return structure[:-1].tobytes().decode()
