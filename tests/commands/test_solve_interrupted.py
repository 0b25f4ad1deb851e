"""`solve`: Ctrl-C, a reader that leaves, runs that fail and runs that never come to an end."""

from __future__ import annotations

import json
import os
import pty
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from solver.commands import answers
from solver.commands import solve as cli
from solver.commands.announce import USUAL
from solver.errors import InputError
from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.shell import Run, ended, launched, lines_of, wait_until
from tests.commands.squares import IMPOSSIBLE, SOLVED, SQUARE, grids, solved_lines


@pytest.mark.parametrize("error", [InputError("no"), KeyboardInterrupt()])
def test_a_failing_run_leaves_the_output_as_it_was(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """An error after the first answer leaves that one beside it, and says where."""
    out = tmp_path / "answers.txt"
    out.write_text("what was there")
    real = cli.solve_all

    def fail_after_one(*arguments: Any) -> Iterator[Any]:
        yield next(real(*arguments))
        raise error

    monkeypatch.setattr(cli, "solve_all", fail_after_one)
    text = f"{SQUARE}\n{SOLVED}"
    command = ["solve", "latin-square", "-", "--playouts", 1000, "--out", out]
    finished = run(*command, stdin=text)
    assert finished.status == (2 if isinstance(error, InputError) else 130)
    assert out.read_text() == "what was there"
    growing = tmp_path / "answers.txt.part"
    assert set(tmp_path.iterdir()) == {out, growing}
    assert growing.read_text().count("\n\n") == 1
    assert finished.err.endswith(f"; 1 of the answers are in {growing}\n")


def test_the_deepest_nesting_starts(run: Run, impossible: Path) -> None:
    """The largest level makes runs of more playouts than can be counted, and still searches."""
    command = ["solve", "latin-square", impossible, "--level", 10, "--iterations", 1000]
    finished = run(*command, "--seconds", 0.1, "--dead-ends", 0, "--json")
    (line,) = solved_lines(finished.out)
    assert (finished.status, line["solved"]) == (1, False)
    assert line["playouts"] > 0


def test_ctrl_c_prints_the_best_found(impossible: Path) -> None:
    """Interrupted while the bar shows playouts, it prints its best and ends with status 130."""
    terminal, end = pty.openpty()
    command = ["latin-square", impossible.name, "--seconds", 600, "--dead-ends", 0]
    with launched("solve", *command, stderr=end, cwd=impossible.parent) as process:
        os.close(end)
        os.set_blocking(terminal, False)
        shown = b""

        def read() -> bytes:
            try:
                return os.read(terminal, 4096)
            except OSError:  # nothing there, or the other side was closed
                return b""

        def playing() -> bool:
            nonlocal shown
            shown += read()
            return b"playouts, best score -" in shown

        wait_until(playing, process)
        process.send_signal(signal.SIGINT)
        finished = ended(process)
        shown = read()
        while more := read():
            shown += more
        os.close(terminal)
    assert finished.status == 130
    (found,) = grids(finished.out)
    holes = sum(row.count(".") for row in found)
    assert len(found) == 5
    assert holes > 0
    assert f"{impossible.name}: interrupted, best score -{holes}: " in shown.decode()
    assert "Traceback" not in shown.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_answers_found_before_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    """Whoever ends the command, --out has the answers found, and nothing else is left."""
    path, out = tmp_path / "three.txt", tmp_path / "answers" / "file"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}\n{SQUARE}")
    command = ["latin-square", path, "--seconds", 600, "--dead-ends", 0, "--json", "--out", out]
    with launched("solve", *command) as process:
        growing = out.with_name("file.part")
        wait_until(lambda: lines_of(growing) == 1, process)
        process.send_signal(number)
        finished = ended(process)
    assert finished.status == 130
    first, second = solved_lines(out.read_text())
    assert (first["status"], second["status"]) == ("solved", "interrupted")
    assert list(out.parent.iterdir()) == [out]
    assert finished.err.endswith("\n1 of 3 solved and verified\n")


def test_a_killed_command_leaves_what_it_has_found(tmp_path: Path) -> None:
    """After kill -9 the answers found lie beside the file; the same command gives all of them."""
    path, out = tmp_path / "two.txt", tmp_path / "answers"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}")
    command = ["latin-square", path, "--dead-ends", 0, "--json", "--out", out]
    with launched("solve", *command, "--seconds", 600) as process:
        wait_until(lambda: lines_of(tmp_path / "answers.part") == 1, process)
        process.kill()
        ended(process)
    (left,) = solved_lines((tmp_path / "answers.part").read_text())
    with launched("solve", *command, "--playouts", 100) as process:
        assert ended(process).status == 1
    again, _ = solved_lines(out.read_text())
    assert left["status"] == again["status"] == "solved"
    assert left["answer"] == again["answer"]
    assert sorted(tmp_path.iterdir()) == [out, path]


def test_ctrl_c_while_kernels_compile(tmp_path: Path, square: Path) -> None:
    """It is said that kernels are compiled; Ctrl-C ends that, not only what comes after it."""
    environment = {KERNELS_VARIABLE: str(tmp_path / "kernels")}
    with launched("solve", "latin-square", square, environment=environment) as process:
        assert process.stderr is not None
        told = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert told == f"compiling for latin-square, gnrpa: {USUAL}\n"
    assert (finished.status, finished.out, finished.err) == (130, "", "solve: interrupted\n")


def test_ctrl_c_among_several(tmp_path: Path) -> None:
    """Interrupted in the second problem, it prints answers up to it and leaves out the rest."""
    path = tmp_path / "three.txt"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}\n{SQUARE}")
    command = ["latin-square", path, "--seconds", 600, "--dead-ends", 0, "--json"]
    with launched("solve", *command) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert finished.status == 130
    assert (first["name"], first["solved"]) == (path.name, True)
    (second,) = solved_lines(finished.out)
    assert (second["name"], second["solved"]) == (f"{path.name}#2", False)
    assert second["status"] == "interrupted"
    assert "Traceback" not in finished.err
    assert finished.err.endswith("\n1 of 3 solved and verified\n")


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    """When the reader of the answers leaves, as `head` does, it ends quietly and at once."""
    path = tmp_path / "many.txt"
    path.write_text("\n".join([SQUARE, *[IMPOSSIBLE] * 3, *[SQUARE] * 5]))
    command = ["latin-square", path, "--playouts", 2000, "--dead-ends", 0, "--json"]
    with launched("solve", *command) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["solved"]
        process.stdout.close()
        process.stdout = None
        finished = ended(process)
    assert finished.status == 1
    assert "Traceback" not in finished.err
    assert "BrokenPipe" not in finished.err


def test_the_rest_is_not_solved_when_the_reader_leaves(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Problems that nobody will see the answers of are not searched."""
    searched = []
    real = answers.as_json

    def broken(settings: Any, attempts: Any) -> Iterator[str]:
        for text in real(settings, attempts):
            searched.append(json.loads(text)["name"])
            if len(searched) == 2:
                raise InputError("the reader left")
            yield text

    monkeypatch.setattr(cli, "as_json", broken)
    text = "\n".join([SQUARE, SQUARE, *[IMPOSSIBLE] * 3])
    command = ["solve", "latin-square", "-", "--seconds", 600, "--dead-ends", 0, "--json"]
    finished = run(*command, stdin=text)
    assert finished.status == 2
    assert searched == ["standard input", "standard input#2"]
