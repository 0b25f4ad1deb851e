"""The page of RNA design in a real browser, by the keyboard: `make browser-test`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.browser.devtools import PATIENCE, Page, find_browser, open_browser
from tests.commands.shell import launched

BROWSER = find_browser()
PHONE, DESK = 380, 1280  # pixels
WIDTHS = (PHONE, DESK)

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium: apt-get install chromium, or name one in $BROWSER"
)

HAIRPIN = ">hairpin\n((((((....))))))\n"
# Elements that stick out to the right; in what can be scrolled they may.
OVERFLOW = """
[...document.querySelectorAll('body *')].filter(one =>
  !one.closest('.unseen, .skip, svg *') &&
  !one.parentElement.closest('.scroll, .sequence, .editor') &&
  one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
).map(one => `${one.tagName} ${one.id} ${one.className}`)
"""
# Contrast (WCAG 2) of each text with what lies behind it, where it is less than 4.5.
FAINT = """
(() => {
  const numbers = colour => colour.match(/[0-9.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = numbers(colour).slice(0, 3).map(value => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = one => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if ((numbers(colour)[3] ?? 1) > 0.5) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = [...document.querySelectorAll('body *')].filter(one =>
    !one.closest('svg, pre, .unseen') && one.offsetParent &&
    [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  return texts.map(one => {
    const pair = [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => a - b);
    return [`${one.tagName} ${one.className} ${one.textContent.slice(0, 20)}`,
            (pair[1] + 0.05) / (pair[0] + 0.05)];
  }).filter(([, contrast]) => contrast < 4.5);
})()
"""
ROWS = "document.querySelectorAll('#rows tr').length"
STATES = "[...document.querySelectorAll('.state')].map(one => one.className.split(' ')[1])"


class Server:
    """A server of the page, over a folder of jobs."""

    def __init__(self, jobs: Path) -> None:
        self._stack = ExitStack()
        self._process: subprocess.Popen[str] = self._stack.enter_context(
            launched("solve", "rna", "--page", "--jobs", jobs)
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()

    def jobs(self) -> list[dict[str, Any]]:
        """The jobs, as the server lists them."""
        with urllib.request.urlopen(self.address + "api/state") as answer:
            found: list[dict[str, Any]] = json.load(answer)["jobs"]
        return found

    def kill(self) -> None:
        """`kill -9`."""
        os.kill(self._process.pid, signal.SIGKILL)
        self._stack.close()

    def end(self) -> None:
        """Ctrl-C."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)
        self._stack.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    found = Server(tmp_path / "jobs")
    yield found
    found.end()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    assert BROWSER is not None
    with open_browser(BROWSER, tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(browser: Page, server: Server) -> Page:
    """The page, as wide as a desk."""
    browser.look(DESK)
    browser.go(server.address)
    return browser


def tab_to(page: Page, selector: str) -> None:
    """Go from element to element until one is reached."""
    for _ in range(150):
        if page.run(f"document.activeElement.matches({json.dumps(selector)})"):
            return
        page.press("Tab")
    raise AssertionError(f"the keyboard does not reach {selector}")


def enter(page: Page, selector: str, text: str) -> None:
    """Put `text` into a field in place of what is there."""
    tab_to(page, selector)
    if page.run("document.activeElement.matches('select')"):
        page.press(text[0], text=text[0])
        return
    page.run("document.activeElement.select()")
    page.write(text)


def begin(page: Page, targets: str, **values: Any) -> None:
    """Fill the form and start, by the keyboard."""
    page.run("document.activeElement.blur()")
    enter(page, "#targets", targets)
    for name, value in values.items():
        enter(page, f"#{name}", str(value))
    page.press("Enter", control=True)


def complaints(page: Page) -> list[Any]:
    """Errors that the browser reported: of scripts, and words in the console."""
    return page.named("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


def look_at(page: Page, path: Path) -> None:
    """Write a picture where $SCREENSHOTS wants them."""
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        width, height = page.run("[innerWidth, document.documentElement.scrollHeight]")
        page.screenshot(Path(folder) / path, 0, width, height)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_whole_way_by_keyboard(browser: Page, server: Server, width: int) -> None:
    """Type, see the target, start, sort, pick, look at a design, and come back."""
    page = browser
    page.look(width)
    page.go(server.address)
    begin(page, HAIRPIN, designs=4, forbid="GGGG")
    page.wait_for("document.querySelectorAll('#preview svg circle').length === 16")
    page.wait_for(f"{ROWS} === 4")
    page.wait_for(f"{STATES}[0] === 'done'")
    tab_to(page, "th[data-column=probability] button")
    page.press("Enter", text="\r")
    shown = (
        "[...document.querySelectorAll('#rows tr')].map(one => Number(one.cells[6].textContent))"
    )
    assert page.run(shown) == sorted(page.run(shown), reverse=True)
    assert page.run("document.activeElement.closest('th').ariaSort") == "descending"
    page.press("Enter", text="\r")
    assert page.run(shown) == sorted(page.run(shown))
    tab_to(page, "td.pick input")
    page.press(" ", text=" ")
    picked = page.run("document.activeElement.closest('tr').cells[1].textContent")
    assert page.run("document.querySelector('#picked').textContent") == "1 of 4 picked"
    for kind in ("fasta", "csv"):
        link = page.run(f"document.querySelector('#{kind}').href")
        assert link.endswith(f"designs.{kind}?pick={int(picked) - 1}")
    tab_to(page, "td.letters button")
    page.press("Enter", text="\r")
    page.wait_for("document.querySelectorAll('#structure svg, #dots svg').length === 2")
    tab_to(page, "[data-colour=probability]")
    page.press("Enter", text="\r")
    page.wait_for("document.querySelectorAll('#structure .share').length === 16 + 5")
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.run(OVERFLOW) == []
    page.press("Escape")
    assert page.run("document.activeElement.matches('td.letters button')")
    assert complaints(page) == []
    asked = [one["request"]["url"] for one in page.named("Network.requestWillBeSent")]
    assert asked
    assert all(address.startswith(server.address) for address in asked)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_can_be_read(browser: Page, server: Server, width: int, scheme: str) -> None:
    """With designs and errors on it nothing sticks out, and texts have contrast."""
    page = browser
    page.look(width, scheme=scheme)
    page.go(server.address)
    begin(page, HAIRPIN, designs=3)
    page.wait_for(f"{ROWS} === 3")
    page.wait_for(f"{STATES}[0] === 'done'")
    tab_to(page, "td.letters button")
    page.press("Enter", text="\r")
    page.wait_for("document.querySelectorAll('#structure svg').length")
    page.run("document.querySelector('.presets').open = true")
    page.run("document.activeElement.blur()")
    enter(page, "#gc", "50")
    page.wait_for("document.querySelector('#gc').ariaInvalid === 'true'")
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.run(OVERFLOW) == []
    assert page.run(FAINT) == []
    look_at(page, Path(f"page-{width}-{scheme}.png"))


def test_three_jobs_and_a_reload(page: Page, server: Server) -> None:
    """Jobs go on while the page is loaded again and while it is closed; it shows them after."""
    for seed in range(3):
        begin(page, HAIRPIN, objective="probability", seconds=3, seed=seed)
        page.wait_for(f"{STATES}.length === {seed + 1}")
    page.go(server.address)
    page.wait_for(f"{STATES}.length === 3")
    assert page.run("document.querySelector('#targets').value") == HAIRPIN
    page.go("about:blank")
    names = {one["id"] for one in server.jobs()}
    page.go(server.address)
    page.wait_for(f"{STATES}.join() === 'done,done,done'")
    assert {one["id"] for one in server.jobs()} == names
    assert [one["found"] for one in server.jobs()] == [5, 5, 5]
    page.wait_for(f"{ROWS} === 5")
    assert complaints(page) == []


def test_wrong_input(page: Page, server: Server) -> None:
    """The place is marked, one key goes there; a wrong field has the focus, and nothing starts."""
    begin(page, ">a\n((((...))))\nNNNNXNNNNNN")
    page.wait_for("document.querySelector('#marks mark')?.textContent === 'X'")
    said = page.run("document.querySelector('#targets-error').textContent")
    assert said.startswith("line 3, position 5: 'X', expected one of ")
    tab_to(page, "#targets-error button")
    page.press("Enter", text="\r")
    assert page.run("[document.activeElement.id, document.activeElement.selectionStart]") == [
        "targets", 19,
    ]  # fmt: skip
    page.write("N")
    page.wait_for("document.querySelector('#targets-error').textContent === ''")
    enter(page, "#designs", "many")
    page.press("Enter", control=True)
    page.wait_for("document.activeElement.id === 'designs' && document.activeElement.ariaInvalid")
    assert "Designs is 'many', expected a whole number" in page.run("document.body.innerText")
    assert complaints(page) == []
    assert server.jobs() == []


def wait_for_jobs(server: Server, page: Page, condition: Callable[[Any], bool]) -> None:
    """Wait until the first of the jobs is as wanted."""
    page.wait_for(f"{STATES}.length")
    deadline = time.monotonic() + PATIENCE
    while not condition(server.jobs()[0]):
        assert time.monotonic() < deadline, server.jobs()
        time.sleep(0.1)


def test_a_killed_server(browser: Page, tmp_path: Path) -> None:
    """The next one shows what was found, and goes on with it; the old page says that it is old."""
    page, jobs = browser, tmp_path / "jobs"
    page.look(DESK)
    first = Server(jobs)
    page.go(first.address)
    begin(page, HAIRPIN, designs=6, objective="defect", seconds=12)
    wait_for_jobs(first, page, lambda job: job["found"] > 0)
    first.kill()
    page.wait_for("document.querySelector('#connection').textContent")
    second = Server(jobs)
    try:
        page.go(second.address)
        page.wait_for(f"{STATES}[0] === 'interrupted'")
        page.wait_for(f"0 < {ROWS} && {ROWS} < 6")
        before = page.run("document.querySelector('#rows tr').innerText")
        tab_to(page, ".resume")
        page.press("Enter", text="\r")
        page.wait_for(f"{STATES}[0] === 'done'")
        page.wait_for(f"{ROWS} === 6")
        assert page.run("document.querySelector('#rows tr').innerText") == before
    finally:
        second.end()


def test_stop_and_remove(page: Page, server: Server, tmp_path: Path) -> None:
    """A stopped job keeps what it found and frees its process; a removed one is gone."""
    begin(page, HAIRPIN, designs=50, objective="probability", seconds=600)
    wait_for_jobs(server, page, lambda job: job["status"] == "running" and job["progress"])
    tab_to(page, ".stop")
    page.press("Enter", text="\r")
    page.wait_for(f"{STATES}[0] === 'stopped'")
    log = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) + "/jobs/2" not in log
    tab_to(page, ".remove")
    page.press("Enter", text="\r")
    assert len(server.jobs()) == 1
    page.press("Enter", text="\r")
    page.wait_for(f"{STATES}.length === 0")
    assert server.jobs() == []
    assert page.run("document.activeElement.id") == "jobs"
