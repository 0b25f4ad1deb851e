"""Machine code that ships: made for processors of some age, and read from beside the package.

The code that a process makes is for its own processor. What the wheel carries is for x86-64-v3
(AVX2 and FMA, 2013 and later) or for every aarch64, one folder per version of Python and machine.
"""

from __future__ import annotations

import functools
import platform
import sys
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba

from solver.system.shipped import shipped_folder

NUMBA: Any = numba.config


class Processor(NamedTuple):
    """Processor that code is made for, in LLVM's words."""

    name: str
    features: tuple[str, ...]

    @property
    def variables(self) -> dict[str, str]:
        """Environment in which Numba makes code for the processor."""
        return {"NUMBA_CPU_NAME": self.name, "NUMBA_CPU_FEATURES": self.words}

    @property
    def words(self) -> str:
        """Features as Numba names them."""
        return ",".join(f"+{feature}" for feature in self.features)


_V3 = (
    "64bit", "avx", "avx2", "bmi", "bmi2", "cmov", "crc32", "cx16", "cx8", "f16c", "fma", "fxsr",
    "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3",
    "xsave",
)  # fmt: skip
PROCESSORS = {
    "x86_64": Processor("x86-64-v3", _V3),
    "amd64": Processor("x86-64-v3", _V3),
    "aarch64": Processor("generic", ("neon",)),
    "arm64": Processor("generic", ("neon",)),
}


def portable_processor() -> Processor | None:
    """Return the processor that code ships for on machines like this one, None if none does."""
    return PROCESSORS.get(platform.machine().lower())


def portable_name() -> str:
    """Folder of code for this version of Python and this kind of machine."""
    return f"{sys.implementation.cache_tag}-{sys.platform}-{platform.machine().lower()}"


@functools.cache
def code_that_ships() -> tuple[Path, Processor] | None:
    """Return the folder of shipped code and its processor; None where it cannot be used."""
    processor = portable_processor()
    folder = shipped_folder("machine_code") / portable_name()
    if processor is None or not folder.is_dir() or NUMBA.BOUNDSCHECK:
        return None
    if NUMBA.CPU_NAME not in (None, processor.name):  # code for another processor is asked for
        return None
    here = llvm.get_host_cpu_features()
    # What LLVM does not list it does not ask processors for.
    missing = [feature for feature in processor.features if not here.get(feature, True)]
    return None if missing else (folder, processor)
