"""Solved instances to counts, bias tables and reports: plain functions, Arrow in, Arrow out."""

import solver

if "load_domain" not in dir(solver):
    raise ImportError(
        f"'solver' is {solver.__file__}, which is not Nestor's: rename it, or start elsewhere"
    )
