"""Long trials of the commands: random words, accidents at random moments. By hand."""
