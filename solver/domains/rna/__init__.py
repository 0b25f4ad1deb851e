"""RNA design: the inverse of folding."""
