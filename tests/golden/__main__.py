"""Write the golden playouts again: `python -m tests.golden --write`."""

from __future__ import annotations

import argparse

from tests.golden.playouts import write_all

parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
parser.add_argument("--write", action="store_true", required=True, help="replace the files")
parser.parse_args()
write_all()
