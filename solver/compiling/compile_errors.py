"""Numba's errors in rules that it cannot compile, shortened to one line."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from solver.errors import cut

#: Meaning of errors of Numba.
_ALLOCATED = (
    "an array is allocated, sliced or returned, which rules must "
    "not do: loop over the arrays of instance and state"
)
KNOWN = {
    "NRT required but not enabled": _ALLOCATED,
    "Only accept returning of array passed into the function as argument": _ALLOCATED,
}
CANNOT = "Numba cannot compile"
#: Function of Numba that compiles a kernel when it is called.
COMPILING = "_compile_for_args"
FAILED = "Failed in nopython mode pipeline"
HINT = "NUMBA_DISABLE_JIT=1 runs the rules as plain Python"


def compile_message(error: Exception) -> str | None:
    """Return the line that cannot be compiled, and why; None for any other error.

    Numba's own message repeats itself for every function that calls the one that is wrong; the
    innermost is the one to mend.
    """
    if not any(cls.__module__.startswith("numba.") for cls in type(error).__mro__):
        return f"rules: {CANNOT}: {cut(str(error))}; {HINT}" if _is_raised_by_numba(error) else None
    text = re.sub(r"\x1b\[\d*m", "", str(error))
    lines = [line.strip() for line in text.splitlines()]
    end = next((n for n, line in enumerate(lines) if line.startswith("During: ")), len(lines))
    begin = max((n for n in range(end) if FAILED in lines[n]), default=-1)
    reason = next((line for line in lines[begin + 1 : end] if line), str(type(error).__name__))
    why = KNOWN.get(reason) or _missing(reason, text) or _no_number(reason, lines) or cut(reason)
    return f"{_where(text, lines[:end])}: {CANNOT}: {why}; {HINT}"


def _is_raised_by_numba(error: Exception) -> bool:
    """Return whether Numba raised it in compiling, as it does for a text in place of a number."""
    if not isinstance(error, ValueError | TypeError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    compiles = any(frame.f_code.co_name == COMPILING for frame in frames)
    return compiles and str(frames[-1].f_globals.get("__name__")).startswith("numba.")


def _missing(reason: str, text: str) -> str | None:
    """Say which function there is none of for a class of instances, if that is the `reason`."""
    found = re.match(r"No implementation of function Function\(<function (\w+) at", reason)
    name = found[1] if found else ""
    called = re.search(rf">>> {name}\((\w+)\(", text)
    return f"no {name} for {called[1]}" if found and called else None


def _no_number(reason: str, lines: list[str]) -> str | None:
    """Say what a rule returns in place of a number, if that is the `reason`."""
    if not reason.startswith("No implementation of function Function(<class 'float'>)"):
        return None
    given = re.search(r">>> float\((.+)\)$", "\n".join(lines), re.MULTILINE)
    rule = re.search(r"^return float\((\w+)\(", "\n".join(lines), re.MULTILINE)
    if given is None:
        return None
    returned = f"{rule[1]} returns" if rule else "a value is"
    return cut(f"{returned} {given[1]}, expected a number")


def _where(text: str, innermost: list[str]) -> str:
    """File and line if it is outside of Numba and the solver, else the function."""
    for path, line in re.findall(r"During: .*? at (\S.*?) \((\d+)\)", text):
        if not {"numba", "solver"} & {*Path(path).parts}:
            return f"{path}, line {line}"
    functions = re.findall(r"Function\(<function (\w+) at", " ".join(innermost))
    return functions[-1] if functions else "rules"
