"""Columns are reused when a switch is reverted; a run can be cancelled."""

from __future__ import annotations

import pytest

from core.common.errors import Cancelled
from core.configuration.layers import SettingLayers
from core.presentation import preview_columns_cache as columns_module
from core.presentation.lists import row_texts
from core.presentation.preview_columns_cache import ResultColumns
from core.presentation.screen import ScreenState, preview_screen, screen_columns
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.transcript.model import Conversation
from tests.builders import conversation, exchange, talk
from tests.core.strategies.strategy_running import values

SWITCH = "compression.density.readWritePruning"
TALK = conversation(
    *talk(6), *(one for n in range(6) for one in exchange(f"{n}", "read_file", "line\n" * 90, file_path="a"))
)
BEFORE = row_texts.message_rows(TALK.messages)


def made(stages: StageCache, on: bool, source: Conversation = TALK) -> Preview:
    own = values(compression__strategy="high-density", context_limit=4000, **{SWITCH: on})
    return compute_preview(source, own, PreviewOptions(), stages)


def state(*known: ResultColumns) -> ScreenState:
    return ScreenState(1, SettingLayers(), BEFORE, 0, "title", "openai", cached_columns=known)


def test_known_columns_give_the_same_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = StageCache()
    first = screen_columns(made(stages, True), state())
    made(stages, False)
    again = made(stages, True)
    fresh = preview_screen(again, state())
    monkeypatch.setattr(columns_module, "preview_columns", lambda preview: pytest.fail("made anew"))
    assert preview_screen(again, state(first)) == fresh
    assert first.of(again).columns.preview is again


def test_columns_of_another_result_do_not_fit() -> None:
    stages = StageCache()
    one, other = made(stages, True), made(stages, False)
    kept = screen_columns(one, state())
    assert kept.fits(one, BEFORE, "")
    assert not kept.fits(other, BEFORE, "")
    assert not kept.fits(one, row_texts.message_rows(TALK.messages), "")
    assert not kept.fits(one, BEFORE, "not written yet")
    assert preview_screen(other, state(kept)) == preview_screen(other, state())


def test_a_result_is_linted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = StageCache()
    first = made(stages, True).lint
    monkeypatch.setattr(
        "core.preview.result_checks.lint_messages", lambda *given, **more: pytest.fail("linted again")
    )
    assert made(stages, True).lint is first


@pytest.mark.parametrize("name", ["middle-out", "high-density", "tiered", "pinned-hybrid"])
def test_a_strategy_can_be_cancelled_while_it_runs(name: str) -> None:
    def stop(fraction: float, text: str) -> None:
        if text == "Compacting":
            raise Cancelled

    stages = StageCache()
    own = values(compression__strategy=name, context_limit=1000)
    with pytest.raises(Cancelled):
        compute_preview(TALK, own, PreviewOptions(progress=stop), stages)
    assert compute_preview(TALK, own, PreviewOptions(), stages) == compute_preview(TALK, own)
