"""Access control of the server: only the page that it served itself, opened by its address.

Any page in the browser could send requests to a port of this machine. So every path begins with
a token, requests must name this very host, which a foreign name that resolves to 127.0.0.1 is not,
and none may come from another page.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from solver.system.text_blocks import whole_number

#: Largest body of a request, more than anybody types into a form.
MOST_BYTES = 1_000_000
#: Port of addresses that name none.
HTTP_PORT = 80
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def new_token() -> str:
    """A word that nobody guesses."""
    return secrets.token_urlsafe(24)


class Guard:
    """Lets requests through to `app` that are from its page, and forbids pages all else.

    Parameters
    ----------
    app : ASGI application
    token : str
        First part of every path.
    port : int
        Port of the server on the loopback.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        names = ("127.0.0.1", "localhost")
        self._hosts = {f"{name}:{port}" for name in names}
        if port == HTTP_PORT:  # of which browsers say nothing
            self._hosts.update(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope)
        answering: ASGIApp = self._app
        if refusal is not None:
            status, text = refusal
            answering = PlainTextResponse(text, status)
        await answering(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason why a request is refused, None where it is not."""
        headers = Headers(scope=scope)
        if headers.get("host") not in self._hosts:
            return 403, "another host was asked for"
        if headers.get("origin", f"http://{headers['host']}") != f"http://{headers['host']}":
            return 403, "another page asks"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "another page asks"
        token = scope["path"].removeprefix("/").partition("/")[0]
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            return 403, "open the address that `solve rna --page` printed"
        if scope["method"] == "POST":
            return _refused_body(headers)
        return None


def _refused_body(headers: Headers) -> tuple[int, str] | None:
    if headers.get("content-type", "").partition(";")[0] != "application/json":
        return 415, "expected application/json"
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdecimal()):
        return 411, "expected Content-Length"
    if whole_number(length, 0, MOST_BYTES) is None:
        return 413, f"expected {MOST_BYTES:,} bytes at most"
    return None
