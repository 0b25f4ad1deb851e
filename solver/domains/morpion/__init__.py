"""Morpion Solitaire."""
