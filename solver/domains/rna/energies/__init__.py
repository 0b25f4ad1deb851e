"""Energies beyond those that ship: files of parameters, and bases that are modified."""
