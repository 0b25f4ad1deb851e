"""`learn`: make a prior from generated solved instances."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.commands.flow_options import (
    EVALUATION,
    add_flow_options,
    check_runner,
    load_flow,
    table_command,
)
from pipeline.requests.evaluation import POINTS_MARGIN, SHARE_MARGIN, EvaluationPlan
from pipeline.requests.fit import FitPlan
from pipeline.requests.rounds import RoundsPlan
from pipeline.requests.tune import TunePlan
from solver.algorithms import tree_algorithm_named
from solver.commands.options import (
    add_dataclass,
    file_name,
    from_arguments,
    new_parser,
    refuse_idle,
    run_command,
)
from solver.commands.subjects import HELP, find_rules, subject_word
from solver.contract.references import load_generator, refuse_reading
from solver.domains import domain_names
from solver.errors import InputError, WriteError, quoted
from solver.games import game_names
from solver.system.files import refuse_file_in_way, refuse_foreign

if TYPE_CHECKING:
    from generators.solved import Generator
    from pipeline.publishing.refresh import Learning
    from pipeline.requests.learn import LearnRequest
    from solver.contract.domain import Domain

DESCRIPTION = """\
Make a prior: generate solved instances, replay their solutions, count which
moves were possible and which were played, and compile a bias table. Of a game a
tree search plays against itself, and the moves of who wins are counted. Finished
shards are kept, so the same command goes on after an interruption."""

EPILOG = """\
examples:
  learn latin-square
  learn latin-square --order 30 --prior-code dual --out build/dual-30.parquet
  learn latin-square --code triple+dual --out build/both.parquet
  learn latin-square --evaluate --seed 2 --held-out-set order=40
  learn latin-square --flow --runner dask --threads 4
  learn hex --size 9 --playouts 1000 --instances 2000 --out build/hex-9.parquet"""

DEFAULT_SMOOTHING = 1.0
DEFAULT_INSTANCES = 10_000
#: Shards by default where instances are solved by search: some ten minutes of it are enough.
DEFAULT_SEARCHED_SHARDS = 10
#: Defaults of the matches that judge rounds of a game.
OF_GAMES = {
    "held_out": 400, "held_out_playouts": 500, "held_out_algorithm": "mcps",
    "margin": POINTS_MARGIN,
}  # fmt: skip


class _Codes(tuple[str, ...]):
    """Names of codes, one of which an option may be, or several with `JOINT` between them."""

    __slots__ = ()

    def __contains__(self, value: object) -> bool:
        """True if all names in `value` are among these."""
        from solver.contract.codes import JOINT  # NumPy is not needed for --help

        return all(tuple.__contains__(self, name) for name in str(value).split(JOINT))


def build_parser(subject: str | None) -> argparse.ArgumentParser:
    """Return the parser for learning priors of `subject`; without one, of the common options."""
    parser = new_parser("learn", DESCRIPTION, EPILOG)
    parser.of_problems = lambda: {n: build_parser(n) for n in (*domain_names(), *game_names())}
    domain = None if subject is None else find_rules(subject)
    parser.add_argument(
        "subject",
        metavar="PROBLEM",
        help=f"one of: {', '.join(domain_names())}; {HELP}; or a game: {', '.join(game_names())}",
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
    _add_table(parser, list(domain.priors) if domain else [])
    add_dataclass(parser.add_argument_group("temperature of the table"), TunePlan)
    add_dataclass(parser.add_argument_group("rounds"), RoundsPlan)
    work = parser.add_argument_group("work")
    work.add_argument("--threads", "-t", type=int, default=2, metavar="N", help="(default: 2)")
    work.add_argument(
        "--work", type=Path, metavar="FOLDER", help="where shards are kept (default: user cache)"
    )
    add_flow_options(work)
    _add_evaluation(parser, domain)
    if domain is not None:
        _add_problem(parser, domain)
    return parser


def _add_table(parser: argparse.ArgumentParser, codes: Sequence[str]) -> None:
    """Add the options of the bias table."""
    table = parser.add_argument_group("bias table")
    table.add_argument(
        "--prior-code",
        "--code",
        metavar="NAME[+NAME]...",
        default=codes[0] if codes else None,
        choices=_Codes(codes) or None,
        help=f"{', '.join(codes) or 'see `learn PROBLEM --help`'}, or several with + between them, "
        "which are fitted together (default: the first)",
    )
    add_dataclass(table, FitPlan)
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
        help="recommended factor of the bias, stored with the table (default: the domain's, "
        "or 1 of a fit, whose weights are calibrated)",
    )
    table.add_argument(
        "--out", "-o", type=file_name, metavar="FILE", help="(default: models/PROBLEM.parquet)"
    )
    table.add_argument(
        "--replace",
        action="store_true",
        help="replace a published model that was learned in another way, or from more instances",
    )


def _add_evaluation(parser: argparse.ArgumentParser, domain: Domain | None) -> None:
    """Add the options of the evaluation against the model in use."""
    group = parser.add_argument_group("evaluation against the model in use (always with --flow)")
    group.add_argument(
        "--evaluate",
        action="store_true",
        help="write the table only if it is not worse on held-out instances like those that it, "
        "and the model in use, were learned from",
    )
    of_game = domain is not None and _is_game(domain)
    usual = {"margin": SHARE_MARGIN} if getattr(domain, "target", 0.0) is None else None
    add_dataclass(group, EvaluationPlan, defaults=OF_GAMES if of_game else usual)


def _add_problem(parser: argparse.ArgumentParser, domain: Domain) -> None:
    """Add the options of the instances that are learned from, and of their replay."""
    if _is_game(domain):
        from generators.self_play import SelfPlaySearch

        add_dataclass(parser.add_argument_group("games"), SelfPlaySearch)
        add_dataclass(parser.add_argument_group(f"{domain.name} options"), domain.options)
        return
    generator = load_generator(domain)
    add_dataclass(parser.add_argument_group(f"{domain.name} instances"), generator)
    group = parser.add_argument_group(f"{domain.name} options while replaying")
    add_dataclass(group, domain.options, defaults=getattr(generator, "replay_defaults", None))


def default_instances(generator: Generator) -> int:
    """Return how many instances to learn from if nobody says."""
    if hasattr(generator, "n_available"):
        return int(generator.n_available)
    if hasattr(generator, "shard_instances"):
        searched = DEFAULT_SEARCHED_SHARDS * max(1, int(generator.shard_instances))
        return min(DEFAULT_INSTANCES, searched)
    return DEFAULT_INSTANCES


def read_request(
    argv: Sequence[str], *, deciding: bool = False
) -> tuple[argparse.Namespace, LearnRequest]:
    """Read the arguments of `learn`.

    Parameters
    ----------
    deciding : bool
        True if held-out sets that can decide are the default, as with `--flow`.

    Raises
    ------
    InputError
        If something is missing or does not fit.
    """
    word = subject_word(
        argv, [build_parser(None)], lambda: map(build_parser, (*domain_names(), *game_names()))
    )
    parser = build_parser(word)
    arguments = parser.parse_args(argv)
    from pipeline.learning.learn import work_folder
    from pipeline.publishing.held_out import DECIDING
    from pipeline.requests.learn import LearnRequest
    from solver.contract.codes import code_named

    domain = find_rules(arguments.subject)
    _refuse_unfit(domain, arguments, argv, deciding=deciding)
    if deciding or arguments.flow:
        arguments = parser.parse_args([*DECIDING.get(domain.name, []), *argv])
    generator = _generator(domain, arguments)
    refuse_reading(domain.options, vars(arguments))
    code = code_named(domain.priors, arguments.prior_code)
    arguments.fit |= bool(code.parts)
    fit, tune = from_arguments(FitPlan, arguments), from_arguments(TunePlan, arguments)
    tune = tune.complete(of_game=_is_game(domain))
    rounds = from_arguments(RoundsPlan, arguments)
    temperature = arguments.prior_temperature
    if temperature is None:
        temperature = 1.0 if fit.fit else code.temperature
    out = arguments.out or Path("models") / f"{domain.name}.parquet"
    _check_places(arguments, temperature, out)
    instances = arguments.instances
    return arguments, LearnRequest(
        subject=arguments.subject,
        generator=dataclasses.asdict(generator),
        options=dataclasses.asdict(from_arguments(domain.options, arguments)),
        instances=default_instances(generator) if instances is None else instances,
        seed=arguments.seed,
        prior_code=code.name,
        fit=fit,
        tune=tune,
        rounds=rounds,
        smoothing=arguments.smoothing,
        temperature=temperature,
        out=str(out),
        work=str(arguments.work or work_folder()),
        threads=arguments.threads,
        replace=arguments.replace,
        evaluation=from_arguments(EvaluationPlan, arguments),
        command=table_command("learn", argv),
    )


def _refuse_unfit(
    domain: Domain, arguments: argparse.Namespace, argv: Sequence[str], *, deciding: bool
) -> None:
    """Raise an `InputError` for what cannot be learned, or not so."""
    if not domain.priors:
        raise InputError(f"{domain.name} has no codes that a prior could be learned for")
    if arguments.threads < 1:
        raise InputError(f"--threads is {arguments.threads}, expected 1 or more")
    if not _is_game(domain):
        return
    if deciding or arguments.flow or arguments.evaluate:
        raise InputError(
            f"priors of games are evaluated by matches, not by `learn`: run `compare {domain.name} "
            "--algorithm mcps,mcps:prior=FILE`"
        )
    from pipeline.publishing.rounds_games import OF_PUZZLES

    refuse_idle(argv, OF_PUZZLES, "on games: their own options say who plays a round")


def _check_places(arguments: argparse.Namespace, temperature: float, out: Path) -> None:
    """Raise an `InputError` now, not after the work, for parameters and places that do not fit."""
    from pipeline.learning.bias import check_parameters
    from pipeline.learning.learn import SHARDS, counts_path

    check_parameters(arguments.smoothing, temperature)
    if not out.name or (out.exists() and not out.is_file()):
        # Table and counts lie side by side, and are read again.
        raise InputError(f"--out is {quoted(str(out))}, expected the name of a regular file")
    refuse_file_in_way(counts_path(out))
    if arguments.work is not None:
        refuse_foreign(arguments.work, "--work", *SHARDS)


def _is_game(domain: Domain) -> bool:
    from solver.contract.domain import Game

    return isinstance(domain, Game)


def _generator(domain: Domain, arguments: argparse.Namespace) -> Generator:
    """Return the maker of solved instances, or of games."""
    if _is_game(domain):
        from generators.self_play import SelfPlay, SelfPlaySearch

        search = dataclasses.asdict(from_arguments(SelfPlaySearch, arguments))
        # A file that was read is found by the name of its search: shards know it by its sources.
        search["algorithm"] = tree_algorithm_named(search["algorithm"]).name
        options = dataclasses.asdict(from_arguments(domain.options, arguments))
        return SelfPlay(game=domain.name, options=options, **search)
    generator: Generator = from_arguments(load_generator(domain), arguments)
    return generator


def run(argv: Sequence[str]) -> int:
    """Run `learn` with the arguments `argv`; returns the exit status."""
    arguments, request = read_request(argv)
    evaluated = arguments.evaluate or arguments.flow
    if not evaluated and request.rounds.rounds == 1:
        refuse_idle(argv, EVALUATION, "without --evaluate, --flow or --rounds")
    elif evaluated and arguments.replace:
        raise InputError("--replace has no effect on a table that is evaluated")
    if arguments.flow:
        check_runner(arguments.runner)
    else:
        refuse_idle(argv, ["--runner"], "without --flow")
    from pipeline.commands.learning import learn
    from pipeline.publishing.refresh import Learning, check_destination
    from pipeline.publishing.rounds import check_rounds

    learning = Learning.of(request)
    check_destination(learning, evaluated=evaluated)
    check_rounds(learning)
    if arguments.flow:
        return load_flow("learn", request, arguments.runner)
    begin = time.perf_counter()
    try:
        return learn(learning, begin, evaluate=arguments.evaluate)
    except WriteError as error:
        if not error.path.is_relative_to(learning.work):
            raise
        spare = _spare_folder(learning, error)
    elsewhere = Learning.of(dataclasses.replace(request, work=str(spare)))
    return learn(elsewhere, begin, evaluate=arguments.evaluate)


def _spare_folder(learning: Learning, error: WriteError) -> Path:
    """Temporary folder in the place of one that cannot be written: slower, but with a result."""
    from pipeline.learning.learn import copy_shards
    from solver.system.cache import temporary_folder

    print(f"learn: {error}; going on in a temporary folder, no shard is kept", file=sys.stderr)
    spare = temporary_folder() / "shards"
    copy_shards(learning.domain, learning.plan, learning.work, spare)
    return spare


def main() -> None:
    """Entry point of `learn`."""
    run_command("learn", run)


if __name__ == "__main__":
    main()
