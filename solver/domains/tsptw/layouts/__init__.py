"""Layouts of files of tours beside matrices and tables of coordinates."""
