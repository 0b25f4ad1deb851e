"""`solve`: Ctrl-C, a reader that leaves, runs that fail and runs that never come to an end."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from solver.commands import answers, searching
from solver.commands import solve as cli
from solver.commands.announce import USUAL
from solver.errors import InputError
from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.shell import PATIENCE, Run, ended, launched, lines_of, wait_until
from tests.commands.squares import IMPOSSIBLE, SOLVED, SQUARE, grids, solved_lines


@pytest.mark.parametrize("error", [InputError("no"), KeyboardInterrupt()])
def test_a_failing_run_leaves_the_output_as_it_was(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """An error after the first answer leaves that one beside it, and says where."""
    out = tmp_path / "answers.txt"
    out.write_text("what was there")
    real = searching.solve_all

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
    journal = tmp_path / "answers.txt.journal"
    assert set(tmp_path.iterdir()) == {out, growing, journal}
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_answers_found_before_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    """Whoever ends the command, --out has the answers found; the same command goes on from them."""
    path, out = tmp_path / "three.txt", tmp_path / "answers" / "file"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}\n{SQUARE}")
    command = ["latin-square", path, "--seconds", 600, "--dead-ends", 0, "--json", "--out", out]
    journal = out.with_name("file.journal")
    with launched("solve", *command) as process:
        growing = out.with_name("file.part")
        wait_until(lambda: lines_of(growing) == 1, process)
        process.send_signal(number)
        finished = ended(process)
    assert finished.status == 130
    first, second = solved_lines(out.read_text())
    assert (first["status"], second["status"]) == ("solved", "interrupted")
    assert set(out.parent.iterdir()) == {out, journal}
    assert finished.err.endswith(
        "\n1 of 3 solved and verified\nthe same command goes on from there\n"
    )
    kept = out.read_text().splitlines()[0]
    with launched("solve", *command) as process:
        wait_until(lambda: lines_of(growing) == 1, process)
        process.send_signal(number)
        finished = ended(process)
    assert finished.status == 130
    assert finished.err.startswith(f"going on from {journal}, which has 1 of the answers\n")
    assert out.read_text().splitlines()[0] == kept


def test_a_terminal_that_is_closed(tmp_path: Path) -> None:
    """Its window gone, the command writes what it has found, and nothing to the terminal."""
    path, out = tmp_path / "two.txt", tmp_path / "answers"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}")
    command = ["latin-square", path, "--seconds", 600, "--dead-ends", 0, "--json", "--out", out]
    terminal, end = pty.openpty()
    os.set_blocking(terminal, False)

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(end, termios.TIOCSCTTY, 0)

    streams: Any = {"stdin": end, "stdout": end, "stderr": end, "preexec_fn": take_terminal}
    with launched("solve", *command, **streams) as process:
        os.close(end)

        def found_one() -> bool:
            with suppress(OSError):  # nothing there
                os.read(terminal, 1 << 16)
            return lines_of(tmp_path / "answers.part") == 1

        wait_until(found_one, process)
        os.close(terminal)
        assert process.wait(PATIENCE) == 130
    first, second = solved_lines(out.read_text())
    assert (first["status"], second["status"]) == ("solved", "interrupted")


def test_a_command_that_outlives_its_terminal(tmp_path: Path) -> None:
    """Under `nohup`, which ignores the signal, it goes on."""
    out = tmp_path / "answers"
    path = tmp_path / "two.txt"
    path.write_text(f"{IMPOSSIBLE}\n{SQUARE}")
    command = ["latin-square", path, "--playouts", 20_000, "--dead-ends", 0, "--out", out]

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with launched("solve", *command, preexec_fn=ignore) as process:
        wait_until((tmp_path / "answers.part").exists, process)
        process.send_signal(signal.SIGHUP)
        assert ended(process).status == 1
    assert out.read_text().count("\n\n") == 2


def test_a_killed_command_leaves_what_it_has_found(tmp_path: Path) -> None:
    """After kill -9 the answers found lie beside the file; the same command goes on from them."""
    path, out = tmp_path / "two.txt", tmp_path / "answers"
    growing, journal = tmp_path / "answers.part", tmp_path / "answers.journal"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}")
    command = ["latin-square", path, "--dead-ends", 0, "--json", "--out", out, "--seconds", 600]
    with launched("solve", *command) as process:
        wait_until(lambda: lines_of(growing) == 1, process)
        process.kill()
        ended(process)
    left = growing.read_text()
    assert journal.exists()
    with launched("solve", *command) as process:
        assert process.stderr is not None
        told = process.stderr.readline()
        assert growing.read_text() == left
        process.send_signal(signal.SIGINT)
        assert ended(process).status == 130
    assert told == f"going on from {journal}, which has 1 of the answers\n"
    # It compiles, perhaps: then they stay where they are.
    assert (out if out.exists() else growing).read_text().startswith(left)
    assert journal.exists()


def test_ctrl_c_before_the_first_answer_again(tmp_path: Path) -> None:
    """A command that begins after a killed one, and is interrupted at once, deletes nothing."""
    path, out = tmp_path / "two.txt", tmp_path / "answers"
    growing = tmp_path / "answers.part"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}")
    command = ["latin-square", path, "--dead-ends", 0, "--seconds", 600, "--out", out]
    with launched("solve", *command) as process:
        wait_until(lambda: lines_of(growing) > 1, process)
        process.kill()
        ended(process)
    left = growing.read_text()
    other = [*command, "--seed", 1]
    with launched("solve", *other) as process:
        wait_until(lambda: not growing.exists() or lines_of(growing) == 0, process)
        process.send_signal(signal.SIGINT)
        assert ended(process).status == 130
    assert (tmp_path / "answers.part-1").read_text() == left
    assert (tmp_path / "answers.journal-1").exists()


def test_ctrl_c_while_kernels_compile(tmp_path: Path, square: Path) -> None:
    """It is said that kernels are compiled; Ctrl-C ends that, not only what comes after it."""
    environment = {KERNELS_VARIABLE: str(tmp_path / "kernels")}
    words = ["latin-square", square, "--algorithm", "gnrpa"]
    with launched("solve", *words, environment=environment) as process:
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
    """The command ends quietly and at once if its reader leaves, as `head` does."""
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
