"""Calibration factors by family of models, for files with too few reported requests.

Measured with ``python -m tests.tools.family_factors``; see resources/help/context-size.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """``factor`` is the median over ``files`` with ``requests``, ``low`` and ``high`` are its range."""

    name: str
    pattern: str
    factor: float
    files: int
    requests: int
    low: float
    high: float


FAMILIES: tuple[ModelFamily, ...] = (ModelFamily("Claude", r"claude", 1.35, 7, 858, 1.15, 2.26),)


def model_family(model: str) -> ModelFamily | None:
    """Return the family of a model; None for OpenAI's and unknown ones."""
    return next((family for family in FAMILIES if re.search(family.pattern, model, re.IGNORECASE)), None)


def family_factor(model: str) -> float:
    """Return the factor of a model's family; 1.0 for OpenAI's models and unknown ones."""
    family = model_family(model)
    return family.factor if family else 1.0
