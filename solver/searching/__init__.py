"""From a problem to an answer: the driver of searches, verified answers, analyses of games."""
