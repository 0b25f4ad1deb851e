"""Work of `learn`, with its progress and what it prints."""

from __future__ import annotations

import sys
import time

from pipeline.learning.counts import Counts
from pipeline.learning.learn import InterruptedLearningError, compile_replay, learn_counts
from pipeline.learning.summary import decisions_of, fit_lines, rounds_lines, tuned_lines
from pipeline.publishing.manifest import has_manifest
from pipeline.publishing.refresh import (
    Learned,
    Learning,
    compile_candidate,
    evaluate_candidate,
    finish,
    publish_candidate,
    write_learned,
)
from pipeline.publishing.rounds import learn_all
from solver.commands.announce import compilation_of
from solver.commands.progress import progress_bar
from solver.system.letters import plural


def learn(learning: Learning, begin: float, *, evaluate: bool) -> int:
    """Learn, write the table, and print a summary; returns the exit status.

    Parameters
    ----------
    begin : float
        When the command began, by `time.perf_counter`.
    evaluate : bool
        True if the table is written only if it is not worse than the one in use.
    """
    try:
        return _learn(learning, begin, evaluate=evaluate)
    except InterruptedLearningError as interrupted:
        print(
            f"learn: interrupted: {interrupted}; the same command goes on from there",
            file=sys.stderr,
        )
        return 130


def _learn(learning: Learning, begin: float, *, evaluate: bool) -> int:
    # In the main thread, where Ctrl-C can end it.
    with compilation_of(f"{learning.domain.name}, learning"):
        compile_replay(learning.domain, learning.plan, learning.work)
    counts = _first_counts(learning)
    with progress_bar(f"learning {learning.domain.name}", None) as update:
        learned = learn_all(learning, counts, lambda what, done: update(done, f"{what}: {done:,}"))
    rows, outcome = _write(learning, learned, evaluate=evaluate)
    counts = learned.counts
    seconds = time.perf_counter() - begin
    print(
        f"{learning.out}: {plural(rows, 'code')} ({int((counts.nb > 0).sum())} seen), "
        f"{counts.instances:,} solved instances replayed, {counts.n_rejected} rejected, "
        f"{decisions_of(counts):,} decisions, {outcome}{seconds:.1f} s"
    )
    for line in _told(learned):
        print(line)
    return 0


def _first_counts(learning: Learning) -> Counts:
    """Counts of the instances of the request, those of the first round."""
    instances = learning.plan.instances
    with progress_bar(f"learning {learning.domain.name}", instances) as update:
        return learn_counts(
            learning.domain,
            learning.plan,
            work=learning.work,
            threads=learning.request.threads,
            progress=lambda done: update(done, f"{done:,} of {instances:,} instances"),
        )


def _told(learned: Learned) -> list[str]:
    """Lines on the fit, the race and the rounds."""
    lines = [] if learned.weights is None else fit_lines(learned.weights.facts)
    lines += [] if learned.tuned is None else tuned_lines(learned.tuned.facts)
    return lines + ([] if learned.rounds is None else rounds_lines(learned.rounds))


def _write(learning: Learning, learned: Learned, *, evaluate: bool) -> tuple[int, str]:
    """Write the table: published where there is a manifest, or after an evaluation."""
    if not evaluate and not has_manifest(learning.out.parent):
        return write_learned(learning, learned, learning.out).num_rows, ""
    compiled = compile_candidate(learning, learned)
    evaluation = None
    if evaluate:
        with progress_bar("evaluating", None) as update:
            evaluation = evaluate_candidate(
                learning, lambda done: update(done, f"{done:,} searches")
            )
    version = publish_candidate(learning, evaluation)
    summary = finish(learning, compiled, {}, evaluation, version)
    return compiled["table"]["rows"], f"{summary['outcome']}, "
