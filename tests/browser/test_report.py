"""The benchmark report in a real browser: every figure drawn, nothing overflows, no requests.

`make browser-test`; with `REPORT=docs/report/report.html` that report, not a small new one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.commands.compare import run
from tests.browser.devtools import Page, find_browser, open_browser

ROOT = Path(__file__).parents[2]
BROWSER = find_browser()
PHONE, DESK, PAPER = 380, 1280, 718  # pixels; the last is A4 between its margins
SCHEMES = ("light", "dark")

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium: apt-get install chromium, or name one in $BROWSER"
)

UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
DRAWINGS = """
[...document.querySelectorAll('figure')].map(figure => {
  const svg = figure.querySelector('svg');
  const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
  const drawn = svg ? svg.getBBox() : {width: 0, height: 0};
  return {name: figure.id, width: box.width, height: box.height,
          drawnWidth: drawn.width, drawnHeight: drawn.height,
          shapes: svg ? svg.querySelectorAll('path, text, use, rect').length : 0};
})
"""
# What sticks out of the page to the right; a table may where it can be scrolled.
OVERFLOW = """
[...document.querySelectorAll('body *')].filter(one =>
  !one.closest('svg *') && !one.parentElement.closest('.scroll, pre') &&
  one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
).map(one => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 40)}`)
"""
# Words in a figure that are cut off at its edge.
CUT_OFF = """
[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const edge = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < edge.left - 2 || box.right > edge.right + 2 ||
                         box.top < edge.top - 2 || box.bottom > edge.bottom + 2);
  }).map(text => `${svg.parentElement.id}: ${text.textContent.slice(0, 40)}`);
})
"""
# Contrast of text with the page (WCAG 2), from 1 to 21.
CONTRAST = """
(() => {
  const light = colour => {
    const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(Number).map(value => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll('p, th, td, summary, a, figcaption, small')];
  const fills = [...document.querySelectorAll('figure svg text')];
  const colours = new Set([...texts.map(one => getComputedStyle(one).color),
                           ...fills.map(one => getComputedStyle(one).fill)]);
  return Object.fromEntries([...colours].map(colour => {
    const [low, high] = [light(colour), paper].sort((a, b) => a - b);
    return [colour, (high + 0.05) / (low + 0.05)];
  }));
})()
"""


# Cells of the answer columns that are beyond the right edge, of tables that are not folded.
ANSWERS = "[...document.querySelectorAll('td.answer')].filter(cell => !cell.closest('details'))"
HIDDEN = f"""
{ANSWERS}.filter(cell =>
  cell.getBoundingClientRect().right > document.documentElement.clientWidth
).map(cell => `${{cell.closest('table').caption.textContent}}: ${{cell.textContent.trim()}}`)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of the report that is looked at: over all five problems."""
    chosen = os.environ.get("REPORT")
    if chosen:
        return ROOT / chosen
    out = tmp_path_factory.mktemp("report")
    small = ["--instances=2", "--playouts=10000", "--seconds=1", f"--out={out}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)  # the plan names priors from there
        assert run(["--plan=benchmarks/report.toml", *small]) == 0
    return out / "report.html"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page of a browser that was just started."""
    assert BROWSER is not None
    with open_browser(BROWSER, tmp_path_factory.mktemp("profile")) as page:
        yield page


def unfolded(page: Page, report: Path, width: int, scheme: str = "light", media: str = "") -> Page:
    """Open the report at a width with all its parts unfolded."""
    page.look(width, scheme=scheme, media=media)
    page.open(report)
    page.run(UNFOLD)
    return page


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_every_figure_is_drawn(page: Page, report: Path, width: int) -> None:
    """Each figure has a size, and something in it that has one; every problem has solutions."""
    figures: list[dict[str, Any]] = unfolded(page, report, width).run(DRAWINGS)
    assert len(figures) > 40
    for figure in figures:
        sizes = [figure[key] for key in ("width", "height", "drawnWidth", "drawnHeight")]
        assert min(sizes) > 20, figure
        assert figure["width"] <= width
        assert figure["shapes"] > 2, figure
    solved = {one["name"].split("-")[1] for one in figures if "-solution-" in one["name"]}
    assert solved == {"latin", "kakuro", "rna", "samegame", "tsptw"}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_overflows(page: Page, report: Path, width: int, scheme: str) -> None:
    """The page is as wide as the window, and no words of a figure are cut off."""
    unfolded(page, report, width, scheme)
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.run(OVERFLOW) == []
    assert page.run(CUT_OFF) == []


def test_answers_are_seen_first(page: Page, report: Path) -> None:
    """Without scrolling a phone shows the column of each table that holds the result."""
    page.look(PHONE)
    page.open(report)
    assert page.run(f"{ANSWERS}.length") > 15
    assert page.run(HIDDEN) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_can_be_read(page: Page, report: Path, scheme: str) -> None:
    """All text has a contrast of 4.5 or more with the page, dark or light."""
    contrasts: dict[str, float] = unfolded(page, report, DESK, scheme).run(CONTRAST)
    assert len(contrasts) > 3
    assert {colour for colour, contrast in contrasts.items() if contrast < 4.5} == set()


def test_dark_and_light_are_followed(page: Page, report: Path) -> None:
    """The page has another background for a reader who prefers dark."""
    script = "getComputedStyle(document.body).backgroundColor"
    light, dark = (unfolded(page, report, DESK, scheme).run(script) for scheme in SCHEMES)
    assert light == "rgb(255, 255, 255)"
    assert dark not in (light, "rgba(0, 0, 0, 0)")


def test_nothing_is_said_and_nothing_is_asked_for(page: Page, report: Path) -> None:
    """No message in the console, no error, no request but that for the page itself."""
    unfolded(page, report, DESK)
    page.run("window.scrollTo(0, document.body.scrollHeight)")
    page.call("Page.captureScreenshot")  # everything was laid out and painted
    assert page.named("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded") == []
    asked = [one["request"]["url"] for one in page.named("Network.requestWillBeSent")]
    assert asked == [report.absolute().as_uri()]


def test_it_can_be_printed(page: Page, report: Path) -> None:
    """The printed report is light, fits the width, and the PDF has pages."""
    unfolded(page, report, PAPER, "dark", "print")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("document.documentElement.scrollWidth") <= PAPER
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type/Page/") > 3
