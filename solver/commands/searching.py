"""Search the problems of `solve`, several at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from solver.commands.answers import Attempt, SearchSettings, how_it_went
from solver.commands.fronts.points import front_facts
from solver.commands.kept import AttemptJournal, going_on, is_complete
from solver.commands.progress import progress_bar, say
from solver.compiling.compile_errors import compile_message
from solver.compiling.user_files import in_a_line
from solver.errors import InputError, VerificationError, message_of
from solver.system.interrupt import result_of
from solver.system.letters import plural

if TYPE_CHECKING:
    from solver.contract.domain import Problem
    from solver.searching.driver import Budget, Progress


def attempts_at(
    settings: SearchSettings,
    problem: Problem,
    stop: threading.Event,
    threads: int = 1,
    progress: Progress | None = None,
    found: Sequence[object] = (),
) -> Iterator[Attempt]:
    """Search one problem with `threads`; yield an attempt for each answer after `found`."""
    from solver.searching.solution import solve_several

    solutions = solve_several(
        settings.domain, problem, settings.options, settings.algorithm, settings.budget, found,
        requests=settings.designer.requests, prior=settings.prior.table, seed=settings.seed,
        threads=threads, progress=progress, stop=stop, proves=proves_beside(settings),
    )  # fmt: skip
    answers = list(found)
    for solution in solutions:
        designer, facts = settings.designer.excluding(answers), {}
        if solution.answer is not None:
            facts = designer.domain.facts(problem, solution.answer)
            if settings.details or designer.has_requests(problem) or not solution.solved:
                facts |= designer.details(problem, solution.answer)
            if solution.bound is not None:
                facts |= settings.domain.bound_facts(problem, solution.answer, solution.bound)
            answers.append(solution.answer)
        facts |= front_facts(settings, problem, solution)
        yield Attempt(problem, solution, facts)


def proves_beside(settings: SearchSettings) -> bool:
    """Return whether proofs are looked for beside the search: with the problem's own algorithm."""
    domain = settings.domain
    return domain.prover is not None and settings.algorithm.name == domain.best_algorithm(
        settings.options
    )


def solve_all(
    settings: SearchSettings,
    problems: Sequence[Problem],
    stop: threading.Event,
    journal: AttemptJournal,
) -> Iterator[Attempt]:
    """Yield the attempts at every problem, in order; after `stop`, at those begun only.

    Attempts that `journal` has are not made again.
    """
    wanted = map(settings.designer.n_answers, problems)
    known = [is_complete(journal.attempts(n), each) for n, each in enumerate(wanted)]
    left = [p for p, is_known in zip(problems, known, strict=True) if not is_known]
    _compile(settings, left, len(problems))
    if len(problems) > 1:
        yield from _solve_many(settings, problems, known, stop, journal)
        return
    (problem,) = problems
    with progress_bar(problem.name, settings.budget.playouts) as update:

        def progress(playouts: int, best: float) -> None:
            text = settings.domain.describe_scores([(problem, best)])
            update(playouts, f"{plural(playouts, 'playout')}, best {text}")

        def search(left: Budget, found: Sequence[object]) -> Iterator[Attempt]:
            rest = replace(settings, budget=left)
            return attempts_at(rest, problem, stop, settings.threads, progress, found)

        yield from going_on(journal, settings, 0, search)


def _compile(settings: SearchSettings, problems: Sequence[Problem], batch: int) -> None:
    """Compile in the main thread, where Ctrl-C can end it, by the first problem that fits.

    Raises
    ------
    InputError
        If the search takes none of `problems`, the whole `batch`, for the same reason. Other errors
        are said when the turn of their problem comes.
    """
    from solver.commands.announce import compilation_of
    from solver.searching.driver import compile_search
    from solver.searching.proving import compile_prover
    from solver.searching.solution import prepared

    refused: list[InputError] = []
    with compilation_of(f"{settings.domain.name}, {settings.algorithm.name}"):
        for problem in problems:
            try:  # what makes instances is compiled, too
                domain, instance, algorithm = prepared(
                    settings.designer, problem, settings.options, settings.algorithm
                )
            except InputError:
                continue
            except Exception as error:
                if compile_message(error) is not None:
                    raise
                continue
            try:
                compile_search(domain, instance, algorithm, settings.prior.table)
            except InputError as error:
                refused.append(error)
                continue
            settings.designer.compile_refinement(problem, settings.options)
            if proves_beside(settings):
                compile_prover(settings.domain, problem)
            return
    reasons = {message_of(error) for error in refused}
    if len(reasons) == 1 and len(refused) == batch:
        raise refused[0]


def _solve_many(
    settings: SearchSettings,
    problems: Sequence[Problem],
    known: Sequence[bool],
    stop: threading.Event,
    journal: AttemptJournal,
) -> Iterator[Attempt]:
    """Solve several at a time, and say on stderr how each went; a failure costs no other."""

    def solve_one(number: int, problem: Problem) -> list[Attempt]:
        def search(left: Budget, found: Sequence[object]) -> Iterator[Attempt]:
            return attempts_at(replace(settings, budget=left), problem, stop, found=found)

        made: list[Attempt] = []
        if stop.is_set() and not journal.attempts(number):
            return made
        try:
            made.extend(going_on(journal, settings, number, search))
        except (InputError, VerificationError) as error:
            made.append(Attempt(problem, None, error=message_of(error)))
        except OSError:
            raise
        except Exception as error:
            made.append(Attempt(problem, None, error=in_a_line(error)))
        return made

    with (
        ThreadPoolExecutor(settings.threads) as pool,
        progress_bar("solving", len(problems)) as update,
    ):
        futures = [pool.submit(solve_one, *numbered) for numbered in enumerate(problems)]
        solved = 0
        try:
            for number, future in enumerate(futures, start=1):
                made = result_of(future)
                solved += sum(attempt.solved for attempt in made)
                update(number, f"{number} of {len(problems)}, {solved} solved")
                if made and not known[number - 1]:
                    line = f"{made[0].problem.name}: {how_it_went(settings.designer, made)}"
                    say(line, is_error=made[-1].solution is None)
                yield from made
        except BaseException:  # the reader of our output left: no need of the rest
            stop.set()
            for future in futures:
                future.cancel()
            raise
