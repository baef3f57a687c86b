"""The order of a comparison's rows, and the marks A and B."""

from __future__ import annotations

from collections.abc import Sequence

from core.view.compare_values import DONE, FIDELITY, NAME, CompareLine


def order(lines: Sequence[CompareLine], column: int = FIDELITY, *, descending: bool = True) -> list[int]:
    """Indices of the lines: the baseline, what was recorded, then the others by a column.

    What is not known comes last either way; equal ones stay as they were asked for.
    """
    fixed = [index for index, line in enumerate(lines) if line.rank < 2]
    free = [index for index, line in enumerate(lines) if line.rank == 2]
    fixed.sort(key=lambda index: lines[index].rank)
    if column == NAME:
        free.sort(key=lambda index: lines[index].name, reverse=descending)
        return fixed + free
    known = [index for index in free if lines[index].cells[column].key is not None]
    unknown = [index for index in free if lines[index].cells[column].key is None]
    known.sort(key=lambda index: lines[index].cells[column].key or 0.0, reverse=descending)
    return fixed + known + unknown


def first_pair(lines: Sequence[CompareLine]) -> tuple[str, str]:
    """The pair to begin with: what was recorded (else the best but one) against the best; "" for none."""
    ranked = [lines[index] for index in order(lines) if lines[index].state == DONE and lines[index].is_here]
    best = [line.name for line in ranked if line.rank == 2 and line.fidelity is not None and not line.trouble]
    recorded = [line.name for line in ranked if line.rank == 1 and line.fidelity is not None]
    if recorded and best:
        return recorded[0], best[0]
    return (best[1], best[0]) if len(best) > 1 else ("", "")
