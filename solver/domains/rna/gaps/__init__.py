"""Gaps of energy between a target and what sequences folded into instead, as constraints."""
