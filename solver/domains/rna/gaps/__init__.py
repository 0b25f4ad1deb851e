"""Gaps of energy between a target and its rivals, other folds of sequences, as constraints."""
