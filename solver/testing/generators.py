"""Check of the contract of a generator of solved instances, see `solver.testing`."""

from __future__ import annotations

from typing import Any

from solver.contract.checks import ContractError, require
from solver.contract.domain import Puzzle
from solver.errors import VerificationError

SEED = 5
#: Instances that are made, twice each.
INSTANCES = 3


def check_generator(domain: Puzzle, options: Any) -> None:
    """Instances depend on the seed and their number alone, have names of their own, and answers.

    Only of a generator that is a class beside the domain: those that ship are import strings.
    """
    if not isinstance(domain.generator, type):
        return
    generator: Any = domain.generator()
    names: set[str] = set()
    for number in range(INSTANCES):
        where = f"{domain.name}, generated instance {number}"
        made = [generator.generate(SEED, number) for _ in range(2)]
        problem, answer = made[0]
        problems = [one for one, _ in made]
        if hasattr(generator, "problem"):
            problems.append(generator.problem(SEED, number))
        told = {(one.name, domain.format_problem(one)) for one in problems}
        require(len(told) == 1, where, "differs when generated twice")
        require(problem.name not in names, where, f"it is called {problem.name!r}, as another is")
        names.add(problem.name)
        domain.instance(problem, options)
        try:
            domain.verify(problem, answer)
        except VerificationError as error:
            raise ContractError(f"{where}: verify rejects its answer: {error}") from error
