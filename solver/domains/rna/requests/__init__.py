"""What is asked of designs besides their fold: GC, motifs, distances, gaps, an objective."""
