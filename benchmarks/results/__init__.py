"""Tables of the documentation, written from rows of runs that are kept in docs/results/data."""
