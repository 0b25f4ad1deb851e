"""The list of games: one that ships is a file here and a line below."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from solver.errors import InputError, quoted
from solver.system.installed import installed, load_installed

if TYPE_CHECKING:
    from solver.contract.domain import Game

#: Group of entry points by which installed packages add games: a name and its class.
GROUP = "nestor.games"

#: Module and class of the games that ship, by name.
GAMES = {
    "atarigo": "solver.games.boards.atarigo:Atarigo",
    "breakthrough": "solver.games.boards.breakthrough:Breakthrough",
    "gomoku": "solver.games.boards.gomoku:Gomoku",
    "hex": "solver.games.boards.hex:Hex",
    "knightthrough": "solver.games.boards.knightthrough:Knightthrough",
    "nogo": "solver.games.boards.nogo:Nogo",
    "wargame": "solver.games.teams.wargame:Wargame",
    "investment": "solver.games.teams.investment:Investment",
    "video-game": "solver.games.teams.video_game:VideoGame",
}

#: Games of users' files, by name: known for as long as the process lives.
_from_files: dict[str, Game] = {}


def game_names() -> list[str]:
    """Names of all games: those that ship, installed ones, and those of files that were read."""
    return list(dict.fromkeys([*GAMES, *installed(GROUP), *_from_files]))


def add_game(game: Game) -> None:
    """Let `game`, which comes from a file, be found by its name."""
    _from_files[game.name] = game


def load_game(name: str) -> Game:
    """Return the game called `name`.

    Parameters
    ----------
    name : str
        Name of a game that ships, of an installed one, or of one from a file that was read.

    Raises
    ------
    InputError
        If there is none of that name, or an installed one cannot be imported.
    """
    if name in _from_files:
        return _from_files[name]
    if name in GAMES:
        module, _, class_name = GAMES[name].partition(":")
        shipped: Game = getattr(importlib.import_module(module), class_name)()
        return shipped
    if name in installed(GROUP):
        from solver.contract.domain import Game

        game: Game = load_installed(installed(GROUP)[name], "game", Game)
        return game
    known = ", ".join(game_names()) or "none"
    raise InputError(f"no game called {quoted(name, game_names())}, there are: {known}")
