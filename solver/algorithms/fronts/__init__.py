"""Searches for fronts: the answers to problems of several objectives that none dominates."""
