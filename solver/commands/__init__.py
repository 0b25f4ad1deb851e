"""Command `solve`, and common parts of commands."""
