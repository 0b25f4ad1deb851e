"""Commands `learn`, `compare` and `report`, and their common parts."""
