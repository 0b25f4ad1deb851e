"""How rules become machine code: dispatch, compilation, caches, streams, memory."""
