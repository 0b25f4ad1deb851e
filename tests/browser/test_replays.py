"""Games to click through in a real browser: buttons and keys, on a phone, without requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.commands.compare import run
from tests.browser.devtools import Page, find_browser, open_browser
from tests.browser.test_report import CONTRAST, CUT_OFF, DESK, OVERFLOW, PHONE, SCHEMES

BROWSER = find_browser()

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium: apt-get install chromium, or name one in $BROWSER"
)

SEEN = """
[...document.querySelectorAll('.replay')].map(replay =>
  [...replay.querySelectorAll('figure')].filter(figure => figure.checkVisibility())
    .map(figure => figure.querySelector('figcaption').textContent).join())
"""
PRESS = "document.dispatchEvent(new KeyboardEvent('keydown', {key: '%s'}))"
CLICK = "document.querySelectorAll('.replay')[%d].querySelector('button[name=%s]').click()"
FRAMES = "document.querySelectorAll('.replay')[%d].querySelectorAll('figure').length"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Yield a page that is open on the games of a small match."""
    assert BROWSER is not None
    folder = tmp_path_factory.mktemp("replays")
    words = ["--algorithm", "uct,flat", "--playouts", "20", "--games", "4", "--out", str(folder)]
    assert run(["hex", *words]) == 0
    with open_browser(BROWSER, folder / "profile") as page:
        page.open(folder / "report.html")
        yield page


def test_a_game_is_clicked_through(page: Page) -> None:
    """Buttons go on, back, to the end and the start of their game; keys go on in the last one."""
    page.look(PHONE)
    games = page.run("document.querySelectorAll('.replay').length")
    assert games > 1
    assert page.run(SEEN) == ["Start"] * games
    page.run(PRESS % "ArrowRight")
    first, *others = page.run(SEEN)
    assert first.startswith("1 of ")
    assert others == ["Start"] * (games - 1)
    page.run(CLICK % (1, "last"))
    page.run(PRESS % "ArrowRight")  # there is nothing behind the end
    moves = page.run(FRAMES % 1) - 1
    assert page.run(SEEN)[1].startswith(f"{moves} of {moves}: ")
    page.run(PRESS % "ArrowLeft")
    assert page.run(SEEN)[:2] == [first, page.run(SEEN)[1]]
    assert page.run(SEEN)[1].startswith(f"{moves - 1} of ")
    page.run(PRESS % "Home")
    page.run(CLICK % (0, "back"))
    assert page.run(SEEN) == ["Start"] * games


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_fits(page: Page, width: int, scheme: str) -> None:
    """Nothing overflows or is cut off, and texts can be read, in light and in dark."""
    page.look(width, scheme=scheme)
    assert page.run(OVERFLOW) == []
    assert page.run(CUT_OFF) == []
    around = page.run(CONTRAST.replace("figure svg text", "no-text-on-stones"))
    assert min(around.values()) > 4.5


def test_nothing_is_fetched(page: Page) -> None:
    """The page is all there is, and no script fails."""
    urls = [one["request"]["url"] for one in page.named("Network.requestWillBeSent")]
    assert all(url.startswith("file:") and Path(url).name == "report.html" for url in urls)
    assert page.named("Runtime.exceptionThrown") == []
