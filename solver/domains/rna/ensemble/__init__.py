"""Boltzmann ensemble of a sequence: partition function, pair probabilities, samples."""
