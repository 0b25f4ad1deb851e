"""Nested searches: levels, adapting, and the searches made of them."""
