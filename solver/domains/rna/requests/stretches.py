"""Stretches that must not be shared with other sequences, as motifs of the compiled search."""

from __future__ import annotations

from solver.domains.rna.requests.check import Requirements, is_fixed, stretches_of


def with_stretches(requirements: Requirements) -> Requirements:
    """Return requirements with a forbidden motif for each stretch that must not be shared.

    Where fixed bases are such a stretch, it is permitted.
    """
    if not requirements.shared:
        return requirements
    length, bases = requirements.shared + 1, requirements.bases
    stretches = stretches_of((*requirements.others, *requirements.foreign), length)
    motifs = [(stretch, [stretch]) for stretch in sorted(stretches)]
    fixed = [
        (bases[start : start + length], start + 1)
        for start in range(len(bases) - length + 1)
        if is_fixed(bases[start : start + length])
    ]
    known = {motif for motif, _ in motifs} - {word for word, _ in requirements.forbidden}
    return requirements._replace(
        forbidden=[
            *requirements.forbidden,
            *((word, forms) for word, forms in motifs if word in known),
        ],
        permitted=[*requirements.permitted, *(at for at in fixed if at[0] in known)],
    )
