"""Policies of playouts that are learned while a tree is searched."""
