"""RNA: natural sequences with structures, hard targets that are made, and designs of those."""
