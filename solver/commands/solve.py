"""`solve`: find answers, with a prior or without."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from solver.algorithms import algorithm_named, known_algorithms
from solver.algorithms.words import name_in
from solver.commands.answers import (
    Attempt,
    SearchSettings,
    as_json,
    as_table,
    as_text,
    exit_status,
    how_it_went,
    summary,
)
from solver.commands.drawing import Gallery
from solver.commands.kept import AttemptJournal, command_of
from solver.commands.method import (
    algorithm_words,
    best_algorithm,
    usual_algorithm,
)
from solver.commands.options import (
    INTERRUPTED,
    budget_bounds,
    check_counts,
    from_arguments,
    run_command,
)
from solver.commands.output import answers_to, check_order, refuse_input, write_order
from solver.commands.problem_files import named_source, parsed, read_problem_file
from solver.commands.progress import say
from solver.commands.searching import solve_all
from solver.commands.solutions.options import solutions_wanted
from solver.commands.solutions.run import run_solutions
from solver.commands.solve_parser import (
    DEFAULT_SECONDS,
    PAGE,
    all_parsers,
    build_parser,
    shared_parsers,
)
from solver.commands.subjects import find_subject, is_game, listing, subject_word
from solver.contract.designer import designer_class, designer_of
from solver.contract.references import generated_problems, refuse_reading, resolve
from solver.errors import FieldError, InputError
from solver.system.files import read_standard_input
from solver.system.interrupt import stop_on_interrupt

if TYPE_CHECKING:
    from solver.contract.designer import Designer
    from solver.contract.domain import Problem, Puzzle
    from solver.priors.priors import Prior


def read_problems(
    domain: Puzzle, benchmark: str | None, arguments: argparse.Namespace
) -> list[Problem]:
    """Return the problems that the command line names."""
    wanted, source = arguments.instances, arguments.source
    check_counts(arguments, "instances")
    if source is None:
        refuse_reading(designer_class(domain).requests_class, vars(arguments))
    if benchmark is not None:
        if source is not None:
            raise InputError(f"{arguments.subject} is a set of problems and takes no file")
        return _first(list(domain.benchmark(benchmark)), wanted, arguments.subject)
    if source is None:
        refuse_reading(domain.options, vars(arguments))
        problems = list(generated_problems(domain, wanted or 1, arguments.seed))
        return _first(problems, wanted, domain.name)
    if wanted is not None:
        raise InputError("--instances is for generated instances and sets, not for a file")
    if source == "-":
        return parsed(domain, read_standard_input(), "standard input")
    return read_problem_file(domain, source)


def _first(problems: list[Problem], wanted: int | None, subject: str) -> list[Problem]:
    """Return the `wanted` first of the problems of `subject`, by default all; refuse more."""
    if wanted is not None and wanted > len(problems):
        raise InputError(f"--instances is {wanted}, {subject} has {len(problems)}")
    return problems[:wanted]


def search_settings(designer: Designer, arguments: argparse.Namespace) -> SearchSettings:
    """Return the settings of the command line for searches by `designer`."""
    from solver.searching.driver import Budget

    domain = designer.puzzle
    options = from_arguments(domain.options, arguments)
    name = arguments.algorithm or usual_algorithm(arguments, domain, options)
    prior = _prior(domain, name, arguments)
    if arguments.prior_temperature is not None and prior.path is None:
        raise InputError("--prior-temperature needs a --prior from a file")
    check_counts(arguments, "threads")
    return SearchSettings(
        designer=designer,
        options=options,
        algorithm=best_algorithm(name, arguments, domain),
        prior=prior,
        prior_name=arguments.prior or prior.name,
        budget=Budget(*budget_bounds(arguments, seconds=DEFAULT_SECONDS)),
        seed=arguments.seed,
        threads=arguments.threads,
        details=arguments.json or arguments.csv or arguments.tsv,
    )


def _prior(domain: Puzzle, word: str, arguments: argparse.Namespace) -> Prior:
    """Return the prior that was asked for with algorithm `word`, or else the domain's own."""
    from solver.priors.priors import NO_PRIOR, default_prior, named_prior

    algorithm = algorithm_named(name_in(word))
    if not algorithm.takes_prior:
        name = algorithm.name
        if arguments.prior not in (None, NO_PRIOR.name):
            others = [a.name for a in known_algorithms().values() if a.without_prior == name]
            raise InputError(f"{name} takes no prior{f', use {others[0]}' if others else ''}")
        return NO_PRIOR
    if arguments.prior is None:
        return default_prior(domain, arguments.prior_temperature)
    return named_prior(arguments.prior, domain, arguments.prior_temperature)


def _gallery(settings: SearchSettings, arguments: argparse.Namespace) -> Gallery | None:
    """Return the folder for pictures that the command line names, None without."""
    if settings.designer.pictures is None:
        return None
    pictures = from_arguments(resolve(settings.designer.pictures), arguments)
    if arguments.draw is None:
        for field in fields(pictures):
            if getattr(pictures, field.name) != field.default:
                raise InputError(f"--{field.name} has no effect without --draw")
        return None
    pictures.check(settings.options)
    return Gallery(arguments.draw, pictures)


def _ordering(designer: Designer, arguments: argparse.Namespace) -> Any:
    """Return the function that writes what `--order` asks for, None without."""
    if designer.order is None or arguments.order is None:
        return None
    refuse_input("--order", arguments.order, arguments.source)
    check_order(arguments.order, arguments.out)
    return resolve(designer.order)


def _journal(
    settings: SearchSettings, problems: Sequence[Problem], arguments: argparse.Namespace
) -> AttemptJournal:
    """Return the journal of the attempts, which is kept beside `--out`."""
    form = next((name for name in ("json", "csv", "tsv") if getattr(arguments, name)), "text")
    command = {} if arguments.out is None else command_of(settings, problems, form)
    return AttemptJournal(arguments.out, command, problems)


def _page_of(word: str) -> Any:
    """Return the function that serves the web page of the problem `word`, None without one."""
    return resolve(designer_class(find_subject(word).domain).page)


def run(argv: Sequence[str]) -> int:
    """Run `solve` with the arguments `argv`; returns the exit status."""
    if list(argv) == ["list"]:
        sys.stdout.write(listing())
        return 0
    algorithm_words(argv)
    word = subject_word(argv, shared_parsers(), all_parsers)
    if word is not None and is_game(word):
        from solver.commands.games.solve import run_game

        return run_game(word, argv)
    if PAGE in argv and word is not None and (page := _page_of(word)):
        return int(page(argv))
    return _solve(build_parser(word).parse_intermixed_args(argv))


def _generated(domain: Puzzle, problem: Problem, seed: int) -> str:
    """Say which problem was generated: by its seed, unless all seeds have the same."""
    generated = f"a generated instance of --seed {seed}"
    if domain.samples is None:
        return generated
    other = next(generated_problems(domain, 1, seed + 1), None)
    same = other is not None and domain.format_problem(other) == domain.format_problem(problem)
    return problem.name if same else generated


def _solve(arguments: argparse.Namespace) -> int:
    """Solve the problems that the command line names; returns the exit status."""
    if arguments.seed < 0:
        raise FieldError("seed", f"is {arguments.seed}, expected 0 or more")
    subject = find_subject(arguments.subject)
    domain = subject.domain.with_options(from_arguments(subject.domain.options, arguments))
    requests = from_arguments(designer_class(domain).requests_class, arguments)
    if subject.benchmark is None and arguments.instances is None:
        arguments.source = named_source(arguments.source)
    refuse_input("--out", arguments.out, arguments.source)
    designer = designer_of(domain, requests)
    problems = read_problems(designer.domain, subject.benchmark, arguments)
    designer.check(problems)
    wanted = solutions_wanted(arguments)
    settings = search_settings(designer, arguments)
    if subject.benchmark is None and arguments.instances is arguments.source is None:
        say(f"no file is named: solving {_generated(domain, problems[0], arguments.seed)}")
    if wanted is not None:
        return run_solutions(settings, problems, wanted, arguments)
    gallery = _gallery(settings, arguments)
    ordering = _ordering(settings.designer, arguments)
    journal = _journal(settings, problems, arguments)
    finished, status = _print_answers(settings, problems, arguments, gallery, journal)
    if ordering is not None:
        write_order(arguments.order, ordering, finished)
    if gallery is not None:
        gallery.check()
    if len(problems) == 1:
        say(f"{problems[0].name}: {how_it_went(settings.designer, finished)}")
    else:
        say(summary(domain, finished, sum(map(designer.n_answers, problems))))
    if status == INTERRUPTED and arguments.out is not None and len(journal):
        say("the same command goes on from there")
    return status


def _print_answers(
    settings: SearchSettings,
    problems: Sequence[Problem],
    arguments: argparse.Namespace,
    gallery: Gallery | None,
    journal: AttemptJournal,
) -> tuple[list[Attempt], int]:
    """Search and write each answer as it is found; returns the attempts and the exit status."""
    stop = threading.Event()
    finished: list[Attempt] = []

    def attempts() -> Iterator[Attempt]:
        for attempt in solve_all(settings, problems, stop, journal):
            finished.append(attempt)
            yield attempt
            if gallery is not None:
                gallery.add(attempt)

    with stop_on_interrupt(stop), answers_to(arguments.out, journal) as write:
        if arguments.json:
            texts = as_json(settings, attempts())
        elif arguments.csv or arguments.tsv:
            texts = as_table(settings, attempts(), "," if arguments.csv else "\t")
        else:
            texts = as_text(settings, attempts(), several=len(problems) > 1)
        for text in texts:
            write(text)
        status = exit_status(finished, len(problems))
        journal.unfinished = status == INTERRUPTED
    return finished, status


def main() -> None:
    """Entry point of `solve`."""
    run_command("solve", run)


if __name__ == "__main__":
    main()
