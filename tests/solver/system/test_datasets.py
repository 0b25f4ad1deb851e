"""Files that ship, and corpora that are looked up or downloaded."""

from __future__ import annotations

import gc
import hashlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from solver.errors import InputError
from solver.system import datasets
from solver.system.datasets import corpus_path, dataset_path, registry, sha256

CONTENT = b"# STOCKHOLM 1.0\n//\n" * 50


@dataclass
class Server:
    """A web server on this machine, and what was asked of it."""

    url: str
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serve CONTENT at /corpus and half of it at /broken."""
    monkeypatch.setenv("NO_PROXY", "*")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            if self.path not in ("/corpus", "/broken"):
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT if self.path == "/corpus" else CONTENT[:100])

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        found = Server(f"http://127.0.0.1:{http.server_address[1]}")
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))  # seconds to see an end
        thread.start()
        yield found
        http.shutdown()
        thread.join()


Register = Callable[..., None]


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Register:
    """Make a registry of one corpus; nothing is in the data home or in the cache."""
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    monkeypatch.setattr(datasets, "FOLDER", shipped)
    monkeypatch.setenv("NESTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NESTOR_DATA", raising=False)

    def write(url: str, sha256: str | None = None) -> None:
        checksum = "" if sha256 is None else f'sha256 = "{sha256}"\n'
        (shipped / "registry.toml").write_text(
            f'[corpus]\nfiles = ["corpus.txt", "old-name.txt"]\nurl = "{url}"\n{checksum}'
        )

    return write


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("checksum", [None, hashlib.sha256(CONTENT).hexdigest()])
def test_a_corpus_is_downloaded_once(
    server: Server, register: Register, tmp_path: Path, checksum: str | None
) -> None:
    """A missing corpus is fetched into the cache once, and found there again."""
    register(f"{server.url}/corpus", checksum)
    path = corpus_path("corpus")
    assert path.read_bytes() == CONTENT
    assert path == tmp_path / "cache" / "data" / "corpus.txt"
    assert corpus_path("corpus") == path
    assert server.asked == ["/corpus"]
    assert files(tmp_path / "cache") == ["corpus.txt"]


def test_a_wrong_checksum_is_refused(server: Server, register: Register, tmp_path: Path) -> None:
    """Another file than the one registered is not kept, and not used the next time either."""
    register(f"{server.url}/corpus", hashlib.sha256(b"another").hexdigest())
    for _ in range(2):
        with pytest.raises(InputError) as error:
            corpus_path("corpus")
        assert str(error.value).startswith(f"{server.url}/corpus: wrong checksum, nothing kept (")
        assert "\n" not in str(error.value)
        assert files(tmp_path / "cache") == []
    assert server.asked == ["/corpus"] * 2


def refused(url: str) -> str:
    with pytest.raises(InputError) as error:
        corpus_path("corpus")
    message = str(error.value)
    assert message.startswith(f"cannot download {url} (")
    assert message.endswith(
        "); fetch it yourself into a folder and name that folder in NESTOR_DATA"
    )
    assert "\n" not in message
    return message


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("checksum", [None, hashlib.sha256(CONTENT).hexdigest()])
@pytest.mark.parametrize("page", ["/missing", "/broken"])
def test_a_download_that_fails(
    server: Server, register: Register, tmp_path: Path, page: str, checksum: str | None
) -> None:
    """A page that is missing, or that breaks off, leaves nothing; one line says what to do."""
    register(server.url + page, checksum)
    refused(server.url + page)
    assert server.asked[0] == page
    assert files(tmp_path / "cache") == []
    gc.collect()  # the socket of the broken download


@pytest.mark.usefixtures("server")
def test_nobody_there(register: Register, tmp_path: Path) -> None:
    """A port that nobody listens at is said in one line."""
    with socket.socket() as taken:  # bound, so that nobody else is; not listening
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/corpus"
        register(url)
        refused(url)
    assert files(tmp_path / "cache") == []


@pytest.mark.parametrize("name", ["corpus.txt", "old-name.txt"])
def test_the_data_home_comes_first(
    server: Server, register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A file in the folder that NESTOR_DATA names is taken, under any of its names."""
    register(f"{server.url}/corpus")
    cached = corpus_path("corpus")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NESTOR_DATA", "~/home")
    assert corpus_path("corpus") == cached  # it is not there yet
    (home / name).write_text("mine")
    assert corpus_path("corpus") == home / name
    (home / "corpus.txt").write_text("the first name counts")
    assert corpus_path("corpus") == home / "corpus.txt"
    assert server.asked == ["/corpus"]


def test_unknown_corpora(register: Register) -> None:
    """A corpus that is not registered is refused with those that are."""
    register("http://127.0.0.1/")
    message = "^no corpus called 'pdb', expected one of: corpus$"
    with pytest.raises(InputError, match=message):
        corpus_path("pdb")


def test_shipped_files() -> None:
    """Files of instances lie where they say; one that is missing is named."""
    assert dataset_path("eterna100.tsv").is_file()
    with pytest.raises(InputError) as error:
        dataset_path("eterna1000.tsv")
    assert str(error.value) == (
        f"{datasets.FOLDER / 'eterna1000.tsv'} is missing: "
        "the package was installed without its data"
    )


def test_the_registry_is_complete() -> None:
    """Every corpus has names, an address or a source, a licence and a description."""
    entries = registry()
    assert "rfam" in entries
    for entry in entries.values():
        assert entry["files"]
        assert entry.get("url", "").startswith("https://") or entry["source"]
        assert entry["licence"]
        assert entry["what"]


def test_checksums(tmp_path: Path) -> None:
    """The checksum of a file is that of its bytes."""
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    assert sha256(path) == hashlib.sha256(CONTENT).hexdigest()
