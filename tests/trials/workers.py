"""Calls of `solve` in forked and spawned processes and in threads: all answer as calls alone do.

Processes are forked while threads of this one search, and a few calls later again; threads begin
in a process that has loaded nothing yet.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import ForkContext, SpawnContext
from typing import NamedTuple

from solver.contract.designer import designer_of
from solver.domains import load_domain
from tests.instances import problems

#: Problems of each domain, which differ in size and in what becomes of them.
CASES = {
    "latin-square": ("order-09-holes", "order-05-stuck"),
    "kakuro": ("square-3-one-hole", "square-2-contradiction"),
    "rna": ("hairpin", "multibranch", "hairpin-some-fixed"),
    "morpion": ("cross", "four-rows"),
    "samegame": ("random-06-3", "random-nine-colours"),
    "tsptw": ("seven-customers", "asymmetric"),
}
PLAYOUTS = 30
WORKERS = 4
#: Calls that a forked process answers before another takes its place.
CALLS_PER_FORK = 5
#: Seconds after which calls hang: kernels may have to be compiled.
PATIENCE = 900.0


class Call(NamedTuple):
    """A call of `solve`."""

    domain: str
    problem: str
    seed: int


def calls(count: int, domains: Iterable[str] = CASES) -> list[Call]:
    """Return `count` calls over all problems of `domains`, the domains in turn."""
    lists = [[(domain, problem) for problem in CASES[domain]] for domain in domains]
    return [
        Call(*turn[number // len(lists) % len(turn)], number)
        for number in range(count)
        for turn in [lists[number % len(lists)]]
    ]


def answer_of(call: Call) -> str:
    """Return the outcome of a call, with a description of its answer."""
    from solver import Budget, solve
    from solver.algorithms import algorithm_named
    from solver.priors.priors import default_prior

    domain = load_domain(call.domain)
    problem, options = problems(call.domain)[call.problem], domain.options()
    algorithm = algorithm_named(domain.best_algorithm(options)).suited_to(domain)
    if algorithm.takes_best:
        algorithm = dataclasses.replace(algorithm, **domain.best_parameters)
    prior = default_prior(domain).table if algorithm.takes_prior else None
    budget = Budget(playouts=PLAYOUTS)
    found = solve(domain, problem, options, algorithm, budget, prior=prior, seed=call.seed)
    facts = {
        **domain.facts(problem, found.answer),
        **designer_of(domain).details(problem, found.answer),
    }
    text = domain.format(problem, found.answer)
    return f"{found.status} {found.search.score} {found.search.playouts} {facts} {text}"


def said_of(call: Call) -> str:
    """Answer of a call, or the error that it ended in."""
    try:
        return answer_of(call)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def forked(asked: list[Call], patience: float) -> list[str]:
    """Answers of processes that are forked while two threads of this one go on searching."""
    over = threading.Event()

    def search_on() -> None:
        while not over.is_set():
            for call in asked[:12]:
                said_of(call)

    threads = [threading.Thread(target=search_on, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        return _pooled(multiprocessing.get_context("fork"), asked, patience, CALLS_PER_FORK)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def spawned(asked: list[Call], patience: float) -> list[str]:
    """Answers of processes that begin with nothing."""
    return _pooled(multiprocessing.get_context("spawn"), asked, patience)


def threaded(asked: list[Call], patience: float) -> list[str]:
    """Answers of threads in a process that has loaded nothing before."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply_async(_in_threads, [asked]).get(patience)


def _in_threads(asked: list[Call]) -> list[str]:
    with ThreadPoolExecutor(2 * WORKERS) as pool:
        return list(pool.map(said_of, asked))


def _pooled(
    context: ForkContext | SpawnContext,
    asked: list[Call],
    patience: float,
    calls_per_process: int | None = None,
) -> list[str]:
    with context.Pool(WORKERS, maxtasksperchild=calls_per_process) as pool:
        return pool.map_async(said_of, asked, chunksize=1).get(patience)


WAYS: dict[str, Callable[[list[Call], float], list[str]]] = {
    "forked": forked,
    "threaded": threaded,
    "spawned": spawned,
}


def differences(
    way: str, asked: list[Call], alone: list[str], patience: float = PATIENCE
) -> list[str]:
    """Say which calls are answered otherwise in this way than `alone`."""
    try:
        found = WAYS[way](asked, patience)
    except multiprocessing.TimeoutError:
        return [f"{way}: no answers within {patience:g} s"]
    return [
        f"{way} {call}:\n  {other}\n  alone: {answer}"
        for call, other, answer in zip(asked, found, alone, strict=True)
        if other != answer
    ]


def main() -> None:
    """Run the trial; status 1 if any answer differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--patience", type=float, default=PATIENCE, metavar="SECONDS")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--domains", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    asked = calls(arguments.count, arguments.domains)
    alone = [said_of(call) for call in asked]
    ended = collections.Counter(answer.partition(" ")[0] for answer in alone)
    print(f"{len(alone)} calls alone: {dict(ended)}, {len(set(alone))} different", flush=True)
    faults = 0
    for way in arguments.ways:
        differing = differences(way, asked, alone, arguments.patience)
        for text in differing[:10]:
            print(text)
        print(f"{way}: {len(asked)} calls, {len(differing)} answered otherwise", flush=True)
        faults += len(differing)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
