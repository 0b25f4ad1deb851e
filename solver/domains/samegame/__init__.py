"""SameGame."""
