"""The solutions of a family, drawn where their domain says how, within a size."""

from __future__ import annotations

from pipeline.reports.blocks import Drawing, Solution, Solutions
from pipeline.reports.drawings import Draw, drawer
from pipeline.reports.drawings import note as note_on
from pipeline.reports.result_tables import count, number
from pipeline.results.data import Family, MethodRuns
from solver.contract.domain import Puzzle
from solver.domains import is_domain, load_domain

#: Solutions shown of a family, and bytes of their drawings: the page must stay small.
SHOWN = 10
BYTES = 220_000
TEXT_LENGTH = 4000


def solutions(family: Family, name: str) -> Solutions | None:
    """The best answer to each instance, as many as fit; `name` begins those of the drawings."""
    best = _best_answers(family)
    if not best:
        return None
    domain = load_domain(family.domain) if is_domain(family.domain) else None
    draw = drawer(family.domain)
    shown: list[Solution] = []
    size = 0
    for instance, (runs, k) in best.items():
        drawing = None
        if draw is not None and domain is not None and instance in family.instances:
            figure = f"{name}-solution-{len(shown) + 1}"
            drawing = _draw(family, instance, str(runs.solutions[k]), domain, draw, figure)
            size += len(drawing.svg)
        if shown and (len(shown) == SHOWN or size > BYTES):
            break
        title = f"{family.label(instance)}: {_how(family, runs, k)}"
        shown.append(Solution(title, _cut(str(runs.solutions[k])), drawing))
    rest = len(best) - len(shown)
    solved = " that was solved" if family.decision else ""
    notes = [f"The best answer to each instance{solved}."]
    notes += [note_on(family.domain)] if any(solution.drawing for solution in shown) else []
    notes += [f"{rest:,} more are not shown; all are in the files of the runs."] if rest else []
    return Solutions(shown, " ".join(filter(None, notes)))


def _best_answers(family: Family) -> dict[str, tuple[MethodRuns, int]]:
    """Method and number of the best run of each instance: highest score, then least effort."""
    best: dict[str, tuple[tuple[float, float], MethodRuns, int]] = {}
    for runs in family.searches + [r for r in family.methods if r.method.is_peer]:
        for k, instance in enumerate(runs.instance.tolist()):
            if not runs.solved[k] or not runs.solutions[k]:
                continue
            merit = (float(runs.score[k]), -float(min(runs.playouts[k], runs.spent[k])))
            if instance not in best or merit > best[instance][0]:
                best[instance] = (merit, runs, k)
    return {name: best[name][1:] for name in sorted(best, key=_by_number)}


def _by_number(name: str) -> tuple[str, int, str]:
    head, _, tail = name.rpartition("-")
    return (head, int(tail), "") if tail.isdecimal() else (name, 0, tail)


def _how(family: Family, runs: MethodRuns, k: int) -> str:
    """Return the method, score and effort of a solution, in words."""
    score = ""
    if not family.decision:
        value = float(runs.score[k])
        score = f", cost {number(-value)}" if family.is_cost else f", score {number(value)}"
    effort = f"{number(float(runs.seconds[k]))} s"
    if not runs.method.is_peer:
        playouts = count(float(runs.playouts[k]))
        effort = f"{playouts} playout{'' if playouts == '1' else 's'}"
    return f"{runs.method.label}{score}, {effort}"


def _draw(
    family: Family, instance: str, text: str, domain: Puzzle, draw: Draw, name: str
) -> Drawing:
    kept = family.instances[instance]
    (problem,) = domain.parse(kept.problem, kept.name)
    answer = domain.parse_answer(problem, text, f"the answer to {kept.name}")
    return Drawing(name, draw(problem, answer), "")


def _cut(text: str) -> str:
    cut = text[:TEXT_LENGTH] + ("\n…" if len(text) > TEXT_LENGTH else "")
    return cut.rstrip("\n")
