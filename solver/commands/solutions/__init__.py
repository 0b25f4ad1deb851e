"""Different solutions of a problem: `solve --solutions`, `--unique` and `--count`."""
