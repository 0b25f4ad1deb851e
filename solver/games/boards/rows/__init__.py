"""Rows of five in Gomoku: those that one stone completes, and wins by a row of fours."""
