"""The offline summary has every section that its check requires: for every strategy and sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.analysis.summary_check.preview_summaries import summary_findings
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.preview.options import StageCache
from core.preview.preview import compute_preview
from core.settings.keys import LIMIT, STRATEGY
from core.strategies.registry import STRATEGIES

FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_section_is_missing(path: Path) -> None:
    conversation, missing = load_conversation(path), {}
    for strategy in STRATEGIES:
        layers = SettingLayers().with_session(STRATEGY, strategy.name)
        layers = layers.with_session(LIMIT, 128_000)
        stages = StageCache()
        result = summary_findings(compute_preview(conversation, layers.resolve(), cache=stages), stages) or ()
        lacks = [one.text for one in result if one.rule == "missing-section"]
        if lacks:
            missing[strategy.name] = lacks
    assert missing == {}
