"""What runs say: reading, grouping, targets, statistics."""
