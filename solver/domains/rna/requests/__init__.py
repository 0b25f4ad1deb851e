"""Requests on designs beyond their fold: GC, motifs, distances, gaps, an objective."""
