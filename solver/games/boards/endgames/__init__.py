"""Late positions of games of stones, searched to the end."""
