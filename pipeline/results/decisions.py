"""Decisions of solved instances as a data frame, for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.tables.checks import read_checked
from pipeline.tables.decisions import DECISION, column_of
from solver.errors import InputError
from solver.priors.layout import parts_of
from solver.priors.tables import DECISIONS, read_metadata

#: Name of a file of decisions: its first instance, and that behind its last.
NAME = re.compile(r"(\d{8})-(\d{8})")


def _apart(files: Iterable[Path]) -> list[Path]:
    """Return files in order, but for those whose instances are all in another."""
    found = {file: NAME.fullmatch(file.stem) for file in sorted(files)}
    ranges = [(int(of[1]), int(of[2]), file) for file, of in found.items() if of]
    chosen, end = [file for file, of in found.items() if not of], 0
    # Of those that begin alike the longest first.
    for _, last, file in sorted(ranges, key=lambda one: (one[0], -one[1])):
        if last > end:
            chosen.append(file)
            end = last
    return chosen


def read_decisions(path: str | Path) -> pd.DataFrame:
    """Read decisions that `learn --fit` kept.

    Parameters
    ----------
    path : str or Path
        A file of decisions, or a folder of them, `WORK/PROBLEM/decisions-*`.

    Returns
    -------
    DataFrame
        A row for each move that was possible at a decision; decisions of several files are
        numbered on. Columns: decision, instance, group and played, as described in the files;
        `code_NAME`, the row of the move in the dense table of each code; and the components of
        that row, `COMPONENT`, or `NAME.COMPONENT` where there are several codes.

    Raises
    ------
    InputError
        One line: there is no such file, none in the folder, one is damaged, or files are of
        different codes.

    Notes
    -----
    A folder has the decisions of every number of instances that was learned from: a file whose
    instances, by its name, are all in another is left out.
    """
    source = Path(path)
    files = _apart(source.glob("*.parquet")) if source.is_dir() else [source]
    if not files:
        raise InputError(f"{source} has no files of decisions: `learn --fit` keeps them")
    frames: list[pd.DataFrame] = []
    known: tuple[str, object] | None = None
    first = 0
    for file in files:
        table, _ = read_checked(file, DECISIONS, None)
        metadata = read_metadata(table.schema.metadata, str(file), DECISIONS)
        code = metadata["prior"], metadata["components"]
        if known not in (None, code):
            raise InputError(f"{file}: its codes differ from those of {files[0].name}")
        known = code
        frame: pd.DataFrame = table.to_pandas()
        frame[DECISION] = frame[DECISION].astype(np.int64) + first
        first = int(frame[DECISION].max()) + 1 if len(frame) else first
        for label, part in parts_of(metadata["components"]).items():
            rows = frame[column_of(label or metadata["prior"])].to_numpy()
            found = np.unravel_index(rows, tuple(part.values()))
            for name, values in zip(part, found, strict=True):
                frame[f"{label}.{name}" if label else name] = values
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
