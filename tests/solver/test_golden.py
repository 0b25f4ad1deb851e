from __future__ import annotations

import pytest

from solver.domains import DOMAINS
from tests.golden.playouts import golden_file, golden_text


@pytest.mark.parametrize("domain", DOMAINS)
def test_playouts_are_as_they_were(domain: str) -> None:
    """Moves listed, moves chosen and scores equal the file kept: tests/golden/__main__.py."""
    assert golden_text(domain) == golden_file(domain).read_text()
