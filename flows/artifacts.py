"""Artifacts of a run on the Prefect server; the same is in its summary on disk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prefect.artifacts import create_link_artifact, create_table_artifact

from pipeline.learning.summary import check_rows, evaluation_rows, table_rows


def key_of(name: str, what: str) -> str:
    """Key of an artifact: small letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", f"{name}-{what}".lower()).strip("-")


def publish_artifacts(summary: Mapping[str, Any], path: Path) -> None:
    """Show size and coverage of the table, the evaluation, the checks, and their paths."""
    name = summary["model"]
    outcome = summary["outcome"]
    create_table_artifact(table_rows(summary), key_of(name, "table"), description=outcome)
    create_table_artifact(
        evaluation_rows(summary["evaluation"]), key_of(name, "evaluation"), description=outcome
    )
    create_table_artifact(check_rows(summary["files"]), key_of(name, "checks"))
    link_report(name, path.with_suffix(".md"))


def link_report(name: str, report: Path) -> None:
    """Show where a report is."""
    create_link_artifact(report.absolute().as_uri(), report.name, key_of(name, "report"))
