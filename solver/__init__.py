"""Monte Carlo search with learned priors: domains, priors, kernels and the search driver."""
