"""Switches and complexes of two strands: designed by a search of their own, in plain Python."""
