"""Pictures of designs: the structure they fold into, and the pairs of their ensemble."""
