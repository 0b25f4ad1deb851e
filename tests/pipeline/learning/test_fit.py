"""Fits: the likelihood, its maximum, and the same bytes however the work is cut."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from pipeline.learning.assessment import fit_prior, weights_digest
from pipeline.learning.blocks import CHOOSING, JUDGING, PARTS, TRAINING, Blocks
from pipeline.learning.fit import Fit, odds_of
from pipeline.learning.minimum import minimum
from pipeline.learning.passes import SLOPE, LocalPasses, Question, Slope, answer_of_block
from solver.errors import InputError
from solver.kernels.likelihood import Block
from tests.pipeline.learning.fits import (
    BOTH,
    DOMAIN,
    Decision,
    new_blocks,
    plain_loss,
    random_decisions,
    seen_rows,
    write_decisions,
)

DECISIONS = random_decisions(1, 400, instances=100)


@pytest.fixture
def blocks(tmp_path: Path) -> Blocks:
    return new_blocks(DECISIONS, tmp_path)


def test_the_likelihood_and_its_gradient(blocks: Blocks) -> None:
    """They are those of a plain sum over decisions, several right moves included."""
    weights = np.random.default_rng(3).normal(0.0, 1.0, len(blocks.seen))
    loss, gradient = Fit(LocalPasses(blocks)).one_pass(PARTS, weights)
    assert loss == pytest.approx(plain_loss(DECISIONS, weights), abs=1e-6)
    for row in range(len(blocks.seen)):
        step = np.zeros(len(blocks.seen))
        step[row] = 1e-5
        rise = plain_loss(DECISIONS, weights + step) - plain_loss(DECISIONS, weights - step)
        assert gradient[row] == pytest.approx(rise / 2e-5, abs=1e-4)


def test_the_fit_is_the_minimum(tmp_path: Path) -> None:
    """No other weights have a smaller sum of loss and penalty: SciPy finds the same."""
    few = DECISIONS[:60]
    blocks = new_blocks(few, tmp_path)
    fitted = Fit(LocalPasses(blocks)).weights(PARTS, 0.5)

    def value(weights: np.ndarray) -> float:
        return plain_loss(few, weights) + 0.25 * float(weights @ weights)

    found = scipy.optimize.minimize(value, np.zeros(len(blocks.seen)), method="BFGS")
    assert fitted.converged
    assert value(fitted.weights) == pytest.approx(found.fun, abs=1e-4)
    np.testing.assert_allclose(fitted.weights, found.x, atol=2e-3)


def test_frequencies_where_the_choices_are_always_the_same(tmp_path: Path) -> None:
    """With constant choice sets of three moves the odds are the frequencies of the moves."""
    code = DOMAIN.priors["triple"]
    moves, times = [(0, 0), (1, 0), (2, 0)], [50, 30, 20]
    decisions = [(7, moves, move, [0, 1, 2]) for move in range(3) for _ in range(times[move])]
    files = [write_decisions(decisions, tmp_path / "d.parquet", code)]
    blocks = Blocks(files, DOMAIN, code, np.arange(3))
    odds = odds_of(Fit(LocalPasses(blocks)).weights(PARTS, 1e-6).weights, 1)
    np.testing.assert_allclose(odds / odds.sum(), [0.5, 0.3, 0.2], atol=1e-4)


@pytest.fixture(scope="module")
def uncut(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Any]:
    """Weights and facts of a fit of one file, in one thread, with all room."""
    blocks = new_blocks(DECISIONS, tmp_path_factory.mktemp("uncut"))
    weights, facts = fit_prior(Fit(LocalPasses(blocks)), None, None)
    return weights.tobytes(), facts


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [1, 2, 7])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("room", [1 << 30, 1, 0])
def test_the_same_bytes_however_the_work_is_cut(
    tmp_path: Path, uncut: tuple[bytes, Any], cuts: int, threads: int, room: int
) -> None:
    """Files, their order, threads, and what fits into memory change no bit of the weights."""
    some = DECISIONS if cuts < 7 else DECISIONS[::-1]
    blocks = new_blocks(some, tmp_path, cuts, room=room)
    weights, facts = fit_prior(Fit(LocalPasses(blocks, threads)), None, None)
    assert (weights.tobytes(), facts) == uncut


def test_a_finished_fit_is_not_made_again(
    tmp_path: Path, blocks: Blocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fit resumed from a killed run's file ends with the same weights."""
    folder = tmp_path / "fits"
    expected = fit_prior(Fit(LocalPasses(blocks)), None, None)
    made = 0

    def counted(*arguments: object) -> object:
        nonlocal made
        made += 1
        if made == 4:
            raise KeyboardInterrupt
        return minimum(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("pipeline.learning.fit.minimum", counted)
    with pytest.raises(KeyboardInterrupt):
        fit_prior(Fit(LocalPasses(blocks), folder), None, None)
    kept = len(list(folder.glob("*.npz")))
    assert kept == 3
    weights, facts = fit_prior(Fit(LocalPasses(blocks), folder), None, None)
    assert (weights.tobytes(), facts) == (expected[0].tobytes(), expected[1])
    assert made == len(list(folder.glob("*.npz"))) + 1  # the one that was cut short


def test_a_pass_over_many_decisions_is_not_made_again(
    tmp_path: Path, blocks: Blocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long fit goes on with the pass that it was cut short in, and keeps none when finished."""
    monkeypatch.setattr("pipeline.learning.fit.KEPT_PASSES", 100)
    expected = Fit(LocalPasses(blocks)).weights(PARTS, 1.0)
    assert expected.passes > 9

    class Counted(LocalPasses):
        made, most = 0, 9

        def slope(self, parts: Iterable[str], odds: np.ndarray) -> Slope:
            self.made += 1
            if self.made > self.most:
                raise KeyboardInterrupt
            return super().slope(parts, odds)

    with pytest.raises(KeyboardInterrupt):
        Fit(Counted(blocks), tmp_path).weights(PARTS, 1.0)
    assert len(list(tmp_path.glob("*.npy"))) == 9
    rest = Counted(blocks)
    rest.most = expected.passes
    again = Fit(rest, tmp_path).weights(PARTS, 1.0)
    assert again.weights.tobytes() == expected.weights.tobytes()
    assert (again.passes, rest.made) == (expected.passes, expected.passes - 9)
    assert not list(tmp_path.glob("*.npy"))


def test_a_fit_goes_on_from_weights(blocks: Blocks) -> None:
    """Begun with its own weights a fit takes fewer passes, and says what it began with."""
    first, facts = fit_prior(Fit(LocalPasses(blocks)), 1.0, None)
    again, others = fit_prior(Fit(LocalPasses(blocks)), 1.0, first)
    assert others["passes"] <= facts["passes"]
    assert others["start_digest"] == weights_digest(first)
    np.testing.assert_allclose(again, first, atol=1e-2)


def test_what_is_held_out(blocks: Blocks) -> None:
    """Log-likelihood and accuracy are those of the decisions of the instances that judge."""
    weights = np.random.default_rng(5).normal(0.0, 1.0, len(blocks.seen))
    found = LocalPasses(blocks).judged(JUDGING, odds_of(weights, 2))
    mine = [decision for decision in DECISIONS if decision[0] % 10 == 0]
    assert found.instances.tolist() == sorted({instance for instance, *_ in mine})
    place = {row: number for number, row in enumerate(seen_rows(DECISIONS))}
    right, likelihood = 0.0, 0.0
    for _, moves, played, groups in mine:
        odds = np.array(
            [np.exp(weights[place[a]] + weights[place[b + BOTH.first_rows[1]]]) for a, b in moves]
        )
        good = np.array(groups) == groups[played]
        best = odds >= odds.max() * (1 - 1e-12)
        right += (good & best).sum() / best.sum()
        likelihood += np.log(odds[good].sum() / odds.sum())
    assert found.mean == pytest.approx(likelihood / len(mine), abs=1e-6)
    assert found.first.sum() / 2**32 == pytest.approx(right, abs=1e-6)
    assert found.bins[:, 0].sum() == sum(len(moves) for _, moves, _, _ in mine)
    for column in (1, 2):  # probabilities, and moves that were right: one a decision
        assert found.bins[:, column].sum() / 2**32 == pytest.approx(len(mine), abs=1e-6)


def test_a_code_that_decides_nothing_is_worth_nothing(tmp_path: Path) -> None:
    """Ablation: the code that moves are drawn by is worth much, the other one nothing."""
    rng = np.random.default_rng(6)
    decisions: list[Decision] = []
    for number in range(2000):
        rows = list(
            zip(rng.permutation(6)[:3].tolist(), rng.integers(0, 6, 3).tolist(), strict=True)
        )
        odds = np.exp([row[0] / 2 for row in rows])
        played = int(rng.choice(3, p=odds / odds.sum()))
        decisions.append((int(rng.integers(2**63)) if number % 20 == 0 else decisions[-1][0],
                          rows, played, [0, 1, 2]))  # fmt: skip
    _, facts = fit_prior(Fit(LocalPasses(new_blocks(decisions, tmp_path))), None, None)
    triple, dual = facts["held_out"]["codes"]
    assert triple["gain"]["low"] > 0.05
    assert dual["gain"]["low"] < 0.01 < triple["gain"]["low"]
    calibration = facts["held_out"]["calibration"]
    assert calibration["error"] < 0.1
    assert dual["without"]["log_likelihood"] == triple["alone"]["log_likelihood"]


def test_instances_are_parted_whole(blocks: Blocks) -> None:
    """Every decision is in one part, with the others of its instance."""
    parts = {
        part: {int(one) for block in blocks.of([part]) for one in block.instance}
        for part in (CHOOSING, JUDGING)
    }
    assert not parts[CHOOSING] & parts[JUDGING]
    assert {one % 10 for one in parts[CHOOSING]} == {1}
    total = sum(int(block.times.sum()) for block in blocks.of(PARTS))
    assert total == len(DECISIONS)
    assert sum(int(block.times.sum()) for block in blocks.of([TRAINING])) < total


def test_the_minimum_of_a_function() -> None:
    """The minimum of a convex function is found; exhausted evaluations are reported."""
    scale = np.geomspace(1.0, 100.0, 30)

    def function(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(np.sum(scale * (x - 1.0) ** 2 + (x - 1.0) ** 4)), (
            2 * scale * (x - 1.0) + 4 * (x - 1.0) ** 3
        )

    found = minimum(function, np.zeros(30), 1e-7, 500)
    assert found.converged
    np.testing.assert_allclose(found.x, 1.0, atol=1e-6)
    assert not minimum(function, np.zeros(30), 1e-7, 5).converged


def test_files_are_checked(tmp_path: Path) -> None:
    """A file of other decisions than it says is refused."""
    path = tmp_path / "d.parquet"
    write_decisions(DECISIONS[:3], path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="not a readable parquet file"):
        Blocks([path], DOMAIN, BOTH, seen_rows(DECISIONS))


def test_the_same_moves_in_another_order(tmp_path: Path) -> None:
    """The last bits of a sum depend on its order: such decisions are not taken for the same."""
    code = DOMAIN.priors["triple"]
    weights = np.array([1.002, 0.292, -1.163])
    decisions: list[Decision] = [
        (7, [(row, 0) for row in rows], rows.index(0), [0, 1, 2]) for rows in ([0, 1, 2], [2, 1, 0])
    ]
    losses = []
    for number, some in enumerate((decisions, decisions[::-1], decisions[:1], decisions[1:])):
        files = [write_decisions(some, tmp_path / f"{number}.parquet", code)]
        passes = LocalPasses(Blocks(files, DOMAIN, code, np.arange(3)))
        losses.append(passes.slope([TRAINING], odds_of(weights, 1)).loss)
    assert losses[2] != losses[3]
    assert losses[0] == losses[1] == losses[2] + losses[3]
    two = [(7, [(a, 0), (b, 0)], place, [0, 1]) for a, b, place in ((0, 1, 0), (1, 0, 1))]
    files = [write_decisions(two, tmp_path / "two.parquet", code)]
    (block,) = Blocks(files, DOMAIN, code, np.arange(3)).of([TRAINING])
    assert block.times.tolist() == [2]


def test_more_decisions_than_64_bits_have_room_for() -> None:
    """The loss of 10^8 decisions that weights call all but impossible is no negative number."""
    block = Block(
        end=np.array([0, 2]), rows=np.array([[0], [1]], np.int32), right=np.array([True, False]),
        times=np.array([100_000_000]), instance=np.array([2], np.uint64),
    )  # fmt: skip
    question = Question(SLOPE, (TRAINING,), odds_of(np.array([-100.0, 100.0]), 1))
    found = answer_of_block(question, block, 2)
    assert isinstance(found, Slope)
    assert found.loss == 200 * 100_000_000 << 32


@pytest.mark.parametrize("damage", [0, 100, -1, -20, -40, -60, -80])
def test_a_damaged_file_is_made_again(
    tmp_path: Path, blocks: Blocks, monkeypatch: pytest.MonkeyPatch, damage: int
) -> None:
    """Files of weights and of passes over many decisions; nothing else is lost."""
    monkeypatch.setattr("pipeline.learning.fit.KEPT_PASSES", 0)
    expected = fit_prior(Fit(LocalPasses(blocks), tmp_path), None, None)
    (file, *_) = sorted(tmp_path.glob("*.npz"))
    damaged = bytearray(file.read_bytes())
    if damage < 0:  # a byte that far from the middle
        damaged[len(damaged) // 2 + damage] ^= 0xFF
    else:
        damaged = damaged[:damage]
        (tmp_path / f"{file.stem}-0000.npy").write_bytes(damaged)
    file.write_bytes(damaged)
    weights, facts = fit_prior(Fit(LocalPasses(blocks), tmp_path), None, None)
    assert (weights.tobytes(), facts) == (expected[0].tobytes(), expected[1])
    assert not list(tmp_path.glob("*.npy"))
