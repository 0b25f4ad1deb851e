"""The fold of least free energy, exact and incremental."""
