"""The page of a problem names all that the problem has."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from solver.contract.designer import designer_class
from solver.contract.references import load_generator, peers_of
from solver.domains import DOMAINS, load_domain

PAGES = Path(__file__).parents[2] / "docs" / "problems"


@pytest.mark.parametrize("name", DOMAINS)
def test_pages_name_all_that_there_is(name: str) -> None:
    """Options, requests, priors, benchmark sets, peers; and the prior that ships."""
    page = (PAGES / f"{name}.md").read_text()
    domain = load_domain(name)
    options = (domain.options, designer_class(domain).requests_class, load_generator(domain))
    for field in (field for cls in options for field in dataclasses.fields(cls)):
        assert f"`--{field.name.replace('_', '-')}" in page, field.name
    for word in (*domain.priors, *domain.handmade, *domain.benchmarks, *peers_of(domain)):
        assert f"`{word}`" in page, word
    shipped = next(line for line in page.splitlines() if line.startswith("| prior that ships"))
    assert f"`{domain.shipped_prior}`" in shipped
