"""Games on a board of cells."""
