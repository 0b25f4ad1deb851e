"""The flows: the same tables and runs as the plain commands, started, killed or resumed."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

pytest.importorskip("prefect", reason="the extra `flows` is not installed")

from prefect.client.orchestration import get_client

from flows import compare as compare_flow
from flows import learn as learn_flow
from flows.names import task_name
from flows.runners import task_runner
from pipeline.commands import compare as compare_cli
from pipeline.commands import learn as learn_cli
from pipeline.comparing.plan import RunComparison
from pipeline.learning.learn import counts_path
from pipeline.publishing.evaluate import FEWEST_PAIRS
from pipeline.publishing.held_out import held_out_families
from pipeline.publishing.refresh import Learning
from solver.domains import DOMAINS
from solver.errors import DownloadError, InputError, VerificationError

# Prefect and what it stands on warn of their own future.
pytestmark = pytest.mark.filterwarnings("default")

LEARN = [
    "--order", "5", "--holes", "0.8", "--prior-code", "dual", "--instances", "13",
]  # fmt: skip
JUDGED = ["--held-out", "4", "--held-out-playouts", "50", "--held-out-set", "order=6"]
ACCEPTED = {
    "verdict": "not worse", "publish": True, "pairs": 4, "informative": 4, "gain": None,
    "solved": {"candidate": 4, "current": 4}, "seconds": {"candidate": 1.0, "current": 1.0},
}  # fmt: skip
COMPARE = [
    "--order", "5", "--instances", "6", "--playouts", "60", "--algorithm", "sampling,gnrpa",
]  # fmt: skip
ROOT = Path(__file__).parents[2]
#: Columns of runs that do not depend on the clock.
TIMELESS = ["run", "domain", "family", "instance", "solved", "score", "playouts", "solution"]


@pytest.fixture(autouse=True, scope="module")
def small_shards() -> Iterator[None]:
    """Shards of a few instances, a few tasks, and a verdict."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.learning.learn.SHARD_INSTANCES", 5)
        patch.setattr(compare_flow, "MAX_TASKS", 4)  # Prefect takes longer for one than its runs
        # Four squares of order 5 decide nothing.
        patch.setattr("pipeline.publishing.evaluate.judge", lambda *arguments: dict(ACCEPTED))
        yield


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    """A temporary Prefect server; what starts it is imported by the process that does."""
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=90):
        yield


@pytest.fixture(scope="module")
def plain(small_shards: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables and runs that the plain commands made; tests only read them."""
    folder = tmp_path_factory.mktemp("plain")
    assert learn_cli.run(["latin-square", *LEARN, *places(folder)]) == 0
    assert compare_cli.run(["latin-square", *COMPARE, "--out", str(folder / "runs")]) == 0
    return folder


def places(folder: Path) -> list[str]:
    return ["--out", str(folder / "models" / "t.parquet"), "--work", str(folder / "work")]


def tables(folder: Path) -> tuple[bytes, bytes]:
    path = folder / "models" / "t.parquet"
    return path.read_bytes(), counts_path(path).read_bytes()


def runs(folder: Path) -> Any:
    return pq.read_table(folder / "runs" / "runs.parquet", columns=TIMELESS).to_pylist()


@pytest.mark.usefixtures("server")
def test_flows_make_what_the_commands_make(
    plain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--flow` gives the same bytes and the same runs; the summary holds what was decided."""
    folder = tmp_path / "flow"
    assert learn_cli.run(["latin-square", "--flow", *LEARN, *JUDGED, *places(folder)]) == 0
    assert "published as" in capsys.readouterr().out
    assert tables(folder) == tables(plain)
    (path,) = (folder / "work").glob("*/summaries/*.json")
    summary = json.loads(path.read_text())
    assert summary["files"]["solved instances"]["files"] == 3
    assert summary["files"]["counts"]["made"] == 3
    assert not [one for kind in summary["files"].values() for one in kind["failed"]]
    assert summary["table"]["instances"] == 13
    assert summary["published"] in summary["outcome"]
    manifest = json.loads((folder / "models" / "manifest.json").read_text())
    (version,) = manifest["models"]["t"]["versions"]
    assert version["evaluation"] == summary["evaluation"]
    out = ["--out", str(folder / "runs")]
    assert compare_cli.run(["latin-square", "--flow", *COMPARE, *out]) == 0
    assert "12 runs, report: " in capsys.readouterr().out
    assert runs(folder) == runs(plain)
    with get_client(sync_client=True) as client:
        named = {run.name for run in client.read_flow_runs()}
        tasks = {run.name for run in client.read_task_runs()}
    assert named == {
        f"learn latin-square, seed 1: not worse, published as {version['version']}",
        "compare latin-square, seed 0: 12 runs",
    }
    assert "generate latin-square, seed 1, 5-10" in tasks
    assert "publish latin-square, seed 1: not worse" in tasks


def asked(words: list[str]) -> dict[str, Any]:
    """The request of `learn` that these words make, as it travels."""
    return learn_cli.read_request(words)[1].plain


def replayed(folder: Path) -> tuple[dict[str, Any], list[str], list[Any]]:
    """Run the tasks up to the replay without a server; the request, files and tallies."""
    request = asked(["latin-square", *LEARN, *JUDGED, *places(folder)])
    shards = learn_flow.fetch.fn(request)
    paths, tallies = [], []
    for part in ([shards[0]], shards[1:]):
        found, tally = learn_flow.replay.fn(request, part, learn_flow.generate.fn(request, part))
        paths += found
        tallies.append(tally)
    return request, paths, tallies


def test_tasks_find_finished_shards(tmp_path: Path) -> None:
    """Tasks run again make nothing twice; a shard that was cut off is made again."""
    _, paths, tallies = replayed(tmp_path)
    assert [tally["made"] for tally in tallies] == [1, 2]
    before = [Path(path).read_bytes() for path in paths]
    cut = Path(paths[2])
    cut.write_bytes(cut.read_bytes()[:100])
    _, again, tallies = replayed(tmp_path)
    assert again == paths
    assert [tally["made"] for tally in tallies] == [0, 1]
    assert [Path(path).read_bytes() for path in paths] == before


def test_tasks_end_in_a_published_table(plain: Path, tmp_path: Path) -> None:
    """Merged, compiled, evaluated and published without a server, it is the plain table."""
    folder = tmp_path / "tasks"
    request, paths, _ = replayed(folder)
    compiled = learn_flow.compile_table.fn(request, learn_flow.merge.fn(request, paths))
    evaluation = learn_flow.evaluate.fn(request, compiled)
    version = learn_flow.publish.fn(request | {"command": "learn as asked"}, evaluation)
    assert version is not None
    assert version["command"] == "learn as asked"
    assert tables(folder) == tables(plain)
    assert learn_flow.evaluate.fn(request, compiled)["verdict"] == "unchanged"
    refused = {"verdict": "worse", "publish": False}
    assert learn_flow.publish.fn(request, refused) is None


def test_only_downloads_are_tried_again() -> None:
    """Bad input fails at once; a download that broke off has three more tries."""
    from prefect.states import Failed

    assert learn_flow.fetch.retries == 3
    others = [learn_flow.generate, learn_flow.replay, learn_flow.merge, learn_flow.publish]
    assert all(task.retries == 0 for task in [*others, compare_flow.run_shard])  # type: ignore[attr-defined]
    for error, again in ((DownloadError("cut off"), True), (InputError("bad"), False)):
        assert learn_flow._is_download(None, None, Failed(data=error)) is again


def test_jobs_of_other_sources_are_refused(tmp_path: Path) -> None:
    """A worker that would plan other jobs than it is asked for runs none."""
    _, request = compare_cli.read_request(["latin-square", *COMPARE, "--out", str(tmp_path)])
    with pytest.raises(InputError, match="1 jobs are unknown here"):
        compare_flow.run_shard.fn(request.plain, ["0" * 16])


def test_runs_of_killed_workers_are_taken_over(plain: Path, tmp_path: Path) -> None:
    """Shards that a killed worker finished are not run again."""
    argv = ["latin-square", *COMPARE, "--out", str(tmp_path / "runs")]
    _, request = compare_cli.read_run_request(argv[0], argv)
    comparison = RunComparison.of(request)
    runs_asked = [comparison.identity(job) for job in comparison.jobs]
    part = Path(compare_flow.run_shard.fn(request.plain, runs_asked[:5]))
    with part.open("ab") as file:
        file.write(b'{"run": "half')
    journal = comparison.open_journal()
    assert comparison.absorb(journal) == 5
    assert list(journal.rows) == runs_asked[:5]
    assert not part.exists()
    rest = compare_flow.run_shard.fn(request.plain, runs_asked[5:])
    report = Path(compare_flow.collect.fn(request.plain, [rest]))
    assert report.exists()
    assert runs(tmp_path) == runs(plain)


@pytest.mark.usefixtures("server")
def test_flows_play_the_same_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Flows play the games of the plain command in its order, and only those missing."""
    argv = [
        "hex",
        "--size",
        "3",
        "--playouts",
        "20",
        "--games",
        "3",
        "--algorithm",
        "uct,flat,mcps",
    ]
    assert compare_cli.run([*argv, "--out", str(tmp_path / "plain")]) == 0
    plain = games(tmp_path / "plain")
    assert compare_cli.run([*argv, "--games", "1", "--out", str(tmp_path / "flow")]) == 0
    assert compare_cli.run([*argv, "--out", str(tmp_path / "flow"), "--flow"]) == 0
    assert "9 games, kept in" in capsys.readouterr().err
    first = [row for row in plain if row["number"] == 0]
    assert games(tmp_path / "flow") == first + [row for row in plain if row["number"] > 0]
    assert (tmp_path / "flow" / "report.html").exists()


def games(folder: Path) -> list[dict[str, Any]]:
    """Rows of games without times."""
    rows = map(json.loads, (folder / "games.jsonl").read_text().splitlines())
    return [{k: v for k, v in row.items() if not k.startswith("seconds_")} for row in rows]


@pytest.mark.usefixtures("server")
def test_flows_compare_on_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tasks get the file by a name that is good in any folder, and run the same jobs."""
    (tmp_path / "mine.txt").write_text("1 2 .\n. . .\n. . .\n\n. .\n. .\n")
    monkeypatch.chdir(tmp_path)
    requests: list[Any] = []

    def noted(request: Any) -> Any:
        requests.append(request)
        return RunComparison.of(request)

    monkeypatch.setattr(compare_flow, "planned", noted)
    argv = ["latin-square", "mine.txt", "--playouts", "9", "--algorithm", "sampling", "--out"]
    assert compare_cli.run([*argv, str(tmp_path / "plain" / "runs")]) == 0
    assert compare_cli.run([*argv, str(tmp_path / "flow" / "runs"), "--flow"]) == 0
    capsys.readouterr()
    assert len(runs(tmp_path / "flow")) == 2
    assert runs(tmp_path / "flow") == runs(tmp_path / "plain")
    assert requests[0].files == [str(tmp_path / "mine.txt")]


def test_refreshing_goes_by_the_manifest(tmp_path: Path) -> None:
    """Every published model with its own arguments; domains without a model with the usual ones."""
    request, paths, _ = replayed(tmp_path)
    learn_flow.compile_table.fn(request, learn_flow.merge.fn(request, paths))
    command = {"command": "learn latin-square --order 5 --seed 3"}
    learn_flow.publish.fn(request | command, {"publish": True})
    found = learn_flow._models_to_learn(tmp_path / "models")
    assert found["t"] == ("latin-square", ["--order", "5", "--seed", "3"])
    shipped = learn_flow._models_to_learn(ROOT / "models")
    assert shipped["samegame"][1] == [
        "--effort", "20000", "--instances", "400", "--held-out=200", "--held-out-playouts=4096",
        "--held-out-algorithm=gnrpa",
    ]  # fmt: skip
    for domain, arguments in shipped.values():
        if domain != "rna":  # whose corpus may not be here
            learn_cli.read_request([domain, *arguments], deciding=True)
    assert "latin-square" not in found
    assert found["kakuro"] == ("kakuro", [])


@pytest.mark.parametrize("domain", DOMAINS)
def test_flows_have_held_out_sets_that_can_decide(domain: str) -> None:
    """Held-out sets of all flows are of known parameters and several times the minimum."""
    _, request = learn_cli.read_request([domain, "--instances", "2"], deciding=True)
    assert request.evaluation.held_out >= 10 * FEWEST_PAIRS
    learning = Learning.of(request)
    families = held_out_families(learning.domain, learning.plan, request.evaluation, None)
    assert len(families) == 1 + bool(request.evaluation.held_out_set)


@pytest.mark.parametrize(
    "runner", ["dusk", "dask://", "dask://host", "dask://host:x", "dask://host:99999"]
)
def test_unknown_runners_are_refused(runner: str) -> None:
    """One line says what there is."""
    with pytest.raises(InputError, match=f"--runner is '{runner}', expected"):
        task_runner(runner, 2)


def silent_listener() -> socket.socket:
    """Somebody who takes a connection and never says a word."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(60)
    return listener


@pytest.mark.parametrize("listens", [False, True])
def test_a_scheduler_that_does_not_answer_is_one_line(
    listens: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """No answer, or a foreign one, is one line; Prefect alone would wait for minutes."""
    with silent_listener() as listener:
        port = listener.getsockname()[1]
        if not listens:
            listener.close()
        runner = f"dask://127.0.0.1:{port}"
        with pytest.raises(InputError) as error:
            task_runner(runner, 2)
    assert str(error.value) == f"--runner is '{runner}': no Dask scheduler answers there"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["learn", "compare"])
def test_the_commands_say_so_before_prefect_is_imported(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is planned for a scheduler that is not there."""
    cli: Any = learn_cli if command == "learn" else compare_cli
    monkeypatch.setattr(cli, "load_flow", None)
    with silent_listener() as listener:
        port = listener.getsockname()[1]
    out = ["--out", str(tmp_path / "out.parquet")]
    with pytest.raises(InputError, match="no Dask scheduler answers there"):
        cli.run(["latin-square", "--flow", "--runner", f"dask://127.0.0.1:{port}", *out])


def test_dask_is_quiet() -> None:
    """Its processes, which inherit the setting, log errors only."""
    code = "import flows, logging, distributed; print(logging.getLogger('distributed').level)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{logging.ERROR}\n"


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({}, "step rna, seed 7"),
        ({"shards": [(0, 500), (500, 1000)]}, "step rna, seed 7, 0-1000"),
        ({"evaluation": {"verdict": "worse"}}, "step rna, seed 7: worse"),
        ({"runs": ["a1", "b2"]}, "step rna, seed 7, 2 runs from a1"),
    ],
)
def test_names_of_tasks(parameters: dict[str, Any], name: str) -> None:
    """Names of tasks tell their purpose, seed, shard and outcome."""
    request = {"subject": "rna", "seed": 7}
    assert task_name("step", {"request": request, **parameters}) == name


@pytest.mark.usefixtures("server")
def test_a_flow_fits_what_the_command_fits(tmp_path: Path) -> None:
    """With several codes tasks keep decisions, and the weights are the same bytes."""
    both = ["latin-square", *LEARN, "--prior-code", "triple+dual"]
    assert learn_cli.run([*both, *places(tmp_path / "plain")]) == 0
    assert learn_cli.run([*both, "--flow", *JUDGED, *places(tmp_path / "flow")]) == 0
    assert tables(tmp_path / "flow") == tables(tmp_path / "plain")
    assert list((tmp_path / "flow").glob("work/*/decisions-*/*.parquet"))
    assert not list((tmp_path / "flow").glob("work/*/counts-*"))


def test_a_model_that_fails_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong input, a solution that is none, a worker that died: the flow fails with all."""
    learned: list[str] = []

    def fails(domain: str, *_: Any) -> None:
        learned.append(domain)
        kinds = (InputError, VerificationError, RuntimeError)
        raise kinds[len(learned) % 3](f"{domain} fails")

    monkeypatch.setattr(learn_flow, "learn_prior", fails)
    with pytest.raises(InputError) as error:
        learn_flow.refresh_all_priors.fn(models=str(tmp_path))
    assert len(learned) > 2
    assert all(f"{domain} fails" in str(error.value) for domain in learned)
