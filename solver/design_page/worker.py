"""The process of a job: `python -m solver.design_page.worker FOLDER`.

It writes a line to `designs.jsonl` for each design, and lines of JSON on how it goes to standard
output. It stops at SIGTERM, and when its standard input ends, which is when the server died. A job
that was begun before is gone on with.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from solver.commands.answers import Attempt, SearchSettings, as_text, record_of
from solver.commands.method import default_algorithm
from solver.commands.options import INTERRUPTED
from solver.commands.searching import attempts_at
from solver.contract.designer import designer_of
from solver.contract.domain import Problem
from solver.design_page.jobs import Job, Line, Progress
from solver.design_page.request import UNNAMED, DesignRequest
from solver.domains.rna.designs import RnaDesign, plain_letters
from solver.domains.rna.domain import RnaDomain
from solver.domains.rna.refold import end_refolding
from solver.errors import InputError, VerificationError
from solver.priors.priors import NO_PRIOR, default_prior
from solver.searching.driver import Budget
from solver.system.files import locked
from solver.system.interrupt import stop_on_interrupt

#: Seconds that a running step may take after `stop`; then the process ends.
GRACE_SECONDS = 1.0
#: Descriptor that the server holds the other end of.
STANDARD_INPUT = 0
#: Seconds between two lines on how it goes.
TELL_SECONDS = 0.25


def settings_of(request: DesignRequest) -> SearchSettings:
    """Return the settings of `solve rna` with these options and no others."""
    options = request.options
    domain = RnaDomain().with_options(options)
    algorithm = default_algorithm(domain.best_algorithm(options), domain)
    prior = default_prior(domain) if algorithm.takes_prior else NO_PRIOR
    return SearchSettings(
        designer=designer_of(domain, request.requests),
        options=options,
        algorithm=algorithm,
        prior=prior,
        prior_name=prior.name,
        budget=Budget(seconds=request.seconds),
        seed=request.seed,
        threads=1,
        details=True,
    )


class Worker:
    """Works at the job in a folder until it is done or `stop` is set."""

    def __init__(self, folder: Path, stop: threading.Event) -> None:
        self._job = Job(folder)
        self._request = self._job.request
        self._settings = settings_of(self._request)
        self._problems = self._settings.domain.parse(self._request.targets, UNNAMED)
        self._stop = stop
        self._begin = time.monotonic()
        self._told = 0.0
        self._playouts = 0  # of the designs that came to an end

    def run(self) -> int:
        """Search for designs of all targets; return the exit status, 0 even if none was found."""
        self._job.refresh()
        kept = self._job.designs
        for number, problem in enumerate(self._problems):
            if not self._stop.is_set():
                lines = [line for line in kept if line["target"] == number]
                self._work_at(number, problem, lines)
        return INTERRUPTED if self._stop.is_set() else 0

    def _work_at(self, number: int, problem: Problem, kept: Sequence[Line]) -> None:
        """Find the designs of a target that there are not yet; a failure costs no other target."""
        records = [line["record"] for line in kept]
        left = self._request.seconds - sum(record["seconds"] or 0.0 for record in records)
        if len(records) >= self._settings.designer.n_answers(problem) or left <= 0:
            return
        settings = replace(self._settings, budget=Budget(seconds=left))
        found = [
            RnaDesign(plain_letters(record["sequence"]), record["engine"])
            for record in records
            if record["sequence"] is not None and record["engine"] is not None
        ]

        def progress(playouts: int, best: float) -> None:
            self._tell(number, self._playouts + playouts)

        try:
            for attempt in attempts_at(
                settings, problem, self._stop, progress=progress, found=found
            ):
                self._keep(number, attempt)
        except (InputError, VerificationError) as error:
            self._keep(number, Attempt(problem, None, error=str(error)))

    def _keep(self, number: int, attempt: Attempt) -> None:
        """Add a line for the outcome of a design; a search stopped at once adds none."""
        solution = attempt.solution
        if attempt.interrupted and solution is not None and solution.answer is None:
            return
        several = len(self._problems) > 1
        text = "".join(as_text(self._settings, [attempt], several))
        record = record_of(self._settings, attempt)
        self._playouts += solution.search.playouts if solution is not None else 0
        with self._job.lines.open("a") as file:
            file.write(json.dumps({"target": number, "record": record, "text": text}) + "\n")

    def _tell(self, number: int, playouts: int) -> None:
        now = time.monotonic()
        if now - self._told < TELL_SECONDS:
            return
        self._told = now
        seconds = round(now - self._begin, 1)
        told: Progress = {"target": number, "playouts": playouts, "seconds": seconds}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def _end_with_the_server(stop: threading.Event) -> None:
    """Stop when standard input ends."""
    while os.read(STANDARD_INPUT, 1):
        pass
    stop.set()


def _end_in_time(stop: threading.Event) -> None:
    """End the process soon after `stop`, even in the middle of a step."""
    stop.wait()
    time.sleep(GRACE_SECONDS)
    end_refolding()
    os._exit(INTERRUPTED)


def main(folder: Path) -> int:
    """Work at the job in `folder`; return the exit status."""
    stop = threading.Event()
    for watch in (_end_with_the_server, _end_in_time):
        threading.Thread(target=watch, args=(stop,), daemon=True).start()
    with stop_on_interrupt(stop), locked(folder / "lock"):
        return Worker(folder, stop).run()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
