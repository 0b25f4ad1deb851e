"""Responses of the server, and refusals."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from solver.design_page.app import new_app
from solver.design_page.guard import Guard
from solver.design_page.queue import Queue
from solver.design_page.request import DesignRequest
from solver.domains.rna.requests.options import RnaRequests

TOKEN, PORT = "secret", 4321
ORIGIN = f"http://127.0.0.1:{PORT}"
HAIRPIN = "((((....))))"
SEQUENCES = ["GGGGAAAACCCC", "GCGCAAAAGCGC"]


class Client:
    """Sends requests to the application, without a socket."""

    def __init__(self, queue: Queue) -> None:
        self._transport = httpx.ASGITransport(new_app(queue, TOKEN, PORT))

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            base = f"{ORIGIN}/{TOKEN}/"
            async with httpx.AsyncClient(transport=self._transport, base_url=base) as client:
                return await client.request(method, path, **options)

        return asyncio.run(ask())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self._ask("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self._ask("POST", path, **options)

    def delete(self, path: str) -> httpx.Response:
        return self._ask("DELETE", path)


async def endless() -> AsyncIterator[bytes]:
    """A body whose length nobody says."""
    yield b"{}"


def record(sequence: str | None, number: int) -> dict[str, Any]:
    found = {"name": "a/b", "sequence": sequence, "structure": HAIRPIN, "solved": True}
    return found | {"parameters": {}, "budget": {"playouts": None, "seconds": 1}, "answer": number}


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    """A queue that has room for no process."""
    return Queue(tmp_path, 0)


@pytest.fixture
def client(queue: Queue) -> Client:
    return Client(queue)


@pytest.fixture
def job(queue: Queue) -> str:
    """A job with two designs, and a target that has none."""
    job = queue.add(DesignRequest(f">a/b\n{HAIRPIN}", requests=RnaRequests(designs=2)))
    queue.stop(job)
    with (job.folder / "designs.jsonl").open("w") as file:
        for number, sequence in enumerate([*SEQUENCES, None]):
            line = {"target": 0, "record": record(sequence, number), "text": f">{number}\n"}
            file.write(json.dumps(line) + "\n")
        file.write('{"target": 0, "rec')
    queue.state()
    return job.id


def test_the_page_asks_for_nothing_from_outside(client: Client) -> None:
    """All that it names is served, and the policy forbids the rest."""
    page = client.get("")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "//" not in page.text
    for name in ("page.js", "api.js", "form.js", "jobs.js", "designs.js", "page.css", "icon.svg"):
        found = client.get(f"static/{name}")
        assert found.status_code == 200, name
        assert "https://" not in found.text
    assert "javascript" in client.get("static/page.js").headers["content-type"]
    assert ".rna" in client.get("static/drawings.css").text


@pytest.mark.parametrize("name", ["page.html.j2", "none.js", "..%2Fapp.py", "%2Fetc%2Fpasswd"])
def test_other_files_are_not_served(client: Client, name: str) -> None:
    """Only what the page consists of."""
    assert client.get(f"static/{name}").status_code == 404


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (f"/{TOKEN}/", {}, 200),
        (f"/{TOKEN}/", {"Host": f"localhost:{PORT}"}, 200),
        (f"/{TOKEN}/", {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}, 200),
        ("/", {}, 403),
        ("/other/", {}, 403),
        (f"/{TOKEN}x/api/state", {}, 403),
        ("/é/", {}, 403),
        (f"/{TOKEN}/", {"Host": f"evil.example:{PORT}"}, 403),
        (f"/{TOKEN}/", {"Host": "127.0.0.1"}, 403),
        (f"/{TOKEN}/", {"Origin": "https://evil.example"}, 403),
        (f"/{TOKEN}/", {"Origin": "null"}, 403),
        (f"/{TOKEN}/", {"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_who_is_answered(client: Client, path: str, headers: dict[str, str], status: int) -> None:
    """Requests with the token, for this host and from no other page are answered."""
    found = client.get(ORIGIN + path, headers=headers)
    assert found.status_code == status
    assert found.headers["cache-control"] == "no-store"
    assert TOKEN not in found.text


def test_a_path_that_is_none(queue: Queue) -> None:
    """A request about the server itself has `*`."""
    scope = {"type": "http", "method": "OPTIONS", "path": "*"}
    headers = [(b"host", f"127.0.0.1:{PORT}".encode())]
    refusal = Guard(new_app(queue, TOKEN, PORT), TOKEN, PORT)._refusal(
        {**scope, "headers": headers}
    )
    assert refusal is not None
    assert refusal[0] == 403


def test_bodies_that_are_refused(client: Client) -> None:
    """A form of another page, a body without an end or too long, and what is no JSON."""
    assert client.post("api/jobs", content="{}").status_code == 415
    json_type = {"Content-Type": "application/json"}
    assert client.post("api/jobs", content=endless(), headers=json_type).status_code == 411
    long = "x" * 1_000_001
    assert client.post("api/check", content=long, headers=json_type).status_code == 413
    assert client.post("api/check", content="{", headers=json_type).status_code == 400
    assert client.post("api/check", content="[" * 9999, headers=json_type).status_code == 400


def test_a_job_begins_and_ends(client: Client, queue: Queue) -> None:
    """Asked for, listed, stopped, gone on with, removed."""
    begun = client.post("api/jobs", json={"targets": f">a\n{HAIRPIN}", "designs": "3"})
    assert begun.status_code == 201
    name = begun.json()["id"]

    def state() -> list[tuple[str, int]]:
        return [(one["status"], one["wanted"]) for one in client.get("api/state").json()["jobs"]]

    assert state() == [("waiting", 3)]
    assert client.post(f"api/jobs/{name}/stop", json={}).status_code == 200
    assert state() == [("stopped", 3)]
    assert client.post(f"api/jobs/{name}/resume", json={}).status_code == 200
    assert state() == [("waiting", 3)]
    assert client.delete(f"api/jobs/{name}").status_code == 200
    assert state() == []
    assert client.delete(f"api/jobs/{name}").status_code == 404


def test_a_job_that_makes_no_sense(client: Client, queue: Queue) -> None:
    """The error has its place or field, and nothing is kept."""
    for plain, key in (
        ({"targets": "((("}, "line"),
        ({"targets": ""}, "message"),
        ({"targets": HAIRPIN, "gc": "1"}, "field"),
        ([], "message"),
    ):
        found = client.post("api/jobs", json=plain)
        assert found.status_code == 200
        assert key in found.json()["errors"][0]
    assert queue.state() == []


def test_designs_from_a_row_on(client: Client, job: str) -> None:
    """Only what is new is sent; a line that is being written is not there yet."""
    found = client.get(f"api/state?job={job}&from=1").json()
    assert [one["sequence"] for one in found["designs"]] == [SEQUENCES[1], None]
    assert client.get(f"api/state?job={job}&from=x").json()["designs"][0]["answer"] == 0
    assert client.get("api/state?job=none").json()["designs"] == []


def test_downloads(client: Client, job: str) -> None:
    """All designs, or those that were picked, in their order, as FASTA and as a table."""
    assert client.get(f"api/jobs/{job}/designs.fasta").text == ">0\n>1\n>2\n"
    picked = client.get(f"api/jobs/{job}/designs.fasta?pick=1,0,9,x")
    assert picked.text == ">1\n>0\n"
    assert picked.headers["content-disposition"] == f'attachment; filename="{job}.fasta"'
    table = client.get(f"api/jobs/{job}/designs.csv?pick=1").text
    (row,) = csv.DictReader(io.StringIO(table))
    assert (row["sequence"], row["budget_seconds"]) == (SEQUENCES[1], "1")


def test_pictures(client: Client, job: str) -> None:
    """Each design has a structure and a dot plot, to be shown and to be saved."""
    found = client.get(f"api/jobs/{job}/designs/0").json()
    assert {ET.fromstring(svg).attrib["class"] for svg in found.values()} == {"rna"}
    assert "share" not in found["structure"]
    coloured = client.get(f"api/jobs/{job}/designs/0?colour=probability").json()
    assert 'class="share"' in coloured["structure"]
    saved = client.get(f"api/jobs/{job}/designs/1/dots.svg")
    assert "<style>" in saved.text
    assert saved.headers["content-disposition"] == 'attachment; filename="a_b_2.dots.svg"'
    for path in ("2", "3", "0/other.svg", "x"):
        assert client.get(f"api/jobs/{job}/designs/{path}").status_code == 404


def test_the_usual_port_is_left_out(queue: Queue) -> None:
    """Browsers leave port 80 out of an address: the host alone is accepted."""

    async def status(host: str, **headers: str) -> int:
        transport = httpx.ASGITransport(new_app(queue, TOKEN, 80))
        async with httpx.AsyncClient(transport=transport) as client:
            address = f"http://127.0.0.1/{TOKEN}/api/state"
            return (await client.get(address, headers={"Host": host, **headers})).status_code

    for host in ("127.0.0.1", "127.0.0.1:80", "localhost"):
        assert asyncio.run(status(host)) == 200
        assert asyncio.run(status(host, Origin=f"http://{host}")) == 200
    assert asyncio.run(status("127.0.0.1:81")) == 403
    assert asyncio.run(status("127.0.0.1", Origin="http://localhost")) == 403


def test_numbers_of_thousands_of_digits(client: Client, job: str) -> None:
    """They name no row, and are no error of the server."""
    many = "9" * 5000
    assert client.get(f"api/jobs/{job}/designs/{many}").status_code == 404
    assert client.get(f"api/jobs/{job}/designs.csv?pick={many}").status_code == 200
    assert client.get(f"api/state?job={job}&from={many}").status_code == 200
    asked = client.post(f"api/check?shown={many}", json={"targets": HAIRPIN})
    assert asked.json()["shown"] == 0


def test_half_of_a_character_begins_no_job(client: Client) -> None:
    """The list of jobs could not be written with it."""
    asked = json.dumps({"targets": f">\ud800\n{HAIRPIN}"})
    json_type = {"Content-Type": "application/json"}
    sent = client.post("api/jobs", content=asked, headers=json_type)
    assert "half of a character" in sent.json()["errors"][0]["message"]
    assert client.get("api/state").json()["jobs"] == []


def test_jobs_are_listed_as_they_began(client: Client, queue: Queue) -> None:
    """Also those of one second, the last first."""
    begun = [client.post("api/jobs", json={"targets": HAIRPIN}).json()["id"] for _ in range(5)]
    assert [one["id"] for one in queue.state()] == begun[::-1]
