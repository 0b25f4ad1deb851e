"""Kakuro."""
