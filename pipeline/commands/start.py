"""Starts of the commands, see `solver.system.start`."""

from __future__ import annotations

from solver.system.start import start


def learn() -> None:
    """Start `learn`."""
    start("learn", "pipeline.commands.learn")


def compare() -> None:
    """Start `compare`."""
    start("compare", "pipeline.commands.compare")


def report() -> None:
    """Start `report`."""
    start("report", "pipeline.commands.report")


def models() -> None:
    """Start `models`."""
    start("models", "pipeline.commands.models")


def make_puzzles() -> None:
    """Start `make-puzzles`."""
    start("make-puzzles", "pipeline.commands.make_puzzles")
