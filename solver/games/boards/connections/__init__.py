"""Connections that nobody can cut, on boards of hexagons."""
