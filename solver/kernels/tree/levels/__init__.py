"""Levels of a search: a tree below a leaf of the tree."""
