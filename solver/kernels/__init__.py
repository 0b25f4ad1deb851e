"""Compiled searches: they know no domain."""
