"""Nested searches that change what GNRPA learns."""
