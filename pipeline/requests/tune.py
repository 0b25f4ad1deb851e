"""Tuning of a table's temperature, and of parameters of a search with it; light, for `learn`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Self

from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Range, check_fields

#: Name of the factor of the bias among the parameters that are tuned.
TEMPERATURE = "temperature"
#: Most combinations of parameters: each takes searches.
MOST_ARMS = 256
#: Values of what is left to choose, of problems and of games.
USUAL: dict[str, tuple[Any, Any]] = {
    "tune_algorithm": ("gnrpa", "mcps"),
    "tune_parameters": ("temperature=0.5,1,2,4,8,16,32,64", "temperature=0.5,1,1.5,2,3,4"),
    "tune_playouts": (4096, 500),
}


def _usual(name: str) -> dict[str, str]:
    of_problems, of_games = USUAL[name]
    return {"default": f"{of_problems}, of games {of_games}"}


@dataclass(frozen=True)
class TunePlan:
    """Race of parameters on held-out instances.

    Parameters
    ----------
    tune : bool
        Choose the temperature that the table recommends by searches on instances of a seed of
        their own: successive halving, all that are left on the same instances. Of a game by
        matches against the search with the temperature that it would recommend otherwise.
    tune_algorithm : str
        Search that it is chosen for, perhaps with parameters, as in sampling:dead_ends=30.
    tune_parameters : str
        Values that race, every combination of them: the temperature, and parameters of the search,
        as in "temperature=2,4,8 dead-ends=30,100".
    tune_set : str
        What the instances, or the options of a game, differ in from those learned from, as
        order=40,holes=0.42; or a file of problems.
    tune_instances : int
        Instances, or games, of the last round; half as many of the round before, and so on.
    tune_playouts : int
        Playouts of each search, of games of each move.

    Raises
    ------
    InputError
        If a number is out of range, or a list is none.
    """

    tune: bool = False
    tune_algorithm: str = field(default="", metadata=_usual("tune_algorithm"))
    tune_parameters: str = field(default="", metadata=_usual("tune_parameters"))
    tune_set: str = ""
    tune_instances: Annotated[int, Range(4)] = 128
    tune_playouts: Annotated[int, Range(1)] | None = field(
        default=None, metadata=_usual("tune_playouts")
    )

    def __post_init__(self) -> None:
        check_fields(self)
        self.values()
        if not self.tune:
            usual = {field.name: field.default for field in fields(self)}
            for name in (name for name, value in usual.items() if getattr(self, name) != value):
                raise InputError(f"--{name.replace('_', '-')} has no effect without --tune")

    def complete(self, *, of_game: bool) -> Self:
        """Return the plan with the usual values of what is left to choose; without a race as is."""
        if not self.tune:
            return self
        left = {name: usual[of_game] for name, usual in USUAL.items() if not getattr(self, name)}
        return replace(self, **left)

    @property
    def playouts(self) -> int:
        """Playouts of each search of a complete plan."""
        assert self.tune_playouts is not None
        return self.tune_playouts

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
