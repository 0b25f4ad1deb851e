"""Tree search of Gomoku 15 x 15 against alpha-beta with threats, at equal processor time.

`python -m benchmarks.gomoku_match --seconds 0.1 --games 40`: both have so many seconds of processor
time a move, in turn. Each opening, four stones at random near the middle, is played twice with the
seats exchanged. Games are kept in `--out`; the same command goes on where it was interrupted, or
plays more. At the end all are replayed by the rules, and the score is printed with its interval.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gomoku_alpha_beta import AlphaBeta
from pipeline.matches.methods import Method
from pipeline.matches.report import summary
from pipeline.matches.rows import GameRow
from pipeline.matches.tournament import game_journal
from solver.compiling.random import new_stream
from solver.contract.rules import play, player, reset, rewards
from solver.errors import InputError, VerificationError
from solver.games import load_game
from solver.games.moves import moves_by_text
from solver.searching.analysis import Analyst, guides_by
from solver.system.interrupt import stop_on_interrupt

SIZE = 15
#: As the journal names it.
PEER = "alpha-beta"
METHOD = "puct:exploration=0.4:proofs=true:decisive=true:estimates=true:keep=true:prior=threats"
#: Stones of an opening, and how far from the middle they lie.
STONES, AROUND = 4, 2
#: Playouts between two looks at the clock at first; parts of a move's time between later ones.
FEW, PARTS = 16, 8


def opening(number: int, seed: int) -> list[tuple[int, int]]:
    """Rows and columns of the first stones of a game; two games have the same."""
    random, middle = np.random.default_rng([seed, number // 2]), SIZE // 2
    side = 2 * AROUND + 1
    cells = random.choice(side * side, STONES, replace=False)
    begin = middle - AROUND
    return [(begin + int(cell) // side, begin + int(cell) % side) for cell in cells]


def word_of(row: int, column: int) -> str:
    """Move at a row from above and a column."""
    return f"{'abcdefghijklmno'[column]}{SIZE - row}"


class Both:
    """A game between the two."""

    def __init__(self, method: Method) -> None:
        self.game = load_game("gomoku")
        self.options = self.game.options(size=SIZE)
        self.instance = self.game.instance(self.game.start(self.options), self.options)
        self.state = self.game.new_state(self.instance)
        self.method, self.peer = method, AlphaBeta(SIZE)
        guides = guides_by(method.guide.load(self.game), method.guide.within)
        self.analyst = Analyst(self.game, self.instance, method.algorithm, guides=guides)
        self.analyst.compile(keep=method.means.keep)
        self.begin()

    def begin(self) -> None:
        """Go back to the empty board."""
        reset(self.instance, self.state)
        self.words, self.cells = list[str](), list[int]()
        self.moves = moves_by_text(self.game, self.instance, self.state)

    def play(self, word: str) -> None:
        """Make a move."""
        if word not in self.moves:
            raise VerificationError(f"gomoku after '{' '.join(self.words)}': no move {word}")
        play(self.instance, self.state, self.moves[word])
        self.words.append(word)
        row, column = SIZE - int(word[1:]), "abcdefghijklmno".index(word[0])
        self.cells.append(row * SIZE + column)
        self.moves = moves_by_text(self.game, self.instance, self.state)

    def search(self, number: int, seconds: float, *, keep: bool) -> tuple[str, int]:
        """Move and playouts of a search of so many seconds of processor time."""
        run, begin = self.analyst.run, time.process_time()
        run.begin(new_stream(number, len(self.words)), self.state, keep=keep)
        step, spent = FEW, 0.0
        while spent < seconds and not run.is_over:
            run.advance(run.played + step)
            spent = time.process_time() - begin
            pace = run.played / max(spent, 1e-6)
            step = int(np.clip(min(seconds - spent, seconds / PARTS) * pace, 1, 4 * step))
        move = int(run.moves_of().move[run.best()])
        return self.game.format_move(self.instance, self.state, move), run.played

    def score(self, seat: int) -> float:
        """Reward of a player at the end."""
        worth = np.zeros(2)
        rewards(self.instance, self.state, worth)
        return float(worth[seat])


def play_game(both: Both, seconds: float, number: int, seed: int) -> GameRow:
    """Play a game; its number decides the opening and the seats."""
    both.begin()
    for row, column in opening(number, seed):
        both.play(word_of(row, column))
    seat, begun = number % 2, False
    spent: dict[bool, list[float]] = {True: [0, 0.0], False: [0, 0.0]}
    while both.moves:
        ours, begin = int(player(both.instance, both.state)) == seat, time.process_time()
        if ours:
            keep, begun = both.method.means.keep and begun, True
            word, made = both.search(number, seconds, keep=keep)
        else:
            cell = both.peer.choose(both.cells, seconds)
            word, made = word_of(cell // SIZE, cell % SIZE), both.peer.nodes
        spent[ours][0] += made
        spent[ours][1] += time.process_time() - begin
        both.play(word)
    return GameRow(
        game="gomoku", options=json.dumps({"position": "start", "size": SIZE}),
        match=match_name(both.method, seconds), one=both.method.name, other=PEER, playouts=None,
        seconds=seconds, number=number, seed=seed, seat=seat, players=2, score=both.score(seat),
        moves=" ".join(both.words), length=len(both.words),
        playouts_one=int(spent[True][0]), seconds_one=round(spent[True][1], 6),
        playouts_other=int(spent[False][0]), seconds_other=round(spent[False][1], 6),
    )  # fmt: skip


def match_name(method: Method, seconds: float) -> str:
    """Name of a match in the journal."""
    return f"{method.name}{method.digest} {PEER} {seconds:g}s"


def replay(both: Both, row: Any) -> None:
    """Play a kept game again, and compare who has won."""
    both.begin()
    for word in row.moves.split():
        both.play(word)
    if both.moves or both.score(row.seat) != row.score:
        raise VerificationError(f"gomoku, game {row.number}: the score is not {row.score}")


def main() -> int:
    """Play what is missing, and print what all games came to; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--algorithm", default=METHOD, metavar="METHOD", help="as in compare")
    parser.add_argument("--seconds", type=float, default=0.1, metavar="T", help="of a move")
    parser.add_argument("--games", type=int, default=40, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the openings")
    parser.add_argument("--out", type=Path, default=Path("build/gomoku-match"), metavar="FOLDER")
    given = parser.parse_args()
    stop = threading.Event()
    try:
        method = Method.parse(given.algorithm).checked(load_game("gomoku"))
        journal = game_journal(given.out)
    except InputError as error:
        sys.exit(str(error))
    both, match = Both(method), match_name(method, given.seconds)
    played = (row for row in journal.rows.values() if row.match == match)
    rows = {row.number: row for row in played if row.seed == given.seed}
    with stop_on_interrupt(stop):
        for number in range(given.games):
            if number not in rows and not stop.is_set():
                rows[number] = play_game(both, given.seconds, number, given.seed)
                journal.append(rows[number])
    for row in rows.values():
        replay(both, row)
    sys.stdout.write(summary(rows.values()))
    ours = sum(row.seconds_one for row in rows.values())
    theirs = sum(row.seconds_other for row in rows.values())
    sys.stdout.write(f"\nAll games replay; processor seconds {ours:.1f} / {theirs:.1f}\n")
    return 130 if stop.is_set() else 0


if __name__ == "__main__":
    sys.exit(main())
