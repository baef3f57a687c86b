"""The best trade-offs between size and what is kept."""

from __future__ import annotations

from collections.abc import Sequence


def front_indices(points: Sequence[tuple[float, float | None] | None]) -> frozenset[int]:
    """Return the indices of the points (tokens, fidelity) that no other beats: as good in both, better in
    one. Points without a result are None."""
    known = [
        (index, tokens, fidelity)
        for index, (tokens, fidelity) in enumerate(point or (0.0, None) for point in points)
        if fidelity is not None
    ]
    return frozenset(
        index
        for index, tokens, fidelity in known
        if not any(
            other_tokens <= tokens and other >= fidelity and (other_tokens, other) != (tokens, fidelity)
            for _, other_tokens, other in known
        )
    )
