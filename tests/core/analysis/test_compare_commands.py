"""Compare in the worker: presets against recorded compactions, texts that are parsed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from core.analysis.compare.model import BASELINE
from core.analysis.compare.preset_check import compare_presets_with_recorded
from core.analysis.context import AnalysisInput
from core.analysis.fidelity import fact_texts
from core.analysis.fidelity.fact_texts import split_sentences
from core.app.events import OpenRequest
from core.app.services.compare import CompareService
from core.app.services.opening import OpenService
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.presentation.compare.model import ComparePage
from tests.core.app.recording_session import RecordingHandler

SAMPLE = str(SAMPLES / "fix-flaky-upload.jsonl")


def test_how_far_two_sizes_are_apart_is_said_in_words() -> None:
    values = SettingLayers().resolve()
    (told,) = compare_presets_with_recorded(AnalysisInput(load_conversation(SAMPLE), values).offline)
    assert told.sentences[0].endswith("32.1 times as many.")


def test_what_the_agents_preset_would_have_done_follows_the_rows() -> None:
    handler = RecordingHandler()
    handler(OpenService.open, OpenRequest(SAMPLE))
    handler(CompareService.compare, (BASELINE, "recorded 1"))
    pages = [page for page in handler.events if isinstance(page, ComparePage)]
    assert [one.is_over for one in pages] == [False, False, False, True]
    (comparison,) = pages[-1].comparisons
    assert (comparison.number, comparison.preset, len(comparison.sentences)) == (1, "claude-code", 4)


def test_the_rows_share_the_texts_that_they_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most messages are in every row, and each row is a separate step."""
    handler, split = RecordingHandler(), Counter[str]()

    def counted(text: str) -> Iterator[str]:
        split[text] += 1
        return split_sentences(text)

    monkeypatch.setattr(fact_texts, "split_sentences", counted)
    names = (BASELINE, "middle-out", "high-density", "recorded 1")
    handler(OpenService.open, OpenRequest(SAMPLE))
    handler(CompareService.compare, names)
    assert split
    assert set(split.values()) == {1}
