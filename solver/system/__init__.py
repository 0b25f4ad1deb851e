"""Services for every part of the project: files, signals, data sets and texts."""
