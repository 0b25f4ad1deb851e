"""Reasons why a kernel returned."""

#: The playouts are spent, or the rules broke a bound.
PAUSED = 0
#: The target is reached.
REACHED = 1
#: An array is full: enlarge it and call again.
FULL = 2
#: Every state of the problem was seen.
EXHAUSTED = 3
#: Nothing is left to do before other threads arrive.
WAITING = 4
#: The memory limit of a tree is reached: free nodes and call again.
CROWDED = 5
