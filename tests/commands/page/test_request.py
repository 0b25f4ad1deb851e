"""Requests of the page, and its responses to typed input."""

from __future__ import annotations

import json
from typing import Any

import pytest

from solver.design_page.check import Checked, check
from solver.design_page.fields import FIELDS
from solver.design_page.request import DesignRequest
from solver.domains.rna.requests.options import RnaRequests
from solver.errors import InputError

HAIRPIN = "((((....))))"


def test_a_request_travels_as_json() -> None:
    """A request written as JSON is read back equal; numbers may be texts, as in a form."""
    request = DesignRequest(
        f">a\n{HAIRPIN}", "t99d2", 25.5, 2.5, 7, RnaRequests(designs=3, gc="40-60", gap=1.0)
    )
    assert DesignRequest.of(json.loads(json.dumps(request.plain))) == request
    typed = {name: str(value) for name, value in request.plain.items()}
    assert DesignRequest.of(typed) == request


#: Requests that only `solve rna` takes.
OF_THE_COMMAND = {
    "quadruplex", "genetic_code", "codon_usage", "near", "gc_window",
    "max_shared", "apart_from", "concentration", "conserved",
}  # fmt: skip


def test_the_form_has_a_field_for_all() -> None:
    """Fields and a request have the same names, all but what only the command takes."""
    names = {field.name for field in FIELDS}
    assert names | {"targets"} | OF_THE_COMMAND == set(DesignRequest("").plain)
    DesignRequest.of({field.name: field.default for field in FIELDS})


@pytest.mark.parametrize(
    ("targets", "length"),
    [
        ("((((....))))|(((......)))", 12),
        ("((((&))))", 8),
        ("strand a = N5\nstrand b = N5\nstate apart: a = .5\nstate both: a b = (5&)5\n", 10),
    ],
)
def test_switches_strands_and_states(targets: str, length: int) -> None:
    """Switches, strands and states are targets as others; pictures are of one strand."""
    checked = check(DesignRequest(targets).plain)
    assert checked["errors"] == []
    assert [target["length"] for target in checked["targets"]] == [length]
    assert checked["drawing"].startswith("<svg") == ("|" in targets)
    (complaint,) = check(DesignRequest(targets, requests=RnaRequests(protein="MKVLT*")).plain)[
        "errors"
    ]
    assert "residues" in complaint["message"]


def test_a_temperature_without_energies() -> None:
    """A temperature that no energies are for is an error of its field."""
    (complaint,) = check({"targets": HAIRPIN, "celsius": "200"})["errors"]
    assert (complaint["field"], complaint["message"]) == (
        "celsius", "Temperature is 200.0, expected 0 ... 100"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ([], "[], expected an object"),
        ({"size": 1}, "'size', expected one of: targets, engine, celsius, seconds, seed, "),
        ({"designs": "2.5"}, "designs is '2.5', expected a whole number"),
        ({"designs": True}, "designs is True, expected a whole number"),
        ({"designs": 2.5}, "designs is 2.5, expected a whole number"),
        ({"gap": "nan"}, "gap is nan, expected a number"),
        ({"seconds": "1e999"}, "seconds is inf, expected more than 0"),
        ({"seconds": 0}, "seconds is 0, expected more than 0, 86,400 at most"),
        ({"seed": "-1"}, "seed is -1, expected 0 or more"),
        ({"gc": None}, "gc is None, expected a text"),
        ({"engine": "none"}, "engine is 'none', expected vienna1, t99d2, vienna2, dna"),
        ({"engine": "x"}, "engine is 'x', expected vienna1, t99d2, vienna2"),
        ({"engine": "vienna1", "gap": 1}, "gap needs an engine with dangles 2 or 0, not vienna1"),
        ({"targets": ">\ud800\n((((....))))"}, "targets has half of a character, expected text"),
        ({"designs": "9" * 5000}, "designs is '9999"),
    ],
)
def test_what_is_no_request(plain: Any, message: str) -> None:
    """Each field says what it is and what was expected."""
    with pytest.raises(InputError) as error:
        DesignRequest.of(plain)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (">a\n((((...))))\nNNNNXNNNNNN", (3, 5, 1)),
        ("\n((((...)))) NNNNxNNNNNN", (2, 17, 1)),
        (">a\n(((...))", (2, 1, 1)),
        ("a\t((...))]", (1, 10, 1)),
        (f"{HAIRPIN}\n>b", (2, 1, 1)),
        (f">a\n{HAIRPIN}\nNNN", (3, 1, 3)),
    ],
)
def test_errors_have_a_place(text: str, place: tuple[int, int, int]) -> None:
    """Line and position are those of the text as it is typed, and the message names them."""
    (error,) = check({"targets": text})["errors"]
    assert (error["line"], error["column"], error["length"]) == place
    line, column, length = place
    where = f"line {line}, position {column}: " if length == 1 else f"line {line}: "
    assert error["message"].startswith(where)


def test_targets_are_drawn() -> None:
    """One of them, with its fixed bases; wrong options do not hide it."""
    text = f">a\n{HAIRPIN}\n>b\n(...)\nGNNNC\n"
    found = check({"targets": text}, shown=1)
    assert found["targets"] == [{"name": "a", "length": 12}, {"name": "b", "length": 5}]
    assert (found["shown"], found["errors"]) == (1, [])
    assert found["drawing"].count('class="letter"') == 2
    assert check({"targets": text}, shown=9)["shown"] == 1
    wrong = check({"targets": text, "gc": "50"})
    assert len(wrong["targets"]) == 2
    (error,) = wrong["errors"]
    assert error["field"] == "gc"
    assert error["message"] == "GC is '50', expected LEAST-MOST in per cent, such as 45-55"


def test_what_no_design_can_be() -> None:
    """It is said while it is typed."""
    text = f">a\n{HAIRPIN}\nGGGGNNNNNNNN"
    (error,) = check({"targets": text, "forbid": "G4"})["errors"]
    assert error["message"].startswith("a: G4 is forbidden, all that is allowed has it")


def test_too_long_for_an_objective() -> None:
    """It is named while it is typed, before a job begins that could not end in time."""
    plain = {"targets": "((((....))))" * 84, "objective": "defect"}
    (error,) = check(plain)["errors"]
    assert error["message"] == "1008 bases, expected 1000 at most with --objective"
    assert check(plain | {"objective": "mfe"})["errors"] == []


def test_nothing_typed_is_no_error() -> None:
    """An empty page is not told off."""
    assert check({"targets": " \n"}) == Checked(targets=[], drawing="", errors=[])


def test_a_structure_too_long_to_draw() -> None:
    """It is taken, and left undrawn."""
    found = check({"targets": "." * 1001})
    assert (found["targets"][0]["length"], found["drawing"], found["errors"]) == (1001, "", [])


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ("((((....))))\n" * 501, "501 targets, expected 500 at most on this page"),
        ("." * 50_001, "50,001 characters, expected 50,000 at most on this page"),
    ],
)
def test_more_than_is_looked_at_while_somebody_types(targets: str, message: str) -> None:
    """The command takes more, as the message says."""
    found = check({"targets": targets})
    assert found["targets"] == []
    (complaint,) = found["errors"]
    assert complaint["message"] == f"{message}: `solve rna FILE` takes more"
