"""`solve` for games: analysis of positions, and play against a person."""
