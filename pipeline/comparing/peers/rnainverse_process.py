"""Calls of ViennaRNA's inverse folding until one is right: a target comes, a sequence leaves.

It reads an engine's parameters, dangling bases and temperature, a target, the bases that are
fixed and a seed as JSON, and writes a sequence that folds into the target, with the seconds.
A script and no module: of ours it imports nothing that searches.
"""

import json
import random
import signal
import sys
import time

if len(sys.argv) > 1:  # seconds until the alarm ends this process, the import included
    signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))

import RNA

PAIRS = ("GC", "CG", "AU", "UA", "GU", "UG")


def start_of(partner: list[int], fixed: str, chance: random.Random) -> str:
    """A sequence whose pairs can form; fixed bases are small letters, which the search keeps."""
    bases = [""] * len(partner)
    for i, other in enumerate(partner):
        if other < 0:
            bases[i] = fixed[i].lower() if fixed[i] != "N" else chance.choice("ACGU")
        elif other > i:
            fits = [
                pair
                for pair in PAIRS
                if fixed[i] in ("N", pair[0]) and fixed[other] in ("N", pair[1])
            ]
            for place, base in zip((i, other), chance.choice(fits), strict=True):
                bases[place] = base.lower() if fixed[place] != "N" else base
    return "".join(bases)


def main() -> None:
    """Restart from random sequences, as the option -R of RNAinverse does, until one folds."""
    request = json.load(sys.stdin)
    load = {"1999": RNA.params_load_RNA_Turner1999, "2004": RNA.params_load_RNA_Turner2004}
    load[request["parameters"]]()
    RNA.cvar.temperature = request["celsius"]
    RNA.cvar.dangles = request["dangles"]
    target, fixed = request["target"], request["fixed"]
    table = RNA.ptable(target)
    partner = [table[i + 1] - 1 for i in range(len(target))]
    chance = random.Random(request["seed"])
    RNA.init_rand(request["seed"] % 2**32)
    begin = time.perf_counter()
    calls = 0
    while True:
        calls += 1
        sequence, distance = RNA.inverse_fold(start_of(partner, fixed, chance), target)
        if distance == 0.0 and RNA.fold(sequence.upper())[0] == target:
            break
    seconds = time.perf_counter() - begin
    json.dump({"sequence": sequence.upper(), "seconds": seconds, "calls": calls}, sys.stdout)


if __name__ == "__main__":
    main()
