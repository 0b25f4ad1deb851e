"""Matches between searches of games: played, kept, rated and reported."""
