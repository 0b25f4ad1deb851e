"""Search for designs of the highest probability or the least ensemble defect."""
