"""Design of RNA under requests: several designs, refinement of the ensemble, switches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from random import Random
from typing import Any, ClassVar

from solver.contract.designer import Designer
from solver.contract.domain import Problem
from solver.contract.problems import UnreadableProblem
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import CEGLS, NO_FURTHER_REQUESTS, RnaDomain, RnaOptions, target_of
from solver.domains.rna.engines import NO_ENGINE, engine_called, use_engine
from solver.domains.rna.ensemble.factors import Ensembles, load_ensembles
from solver.domains.rna.kernels import Rna, new_rna
from solver.domains.rna.objective.refine import EnsembleRefinement
from solver.domains.rna.requests.check import SAME, Requirements, hamming_distance
from solver.domains.rna.requests.contradictions import sites_of
from solver.domains.rna.requests.effects import check_effects
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.requests.motifs import SYNTHESIS
from solver.domains.rna.requests.options import DESIGN_DEFAULTS, MFE, RnaRequests, requests_for
from solver.domains.rna.requests.quadruplex import Mending, without_quadruplexes
from solver.domains.rna.requests.refine import Refinement
from solver.domains.rna.states.answers import (
    check_requests,
    check_states,
    composed_of,
    first_target,
    is_compiled,
    search_states,
    states_of,
    uncompiled_kind,
)
from solver.domains.rna.text import RnaTarget, pair_partners
from solver.errors import InputError


def _has_gap(structure: str, gap: float, engine: str, sequence: str) -> bool:
    """Return whether every other structure has so much more energy than `structure`."""
    found = Ensemble(sequence, structure, use_engine(engine), near=True).gap(gap)
    return found is None or found >= gap - SAME


@dataclass(frozen=True)
class RnaDesigner(Designer):
    """Designs that meet `RnaRequests`, and designs of switches and of two strands.

    Raises
    ------
    TypeError
        If the domain has requests of its own, which would be ignored.
    """

    requests_class: ClassVar[Any] = RnaRequests
    defaults: ClassVar[Mapping[str, Any]] = DESIGN_DEFAULTS
    pictures: ClassVar[Any] = "solver.domains.rna.drawings.pictures:RnaPictures"
    order: ClassVar[Any] = "solver.domains.rna.files.order:order_sheet"
    page: ClassVar[Any] = "solver.design_page.command:run_page"

    puzzle: RnaDomain
    requests: RnaRequests
    excluded: tuple[RnaDesign, ...] = ()

    def __post_init__(self) -> None:
        if self.puzzle.requests != NO_FURTHER_REQUESTS:
            raise TypeError("requests are an argument of the search, expected a domain without")

    @cached_property
    def domain(self) -> RnaDomain:
        """Domain of the sequences that meet the requests and differ from the excluded designs."""
        return type(self.puzzle)(self.requests, self.excluded)

    def check(self, problems: Sequence[Problem]) -> None:
        """Raise `FieldError` if a request has no effect on any target that can be read."""
        if readable := [p.data for p in problems if not isinstance(p, UnreadableProblem)]:
            check_effects(readable, self.requests)

    def check_problem(
        self, problem: Problem, options: RnaOptions, answer: RnaDesign | None = None
    ) -> None:
        """Raise `InputError` if the requests are not known of a target, or do not fit it.

        The engine of `answer` has precedence over that of `options`.
        """
        engine = options.energies if answer is None else answer.engine
        check_requests(target_of(problem), self.requests, engine, problem.name)

    def n_answers(self, problem: Problem) -> int:
        """Return the number of different designs requested for a target."""
        if isinstance(problem, UnreadableProblem):
            return self.requests.designs
        return requests_for(problem.data, self.requests).designs

    def has_requests(self, problem: Problem) -> bool:
        """Return whether more is requested than what new designs are without a word."""
        requests = requests_for(problem.data, self.requests)
        forbid = "" if requests.forbid == SYNTHESIS else requests.forbid
        return replace(requests, quadruplex=True, forbid=forbid) != RnaRequests()

    @property
    def improves(self) -> bool:
        """True if designs are improved until the budget is spent."""
        return self.requests.objective != MFE or self.requests.prefers

    def improves_any(self, problem: Problem, options: RnaOptions) -> bool:
        """Return True if an objective alone is improved, whatever the fold: no gap is asked for."""
        return self.requests.gap == 0 and self._ensembles(problem, options) is not None

    def _ensembles(self, problem: Problem, options: RnaOptions) -> Ensembles | None:
        """Return the partition functions to improve an objective with; None if others do that."""
        if self.requests.objective == MFE or not self._is_compiled(target_of(problem), options):
            return None
        if options.engine == NO_ENGINE or engine_called(options.energies).dangles != 2:
            return None
        return load_ensembles(options.energies)

    def _is_compiled(self, target: RnaTarget, options: RnaOptions) -> bool:
        """Return whether the compiled search takes a target and the requests on it."""
        return is_compiled(target, self.requests, options.energies)

    def _requirements(self, target: RnaTarget) -> Requirements:
        """Return the requests on one sequence for `target`."""
        return self.domain.requirements_for(target)

    def refinement_start(self, problem: Problem, options: RnaOptions, algorithm: str) -> Rna | None:
        """Return an instance without folding for what only the search for states takes.

        Raises
        ------
        InputError
            If the algorithm cannot search several structures or two strands, or for the reasons of
            `RnaDomain.instance`.
        """
        target = target_of(problem)
        if self._is_compiled(target, options):
            return None
        if algorithm != CEGLS and options.engine != NO_ENGINE:
            kind = uncompiled_kind(target, options.energies)
            raise InputError(f"{problem.name}: {kind}, need {CEGLS}, not {algorithm}")
        check_states(target, self.requests, options.energies, problem.name)
        return new_rna(first_target(target), None, problem.name)

    def refine(
        self, problem: Problem, options: RnaOptions, answer: RnaDesign, random: Random
    ) -> Iterator[tuple[RnaDesign, float]]:
        """Widen the gap to the second-best structure, or improve the objective.

        What the compiled search does not take is searched here from start to end.
        """
        target = target_of(problem)
        if not self._is_compiled(target, options):
            engine, improved = options.energies, self._states(target, answer, options, random)
        else:
            engine, improved = answer.engine, self._improved(problem, options, answer, random)
        for sequence, score in improved:
            yield RnaDesign(sequence, engine), score

    def _states(
        self, target: RnaTarget, answer: RnaDesign, options: RnaOptions, random: Random
    ) -> Iterator[tuple[str, float]]:
        """Search what the compiled search does not take."""
        yield from search_states(
            target,
            self.requests,
            self._requirements(target),
            options.energies,
            answer.sequence,
            random,
        )

    def _improved(
        self, problem: Problem, options: RnaOptions, answer: RnaDesign, random: Random
    ) -> Iterator[tuple[str, float]]:
        """Mend quadruplexes, then improve what is asked for."""
        begin = answer.sequence
        if self.requests.quadruplex or answer.engine == NO_ENGINE:
            yield from self._refined(problem, options, answer, random)
            return
        target = target_of(problem)
        mending = Mending(
            sites_of(target), self._requirements(target), use_engine(answer.engine), random
        )
        for begin, score in mending.run(answer.sequence):
            if score < 1.0 or not self.requests.refines:
                yield begin, score
        if self.requests.refines:
            begun = answer._replace(sequence=begin)
            improved = self._refined(problem, options, begun, random)
            yield from without_quadruplexes(improved, mending)

    def _refined(
        self, problem: Problem, options: RnaOptions, answer: RnaDesign, random: Random
    ) -> Iterator[tuple[str, float]]:
        """Widen the gap, or improve the objective."""
        if not self.requests.refines:
            yield answer.sequence, 1.0
            return
        ensembles = self._ensembles(problem, options)
        best = answer.sequence
        if ensembles is None or self.requests.gap > 0:
            objective = self.requests.objective if ensembles is None else MFE
            refinement = self._refinement(problem, options, objective, random)
            for sequence, score in refinement.run(best):
                best = sequence
                yield sequence, score
        if ensembles is not None:
            yield from self._ensemble_refinement(problem, options, ensembles, random).run(best)

    def compile_refinement(self, problem: Problem, options: RnaOptions) -> None:
        """Compile the search for an objective."""
        ensembles = self._ensembles(problem, options)
        if ensembles is not None:
            target = target_of(problem)
            begin = list(target.structure)
            for site in sites_of(target):
                begin[site.position] = site.choices[0][0]
                if site.partner >= 0:
                    begin[site.partner] = site.choices[0][1]
            search = self._ensemble_refinement(problem, options, ensembles, Random(0))
            next(search.run("".join(begin)))

    def _refinement(
        self, problem: Problem, options: RnaOptions, objective: str, random: Random
    ) -> Refinement:
        """Return the search by ViennaRNA, for the gap or an objective."""
        target = target_of(problem)
        return Refinement(
            target.structure,
            pair_partners(target.structure, problem.name),
            sites_of(target),
            self._requirements(target),
            objective,
            use_engine(options.energies),
            random,
        )

    def _ensemble_refinement(
        self, problem: Problem, options: RnaOptions, ensembles: Ensembles, random: Random
    ) -> EnsembleRefinement:
        """Return the search by the project's partition function."""
        target = target_of(problem)
        has_gap = None
        if self.requests.gap > 0:
            has_gap = partial(_has_gap, target.structure, self.requests.gap, options.energies)
        return EnsembleRefinement(
            target.structure,
            sites_of(target),
            self.domain.instance(problem, options).requests,
            self.requests.objective,
            ensembles,
            random,
            has_gap,
        )

    def details(self, problem: Problem, answer: RnaDesign) -> dict[str, Any]:
        """Return the number of the design, its distance to others, its ensemble and its lacks."""
        target: RnaTarget = problem.data
        near = [hamming_distance(answer.sequence, other.sequence) for other in self.excluded]
        facts: dict[str, Any] = {
            "design": len(self.excluded) + 1 if self.n_answers(problem) > 1 else None,
            "distance": min(near, default=None),
        }
        if target.is_composed:
            requirements = self._requirements(target)
            composed = composed_of(target, answer.sequence, requirements, answer.engine)
            return facts | {
                "defect": composed.defect,
                "bound": _rounded(composed.bound),
                "gc": composed.gc,
                "missing": "; ".join(composed.missing) or None,
            }
        if target.others and answer.engine != NO_ENGINE:
            requirements = self._requirements(target)
            states = states_of(target, answer.sequence, requirements, answer.engine)
            return facts | {"gc": states.gc, "missing": "; ".join(states.missing) or None}
        found = self.domain.examined(target, answer)
        return facts | {
            "gap": found.gap,
            "probability": found.probability,
            "defect": found.defect,
            "bound": None if found.bound is None else _rounded([found.bound]),
            "gc": found.gc,
            "missing": "; ".join(found.missing) or None,
        }


def _rounded(shares: list[float] | None) -> list[float] | None:
    """Shares with four digits."""
    return None if shares is None else [float(f"{share:.4g}") for share in shares]
