"""Further codes of priors of board games; the first ones are beside the rules."""
