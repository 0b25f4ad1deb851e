"""Priors: bias tables, priors made by hand, and how they are found by name."""
