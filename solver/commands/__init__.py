"""The command `solve`, and what commands share."""
