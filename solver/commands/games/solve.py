"""`solve` for games: the best move of a position, and how good it is."""

from __future__ import annotations

import argparse
import dataclasses
import json
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from solver.algorithms import known_tree_algorithms, tree_algorithm_named
from solver.commands.games.endings import named_rewards, result_text
from solver.commands.games.options import (
    MEMORY,
    add_prior_options,
    add_tree_options,
    asked_search,
    prior_in,
    refuse_start_options,
    takes_shipped_prior,
    usual_search,
)
from solver.commands.games.settings import DEFAULT_SECONDS, Settings, new_analyst, read_settings
from solver.commands.options import (
    INTERRUPTED,
    add_budget,
    add_dataclass,
    new_parser,
    refuse_idle,
    shown_default,
    version,
)
from solver.commands.output import answers_file, answers_to, refuse_input
from solver.commands.problem_files import named_source
from solver.commands.progress import progress_bar, say
from solver.commands.subjects import find_game
from solver.errors import InputError, option_word
from solver.system.interrupt import INTERRUPTED_STATUS, stop_on_interrupt
from solver.system.letters import plural

if TYPE_CHECKING:
    from solver.contract.domain import Game
    from solver.searching.analysis import Analysis

DESCRIPTION = """\
Search a position of a game by Monte Carlo tree search: all moves, the best first,
with their playouts and what these were worth on average to the player who moves,
and the moves expected to follow. With --play, play against a person; with --gtp,
do what a viewer says.
Exit status: 0 searched, 2 bad input, 130 interrupted (what was found is printed)."""

EPILOG = """\
examples:
  solve hex --seconds 5
  solve hex position.txt --algorithm grave --playouts 100000 --json
  solve hex --prior hex --algorithm puct
  solve gomoku --size 15 --play --seconds 2
  solve hex --gtp --seconds 2
  solve nogo --players 3 --algorithm uct - < position.txt"""

#: Moves that are printed without `--json`.
SHOWN = 10


def build_parser(game: Game | None) -> argparse.ArgumentParser:
    """Return the parser for positions of `game`; without one, with the options of all games."""
    parser = new_parser("solve", DESCRIPTION, EPILOG)
    parser.add_argument("subject", metavar="GAME", help=game.name if game else None)
    parser.add_argument(
        "source",
        nargs="?",
        metavar="FILE",
        help="file of a position, - for standard input; without it the start",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--play", action="store_true", help="play against a person, who types moves")
    way.add_argument(
        "--gtp",
        action="store_true",
        help="answer the commands of a viewer, the Go Text Protocol, on an empty board",
    )
    way.add_argument(
        "--gomocup",
        action="store_true",
        help="answer the commands of a tournament of Gomoku, the protocol of Gomocup",
    )
    parser.add_argument(
        "--seat",
        metavar="PLAYER",
        help="player that the person is, with --play (default: the first player)",
    )
    _add_search(parser, game)
    budget = parser.add_argument_group("budget of each move, whichever ends first")
    add_budget(budget, seconds=DEFAULT_SECONDS)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="a JSON object")
    output.add_argument("--out", "-o", type=answers_file, metavar="FILE", help="write it to FILE")
    if game is not None:
        add_dataclass(parser.add_argument_group(f"{game.name} options"), game.options)
    return parser


def _add_search(parser: argparse.ArgumentParser, game: Game | None) -> None:
    """Add the options for the search of a position."""
    name, parameters = usual_search(game)
    words = (f"{option} {shown_default(value)}" for option, value in parameters.items())
    search = parser.add_argument_group("search")
    search.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"one of: {', '.join(known_tree_algorithms())}; or a file with a tree search of your "
        f"own, my_search.py (default: {', '.join([name, *words])})",
    )
    add_tree_options(search)
    add_prior_options(search)
    search.add_argument("--seed", type=int, default=0, metavar="S", help="(default: 0)")
    search.add_argument(
        "--threads",
        "-t",
        type=int,
        default=1,
        metavar="N",
        help="threads that search the tree together; with more than one answers differ "
        "from run to run (default: 1)",
    )
    search.add_argument(
        "--memory",
        type=int,
        default=MEMORY,
        metavar="MB",
        help="of the tree, whose least visited states are freed there (default: %(default)s)",
    )


def as_json(settings: Settings, analysis: Analysis) -> str:
    """`analysis` as a JSON object in a line."""
    ending = analysis.rewards
    rewards = None if ending is None else named_rewards(settings.game, ending)
    line = {
        "name": settings.problem.name,
        "game": settings.game.name,
        "status": _status(analysis),
        "player": settings.game.player_names[analysis.player],
        "best": analysis.candidates[0].move if analysis.candidates else None,
        "value": analysis.candidates[0].value if analysis.candidates else None,
        "proved": analysis.proved,
        "moves_to_end": analysis.moves_to_end,
        "rewards": rewards,
        "candidates": [dataclasses.asdict(candidate) for candidate in analysis.candidates],
        "variation": analysis.variation,
        "playouts": analysis.playouts,
        "seconds": round(analysis.seconds, 6),
        "nodes": analysis.nodes,
        "memory_full": analysis.full,
        "algorithm": settings.algorithm.name,
        "parameters": settings.algorithm.game_values(),
        "prior": settings.prior.name,
        "prior_in": settings.prior_in,
        "prior_temperature": settings.prior.temperature,
        "options": _options(settings),
        "seed": settings.seed,
        "threads": settings.threads,
        "budget": settings.budget.limits(),
        "version": version(),
    }
    return json.dumps(line) + "\n"


def _options(settings: Settings) -> dict[str, object]:
    """Options of the game that the position depends on, or its statistics."""
    of_start = settings.game.start_options if settings.source is not None else ()
    options = dataclasses.asdict(settings.options)
    return {name: value for name, value in options.items() if name not in of_start}


def _status(analysis: Analysis) -> str:
    if not analysis.candidates:
        return "over"
    return INTERRUPTED_STATUS if analysis.interrupted else "searched"


def as_text(settings: Settings, analysis: Analysis) -> str:
    """`analysis` as a table, and the moves expected to follow."""
    if analysis.rewards is not None:
        return f"the game is over: {result_text(settings.game, analysis.rewards)}\n"
    wide = max(4, *(len(candidate.move) for candidate in analysis.candidates))
    lines = [f"{'move':<{wide}} {'playouts':>10} {'value':>6}"]
    for candidate in analysis.candidates[:SHOWN]:
        value = "" if candidate.value is None else f"{candidate.value:.3f}"
        proved = "" if candidate.proved is None else f"  proved: {outcome(candidate.proved)}"
        lines.append(f"{candidate.move:<{wide}} {candidate.visits:>10,} {value:>6}{proved}")
    if len(analysis.candidates) > SHOWN:
        lines.append(f"and {len(analysis.candidates) - SHOWN} more")
    lines.append(f"expected: {' '.join(analysis.variation)}")
    return "".join(f"{line}\n" for line in lines)


def outcome(reward: float) -> str:
    """Return the word for a proved reward."""
    words = {0.0: "a loss", 1.0: "a win"}
    return words.get(reward, f"worth {reward:g}")


def describe(settings: Settings, analysis: Analysis) -> str:
    """Return a summary of the search, in a line."""
    if analysis.rewards is not None:
        return f"{settings.problem.name}: the game is over"
    player = settings.game.player_names[analysis.player]
    text = f"{settings.problem.name}: {player} to move, {plural(analysis.playouts, 'playout')} in "
    text += f"{analysis.seconds:.2f} s, {plural(analysis.nodes, 'state')}"
    if analysis.proved is not None:
        text += f", proved: {outcome(analysis.proved)}"
        if analysis.moves_to_end is not None:
            text += f" in {plural(analysis.moves_to_end, 'move')} at most"
    if analysis.full:
        text += f", memory full: beyond {settings.memory >> 20} MB rarely visited states were freed"
    return text + (", interrupted" if analysis.interrupted else "")


def refuse_unfitting(
    game: Game, arguments: argparse.Namespace, protocol: str, argv: Sequence[str]
) -> None:
    """Refuse options that do not fit `protocol`, "" without one, or play in the terminal.

    Raises
    ------
    InputError
        Naming an option that does not fit.
    """
    if arguments.gomocup and game.name != "gomoku":
        raise InputError("--gomocup is for gomoku")
    if protocol and arguments.source is not None:
        raise InputError(f"{protocol} begins with an empty board and takes no file")
    if protocol:
        idle = (name for name in game.start_options if name != "size")
        refuse_idle(
            argv, map(option_word, idle), f"with {protocol}, which begins with an empty board"
        )
    refuse_start_options(game, arguments.source, argv)
    if protocol or arguments.play:
        refuse_idle(argv, ["--json", "--out"], "with --play, --gtp or --gomocup")
    if not arguments.play:
        refuse_idle(argv, ["--seat"], "without --play")


def refuse_prior_options(game: Game, arguments: argparse.Namespace, argv: Sequence[str]) -> None:
    """Refuse options of a prior that have no effect.

    Raises
    ------
    InputError
        Naming an option without effect.
    """
    search = tree_algorithm_named(asked_search(game, arguments)[0])
    of_prior = map(option_word, sorted(search.of_prior))
    usual = takes_shipped_prior(game, arguments)
    if arguments.prior == "none" or (arguments.prior is None and not usual):
        refuse_idle(argv, ["--prior-in", *of_prior], "without a --prior")
    elif prior_in(game, arguments) == "playouts":
        refuse_idle(argv, of_prior, "with --prior-in playouts: it is of a prior in the tree")
    elif prior_in(game, arguments) == "tree" and not search.is_guided:
        raise InputError(f"a prior in the tree does nothing in {search.name}: --prior-in playouts")


def run_game(word: str, argv: Sequence[str]) -> int:
    """Run `solve` for the game that `word` names; returns the exit status."""
    game = find_game(word)
    arguments = build_parser(game).parse_intermixed_args(argv)
    protocol = "--gtp" if arguments.gtp else "--gomocup" if arguments.gomocup else ""
    if not (protocol or arguments.play):
        arguments.source = named_source(arguments.source)
        refuse_input("--out", arguments.out, arguments.source)
    refuse_unfitting(game, arguments, protocol, argv)
    refuse_prior_options(game, arguments, argv)
    settings = read_settings(game, arguments)
    if settings.algorithm.estimates and prior_in(game, arguments) != "tree":
        raise InputError("a prior in playouts does nothing with --estimates: --prior-in tree")
    if arguments.gtp:
        from solver.commands.games.gtp import speak

        return speak(settings)
    if arguments.gomocup:
        from solver.commands.games.gomocup import play_tournament

        return play_tournament(settings)
    if arguments.play:
        from solver.commands.games.play import play_in_terminal

        seat = arguments.seat
        return play_in_terminal(settings, game.player_names[0] if seat is None else seat)
    return _search_position(settings, arguments)


def _search_position(settings: Settings, arguments: argparse.Namespace) -> int:
    """Search the position and write the analysis; returns the exit status."""
    analyst, stop = new_analyst(settings), threading.Event()
    with stop_on_interrupt(stop), answers_to(arguments.out) as write:
        with progress_bar(settings.problem.name, settings.budget.playouts) as update:
            analysis = analyst.analyse(
                settings.budget,
                seed=settings.seed,
                stop=stop,
                progress=lambda playouts: update(playouts, f"{playouts:,} playouts"),
            )
        write(as_json(settings, analysis) if arguments.json else as_text(settings, analysis))
    say(describe(settings, analysis))
    return INTERRUPTED if analysis.interrupted else 0
