"""Schedules: what the file says, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("prefect", reason="the extra `flows` is not installed")

import yaml  # type: ignore[import-untyped]

from flows.serve import FLOWS, SCHEDULES, parameters, read_schedules, run
from flows.trials.cron import SCHEDULE, TEMPERATURE
from pipeline.commands import compare, learn
from solver.errors import InputError

ROOT = Path(__file__).parents[2]


def test_the_schedules_that_ship_make_sense(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each names a flow, and its arguments are those that the command takes."""
    monkeypatch.chdir(ROOT)
    schedules = read_schedules(SCHEDULES)
    for schedule in schedules.values():
        given = parameters(schedule)
        words = [one.replace("%Y%m%d", "20260101") for one in given["arguments"]]
        flow = FLOWS[schedule["flow"]]
        assert set(given) <= set(flow.parameters.properties)
        if schedule["flow"] == "learn":
            learn.read_request([given["subject"], *words])
        if schedule["flow"] == "compare":
            compare.read_request([given["subject"], *words])
    assert {schedule["flow"] for schedule in schedules.values()} == set(FLOWS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no schedules in it"),
        ("x\ny = 1", "line 1"),
        ("x = 1", "[x]: expected a table of flow, cron"),
        ("[x]\ncron = '* * * * *'", "[x]: 'flow' is missing"),
        ("[x]\nflow = 'learn'", "[x]: 'cron' is missing"),
        ("[x]\nflow = 'lern'\ncron = ''", "flow is 'lern', expected one of: learn, refresh"),
        ("[x]\nflow = 'learn'\ncron = ''", "'subject' is missing"),
        ("[x]\nflow = 'refresh'\ncron = ''\nsubject = 'rna'", "'subject' is not for refresh"),
        ("[x]\nflow = 'learn'\ncorn = ''", "'corn' is unknown, expected one of: flow, cron"),
        ("[x]\nflow = 'learn'\ncron = 5", "cron is 5, expected a str"),
        ("[x]\nflow = 'refresh'\ncron = '0 99 * * 1'", 'Invalid cron string: "0 99 * * 1"'),
        (
            "[x]\nflow = 'refresh'\ncron = '0 9 * * 1'\ntimezone = 'Nowhere'",
            'Invalid timezone: "Nowhere"',
        ),
        (
            "[x]\nflow = 'learn'\ncron = '0 9 * * 1'\nsubject = 'rna'\narguments = ['--nosuch']",
            "[x]: arguments: unrecognized arguments: --nosuch",
        ),
        (
            "[x]\nflow = 'refresh'\ncron = '0 9 * * 1'\nrunner = 'dusk'",
            "[x]: --runner is 'dusk', expected threads, dask or dask://HOST:PORT",
        ),
        (f"x = {'[' * 20_000}", "nested too deep"),
        (f"[x]\ncron = {'1' * 5000}", "Exceeds the limit"),
    ],
)
def test_wrong_schedules_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    """The line names the file and the schedule."""
    path = tmp_path / "schedules.toml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_schedules(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_list_is_readable(capsys: pytest.CaptureFixture[str]) -> None:
    """One line a schedule: when, name, command."""
    assert run(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(read_schedules(SCHEDULES))
    assert lines[0].split(":")[0].split()[:5] == ["0", "2", "*", "*", "1"]


def test_deployments_fit_their_flows() -> None:
    """Those for a work pool name a flow each, with parameters that it has."""
    found = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    assert {one["name"] for one in found} == set(FLOWS)
    for one in found:
        file, _, name = one["entrypoint"].partition(":")
        flow = FLOWS[one["name"]]
        assert flow.fn.__name__ == name
        assert flow.fn.__module__ == file.removesuffix(".py").replace("/", ".")
        flow.validate_parameters(one["parameters"])
        words = [word.replace("%Y%m%d", "20260101") for word in one["parameters"]["arguments"]]
        if "subject" in one["parameters"]:
            command = {"learn": learn, "compare": compare}[one["name"]]
            command.read_request([one["parameters"]["subject"], *words])


def test_the_schedule_of_the_trial_makes_sense(tmp_path: Path) -> None:
    """It is read as those that ship are."""
    path = tmp_path / "schedules.toml"
    path.write_text(SCHEDULE.format(folder=tmp_path, temperature=TEMPERATURE))
    (schedule,) = read_schedules(path).values()
    assert schedule["subject"] == "latin-square"
