"""References of a domain to its generator, drawing and peers, without importing them.

The solver knows no package above it. A domain names what lies there by an import string,
`module` or `module:name`; one in a file of its own may give the thing itself.
"""

from __future__ import annotations

import dataclasses
import importlib
import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from solver.contract.problems import Problem
from solver.errors import FieldError, InputError, quoted

if TYPE_CHECKING:
    from solver.contract.domain import Domain

#: Metadata of an option, a dataclass field, that says how files are read.
OF_FILES = {"of": "files"}


def resolve(reference: Any) -> Any:
    """Import the object that a string names; return any other object as it is.

    Raises
    ------
    InputError
        If there is no such module, or no such name in it.
    """
    if not isinstance(reference, str):
        return reference
    name, _, attribute = reference.partition(":")
    try:
        module = importlib.import_module(name)
        return getattr(module, attribute) if attribute else module
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"{reference!r} cannot be imported: {error}") from error


def class_of_generator(domain: Domain) -> Any:
    """Return the class of the generator of `domain`, None if it has none."""
    return resolve(domain.generator)


def load_generator(domain: Domain) -> Any:
    """Return the class of the generator of `domain`.

    Raises
    ------
    InputError
        If it has none.
    """
    generator = class_of_generator(domain)
    if generator is None:
        raise InputError(f"{domain.name} has no generator of instances, name a file")
    return generator


def problem_of(generator: Any, seed: int, number: int) -> Problem:
    """Problem `number` of `seed`; without its answer where that would take a search."""
    if hasattr(generator, "problem"):
        problem: Problem = generator.problem(seed, number)
        return problem
    return instance_of(generator, seed, number)[0]


def instance_of(generator: Any, seed: int, number: int) -> tuple[Problem, Any]:
    """Solved instance `number` of `seed`, of a generator that may be an author's unfinished one.

    Raises
    ------
    InputError
        If `generate` returns anything else.
    """
    made: object = generator.generate(seed, number)
    if not isinstance(made, tuple) or len(made) != 2 or not isinstance(made[0], Problem):
        where = f"{type(generator).__module__}.{type(generator).__qualname__}"
        expected = "expected a Problem and its answer"
        raise InputError(f"{where}: generate returns {quoted(made)}, {expected}")
    return made


def generated_problems(domain: Domain, instances: int, seed: int) -> Iterator[Problem]:
    """Yield the problems that `solve` takes where no file is named.

    Raises
    ------
    InputError
        If the domain has no generator.
    """
    if domain.samples is not None:
        yield from itertools.islice(resolve(domain.samples)(instances, seed), instances)
        return
    generator = load_generator(domain)()
    for number in range(instances):
        yield problem_of(generator, seed, number)


def refuse_reading(options_class: type, options: Mapping[str, Any]) -> None:
    """Refuse `options` of how files are read for instances that are generated, or of a set.

    Raises
    ------
    InputError
        If one of them is not the default.
    """
    for field in dataclasses.fields(options_class):
        if field.metadata == OF_FILES and options[field.name] != field.default:
            complaint = "says how files are read, it has no effect on generated instances"
            raise FieldError(field.name, complaint)


def peers_of(domain: Domain) -> dict[str, Any]:
    """Other solvers of `domain` by name, see `pipeline.comparing.peers`."""
    peers: dict[str, Any] = resolve(domain.peers) or {}
    return peers
