"""What `compare` is to run: its families of instances and its methods, from its arguments."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from generators.benchmark_set import BenchmarkSet
from generators.given import GivenProblems, read_given
from generators.solved import family_of, problem_of
from pipeline.compare import FamilyPlan, MethodPlan
from pipeline.compare_cli import DEFAULT_INSTANCES
from solver.errors import InputError
from solver.method import new_algorithm
from solver.options import from_arguments
from solver.priors import NO_PRIOR, Prior, named_prior
from solver.references import class_of_generator, load_generator, peers_of
from solver.targets import Target


def plan_families(target: Target, arguments: argparse.Namespace) -> list[Any]:
    """Every kind of instances with every way to search them."""
    chosen = _combinations(target.domain.options, arguments)
    families = []
    for one, options in _sets_of_instances(target, arguments, chosen):
        instances = arguments.instances
        if instances is None:
            whole = isinstance(one, BenchmarkSet | GivenProblems)
            instances = one.n_available if whole else DEFAULT_INSTANCES
        elif instances > getattr(one, "n_available", instances):
            raise InputError(f"--instances is {instances}, {family_of(one)} has {one.n_available}")
        families.append(FamilyPlan(one, options, instances, arguments.instance_seed))
    return families


def _sets_of_instances(
    target: Target, arguments: argparse.Namespace, chosen: list[Any]
) -> list[tuple[Any, Any]]:
    """Every set of instances with every choice of options; these may say how files are read."""
    if arguments.files:
        _refuse_generation(target, arguments)
        return [(read_given(target.domain.with_options(o), arguments.files), o) for o in chosen]
    made = [BenchmarkSet(target.name)]
    if target.benchmark is None:
        made = _combinations(load_generator(target.domain), arguments)
    return list(itertools.product(made, chosen))


def _refuse_generation(target: Target, arguments: argparse.Namespace) -> None:
    """Refuse files beside what says which instances to make."""
    if target.benchmark is not None:
        raise InputError(f"{arguments.target} is a set of problems and takes no file")
    if arguments.instance_seed:
        raise InputError("--instance-seed has no effect on the problems of files")
    generator = class_of_generator(target.domain)
    for field in dataclasses.fields(generator) if generator is not None else ():
        if getattr(arguments, field.name) != [field.default]:
            option = field.name.replace("_", "-")
            raise InputError(f"--{option} has no effect on the problems of files")


def check_families(domain: Any, families: Sequence[FamilyPlan]) -> None:
    """Say what cannot be built before anything is run: of a user's own problems, if none can be.

    Raises
    ------
    InputError
        What is wrong with the first problem.
    """
    for family in families:
        wrong = None
        for number in range(family.instances if family.is_given else 1):
            try:
                domain.instance(problem_of(family.generator, family.seed, number), family.options)
                break
            except InputError as error:
                wrong = wrong or error
        else:
            assert wrong is not None
            raise wrong


def _combinations(cls: Any, arguments: argparse.Namespace) -> list[Any]:
    """Instances of the dataclass `cls` for every combination of the lists given."""
    names = [field.name for field in dataclasses.fields(cls)]
    values = itertools.product(*(getattr(arguments, name) for name in names))
    chosen = (argparse.Namespace(**dict(zip(names, value, strict=True))) for value in values)
    return [from_arguments(cls, one) for one in chosen]


def plan_methods(domain: Any, arguments: argparse.Namespace) -> list[Any]:
    """Every algorithm with every prior that it takes."""
    priors: list[Prior] = []
    for text, temperature in itertools.product(arguments.prior, arguments.prior_temperature):
        prior = named_prior(text, domain, temperature)
        made = [other.name for other in priors if other.path is None]
        if prior.path is not None or prior.name not in made:  # without a temperature: once
            priors.append(prior)
    for one, other in itertools.combinations(priors, 2):
        if one.name == other.name and one.path != other.path:
            paths = " and ".join(str(prior.path or prior.name) for prior in (one, other))
            raise InputError(f"{paths}: a report needs different file names")
    methods = []
    for name in arguments.algorithm:
        peer = peers_of(domain).get(name)
        if peer is not None:
            peer.check(name, arguments.seconds)
            methods.append(MethodPlan(name, None, None, peer))
            continue
        fitting = [NO_PRIOR] if name == "nrpa" else priors
        algorithm = new_algorithm(name, arguments, domain, strict=len(arguments.algorithm) == 1)
        methods += [MethodPlan(name, algorithm, prior) for prior in fitting]
    nrpa = [method.settings for method in methods if method.name == "nrpa"]
    return [  # GNRPA without a prior and with NRPA's settings is NRPA
        method
        for method in methods
        if not (method.name == "gnrpa" and method.prior is NO_PRIOR and method.settings in nrpa)
    ]
