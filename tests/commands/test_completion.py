"""`--completion`: what a shell proposes at TAB, asked of the shell itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from solver.domains import BENCHMARKS, domain_names
from solver.games import game_names
from tests.commands.shell import Run

BASH, ZSH = shutil.which("bash"), shutil.which("zsh")
Propose = Callable[..., list[str]]
needs_bash = pytest.mark.skipif(BASH is None, reason="no bash")
#: What readline does at TAB: the words so far, the last of them begun.
AT_TAB = """
source "$1"; command=$2; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_nestor_$command "$command" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
for word in "${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the scripts, each made once."""
    return tmp_path_factory.mktemp("scripts")


@pytest.fixture
def propose(run: Run, scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Propose:
    """Function that returns what bash proposes for the last of some words; nothing on stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my tours.txt").touch()
    (tmp_path / "table.parquet").touch()
    (tmp_path / "runs").mkdir()

    def proposals(command: str, *words: str) -> list[str]:
        script = scripts / command
        if not script.exists():
            script.write_text(run(command, "--completion", "bash").out)
        done = subprocess.run(
            [str(BASH), "-u", "-c", AT_TAB, "-", str(script), command, *words],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.splitlines()

    return proposals


@needs_bash
@pytest.mark.parametrize("command", ["solve", "learn", "compare"])
def test_names_of_problems(propose: Propose, command: str) -> None:
    """The first argument may be any problem or game, or a file with one, options before or not."""
    sets = [] if command == "learn" else list(BENCHMARKS)
    names = {*domain_names(), *game_names(), *sets}
    files = {"my tours.txt", "table.parquet", "runs"}
    assert set(propose(command, "")) == names | files
    assert propose(command, "latin") == ["latin-square"]
    for before in (["--quiet"], ["--seed" if command != "compare" else "--seeds", "3"]):
        assert propose(command, *before, "kak") == ["kakuro"]


@needs_bash
def test_options_of_a_problem(propose: Propose) -> None:
    """Behind a problem its own options are proposed, those of others are not."""
    of_rna, of_tours, of_hex = (
        set(propose("solve", name, "--")) for name in ("rna", "tsptw", "hex")
    )
    assert {"--engine", "--gc", "--draw", "--page", "--json"} <= of_rna
    assert "--engine" not in of_tours | of_hex
    assert "--objective" in of_tours
    assert {"--play", "--gtp"} <= of_hex - of_rna
    assert set(propose("solve", "--quiet", "rna", "x.fa", "--eng")) == {"--engine"}
    assert "--engine" not in propose("solve", "--")
    assert "--order" in propose("compare", "latin-square", "--")
    assert "--games" in propose("compare", "hex", "--")
    assert "--prior-code" in propose("learn", "kakuro", "--prior")


@needs_bash
def test_values_of_options(propose: Propose) -> None:
    """Choices, names and files behind what takes them, folders behind what takes these."""
    assert propose("solve", "--completion", "") == ["bash", "zsh", "tcsh"]
    assert propose("solve", "latin-square", "--diversity", "s") == ["scores", "sequences"]
    assert propose("learn", "latin-square", "--prior-code", "") == ["triple", "dual", "belief"]
    assert propose("solve", "rna", "--prior", "tab") == ["table.parquet"]
    assert {"none", "ngram", "my tours.txt"} <= set(propose("solve", "rna", "--prior", ""))
    assert propose("solve", "rna", "--prior", "=", "ngr") == ["ngram"]
    assert propose("solve", "rna", "--prior", "=") == propose("solve", "rna", "--prior", "")
    assert propose("compare", "rna", "--prior", "none,ngr") == ["none,ngram"]
    assert propose("solve", "rna", "--algorithm", "ceg") == ["cegls"]
    assert propose("solve", "rna", "--out", "my") == ["my tours.txt"]
    assert propose("solve", "rna", "--seed", "") == []
    assert propose("report", "") == ["runs"]
    assert propose("compare", "rna", "--out", "") == ["runs"]
    assert propose("solve", "rna", "my") == ["my tours.txt"]


@needs_bash
@pytest.mark.parametrize("command", ["solve", "check", "learn", "compare", "report"])
def test_bash_completes_when_it_is_asked_to(run: Run, command: str, tmp_path: Path) -> None:
    """The script is read as its help says, and bash then knows what completes the command."""
    script = tmp_path / "script"
    script.write_text(run(command, "--completion", "bash").out)
    text = f'eval "$(cat {script})"; complete -p {command}'
    done = subprocess.run([str(BASH), "-c", text], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"complete -F _nestor_{command} {command}\n", "")


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
@pytest.mark.parametrize("command", ["solve", "check", "learn", "compare", "report"])
def test_other_shells(run: Run, command: str, shell: str) -> None:
    """Their scripts name the problems, and nothing that only argparse understands."""
    finished = run(command, "--completion", shell)
    assert finished.status == 0
    assert "SUPPRESS" not in finished.out
    assert ("latin-square kakuro sudoku rna" in finished.out) == (command != "report")


@pytest.mark.skipif(ZSH is None, reason="no zsh")
@pytest.mark.parametrize("command", ["solve", "check", "learn", "compare", "report"])
def test_zsh_reads_its_script(run: Run, command: str, tmp_path: Path) -> None:
    """The script for zsh has no error of syntax."""
    script = tmp_path / "script"
    script.write_text(run(command, "--completion", "zsh").out)
    done = subprocess.run([str(ZSH), "-n", str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
