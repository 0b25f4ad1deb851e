"""Priors by name: made by hand, in a file, or shipped; from any folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solver.domains import DOMAINS, load_domain
from solver.errors import InputError
from solver.priors import priors
from solver.priors.priors import (
    NO_PRIOR,
    default_prior,
    load_prior,
    models_folder,
    named_prior,
    shipped_priors,
)
from tests.toys.sequence import SequenceDomain

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder without models."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_shipped_prior_is_found_from_any_folder() -> None:
    """Its name is enough, and its path is told."""
    prior = named_prior("ngram", load_domain("rna"))
    assert (prior.name, prior.path) == ("ngram", models_folder() / "ngram.parquet")
    assert named_prior("ngram", load_domain("rna"), 3.0).temperature == 3.0


def test_a_prior_is_loaded_without_pandas() -> None:
    """It takes longer to import than the rest of a short `solve` does."""
    lines = (
        "import sys",
        "from solver import load_domain, load_game, named_prior",
        "named_prior('latin-square', load_domain('latin-square'))",
        "named_prior('hex-replies', load_game('hex'))  # several codes",
        "assert 'pandas' not in sys.modules",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], cwd=ROOT, check=True)


def test_files_come_before_shipped_tables(elsewhere: Path) -> None:
    """A file of that name is meant, a folder of that name is not."""
    domain = load_domain("latin-square")
    (elsewhere / "latin-square").mkdir()
    assert named_prior("latin-square", domain).path == models_folder() / "latin-square.parquet"
    (elsewhere / "latin-square").rmdir()
    shutil.copy(models_folder() / "latin-square-dual.parquet", elsewhere / "latin-square")
    assert named_prior("latin-square", domain).path == Path("latin-square")


def test_handmade_priors_come_first(elsewhere: Path) -> None:
    """A file called as a handmade prior is reached by its path."""
    domain = load_domain("samegame")
    shutil.copy(models_folder() / "samegame.parquet", elsewhere / "tabu")
    assert named_prior("tabu", domain).path is None
    assert named_prior("./tabu", domain).path == Path("tabu")
    assert named_prior("none", domain) is NO_PRIOR


@pytest.mark.parametrize(
    ("domain", "name", "message"),
    [
        (
            "rna",
            "ngrm",
            "called 'ngrm' (did you mean ngram?): neither a file nor one of: none, nemo, loops, "
            "ngram",
        ),
        ("tsptw", "", "no prior called '': neither a file nor one of: none, distance, tsptw"),
        (
            "kakuro",
            "x" * 5000,
            "xx...: neither a file nor one of: none, kakuro, kakuro-belief, kakuro-hints",
        ),
        ("tsptw", "missing.parquet", "cannot read missing.parquet: no such file"),
        ("tsptw", "a/missing", "cannot read a/missing: no such file"),
        ("tsptw", "ngram", "ngram.parquet: a prior for rna, expected tsptw"),
    ],
)
def test_unknown_names_list_what_there_is(domain: str, name: str, message: str) -> None:
    """The line has the handmade priors and those that ship for the problem."""
    with pytest.raises(InputError) as error:
        named_prior(name, load_domain(domain))
    assert str(error.value).endswith(message)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_has_a_default(name: str) -> None:
    """It is a shipped table of that very domain, or none where none ships."""
    domain = load_domain(name)
    prior = default_prior(domain)
    if domain.shipped_prior is None:
        assert prior is NO_PRIOR
        return
    assert prior.path is not None
    assert prior.metadata is not None
    assert prior.metadata["domain"] == name
    assert prior.name in shipped_priors(domain)


def test_without_shipped_tables_the_default_is_none(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A domain that is new, or a package installed without its models, is searched all the same."""
    assert default_prior(SequenceDomain()) is NO_PRIOR
    monkeypatch.setattr(priors, "models_folder", lambda: elsewhere / "nothing")
    assert default_prior(load_domain("rna")) is NO_PRIOR
    assert shipped_priors(load_domain("rna")) == []


def test_a_path_that_is_a_text(tmp_path: Path) -> None:
    """It names the file as a path does, one that is not there too."""
    with pytest.raises(InputError, match=r"nope\.parquet: no such file"):
        load_prior(f"{tmp_path}/nope.parquet", SequenceDomain())
