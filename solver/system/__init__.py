"""Files, signals, data sets and texts: what every part of the project needs."""
