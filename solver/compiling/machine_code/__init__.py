"""Changes to how Numba compiles, links and keeps machine code; modules here import Numba."""
