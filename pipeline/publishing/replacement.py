"""Rule of replacement: a learned table replaces without asking only one learned the same way."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.learning.learn import counts_path
from pipeline.tables.runs import surroundings
from solver.contract.domain import Domain
from solver.contract.references import class_of_generator
from solver.domains import is_domain, load_rules
from solver.errors import InputError, quoted
from solver.games import game_names
from solver.priors.priors import Prior, load_prior
from solver.priors.tables import BIAS, COUNTS, FIT, open_table, read_metadata

#: Ways to replace a published model all the same.
WAYS = (
    "--evaluate publishes the new table if it is not worse, --replace in any case, "
    "--out keeps it elsewhere"
)


def refuse_foreign(out: Path, domain: Domain) -> None:
    """Raise `InputError` if a file that `learn` has not made for `domain` is where it would write.

    Parameters
    ----------
    out : Path
        Bias table, its counts beside it.
    """
    for path, kind in ((out, BIAS), (counts_path(out), COUNTS)):
        if not path.exists():
            continue
        try:
            with open_table(path) as file:
                metadata = read_metadata(file.schema_arrow.metadata, str(path), kind)
            found = f"a table of {kind} of {quoted(metadata['domain'])}"
            if metadata["domain"] == domain.name:
                continue
        except InputError:
            found = f"no table of {kind}"
        raise InputError(
            f"{path} is {found}, expected none or one of {domain.name}: --replace replaces it, "
            "--out names another file"
        )


def load_used(used: Path, domain: Domain) -> Prior:
    """Load the table in use, which a candidate is held against.

    Raises
    ------
    InputError
        If that cannot be done: it is damaged, or its codes were computed by other rules.
    """
    try:
        return load_prior(used, domain)
    except InputError as error:
        raise InputError(f"{error}; --replace, without an evaluation, replaces it") from error


def refuse_changed_sources(path: Path) -> None:
    """Raise `InputError` if the sources here are those of no commit: `path` is published.

    Nobody could repeat a judgement made with them.
    """
    commit = surroundings()["commit"]
    if commit.endswith("-dirty"):
        raise InputError(
            f"{path} is published, and the sources here differ from commit "
            f"{commit.removesuffix('-dirty')}: commit them, --replace publishes all the same, "
            "without an evaluation"
        )


def refuse_other_domain(current: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> None:
    """Raise `InputError` if `new` is for another domain than `current`, whose name it would take.

    Commands that find a table by its name could read it no more.
    """
    if current["domain"] != new["domain"]:
        raise InputError(
            f"{path} is published for {current['domain']}, this table is for {new['domain']}: "
            "choose another name"
        )


def refuse_other(
    current: Mapping[str, Any], new: Mapping[str, Any], path: Path, ways: str = WAYS
) -> None:
    """Raise `InputError` if `new` was learned in another way than `current`, or from less.

    Parameters
    ----------
    current, new : mapping
        Versions as in the manifest; the numbers of instances are those replayed and rejected.
    path : Path
        Path of the published table.
    ways : str
        How to replace it all the same, for messages.
    """
    for what, old, other in _settings(current, new):
        if old != other:
            raise InputError(
                f"{path} is published with {what} {quoted(old)}, this would replace it by one "
                f"with {quoted(other)}: {ways}"
            )
    before, after = (version["instances"] + version["rejected"] for version in (current, new))
    if after < before:
        raise InputError(
            f"{path} is published with {before:,} instances, this would replace it by one with "
            f"{after:,}: {ways}"
        )


def _settings(current: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield each setting that may differ, with its current value and its new one."""
    yield "code", current["prior"], new["prior"]
    yield "fit", bool(current.get(FIT)), bool(new.get(FIT))
    if "rules" in current:  # tables that ship may be older than what says so
        yield "rules of digest", current["rules"], new.get("rules", "")
    name = new["domain"]
    domain = load_rules(name) if is_domain(name) or name in game_names() else None
    generator = None if domain is None else class_of_generator(domain)
    # A parameter or an option that one of them does not name came later: its default is how it was.
    sources = [version["source"] for version in (current, new)]
    if generator is not None:
        # The source also says what a corpus had in it, and the seed: other data, the same way.
        of_generator = dataclasses.fields(generator)
        parameters = [field.name for field in of_generator]
        defaults = {field.name: field.default for field in of_generator}
        sources = [{**defaults, **source} for source in sources]
    else:
        parameters = sorted({*current["source"], *new["source"]} - {"seed"})
    for name in parameters:
        yield name, sources[0].get(name), sources[1].get(name)
    usual = {} if domain is None else dataclasses.asdict(domain.options())
    old, other = ({**usual, **version["options"]} for version in (current, new))
    for name in sorted({*old, *other}):
        yield name, old.get(name), other.get(name)
    for name, what in (("smoothing", "smoothing"), ("temperature", "prior temperature")):
        yield what, current[name], new[name]
