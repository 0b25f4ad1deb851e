"""Puzzles with several objectives."""
