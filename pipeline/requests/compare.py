"""Request of `compare`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Self

from pipeline.requests.request import Request, absolute_file
from solver.commands.subjects import absolute


@dataclasses.dataclass(frozen=True)
class CompareRequest(Request):
    """Request of `compare`: every algorithm with every prior on all instances."""

    subject: str
    """Name of a domain or a benchmark set, or of a file that defines a domain."""
    files: list[str]
    """Files of problems, in place of generated ones or those of a set."""
    generators: list[dict[str, Any]]
    """Parameters of the maker of instances, a family each; none with files or a set."""
    options: list[dict[str, Any]]
    """Options of the domain, each with every family."""
    instances: int | None
    """Instances of each family; None for all of a set or of files."""
    instance_seed: int
    seeds: int
    """Runs on each instance."""
    algorithms: list[tuple[str, dict[str, Any] | None]]
    """Name, or file that defines it, and parameters; None for those of a peer."""
    priors: list[str]
    """Names and files of tables."""
    prior_temperatures: list[float | None]
    """Each with every table; None for the one that is stored with it."""
    playouts: int | None
    seconds: float | None
    threads: int
    out: str
    """Folder of runs."""
    command: str

    @property
    def anywhere(self) -> Self:
        """The same request for a process that stands in another folder."""
        return dataclasses.replace(
            self,
            subject=absolute(self.subject),
            files=[absolute_file(name) for name in self.files],
            algorithms=[(absolute(name), parameters) for name, parameters in self.algorithms],
            priors=[absolute_file(name) for name in self.priors],
            out=str(Path(self.out).absolute()),
        )
