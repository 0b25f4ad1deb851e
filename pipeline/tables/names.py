"""Names of files that `compare` leaves in a folder."""

from __future__ import annotations

#: Runs on problems.
RUNS_FILE = "runs.parquet"
#: Runs as they are finished.
JOURNAL_FILE = "journal.jsonl"
#: Games that were played.
GAMES_FILE = "games.jsonl"
#: Names that distinguish a folder of `compare` or `report`, or the folder of a plan, from others.
MARKS = (
    RUNS_FILE, JOURNAL_FILE, GAMES_FILE, "sources", "report.html", f"runs/*/{JOURNAL_FILE}",
    f"runs/*/{GAMES_FILE}",
)  # fmt: skip
