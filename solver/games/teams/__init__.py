"""Games of teams whose units act in a fixed order."""
