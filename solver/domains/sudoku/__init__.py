"""Sudoku: squares whose boxes hold each value once, too."""
