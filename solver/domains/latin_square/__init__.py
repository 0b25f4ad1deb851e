"""Latin squares with holes."""
