"""HTTP server: the page, checks of its input, jobs, designs and their pictures."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

from jinja2 import Environment
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from solver.commands.answers import table_of
from solver.design_page.check import check, complaint
from solver.design_page.fields import ENZYMES, FIELDS, RUN_NAMES
from solver.design_page.guard import Guard
from solver.design_page.jobs import Job, Line
from solver.design_page.queue import Queue
from solver.design_page.request import DesignRequest
from solver.domains.rna.designs import plain_letters
from solver.domains.rna.drawings.dots import draw_dots
from solver.domains.rna.drawings.pictures import (
    PROBABILITY,
    has_ensemble,
    position_shares,
    standing_alone,
    style_sheet,
)
from solver.domains.rna.drawings.structure import draw_structure
from solver.domains.rna.files.formats import parse_targets
from solver.domains.rna.refold import pair_probabilities
from solver.domains.rna.text import OPEN, STRANDS, STRUCTURES
from solver.errors import InputError
from solver.system.files import file_stem

_STATIC = files(__package__).joinpath("static")
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
#: Numbers of more digits are of no row.
MOST_DIGITS = 10
#: Pairs of designs that were looked at are kept.
_pairs_of = lru_cache(maxsize=64)(pair_probabilities)


class Api:
    """The answers to requests, over a queue of jobs."""

    def __init__(self, queue: Queue, opened: str) -> None:
        self._queue = queue
        self._opened = opened

    def page(self, request: Request) -> Response:
        """The page itself."""
        template = Environment(autoescape=True).from_string(_text("page.html.j2"))
        html = template.render(fields=FIELDS, runs=RUN_NAMES, enzymes=ENZYMES, opened=self._opened)
        return Response(html, media_type="text/html")

    def static(self, request: Request) -> Response:
        """A style sheet, a script or a picture of the page."""
        name = request.path_params["name"]
        if name == "drawings.css":
            return Response(style_sheet(), media_type="text/css")
        kind = _KINDS.get(name[name.rfind(".") :])
        if kind is None or name not in {path.name for path in _STATIC.iterdir()}:
            raise HTTPException(404)
        return Response(_text(name), media_type=kind)

    async def check(self, request: Request) -> Response:
        """Check the current input: return drawings of the targets, or the error."""
        shown = _number(request.query_params.get("shown", "0")) or 0
        # In a thread: the page goes on asking for its jobs meanwhile.
        return JSONResponse(await run_in_threadpool(check, await _json(request), shown))

    def state(self, request: Request) -> Response:
        """All jobs, and of one of them the designs from a row on."""
        jobs = self._queue.state()
        job = self._queue.jobs.get(request.query_params.get("job", ""))
        start = _number(request.query_params.get("from", "0")) or 0
        rows = [] if job is None else job.designs[start:]
        return JSONResponse({"jobs": jobs, "designs": [line["record"] for line in rows]})

    async def start(self, request: Request) -> Response:
        """Begin a job, or answer with its error."""
        return await run_in_threadpool(self._begin, await _json(request))

    def _begin(self, plain: object) -> Response:
        text = ""
        try:
            asked = DesignRequest.of(plain)
            text = asked.targets
            asked.named_targets()
            job = self._queue.add(asked)
        except InputError as error:
            # No status of an error: browsers write those into the console.
            return JSONResponse({"errors": [complaint(error, text)]})
        return JSONResponse({"id": job.id, "errors": []}, 201)

    def stop(self, request: Request) -> Response:
        """Free the core of a job."""
        self._queue.stop(self._job(request))
        return JSONResponse({})

    def resume(self, request: Request) -> Response:
        """Go on with a job."""
        self._queue.resume(self._job(request))
        return JSONResponse({})

    def remove(self, request: Request) -> Response:
        """Stop a job, and remove it and its designs."""
        self._queue.remove(self._job(request))
        return JSONResponse({})

    def pictures(self, request: Request) -> Response:
        """Structure and dot plot of a design."""
        job, row = self._design(request)
        return JSONResponse(_pictures(job, row, request.query_params.get("colour", "")))

    def picture(self, request: Request) -> Response:
        """Return one picture as a file."""
        job, row = self._design(request)
        kind = request.path_params["kind"]
        svg = _pictures(job, row, request.query_params.get("colour", "")).get(kind)
        if svg is None:
            raise HTTPException(404)
        name = f"{file_stem(job.designs[row]['record']['name'])}_{row + 1}.{kind}.svg"
        return _download(standing_alone(svg), name, "image/svg+xml")

    def fasta(self, request: Request) -> Response:
        """Designs as FASTA."""
        job, lines = self._picked(request)
        return _download("".join(line["text"] for line in lines), f"{job.id}.fasta", "text/plain")

    def csv(self, request: Request) -> Response:
        """Designs as a table."""
        job, lines = self._picked(request)
        table = table_of((line["record"] for line in lines), ",")
        return _download("".join(table), f"{job.id}.csv", "text/csv")

    def _job(self, request: Request) -> Job:
        job = self._queue.jobs.get(request.path_params["job"])
        if job is None:
            raise HTTPException(404)
        return job

    def _design(self, request: Request) -> tuple[Job, int]:
        job, row = self._job(request), _number(request.path_params["row"])
        if row is None or row >= len(job.designs):
            raise HTTPException(404)
        return job, row

    def _picked(self, request: Request) -> tuple[Job, Iterable[Line]]:
        """Lines of the rows that `pick` names, all where nothing does."""
        job = self._job(request)
        picked = request.query_params.get("pick")
        if picked is None:
            return job, job.designs
        rows = map(_number, picked.split(","))
        return job, [job.designs[row] for row in rows if row is not None and row < len(job.designs)]


def _pictures(job: Job, row: int, colour: str) -> dict[str, str]:
    """Return SVGs by the names of their subjects; 404 for a row without a design."""
    line = job.designs[row]
    record, engine = line["record"], job.request.options.energies
    sequence, fold = record["sequence"], record["structure"]
    if sequence is None or fold is None:
        raise HTTPException(404)
    if STRANDS in sequence or STRUCTURES in fold:
        return {}  # layouts are of one strand
    _, target = parse_targets(job.request.targets, "target")[line["target"]]
    pairs = _pairs_of(plain_letters(sequence), engine) if has_ensemble(engine) else None
    name = f"{record['name']}, design {row + 1}"
    shares = None
    if colour == PROBABILITY and pairs is not None:
        shares = position_shares(fold, pairs)
    found = {"structure": draw_structure(fold, sequence, f"{name}, structure", shares)}
    if pairs is not None:
        found["dots"] = draw_dots(
            fold, target.structure.replace(OPEN, "."), pairs, f"{name}, dot plot"
        )
    return found


def _number(word: str) -> int | None:
    """Return the row or number that a word is, None where it is none."""
    return int(word) if word.isascii() and word.isdecimal() and len(word) <= MOST_DIGITS else None


def _text(name: str) -> str:
    return _STATIC.joinpath(name).read_text(encoding="utf-8")


async def _json(request: Request) -> object:
    try:
        return await request.json()
    except (ValueError, RecursionError):
        raise HTTPException(400, "expected JSON") from None


def _download(text: str, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, media_type=kind, headers=headers)


def new_app(queue: Queue, token: str, port: int, opened: str = "") -> Guard:
    """Return the application: everything below `token`; `opened` are targets in the form."""
    api = Api(queue, opened)
    job, row = "/api/jobs/{job}", "/api/jobs/{job}/designs/{row}"
    routes = [
        Route("/", api.page),
        Route("/static/{name}", api.static),
        Route("/api/check", api.check, methods=["POST"]),
        Route("/api/state", api.state),
        Route("/api/jobs", api.start, methods=["POST"]),
        Route(job, api.remove, methods=["DELETE"]),
        Route(f"{job}/stop", api.stop, methods=["POST"]),
        Route(f"{job}/resume", api.resume, methods=["POST"]),
        Route(f"{job}/designs.fasta", api.fasta),
        Route(f"{job}/designs.csv", api.csv),
        Route(row, api.pictures),
        Route(f"{row}/{{kind}}.svg", api.picture),
    ]
    return Guard(Starlette(routes=[Mount(f"/{token}", routes=routes)]), token, port)
