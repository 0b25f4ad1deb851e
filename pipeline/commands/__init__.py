"""The commands `learn`, `compare` and `report`, and what they share."""
