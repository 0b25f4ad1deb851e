"""`int`, `min` and `max` of numbers as code inside the caller: Numba compiles a function for each.

Code and types of results are those of Numba's functions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.cpython.builtins import do_minmax


class _OfNumbers(AbstractTemplate):
    """Signatures of a function of numbers; those of other arguments are Numba's."""

    metadata = {"target": "cpu"}  # noqa: RUF012 - is asked before Numba's own

    def generic(self, args: Any, kws: Any) -> Any:
        """Return the signature of a call, None for Numba's own."""
        if kws or not all(isinstance(kind, types.Number | types.Boolean) for kind in args):
            return None
        result = self._result(args)
        return None if result is None else signature(result, *args)  # type: ignore[no-untyped-call]

    def _result(self, args: Any) -> Any:
        return self.context.unify_types(*args) if len(args) > 1 else None


class _Int(_OfNumbers):
    key = int

    def _result(self, args: Any) -> Any:
        if len(args) != 1 or isinstance(args[0], types.Complex):
            return None
        return args[0] if isinstance(args[0], types.Integer) else types.intp


class _Min(_OfNumbers):
    key = min


class _Max(_OfNumbers):
    key = max


def _cast(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return target.cast(builder, arguments[0], signature.args[0], signature.return_type)


def _extreme(is_better: Any) -> Callable[..., Any]:
    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return do_minmax(target, builder, signature.args, arguments, is_better)  # type: ignore[no-untyped-call]

    return build


def inline_scalars() -> None:
    """Tell Numba of the signatures and the code."""
    numbers: Any = types.VarArg(types.Any)  # type: ignore[no-untyped-call]
    for template, build in (
        (_Int, _cast),
        (_Min, _extreme(operator.lt)),
        (_Max, _extreme(operator.gt)),
    ):
        infer_global(template.key, types.Function(template))  # type: ignore[no-untyped-call]
        lower_builtin(template.key, numbers)(build)  # type: ignore[no-untyped-call]
