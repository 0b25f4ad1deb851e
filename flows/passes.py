"""Passes of a fit by the workers of a Dask cluster.

They are plain tasks of Dask: one of Prefect would cost more than most passes. A part of the
decisions stays with the worker that has read it. A worker that dies leaves its parts to the others,
one that comes late takes some of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from prefect.context import FlowRunContext

from pipeline.learning import spread
from pipeline.learning.blocks import ROOM
from pipeline.learning.passes import Answer, Question
from pipeline.learning.spread import Part, Source

Thread = tuple[str, int]
"""Address of a worker, and the number of one of its threads."""


class DaskWorkers:
    """Threads of the workers of a cluster; see `pipeline.learning.spread.Workers`.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.places: dict[int, Thread] = {}

    def answers(
        self, source: Source, parts: Sequence[Part], question: Question
    ) -> Iterator[Answer]:
        """Answer `question` from every part: one task for each thread."""
        threads = [(a, k) for a, n in sorted(self.client.nthreads().items()) for k in range(n)]
        self.places = placed(self.places, len(parts), threads)
        mine: dict[Thread, list[Part]] = {}
        for number, thread in self.places.items():
            mine.setdefault(thread, []).append(parts[number])

        def submit(address: str, some: list[Part]) -> Any:
            # Where a worker is gone when its turn comes, another takes its task.
            where = {"workers": [address], "allow_other_workers": True} if address else {}
            return self.client.submit(answers_of, source, some, question, pure=False, **where)

        futures = [submit(address, some) for (address, _), some in mine.items()]
        for answers in self.client.gather(futures):
            yield from answers


def answers_of(source: Source, parts: Sequence[Part], question: Question) -> list[Answer]:
    """Answer `question` from some parts, in a worker."""
    room = _room()
    return [spread.answer_of(source, part, question, room) for part in parts]


def _room() -> int:
    """Bytes of decisions that a worker may keep: Dask ends one that takes more than its limit."""
    from distributed import get_worker

    limit: int | None = get_worker().memory_manager.memory_limit
    return min(ROOM, limit // 4) if limit else ROOM


def placed(places: dict[int, Thread], parts: int, threads: Sequence[Thread]) -> dict[int, Thread]:
    """Place each of so many parts at a thread, evenly, and where it was if that can be."""
    if not threads:  # all workers are gone: wherever one comes
        return dict.fromkeys(range(parts), ("", 0))
    held: dict[Thread, list[int]] = {thread: [] for thread in threads}
    loose = []
    most = -(-parts // len(threads))
    for part in range(parts):
        thread = places.get(part)
        if thread in held and len(held[thread]) < most:
            held[thread].append(part)
        else:
            loose.append(part)
    for part in loose:
        held[min(threads, key=lambda thread: len(held[thread]))].append(part)
    return {part: thread for thread, some in held.items() for part in some}


@contextmanager
def workers_here() -> Iterator[DaskWorkers | None]:
    """Yield the workers of the cluster of this flow's run; None of one whose tasks are threads."""
    context = FlowRunContext.get()
    client = None if context is None else getattr(context.task_runner, "client", None)
    if client is None:
        yield None
        return
    try:
        yield DaskWorkers(client)
    finally:
        client.run(spread.forget, on_error="ignore")  # a worker may have died just now
