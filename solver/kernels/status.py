"""Reasons why a kernel returned."""

#: Playouts spent, target reached, no room for new codes, every state of the problem seen, all done
#: that can be before other threads are there.
PAUSED, REACHED, FULL, EXHAUSTED, WAITING, CROWDED = range(6)
