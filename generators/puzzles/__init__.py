"""Makers of puzzles: with one solution, which complete search proves, and graded."""
