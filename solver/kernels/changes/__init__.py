"""Searches that change whole playouts: local search, iterated local search, tempering."""
