"""Tuning of a table's temperature, and of parameters of a search with it; light, for `learn`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Range, check_fields

#: Name of the factor of the bias among the parameters that are tuned.
TEMPERATURE = "temperature"
#: Most combinations of parameters: each takes searches.
MOST_ARMS = 256


@dataclass(frozen=True)
class TunePlan:
    """Race of parameters on held-out instances.

    Parameters
    ----------
    tune : bool
        Choose the temperature that the table recommends by searches on instances of a seed of
        their own: successive halving, all that are left on the same instances.
    tune_algorithm : str
        Search that it is chosen for, perhaps with parameters, as in sampling:dead_ends=30.
    tune_parameters : str
        Values that race, every combination of them: the temperature, and parameters of the search,
        as in "temperature=2,4,8 dead-ends=30,100".
    tune_set : str
        What the instances differ in from those learned from, as order=40,holes=0.42.
    tune_instances : int
        Instances of the last round; half as many of the round before, and so on.
    tune_playouts : int
        Playouts of each search.

    Raises
    ------
    InputError
        If a number is out of range, or a list is none.
    """

    tune: bool = False
    tune_algorithm: str = "gnrpa"
    tune_parameters: str = "temperature=0.5,1,2,4,8,16,32,64"
    tune_set: str = ""
    tune_instances: Annotated[int, Range(4)] = 128
    tune_playouts: Annotated[int, Range(1)] = 4096

    def __post_init__(self) -> None:
        check_fields(self)
        self.values()
        if not self.tune:
            usual = {field.name: field.default for field in fields(self)}
            for name in (name for name, value in usual.items() if getattr(self, name) != value):
                raise InputError(f"--{name.replace('_', '-')} has no effect without --tune")

    def values(self) -> dict[str, list[str]]:
        """Return the values of each parameter, as texts.

        Raises
        ------
        InputError
            If they are no such list, or too many.
        """
        found: dict[str, list[str]] = {}
        arms = 1
        for word in self.tune_parameters.split():
            name, _, texts = word.partition("=")
            name = name.replace("-", "_")
            values = list(dict.fromkeys(filter(None, texts.split(","))))
            if not name or not values or name in found:
                expected = "expected NAME=VALUE,... with blanks between, each name once"
                raise FieldError(
                    "tune_parameters", f"is {quoted(self.tune_parameters)}, {expected}"
                )
            found[name] = values
            arms *= len(values)
        if arms > MOST_ARMS:
            raise FieldError(
                "tune_parameters", f"has {arms:,} combinations, expected {MOST_ARMS} at most"
            )
        return found
