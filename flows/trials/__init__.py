"""Scripts that break flows while they run, and compare the results. `docs/flows.md` lists them."""
