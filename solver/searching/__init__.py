"""Search of a problem for an answer: the driver, verified answers, analyses of games."""
