"""Several threads in one tree."""
