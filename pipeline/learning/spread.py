"""Passes of a fit by other processes, each over the files of its part of the decisions.

Files are named, not sent: workers have the folder of shards in common. What a worker has read stays
in its memory until it is asked about another fit, as far as there is room.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pipeline.learning.blocks import ROOM, Blocks
from pipeline.learning.passes import Answer, LocalPasses, Passes, Question
from solver.commands.subjects import find_rules
from solver.contract.codes import PriorCode, code_named
from solver.contract.domain import Domain
from solver.contract.identity import domain_digest
from solver.errors import InputError
from solver.system.files import replacing

#: At most so many parts: as many workers can take their share of a pass.
MAX_PARTS = 64


class Source(NamedTuple):
    """Decisions of a fit, as another process finds them."""

    subject: str
    """Name of a domain or a game, or of a file that defines one."""
    prior_code: str
    seen: str
    """File of the dense rows that were ever possible."""
    sources: str
    """Digest of the sources that make a pass, the same at all workers."""


Part = tuple[str, ...]
"""Files of a part of the decisions."""


class Workers(Protocol):
    """Processes that make passes."""

    def answers(
        self, source: Source, parts: Sequence[Part], question: Question
    ) -> Iterable[Answer]:
        """Answer `question`, by `answer_of`, from every part."""
        ...


class SpreadPasses(Passes):
    """Decisions in `files`, summed by `workers`.

    Parameters
    ----------
    subject : str
        See `Source`.
    folder : Path
        Folder, in common with the workers, of what they have to know.
    """

    def __init__(
        self,
        workers: Workers,
        files: Sequence[Path],
        subject: str,
        domain: Domain,
        code: PriorCode,
        seen: npt.NDArray[np.int64],
        folder: Path,
    ) -> None:
        super().__init__(code, seen)
        self.workers = workers
        path = folder / "seen.npy"
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.save(file, seen)
        self.source = Source(subject, code.name, str(path), _sources(domain))
        count = min(len(files), MAX_PARTS)
        self.parts: list[Part] = [tuple(map(str, files[k::count])) for k in range(count)]

    def answers(self, question: Question) -> Iterable[Answer]:
        """See `Passes.answers`."""
        return self.workers.answers(self.source, self.parts, question)


def _sources(domain: Domain) -> str:
    return domain_digest(domain, "pipeline.learning.spread")


@dataclass
class _Held:
    """Decisions in the memory of this process: of one fit, as others take their place."""

    source: Source | None = None
    room: int = 0
    domain: Domain | None = None
    passes: dict[Part, LocalPasses] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, source: Source, part: Part, room: int) -> LocalPasses:
        with self.lock:
            if self.source != source:
                self.forget()
                self.domain = find_rules(source.subject)
                if _sources(self.domain) != source.sources:
                    raise InputError("a fit of other sources than those of this worker")
                self.source, self.room = source, room
            if part not in self.passes:
                assert self.domain is not None
                code, seen = code_named(self.domain.priors, source.prior_code), np.load(source.seen)
                files = [Path(name) for name in part]
                blocks = Blocks(files, self.domain, code, seen, self.room)
                self.room -= blocks.kept_bytes
                self.passes[part] = LocalPasses(blocks)
            return self.passes[part]

    def forget(self) -> None:
        self.source = None
        self.passes.clear()


_held = _Held()


def answer_of(source: Source, part: Part, question: Question, room: int = ROOM) -> Answer:
    """Answer `question` from the files of a part.

    Parameters
    ----------
    room : int
        Bytes of decisions that this process may keep in memory, of all parts of a fit.

    Raises
    ------
    InputError
        If a file is damaged, or this process has other sources than the one that asks.
    """
    return _held.of(source, part, room).total(question)


def forget() -> None:
    """Free the memory of the decisions that this process has kept."""
    with _held.lock:
        _held.forget()
