"""`learn`: make a prior from generated solved instances."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.evaluation_plan import SHARE_MARGIN, EvaluationPlan
from pipeline.flow_options import (
    EVALUATION,
    add_flow_options,
    check_runner,
    load_flow,
    refuse_idle,
    table_command,
)
from solver.domains import domain_names
from solver.errors import InputError, WriteError
from solver.options import add_dataclass, from_arguments, new_parser, run_command
from solver.progress import progress_bar
from solver.references import load_generator
from solver.targets import HELP, find_domain, target_word

if TYPE_CHECKING:  # Numba, which `--help` does not need, would take seconds to import
    from pipeline.refresh import LearnRequest

DESCRIPTION = """\
Make a prior: generate solved instances, replay their solutions, count which
moves were possible and which were played, and compile a bias table. Finished
shards are kept, so the same command goes on after an interruption."""

EPILOG = """\
examples:
  learn latin-square
  learn latin-square --order 30 --prior-code dual --out build/dual-30.parquet
  learn latin-square --evaluate --seed 2 --held-out-set order=40
  learn latin-square --flow --runner dask --threads 4"""

DEFAULT_SMOOTHING = 1.0
DEFAULT_INSTANCES = 10_000
#: Where instances are solved by search, some ten minutes of it are enough by default.
DEFAULT_SEARCHED_SHARDS = 10


def build_parser(target: str | None) -> argparse.ArgumentParser:
    """Return the parser for learning priors of `target`; without one, of what all share."""
    parser = new_parser("learn", DESCRIPTION, EPILOG)
    domain = None if target is None else find_domain(target)
    parser.add_argument(
        "target", metavar="PROBLEM", help=f"one of: {', '.join(domain_names())}; {HELP}"
    )
    data = parser.add_argument_group("training data")
    data.add_argument(
        "--instances",
        type=int,
        metavar="N",
        help=f"(default: {DEFAULT_INSTANCES}, less where each is solved by search; "
        "or all that a corpus has)",
    )
    data.add_argument("--seed", type=int, default=1, metavar="S", help="(default: 1)")
    table = parser.add_argument_group("bias table")
    codes = list(domain.priors) if domain else []
    table.add_argument(
        "--prior-code",
        metavar="NAME",
        default=codes[0] if codes else None,
        choices=codes or None,
        help=f"one of: {', '.join(codes) or 'see `learn PROBLEM --help`'} (default: the first)",
    )
    table.add_argument(
        "--smoothing",
        type=float,
        default=DEFAULT_SMOOTHING,
        metavar="X",
        help=f"imagined observations added to each code (default: {DEFAULT_SMOOTHING:g})",
    )
    table.add_argument(
        "--prior-temperature",
        type=float,
        metavar="T",
        help="recommended factor of the bias, stored with the table (default: the domain's)",
    )
    table.add_argument("--out", type=Path, metavar="FILE", help="(default: models/PROBLEM.parquet)")
    table.add_argument(
        "--replace",
        action="store_true",
        help="replace a published model that was learned in another way, or from more instances",
    )
    work = parser.add_argument_group("work")
    work.add_argument("--threads", type=int, default=2, metavar="N", help="(default: 2)")
    work.add_argument(
        "--work", type=Path, metavar="FOLDER", help="where shards are kept (default: user cache)"
    )
    add_flow_options(work)
    group = parser.add_argument_group("evaluation against the model in use (always with --flow)")
    group.add_argument(
        "--evaluate",
        action="store_true",
        help="write the table only if it is not worse on held-out instances like those that it, "
        "and the model in use, were learned from",
    )
    of_score = domain is not None and domain.target is None
    add_dataclass(group, EvaluationPlan, defaults={"margin": SHARE_MARGIN} if of_score else None)
    if domain is not None:
        generator = load_generator(domain)
        group = parser.add_argument_group(f"{domain.name} instances")
        add_dataclass(group, generator)
        group = parser.add_argument_group(f"{domain.name} options while replaying")
        defaults = getattr(generator, "replay_defaults", None)
        add_dataclass(group, domain.options, defaults=defaults)
    return parser


def default_instances(generator: Any) -> int:
    """Return how many instances to learn from if nobody says."""
    if hasattr(generator, "n_available"):
        return int(generator.n_available)
    if hasattr(generator, "shard_instances"):
        searched = DEFAULT_SEARCHED_SHARDS * max(1, int(generator.shard_instances))
        return min(DEFAULT_INSTANCES, searched)
    return DEFAULT_INSTANCES


def read_request(
    argv: Sequence[str], command: str | None = None
) -> tuple[argparse.Namespace, LearnRequest]:
    """Read the arguments of `learn`; `command` is what the manifest says instead of them.

    Raises
    ------
    InputError
        If something is missing or does not fit.
    """
    arguments = build_parser(target_word(argv)).parse_args(argv)
    from pipeline.bias import check_parameters
    from pipeline.learn import LearnPlan, work_folder
    from pipeline.refresh import LearnRequest

    domain = find_domain(arguments.target)
    generator: Any = load_generator(domain)
    if arguments.threads < 1:
        raise InputError(f"--threads is {arguments.threads}, expected 1 or more")
    code = domain.priors[arguments.prior_code]
    made = from_arguments(generator, arguments)
    instances = arguments.instances
    plan = LearnPlan(
        generator=made,
        instances=default_instances(made) if instances is None else instances,
        seed=arguments.seed,
        options=from_arguments(domain.options, arguments),
        code=code,
    )
    temperature = arguments.prior_temperature
    if temperature is None:
        temperature = code.temperature
    check_parameters(arguments.smoothing, temperature)  # now, not after the work
    out = arguments.out or Path("models") / f"{domain.name}.parquet"
    if not out.name:
        raise InputError(f"--out is {str(out)!r}, expected a file")
    return arguments, LearnRequest(
        domain=domain,
        plan=plan,
        smoothing=arguments.smoothing,
        temperature=temperature,
        out=out,
        work=arguments.work or work_folder(),
        threads=arguments.threads,
        replace=arguments.replace,
        evaluation=from_arguments(EvaluationPlan, arguments),
        command=command or table_command("learn", argv),
    )


def run(argv: Sequence[str]) -> int:
    """Run `learn` with the arguments `argv`; returns the exit status."""
    arguments, request = read_request(argv)
    evaluated = arguments.evaluate or arguments.flow
    if not evaluated:
        refuse_idle(argv, EVALUATION, "--evaluate or --flow")
    elif arguments.replace:
        raise InputError("--replace has no effect on a table that is evaluated")
    if arguments.flow:
        check_runner(arguments.runner)
    else:
        refuse_idle(argv, ["--runner"], "--flow")
    from pipeline.refresh import check_destination

    check_destination(request, evaluated=evaluated)
    if arguments.flow:
        return load_flow("learn", argv, arguments.runner)
    begin = time.perf_counter()
    try:
        return _learn(request, begin, evaluate=arguments.evaluate)
    except WriteError as error:
        if not error.path.is_relative_to(request.work):
            raise
        spare = _spare_folder(request, error)
    return _learn(dataclasses.replace(request, work=spare), begin, evaluate=arguments.evaluate)


def _spare_folder(request: LearnRequest, error: WriteError) -> Path:
    """Temporary folder in the place of one that cannot be written: slower, but with a result."""
    from pipeline.learn import copy_shards
    from solver.jit import temporary_folder

    print(f"learn: {error}; going on in a temporary folder, no shard is kept", file=sys.stderr)
    spare = temporary_folder() / "shards"
    copy_shards(request.domain, request.plan, request.work, spare)
    return spare


def _learn(request: LearnRequest, begin: float, *, evaluate: bool) -> int:
    """Learn, write the table, and say what was learned; returns the exit status."""
    from pipeline.learn import InterruptedLearningError, learn_counts

    plan = request.plan
    with progress_bar(f"learning {request.domain.name}", plan.instances) as update:
        try:
            counts = learn_counts(
                request.domain,
                plan,
                work=request.work,
                threads=request.threads,
                progress=lambda done: update(done, f"{done:,} of {plan.instances:,} instances"),
            )
        except InterruptedLearningError as interrupted:
            print(
                f"learn: interrupted: {interrupted}; the same command goes on from there",
                file=sys.stderr,
            )
            return 130
    rows, outcome = _write(request, counts, evaluate=evaluate)
    seconds = time.perf_counter() - begin
    print(
        f"{request.out}: {rows} codes ({int((counts.nb > 0).sum())} seen), "
        f"{counts.instances:,} solved instances replayed, {counts.n_rejected} rejected, "
        f"{int(counts.count.sum()):,} decisions, {outcome}{seconds:.1f} s"
    )
    return 0


def _write(request: LearnRequest, counts: Any, *, evaluate: bool) -> tuple[int, str]:
    """Write the table of `counts`: published where there is a manifest, or after an evaluation."""
    from pipeline.learn import write_prior
    from pipeline.manifest import has_manifest
    from pipeline.refresh import compile_candidate, evaluate_candidate, finish, publish_candidate

    if not evaluate and not has_manifest(request.out.parent):
        table = write_prior(counts, request.smoothing, request.temperature, request.out)
        return table.num_rows, ""
    compiled = compile_candidate(request, counts)
    evaluation = None
    if evaluate:
        with progress_bar("evaluating", None) as update:
            evaluation = evaluate_candidate(
                request, lambda done: update(done, f"{done:,} searches")
            )
    version = publish_candidate(request, evaluation)
    summary = finish(request, compiled, {}, evaluation, version)
    return compiled["table"]["rows"], f"{summary['outcome']}, "


def main() -> None:
    """Entry point of `learn`."""
    run_command("learn", run)


if __name__ == "__main__":
    main()
