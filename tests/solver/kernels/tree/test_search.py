"""The kernel of tree search against a plain one, which computes every statistic from playouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from solver.algorithms.run import Count
from solver.algorithms.tree import Flat, Grave, Mcps, Puct, Rave, TreeAlgorithm, Uct
from solver.algorithms.trees.two_level_grave import TwoLevelGrave
from solver.compiling.random import new_stream
from solver.contract.domain import Game
from solver.games import load_game
from solver.kernels.status import FULL
from solver.kernels.tree.arrays import CLOSED, MCPS, N_NODES, ROOT
from solver.kernels.tree.run import IN_USE, TreeRun
from solver.kernels.tree.search import search_tree
from solver.kernels.tree.select import Visit, select
from solver.priors.priors import Prior
from solver.searching.analysis import guides_by
from tests.solver.kernels.tree.plain_tree import PlainTree

#: Two players with transpositions, and three with ties and shared rewards.
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("hex", {"size": 3, "first": "none"}),
    ("investment", {"units": 2, "players": 3, "codes": "exact"}),
]
ALGORITHMS = [Flat(), Uct(), Uct(1.2), Rave(), Grave(5), Grave(5, 0.1), Mcps(5), Mcps(0), Puct()]


@dataclass(frozen=True)
class TwoLevelUct(Uct):
    """UCT with second trees."""

    name: ClassVar[str] = "two-level-uct"
    leaf_playouts: Count = 6


@dataclass(frozen=True)
class TwoLevelMcps(Mcps):
    """MCPS with second trees."""

    name: ClassVar[str] = "two-level-mcps"
    leaf_playouts: Count = 6


TWO_LEVELS: list[TreeAlgorithm] = [
    TwoLevelGrave(5, leaf_playouts=7),
    TwoLevelGrave(5, leaf_playouts=40),
    TwoLevelUct(),
    TwoLevelMcps(5),
]
GUIDED = [Uct(), Grave(5, weight=0.4), Mcps(5, guidance=0.3), Puct(1.5)]
#: More than a word of bits.
PLAYOUTS = 150


def new_run(name: str, options: dict[str, Any], algorithm: TreeAlgorithm, memory: int) -> TreeRun:
    """Return a run of a game."""
    game = load_game(name)
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    return TreeRun(game, instance, algorithm.parameters, memory)


@pytest.mark.parametrize(("name", "options"), GAMES)
@pytest.mark.parametrize("algorithm", [*ALGORITHMS, *TWO_LEVELS], ids=str)
def test_the_kernel_searches_as_the_paper_says(
    name: str, options: dict[str, Any], algorithm: TreeAlgorithm
) -> None:
    """It makes the same playouts, and all statistics of all nodes are those of its playouts."""
    check_search(new_run(name, options, algorithm, 1 << 30), load_game(name))


@pytest.mark.parametrize("where", ["tree", "playouts", "both"])
@pytest.mark.parametrize("algorithm", GUIDED, ids=str)
def test_a_prior_acts_where_it_is_asked_to(algorithm: TreeAlgorithm, where: str) -> None:
    """The same, with a prior of random odds."""
    name, options = GAMES[0]
    game = load_game(name)
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    code = next(iter(game.priors.values()))
    table = code.table_class(np.random.default_rng(1).gamma(0.5, size=code.rows))
    guides = guides_by(Prior("random", table, 1.0), where)
    check_search(TreeRun(game, instance, algorithm.parameters, 1 << 30, guides), game)


def check_search(run: TreeRun, game: Game) -> None:
    """Search, and hold all that is known of all nodes against the plain search."""
    run.begin(new_stream(3))
    run.advance(PLAYOUTS)
    guides, parameters = run.searched.guides, run.parameters
    plain = PlainTree(game, run.searched.instance, parameters, new_stream(3), guides)
    with np.errstate(over="ignore"):
        plain.search(PLAYOUTS)
    assert run.nodes == len(plain.nodes)
    nodes, edges = run.tree.nodes, run.tree.edges
    for number in range(run.nodes):
        key = int(nodes.key[number])
        node = plain.nodes[key]
        moves = run.moves_of(number)
        assert moves.move.tolist() == node.moves
        assert nodes.visits[number] == plain.visits(key)
        for place, move in enumerate(node.moves):
            edge = int(nodes.first[number]) + place
            n, total = plain.own(key, move, node.mover)
            assert (edges.n[edge], edges.total[edge]) == (n, pytest.approx(total))
            if len(edges.prior):
                assert edges.prior[edge] == pytest.approx(node.priors[place])
        if nodes.table[number] >= 0:
            check_table(run, plain, number)
        if parameters.rule == MCPS and node.moves:
            check_permutations(run, plain, number)


def check_table(run: TreeRun, plain: PlainTree, number: int) -> None:
    """Hold the all-moves-as-first statistics of a node against those of the playouts."""
    nodes, key = run.tree.nodes, int(run.tree.nodes.key[number])
    node = plain.nodes[key]
    for code in node.codes:
        found = run.tree.tables.sums[nodes.table[number], code].tolist()
        assert found == pytest.approx(plain.amaf(key, code, node.mover))


def check_permutations(run: TreeRun, plain: PlainTree, number: int) -> None:
    """Hold the permutation statistics of a node against those of the playouts they have seen."""
    nodes, edges = run.tree.nodes, run.tree.edges
    node = plain.nodes[int(nodes.key[number])]
    all_playouts = plain.playouts
    plain.playouts = all_playouts[: int(nodes.counted[number])]
    for place, code in enumerate(node.codes):
        found = edges.permuted[:, int(nodes.first[number]) + place].tolist()
        assert found == pytest.approx(plain.permuted(node.way, code, node.mover))
    plain.playouts = all_playouts


def visits(run: TreeRun, pauses: list[int]) -> list[int]:
    """Visits of the moves of the root after a search that pauses."""
    run.begin(new_stream(1))
    for playouts in pauses:
        run.advance(playouts)
    return [*run.moves_of().visits.tolist(), run.nodes, *run.stream.tolist()]


@pytest.mark.parametrize("algorithm", [Uct(), Grave(5), Mcps(5), Puct(), TWO_LEVELS[0]], ids=str)
def test_neither_pauses_nor_room_matter(algorithm: TreeAlgorithm) -> None:
    """A search with arrays that grow, one that pauses, and one that has all room are the same."""
    name, options = GAMES[0]
    run = new_run(name, options, algorithm, 1 << 30)
    room = run.room
    found = visits(run, [3000])
    assert run.room.nodes > room.nodes
    assert visits(run, [3000]) == found
    assert visits(run, [1, 700, 701, 2999, 3000]) == found


#: Bytes that are not enough for `FILLING` playouts of any search.
LITTLE, FILLING = 1 << 18, 20_000


@pytest.mark.parametrize("algorithm", [Uct(), Rave(), Mcps(0), Puct(), TWO_LEVELS[0]], ids=str)
def test_memory_is_bounded(algorithm: TreeAlgorithm) -> None:
    """The least visited nodes are freed when memory is full, and the search goes on."""
    name, options = "hex", {"size": 4}
    run = new_run(name, options, algorithm, LITTLE)
    run.begin(new_stream(1))
    run.advance(FILLING)
    assert run.full
    assert run.moves_of().visits.sum() == run.played == FILLING
    used = int(run.tree.counters[N_NODES:CLOSED] @ run.tree.cost[N_NODES:CLOSED])
    assert used < LITTLE
    assert not new_run(name, options, algorithm, 1 << 30).full


@pytest.mark.parametrize("algorithm", [Uct(), Grave(5), Mcps(5), TWO_LEVELS[0]], ids=str)
def test_a_full_tree_depends_on_its_own_search_alone(algorithm: TreeAlgorithm) -> None:
    """A tree with room from an earlier search is full at the same playout as one without."""
    fresh, used = (new_run("hex", {"size": 4}, algorithm, LITTLE) for _ in range(2))
    used.begin(new_stream(7))
    used.advance(FILLING // 2)
    assert visits(used, [FILLING]) == visits(fresh, [FILLING])
    assert fresh.full


def test_a_playout_that_begins_anew_fills_no_memory() -> None:
    """Nodes that it has added before an array was full do not count before it is made."""
    roomy = new_run("hex", {}, Mcps(), 1 << 30)
    visits(roomy, [0])
    arguments = roomy.scratch, roomy.parameters, roomy.stream
    between: list[int] = []
    for playout in range(1, 2001):
        before = bytes_used(roomy)
        while search_tree(roomy.searched, roomy.tree, *arguments, playout) == FULL:
            if bytes_used(roomy) > before > LITTLE:
                between.append(before)
            roomy._grow()
    assert between
    for used in between:
        run = new_run("hex", {}, Mcps(), 16 * (used // IN_USE + 1))
        first = visits(run, [2000])
        assert run.full
        assert visits(run, [2000]) == first


def bytes_used(run: TreeRun) -> int:
    """Return the kernel's count of bytes in use by the arrays of a tree."""
    return int(run.tree.counters[:CLOSED] @ run.tree.cost[:CLOSED])


def test_where_no_value_is_a_number_the_first_move_is_selected() -> None:
    """Rewards that are none do not lead out of the moves of a node."""
    run = new_run("hex", {"size": 3}, Grave(5), 1 << 30)
    visits(run, [20])
    run.tree.edges.total[:] = np.nan
    run.tree.tables.sums[..., 1] = np.nan
    visit = Visit(ROOT, int(run.tree.nodes.table[ROOT]), depth=0)
    arguments = run.tree, run.scratch, run.parameters, run.stream, visit
    assert select(*arguments, np.array([0.0, 1.0])) == run.tree.nodes.first[ROOT]


def test_memory_that_is_not_enough_to_begin_with_is_told() -> None:
    """It depends on the number of codes."""
    with pytest.raises(MemoryError, match=r"^memory is 1 MB, expected \d+ or more for this tree$"):
        new_run("video-game", {"codes": "exact"}, Mcps(), 1 << 20)


def test_a_search_begins_anew() -> None:
    """Nothing of an earlier one is left."""
    name, options = GAMES[0]
    run = new_run(name, options, Mcps(5), 1 << 30)
    first = visits(run, [500])
    run.begin(new_stream(9))
    run.advance(400)
    assert visits(run, [500]) == first


def test_odds_of_zero_tell_no_moves_apart() -> None:
    """A prior that has 0 for all moves of a position leaves them to the search."""
    name, options = GAMES[0]
    game = load_game(name)
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    code = next(iter(game.priors.values()))
    guides = guides_by(Prior("zeros", code.table_class(np.zeros(code.rows)), 1.0), "tree")
    run = TreeRun(game, instance, GUIDED[0].parameters, 1 << 30, guides)
    run.begin(new_stream(3))
    run.advance(PLAYOUTS)
    moves = run.moves_of(0)
    n, first = len(moves.move), int(run.tree.nodes.first[0])
    assert run.tree.edges.prior[first : first + n] == pytest.approx(np.full(n, 1 / n))
    assert np.count_nonzero(moves.visits) > 1
