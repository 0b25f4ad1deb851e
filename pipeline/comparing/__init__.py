"""Runs of methods on instances: jobs, plans, peers."""
