"""Factors by family, for files that report too few requests."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from core.tokens.calibration import FAMILIES, family_factor
from tests.tools.family_factors import found_in


@pytest.mark.parametrize("model", ["", "gpt-5.5", "openai/gpt-4o", "somebody/something-7b"])
def test_models_of_openai_and_unknown_ones_count_as_they_are(model: str) -> None:
    assert family_factor(model) == 1.0


@pytest.mark.parametrize("model", ["claude-opus-4-6", "anthropic/Claude-3-5-sonnet", "us.anthropic.claude-x"])
def test_a_family_is_found_under_every_name_of_its_models(model: str) -> None:
    assert family_factor(model) > 1


def test_the_table_is_what_the_tool_measures(corpus: Path) -> None:
    found = found_in(corpus)
    for family in FAMILIES:
        own = [one for one in found if one.family == family.name]
        factors = sorted(round(one.factor, 2) for one in own)
        measured = (median(factors), len(own), sum(one.requests for one in own), factors[0], factors[-1])
        assert measured == (family.factor, family.files, family.requests, family.low, family.high)
