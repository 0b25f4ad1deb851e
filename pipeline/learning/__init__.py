"""From solved instances to a bias table: replay, counts, shards."""
