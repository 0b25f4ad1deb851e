"""The contract between problems and games, and everything else."""
