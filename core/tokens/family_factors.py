"""Factors by family of models, for conversations whose file reports too few requests.

Measured with ``python -m tests.tools.family_factors``; see resources/help/context-size.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """``factor`` is the median over ``files`` with ``requests`` reported requests; ``low`` and ``high`` are
    the smallest and largest of them."""

    name: str
    pattern: str
    factor: float
    files: int
    requests: int
    low: float
    high: float


FAMILIES: tuple[ModelFamily, ...] = (ModelFamily("Claude", r"claude", 1.35, 7, 858, 1.15, 2.26),)


def family_of(model: str) -> ModelFamily | None:
    """The family that a model's name belongs to; None for OpenAI's and unknown ones."""
    return next((one for one in FAMILIES if re.search(one.pattern, model, re.IGNORECASE)), None)


def family_factor(model: str) -> float:
    """The factor of a model's family; 1.0 for OpenAI's models and unknown ones."""
    found = family_of(model)
    return found.factor if found else 1.0
