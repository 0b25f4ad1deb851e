"""Passes of a fit by the workers of a Dask cluster: the same bytes as those of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `dask` is not installed")

import distributed

from flows.passes import DaskWorkers, placed, workers_here
from flows.trials.cluster import Cluster, cluster
from flows.trials.common import wait_for
from pipeline.learning import assessment
from pipeline.learning.assessment import fit_prior
from pipeline.learning.fit import Fit
from pipeline.learning.passes import Answer, LocalPasses, Question
from pipeline.learning.spread import Part, Source, SpreadPasses, forget
from solver.errors import InputError
from tests.pipeline.learning.fits import (
    BOTH,
    DOMAIN,
    files_of,
    new_blocks,
    random_decisions,
    seen_rows,
)

# Dask and what it stands on warn of their own future.
pytestmark = pytest.mark.filterwarnings("default")

DECISIONS = random_decisions(1, 400, instances=100)
ROOT = Path(__file__).parents[2]
PENALTIES = (10.0, 100.0)


@pytest.fixture(autouse=True, scope="module")
def _few_penalties() -> Iterator[None]:
    """A fit is as many passes as there are penalties, and it is passes that are looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assessment, "PENALTIES", PENALTIES)
        yield


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Any]:
    """Weights and facts of a fit in one process."""
    blocks = new_blocks(DECISIONS, tmp_path_factory.mktemp("plain"))
    weights, facts = fit_prior(Fit(LocalPasses(blocks)), None, None)
    return weights.tobytes(), facts


class Machines:
    """A cluster of as many workers as a test asks for."""

    def __init__(self, made: Cluster, client: Any) -> None:
        self._made, self.client = made, client
        self._workers: list[subprocess.Popen[bytes]] = []

    def begin(self, count: int) -> list[subprocess.Popen[bytes]]:
        """Return the processes of so many workers, which are all that there are."""
        living = [worker for worker in self._workers if worker.poll() is None]
        for worker in living[count:]:
            worker.kill()
            worker.wait()
        self._workers = living[:count]
        while len(self._workers) < count:
            self._workers.append(self._made.worker())
        wait_for(lambda: len(self.client.nthreads()) == count, *self._workers)
        return self._workers

    @property
    def address(self) -> str:
        """Address of the scheduler."""
        return self._made.address


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    new: Any = distributed.Client
    with (
        cluster(tmp_path_factory.mktemp("cluster")) as made,
        new(made.address, timeout=60) as client,
    ):
        yield Machines(made, client)


@pytest.fixture
def client(machines: Machines) -> Any:
    return machines.client


def fitted(
    workers: DaskWorkers, folder: Path, cuts: int = 7, *, keep: bool = False
) -> tuple[bytes, Any]:
    """Fit to so many files by the workers."""
    folder.mkdir(exist_ok=True)
    files = files_of(DECISIONS, folder, cuts)
    passes = SpreadPasses(
        workers, files, DOMAIN.name, DOMAIN, BOTH, seen_rows(DECISIONS), folder / "fits"
    )
    weights, facts = fit_prior(Fit(passes, folder / "fits" if keep else None), None, None)
    return weights.tobytes(), facts


class Watched(DaskWorkers):
    """Workers of which something becomes at one of the passes."""

    def __init__(self, client: Any, at: int, act: Callable[[], None]) -> None:
        super().__init__(client)
        self.passes, self.at, self.act = 0, at, act
        self.addresses: list[set[str]] = []

    def answers(
        self, source: Source, parts: Sequence[Part], question: Question
    ) -> Iterator[Answer]:
        self.passes += 1
        if self.passes == self.at:
            self.act()
        yield from super().answers(source, parts, question)
        self.addresses.append({address for address, _ in self.places.values()})


def test_the_same_bytes_by_one_worker_and_two(
    machines: Machines, client: Any, tmp_path: Path, expected: tuple[bytes, Any]
) -> None:
    """1, 2 and 7 files; a worker that comes late takes its share, from the next pass on."""
    machines.begin(1)

    def late() -> None:
        machines.begin(2)

    assert fitted(DaskWorkers(client), tmp_path / "one-2", 2) == expected
    workers = Watched(client, 20, late)
    assert fitted(workers, tmp_path / "one-7") == expected
    assert [len(some) for some in workers.addresses[18:20]] == [1, 2]
    for cuts in (1, 7):
        assert fitted(DaskWorkers(client), tmp_path / f"two-{cuts}", cuts) == expected


def test_a_worker_killed_in_a_pass(
    machines: Machines, client: Any, tmp_path: Path, expected: tuple[bytes, Any]
) -> None:
    """The pass goes on with the other worker."""
    killed, _ = machines.begin(2)

    def kill() -> None:
        killed.send_signal(signal.SIGSTOP)  # it will not answer in this pass
        threading.Timer(0.5, killed.kill).start()

    workers = Watched(client, 20, kill)
    assert fitted(workers, tmp_path / "fit") == expected
    assert [len(some) for some in workers.addresses[18:22]] == [2, 2, 1, 1]
    assert killed.wait() == -signal.SIGKILL


def test_a_fit_killed_and_begun_again(
    machines: Machines, client: Any, tmp_path: Path, expected: tuple[bytes, Any]
) -> None:
    """Finished fits are kept; the workers, which lived on, answer the next process."""
    machines.begin(1)
    code = (
        "import sys; from pathlib import Path; import distributed;"
        "from pipeline.learning import assessment;"
        "assessment.PENALTIES = [float(word) for word in sys.argv[3:]];"
        "from flows.passes import DaskWorkers; from tests.flows.test_passes import fitted;"
        "client = distributed.Client(sys.argv[1]);"
        "fitted(DaskWorkers(client), Path(sys.argv[2]), keep=True)"
    )
    folder = tmp_path / "fit"
    process = subprocess.Popen(
        [sys.executable, "-c", code, machines.address, str(folder), *map(str, PENALTIES)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    kept = folder / "fits"
    wait_for(lambda: len(list(kept.glob("[!.]*.npz"))) >= 2, process)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    times = {path: path.stat().st_mtime_ns for path in kept.glob("[!.]*.npz")}
    assert fitted(DaskWorkers(client), folder, keep=True) == expected
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_workers_of_other_sources_refuse(machines: Machines, client: Any, tmp_path: Path) -> None:
    """A worker whose sums would be others says so, and so does the fit; as of a damaged file."""
    machines.begin(1)
    folder = tmp_path / "fit"
    folder.mkdir()
    files = files_of(DECISIONS, folder, 2)
    arguments = files, DOMAIN.name, DOMAIN, BOTH, seen_rows(DECISIONS), folder
    other = SpreadPasses(DaskWorkers(client), *arguments)
    other.source = other.source._replace(sources="other")
    with pytest.raises(InputError, match="a fit of other sources"):
        fit_prior(Fit(other), 1.0, None)
    files[1].write_bytes(files[1].read_bytes()[:-40])
    with pytest.raises(InputError, match=r"1\.parquet: not a readable parquet file"):
        fit_prior(Fit(SpreadPasses(DaskWorkers(client), *arguments)), 1.0, None)


def test_a_flow_lends_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those of its Dask cluster, which forget the decisions at last; threads are none."""
    with workers_here() as none:
        assert none is None
    ran: list[Any] = []
    client = SimpleNamespace(run=lambda call, **settings: ran.append((call, settings)))
    context = SimpleNamespace(task_runner=SimpleNamespace(client=client))
    monkeypatch.setattr("flows.passes.FlowRunContext", SimpleNamespace(get=lambda: context))
    with workers_here() as workers:
        assert workers is not None
        assert workers.client is client
        assert ran == []
    assert ran == [(forget, {"on_error": "ignore"})]


def test_parts_stay_where_they_are() -> None:
    """No thread has more parts than one must have; only those move that have to."""
    one, two, three = ("a", 0), ("b", 0), ("b", 1)
    first = placed({}, 7, [one, two])
    assert sorted(first.values()) == [one] * 4 + [two] * 3
    assert placed(first, 7, [one, two]) == first
    late = placed(first, 7, [one, two, three])
    assert max(list(late.values()).count(thread) for thread in (one, two, three)) == 3
    assert sum(late[part] != first[part] for part in range(7)) == 1
    assert set(placed(late, 7, [two, three]).values()) == {two, three}
    assert all(
        thread == late[part]
        for part, thread in placed(late, 7, [two, three]).items()
        if late[part] != one
    )
