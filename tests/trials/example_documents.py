"""Examples of documents of domains, strands and states, see `example_kinds`."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.trials.example_kinds import Example, kind, strands, switches


def document(
    text: str, names: dict[str, int], states: list[tuple[list[int], str, bool]], **more: Any
) -> tuple[str, dict[str, Any]]:
    """Return a document, and what a checker is told of it."""
    told = [{"strands": who, "asked": [what], "ligand": binds} for who, what, binds in states]
    return text, {"lengths": list(names.values()), "states": told, **more}


@kind("three strands")
def three(chance: Random) -> Example:
    a, b, t = chance.randint(7, 10), chance.randint(7, 10), chance.randint(0, 3)
    tail = f" N{t}" if t else ""
    text = (
        f"domain a = N{a}\ndomain b = N{b}\nstrand one = a b{tail}\nstrand two = b*\n"
        f"strand three = a*\nstate all: one two three = ({a + b}{dots(t)}&){b}&){a}\n"
    )
    asked = "(" * (a + b) + "." * t + ")" * b + ")" * a
    text, told = document(
        text, {"one": a + b + t, "two": b, "three": a}, [([0, 1, 2], asked, False)],
        complements=[[0, a, a + b + t + b], [a, b, a + b + t]],
    )  # fmt: skip
    return Example(text, [], told)


def dots(count: int) -> str:
    """Unpaired positions in a document."""
    return f".{count}" if count else ""


@kind("states")
def states(chance: Random) -> Example:
    """A toehold switch: OFF alone, ON with its trigger."""
    toe, foot, tail = chance.randint(9, 12), chance.randint(7, 9), chance.randint(0, 8)
    text = (
        f"domain toe = N{toe}\ndomain foot = N{foot}\nstrand switch = GG toe foot AACAGAGGAGA foot*"
        f" N{tail}\nstrand trigger = foot* toe*\n"
        f"state OFF: switch = .{toe + 2}({foot}.11){foot}{f'N{tail}' if tail else ''}\n"
        f"state ON: switch trigger = ..({toe + foot}N{11 + foot + tail}&){toe + foot}\n"
    ).replace(" N0", "")
    off = "." * (toe + 2) + "(" * foot + "." * 11 + ")" * foot + "N" * tail
    on = ".." + "(" * (toe + foot) + "N" * (11 + foot + tail) + ")" * (toe + foot)
    first = 2 + toe + 2 * foot + 11 + tail
    text, told = document(
        text, {"switch": first, "trigger": toe + foot}, [([0], off, False), ([0, 1], on, False)],
        complements=[[2, toe + foot, first], [2 + toe, foot, 2 + toe + foot + 11]],
        bases="GG" + "N" * (toe + foot) + "AACAGAGGAGA" + "N" * (foot + tail + toe + foot),
        synthesis=True,
    )  # fmt: skip
    return Example(text, [], told)


@kind("domains")
def domains(chance: Random) -> Example:
    """Two domains and their complements, one also in another strand, and linkers of a list."""
    a, b, loop = chance.randint(4, 6), chance.randint(5, 7), chance.randint(4, 7)
    linkers = ["".join(chance.choices("ACU", k=5)) for _ in range(4)]
    text = (
        f"domain a = N{a}\ndomain b = N{b}\ndomain link = {'|'.join(dict.fromkeys(linkers))}\n"
        f"strand one = a NN b N{loop} b* a* link\nstrand two = link b N{loop} b*\n"
        f"state one: one = ({a}..({b}.{loop}){b}){a}.5\nstate two: two = .5({b}.{loop}){b}\n"
    )
    small = "(" * b + "." * loop + ")" * b
    first = "(" * a + ".." + small + ")" * a + "....."
    n = len(first)
    text, told = document(
        text, {"one": n, "two": 5 + len(small)},
        [([0], first, False), ([1], "....." + small, False)],
        complements=[[0, a, n - 5 - a], [a + 2, b, a + 2 + b + loop], [a + 2, b, n + 5 + b + loop]],
        words=[[n - 5, linkers], [n, linkers]],
    )  # fmt: skip
    return Example(text, ["--forbid", "none"], told)


@kind("ligand")
def ligand(chance: Random) -> Example:
    """Theophylline's aptamer, closed by a helix, in one strand or in two halves."""
    helix, inner = chance.randint(5, 8), chance.randint(4, 6)
    if chance.random() < 0.5:
        asked = (
            ".." + "(" * helix + "(...((((" + "(" * inner + "....." + ")" * inner + ")...)))...)"
            + ")" * helix + ".."
        )  # fmt: skip
        text = (
            f"strand s = NN N{helix} GAUACCAG N{2 * inner + 5} CCCUUGGCAGC N{helix} NN\n"
            f"state on: s = {asked} ligand theophylline\n"
        )
        told = document(text, {"s": len(asked)}, [([0], asked, True)])[1]
        return Example(text, [], told)
    text = (
        f"strand left = N{helix} GAUACCAG N4\nstrand right = N4 CCCUUGGCAGC N{helix}\n"
        f"state alone: left = .{helix + 12}\nstate bound: left right = "
        f"({helix}(...((((.4&.4)...)))...)){helix} ligand theophylline\n"
    )
    asked = "(" * helix + "(...((((" + "." * 8 + ")...)))...)" + ")" * helix
    told = document(
        text, {"left": helix + 12, "right": helix + 15},
        [([0], "." * (helix + 12), False), ([0, 1], asked, True)],
    )[1]  # fmt: skip
    return Example(text, [], told)


@kind("objectives of strands, switches, states")
def objectives_of_all(chance: Random) -> Example:
    found = chance.choice([strands, switches, states_alone])(chance)
    words = [*found.words, "--objective", "probability"]
    return found._replace(words=words, asked=found.asked | {"probability": True})


def states_alone(chance: Random) -> Example:
    """A strand that is open alone, and paired with another."""
    a = chance.randint(6, 10)
    text = (
        f"domain a = N{a}\nstrand one = a\nstrand two = a*\nstate alone: one = .{a}\n"
        f"state both: one two = ({a}&){a}\n"
    )
    both = "(" * a + ")" * a
    told = document(
        text, {"one": a, "two": a}, [([0], "." * a, False), ([0, 1], both, False)],
        complements=[[0, a, a]],
    )[1]  # fmt: skip
    return Example(text, [], told)


@kind("concentrations")
def concentrations(chance: Random) -> Example:
    found = chance.choice([strands, states_alone])(chance)
    micromolar = chance.choice([0.01, 1, 100])
    words = [*found.words, "--concentration", str(micromolar)]
    return found._replace(words=words, asked=found.asked | {"concentration": micromolar})
