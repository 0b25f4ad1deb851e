"""By which rules the codes of a table were computed, and whether they are those that are here.

A table is numbers in an order that only the functions know that compute its codes: read with
other functions it is another table. Each carries their digest, see `solver.compiling.sources`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from solver.compiling.sources import rules_digest
from solver.domain import Domain

#: SHA-256 of the bias tables that ship and are older than this digest: they are what they were.
#: The list does not grow, a table that is learned anew leaves it.
OLDER = frozenset(
    {
        "62db72cb4e9ae8a9c08f74e1eaaaa7c65ff8695ca4a6411847b694c3f98d6da5",  # atarigo
        "7797d56c3ce4f5caffcfc7e917542ea66fae64ed853a5beb2a76f19080de13f0",  # breakthrough
        "2176599782c503f7f6ce0ef882ab67232eff5269ccfb8eab51f3b4a759317595",  # gomoku
        "8f02258f51fb41aac7866a49f63fb9731d7f1b0ce39d3bb6d4220ee38dc1919f",  # hex
        "0f2cf0647929a41e081d2a6fd0525aea7dcce399a322e77934acc925e39a6000",  # kakuro-hints
        "7dc4a5f875622e64f47cde2843aade03250f5b1b82e0a867be9e9f05561f1887",  # kakuro
        "d44733a9aa6f3fee48b587d211a520d9a5262f4c3795275512ab4648423db181",  # knightthrough
        "53711c2867b84bbc9035787f8172284f01b5c44181cafd2f9fa830a973cae5e5",  # latin-square-dual
        "e8d3c60ea0efaf2b7797ecaa921f03e79a4c3b640e24646d49da7d06540132e5",  # latin-square
        "5021df29365c273946ef8536a0cab9b06557259d515c483981e2c792b5b27145",  # loops
        "80ddd20a8e0855b808a878427d65e40080503cd9b79d39b907b176e92c358155",  # ngram
        "fdcb7658d4d64890bceb3f9e3bda030db12dd59738117e564f6c2ce86010ef5b",  # nogo
        "a2eaf4050ea8e4dd6e6039052f467fe9a63a5f0a46050ff960890d3dd09f377c",  # samegame
        "28140780339cd8470354e4aba7751978940b0cf778eb5506076c5905ff148020",  # tsptw
    }
)


def wrong_rules(metadata: Mapping[str, Any], domain: Domain, path: Path) -> str | None:
    """Say why the codes of the bias table `path` may be others than those here; None if not.

    Parameters
    ----------
    metadata : mapping
        Of the table, checked.
    """
    made_by = metadata.get("rules")
    if made_by is None:
        if _sha256(path) in OLDER:
            return None
        return "it does not say by which rules its codes were computed, expected one learned anew"
    if made_by != rules_digest(domain, domain.priors[metadata["prior"]]):
        return (
            f"its codes were computed by other rules of {domain.name} than those here, "
            "expected one learned anew"
        )
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
