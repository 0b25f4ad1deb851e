"""Complete search: one kernel, with nogoods from restarts where a domain can exclude moves."""
