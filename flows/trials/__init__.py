"""Scripts that break flows while they run, and compare what comes out. `docs/flows.md` has logs."""
