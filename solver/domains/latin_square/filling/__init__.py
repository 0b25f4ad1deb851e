"""Latin squares for local search: all holes have values, and lines that have one twice."""
