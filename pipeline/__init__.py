"""Solved instances to counts, bias tables and reports: plain functions, Arrow in, Arrow out."""
