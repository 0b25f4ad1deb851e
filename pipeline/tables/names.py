"""Names of files that `compare` leaves in a folder."""

from __future__ import annotations

#: Runs on problems.
RUNS_FILE = "runs.parquet"
#: Games that were played.
GAMES_FILE = "games.jsonl"
