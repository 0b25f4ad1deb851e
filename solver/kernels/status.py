"""Why a kernel returned."""

#: Playouts spent, target reached, no room for new codes, every state of the problem seen.
PAUSED, REACHED, FULL, EXHAUSTED = 0, 1, 2, 3
