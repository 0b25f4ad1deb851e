"""Versions of models: evaluation, the gate, manifests, refresh."""
