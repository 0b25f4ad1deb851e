"""Files of RNA targets: formats by their first lines, and their readers."""
