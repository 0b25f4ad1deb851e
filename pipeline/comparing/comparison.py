"""Comparison: jobs, the journal of their rows, and the results that are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pipeline.comparing.journal import Journal, Key, Row, RowKind, absorb_shards

Job = TypeVar("Job")


class Comparison(ABC, Generic[Job, Key, Row]):
    """Base class: runs of methods on problems, or games between them."""

    unit: ClassVar[str]
    """Name of jobs, in the plural."""
    kind: RowKind[Key, Row]
    request: Any
    jobs: list[Job]

    @property
    def out(self) -> Path:
        """Folder of the rows and the report."""
        return Path(self.request.out)

    @property
    @abstractmethod
    def journal_path(self) -> Path:
        """File of finished jobs."""

    @abstractmethod
    def open_journal(self) -> Journal[Key, Row]:
        """Return the journal of the folder.

        Raises
        ------
        InputError
            If it cannot be read or written, or other sources made it.
        """

    @abstractmethod
    def key(self, job: Job) -> Key:
        """Key of the row of a job."""

    @abstractmethod
    def identity(self, job: Job) -> str:
        """Identity of a job, as it travels to other processes."""

    @abstractmethod
    def is_finished(self, job: Job, journal: Journal[Key, Row]) -> bool:
        """Return whether `journal` has the row of a job, which need not be run again."""

    @abstractmethod
    def compilations(self, jobs: Sequence[Job]) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield what is to be compiled before `jobs` are run, as a title and a function."""

    @abstractmethod
    def run(
        self,
        jobs: Sequence[Job],
        journal: Journal[Key, Row],
        *,
        threads: int = 1,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """Run the jobs that `journal` does not have yet; False if Ctrl-C ended it.

        Parameters
        ----------
        progress : callable, optional
            Called with the number of finished jobs.
        """

    @abstractmethod
    def keep(self, journal: Journal[Key, Row]) -> None:
        """Write the results, from which reports are made, beside the journal."""

    @abstractmethod
    def failed(self, journal: Journal[Key, Row]) -> list[str]:
        """Return a line for each job that ended in an error: its name and the error."""

    def missing(self, journal: Journal[Key, Row]) -> list[Job]:
        """Jobs that are still to be run."""
        return [job for job in self.jobs if not self.is_finished(job, journal)]

    def absorb(self, journal: Journal[Key, Row]) -> int:
        """Move the rows of workers into `journal`, in the order of jobs; returns their number."""
        return absorb_shards(journal, map(self.key, self.jobs))
