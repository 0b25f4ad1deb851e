"""Compilation of rules to machine code: dispatch, caches, streams, memory."""
