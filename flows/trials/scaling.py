"""Cost of learning per 1,000 instances.

`python -m flows.trials.scaling`: prints the numbers that `docs/scaling.md` multiplies.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from typing import Any

MEASURED = 1000
#: SameGame boards are searched for ten thousand playouts each: fewer will do.
FEWER = {"samegame": 100}


def main() -> None:
    """Print the cost per 1,000 instances of every domain."""
    print("| domain | generate, s | replay, s | solved, MB | counts, KB per shard |")
    print("|---|---|---|---|---|")
    for domain in ("latin-square", "kakuro", "rna", "samegame", "tsptw"):
        print(_row(domain), flush=True)


def _row(domain_name: str) -> str:
    """Measure one shard of 500 after another, on one thread."""
    from pipeline.commands.learn import read_request
    from pipeline.learning.learn import generate_shard, replay_shard
    from pipeline.publishing.refresh import Learning

    instances = FEWER.get(domain_name, MEASURED)
    with tempfile.TemporaryDirectory() as name:
        words = [domain_name, "--instances", str(instances), "--work", name]
        _, request = read_request(words)
        learning = Learning.of(request)
        domain, plan, work = learning.domain, learning.plan, learning.work
        replay_shard(domain, plan, range(2), work)  # kernels, corpora
        shutil.rmtree(work)
        seconds = [0.0, 0.0]
        sizes = [0, 0]
        for numbers in plan.shards():
            for step, function in enumerate((generate_shard, replay_shard)):
                begin = time.process_time()
                done: Any = function(domain, plan, numbers, work)
                seconds[step] += time.process_time() - begin
                sizes[step] += done.path.stat().st_size
    per = MEASURED / instances
    return (
        f"| {domain_name} | {seconds[0] * per:.2f} | {seconds[1] * per:.2f} | "
        f"{sizes[0] * per / 1e6:.2f} | {sizes[1] / len(plan.shards()) / 1e3:.1f} |"
    )


if __name__ == "__main__":
    main()
