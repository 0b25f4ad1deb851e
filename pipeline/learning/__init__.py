"""Learning of a bias table from solved instances: replay, counts, shards."""
