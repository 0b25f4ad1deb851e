"""Algorithms that let others take turns."""
