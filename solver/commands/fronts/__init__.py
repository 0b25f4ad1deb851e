"""Fronts in what commands print."""
