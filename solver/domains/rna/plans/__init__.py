"""Documents of domains, strands and states; tables of words; complexes folded by ViennaRNA."""
