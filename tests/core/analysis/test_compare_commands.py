"""Compare in the worker and its page: the first pair, presets against recorded compactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

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
from core.presentation.compare.model import COLUMNS, DONE, CompareCell, ComparePage, CompareTableRow
from core.presentation.compare.row_order import default_pair
from tests.core.app.recording_session import RecordingHandler

SAMPLE = str(SAMPLES / "fix-flaky-upload.jsonl")


def line(name: str, fidelity: float, tokens: int, *, rank: int = 2, trouble: str = "") -> CompareTableRow:
    """Return a line with the two figures that decide."""
    cells = tuple(CompareCell("", tokens if place == 1 else fidelity) for place in range(len(COLUMNS)))
    return CompareTableRow(name, rank, DONE, cells, (), fidelity, trouble)


LINES = (
    line("none", 1.0, 900, rank=0),
    line("idle", 1.0, 900, trouble="Already under the target."),
    line("careful", 0.98, 500),
    line("best", 0.97, 300),
    line("small", 0.60, 100),
)
FRONT = ("none", "best", "small")


def test_the_first_pair_is_what_is_chosen_against_the_best_of_the_front() -> None:
    assert default_pair(LINES, FRONT, "careful") == ("careful", "best")
    assert default_pair(LINES, FRONT, "best") == ("best", "small")


def test_what_changed_nothing_is_in_no_pair() -> None:
    assert default_pair(LINES, FRONT, "idle") == ("small", "best")
    assert default_pair(LINES[:2]) == ("", "")
    assert default_pair(LINES[:3]) == ("", "")


def test_what_was_recorded_comes_first_where_it_can_be_set_beside() -> None:
    own = line("recorded 1", 0.5, 200, rank=1)
    assert default_pair((*LINES, own), FRONT, "careful") == ("recorded 1", "best")
    assert default_pair((*LINES, replace(own, is_in_scope=False)), FRONT, "careful") == ("careful", "best")


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
    assert [one.title for one in pages[-1].recorded_comparisons] == ["recorded 1 and claude-code"]
    assert len(pages[-1].recorded_comparisons[0].sentences) == 4


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
