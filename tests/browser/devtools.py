"""A headless Chromium over the pipe of its DevTools protocol: the standard library is enough.

Messages are JSON that ends with a zero byte; the browser reads them from file descriptor 3 and
writes to 4 (`--remote-debugging-pipe`).
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # the page is ours, and containers have no user namespaces
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 90.0
"""Seconds until a browser that does not answer is given up."""


def find_browser() -> str | None:
    """Path of a Chromium: of $BROWSER, or of one on the PATH."""
    names = (os.environ.get("BROWSER", ""), *NAMES)
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


class Page:
    """A page that is open in the browser, with everything that it reported."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._received = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result; events are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(PATIENCE)
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _receive(self, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._reading], [], [], deadline - time.monotonic())
            assert ready, "the browser does not answer"
            chunk = os.read(self._reading, 1 << 20)
            assert chunk, "the browser ended"
            self._received += chunk
        text, _, self._received = self._received.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def open(self, path: Path) -> None:
        """Load a file and wait until it is there."""
        self.go(path.absolute().as_uri())

    def go(self, address: str) -> None:
        """Load an address and wait until it is there."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not self.named("Page.loadEventFired"):
            self.events.append(self._receive(PATIENCE))

    def press(self, key: str, text: str = "", control: bool = False, shift: bool = False) -> None:
        """Press and release a key; `text` is what it types."""
        modifiers = 2 * control + 8 * shift
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        known = {"key": key, "code": "Space" if key == " " else key, "modifiers": modifiers}
        known["windowsVirtualKeyCode"] = codes.get(key) or ord(key.upper())
        typed = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", **known, **typed)
        self.call("Input.dispatchKeyEvent", **known, type="keyUp")

    def write(self, text: str) -> None:
        """Type text where the focus is."""
        self.call("Input.insertText", text=text)

    def wait_for(self, script: str) -> Any:
        """Wait until a JavaScript expression is true; returns its value."""
        deadline = time.monotonic() + PATIENCE
        while not (value := self.run(script)):
            assert time.monotonic() < deadline, script
            time.sleep(0.05)
        return value

    def named(self, *methods: str) -> list[dict[str, Any]]:
        """Return the parameters of the events of these names so far."""
        return [one["params"] for one in self.events if one.get("method") in methods]

    def look(self, width: int, height: int = 900, scheme: str = "light", media: str = "") -> None:
        """Set the size of the window in pixels, the colour scheme, and the medium."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def run(self, script: str) -> Any:
        """Value of a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def screenshot(self, path: Path, top: int, width: int, height: int) -> None:
        """Write a part of the page as PNG, from `top` pixels on."""
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        found = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self) -> bytes:
        """Return the page as it would be printed."""
        return base64.b64decode(
            self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.7)["data"]
        )


@contextmanager
def open_browser(browser: str, profile: Path) -> Iterator[Page]:
    """Start the browser with a new profile in the folder `profile`, and end it."""
    to_browser, writing = os.pipe()
    reading, from_browser = os.pipe()
    wanted = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$0" "$@"'
    process = subprocess.Popen(
        ["bash", "-c", wanted, browser, *FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(to_browser, from_browser),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        yield Page(reading, writing)
    finally:
        os.close(writing)  # the browser ends with its pipe
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(reading)
