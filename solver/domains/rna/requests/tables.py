"""Tables and preferences that requests and documents ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from solver.domains.rna.designs import stranded
from solver.domains.rna.plans.codons import protein_tables
from solver.domains.rna.plans.documents import plan_of
from solver.domains.rna.plans.table import Preference, Table, cost_of
from solver.domains.rna.requests.options import RnaRequests, gc_counts
from solver.domains.rna.text import STRANDS, RnaTarget
from solver.errors import UnsolvableError


def asked_tables(target: RnaTarget, asked: RnaRequests) -> list[Table]:
    """Return the tables of a document, and those of the codons of a protein."""
    tables = list(plan_of(target.plan).tables) if target.plan else []
    if asked.protein:
        start, protein = asked.coding
        tables += protein_tables(protein, start, asked.genetic_code)
    return tables


def check_tables(target: RnaTarget, asked: RnaRequests, name: str) -> None:
    """Raise `UnsolvableError` if a protein or a sequence does not fit the length of a target."""
    n = len(target.structure)
    if asked.protein:
        start, protein = asked.coding
        if start + 3 * len(protein) > n:
            raise UnsolvableError(
                f"{name}: {len(protein)} residues from position {start + 1} end at "
                f"{start + 3 * len(protein)}, the target has {n} bases"
            )
    strands = [len(strand) for strand in stranded(target.structure, target).split(STRANDS)]
    near = [len(strand) for strand in asked.near.strip().split(STRANDS)]
    if len(near) > 1 and near != strands:
        raise UnsolvableError(
            f"{name}: the sequence to be near to has strands of {_listed(near)} bases, the target "
            f"of {_listed(strands)}"
        )
    if asked.near and len(asked.near_bases) != n:
        raise UnsolvableError(
            f"{name}: the sequence to be near to has {len(asked.near_bases)} bases, the target {n}"
        )
    if asked.window:
        _check_window(target, asked.window, name)


def _listed(lengths: Sequence[int]) -> str:
    return ", ".join(map(str, lengths))


def _check_window(target: RnaTarget, window: Sequence[float], name: str) -> None:
    """Raise `UnsolvableError` if no strand has such a window, or none can have its share of GC."""
    least, greatest, length = window[0], window[1], int(window[2])
    n = len(target.structure)
    longest = max(map(len, stranded(target.structure, target).split(STRANDS)))
    if length > longest:
        has = f"the target has {n}" if longest == n else f"the longest strand has {longest}"
        raise UnsolvableError(f"{name}: windows of {length} bases, {has}")
    fewest, most = gc_counts((least, greatest), length)
    if fewest > most:
        raise UnsolvableError(
            f"{name}: no number of G and C among the {length} bases of a window is "
            f"{least:g}-{greatest:g} %"
        )


def asked_preferences(asked: RnaRequests) -> list[Preference]:
    """Return the costs of bases that differ from a sequence, and of codons by their usage."""
    found = []
    for position, letter in enumerate(asked.near_bases):
        if letter != "N":
            found.append(Preference((position,), {base: float(base != letter) for base in "ACGU"}))
    usage = asked.usage
    if usage:
        for _, positions, codons in protein_tables(asked.coding[1], asked.coding[0],
                                                   asked.genetic_code):  # fmt: skip
            found.append(Preference(positions, codon_costs(codons, usage)))
    return found


def codon_costs(codons: Sequence[str], usage: Mapping[str, float]) -> dict[str, float]:
    """Costs of synonymous codons: -ln of their usage in shares of the most used one."""
    most = max(usage[codon] for codon in codons)
    if most == 0:
        return dict.fromkeys(codons, 0.0)
    return {codon: -math.log(max(usage[codon] / most, 0.01)) for codon in codons}


def preferred_facts(sequence: str, asked: RnaRequests) -> dict[str, Any]:
    """Facts of a sequence that some requests prefer.

    `changes` are the bases that differ from the sequence to be near to, `cai` is the codon
    adaptation index (Sharp and Li 1987), with all codons that have synonyms.
    """
    facts: dict[str, Any] = {}
    if asked.near:
        pairs = zip(sequence, asked.near_bases, strict=False)
        facts["changes"] = sum(a != b for a, b in pairs if b != "N")
    if asked.usage:
        usage = replace(asked, near="")
        costs = [
            cost_of(sequence, preference)
            for preference in asked_preferences(usage)
            if len(preference.costs) > 1
        ]
        facts["cai"] = round(math.exp(-sum(costs) / max(len(costs), 1)), 4)
    return facts
