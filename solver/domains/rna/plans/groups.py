"""Groups in which strands hold together, and the best of all ways to split strands into them.

The process that refolds designs imports this: nothing of the search, no compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

Group = tuple[int, ...]


def least_apart(
    strands: Sequence[str],
    fold: Callable[[Group], tuple[str, float]],
    keeps: Callable[[Sequence[Group]], bool] = lambda groups: True,
) -> tuple[str, float]:
    """Return the structure of least energy of strands, together or apart, and its energy.

    Groups do not cross, in the order written.

    Parameters
    ----------
    strands : sequence of str
        Bases.
    fold : callable
        Structure of the strands of a group, without `&`, and its energy in kcal/mol.
    keeps : callable
        False of groups that are left out.
    """
    folds: dict[Group, tuple[str, float]] = {}
    best = "", float("inf")
    for groups in filter(keeps, partitions(tuple(range(len(strands))))):
        structures, total = [""] * len(strands), 0.0
        for group in groups:
            if group not in folds:
                folds[group] = fold(group)
            structure, energy = folds[group]
            total += energy
            for i in group:
                structures[i] = structure[: len(strands[i])]
                structure = structure[len(strands[i]) :]
        if total < best[1]:
            best = "".join(structures), total
    return best


def partitions(items: Group) -> Iterator[list[Group]]:
    """Yield the partitions into groups that do not cross."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]

    def grown(group: Group, left: Group) -> Iterator[list[Group]]:
        # what lies between two members of the group is split by itself
        for others in partitions(left):
            yield [group, *others]
        for index, item in enumerate(left):
            for between in partitions(left[:index]):
                for found in grown((*group, item), left[index + 1 :]):
                    yield [*between, *found]

    yield from grown((first,), rest)
