"""Local search that counterexamples guide, with priors as its proposals."""
