"""Texts that must survive, in the window: added, judged, taken back; no result depends on them."""

from pathlib import Path

import pytest

from core.app.services.compare import SweepService
from core.app.services.inspector import InspectorService, MustService
from core.app.services.preview import PreviewService
from core.common.errors import InputError
from core.losses.must_keep import (
    FILE_NAME,
    TypedMusts,
    load_typed_musts,
)
from core.presentation.inspector_model import LossesPage
from core.settings.schema import TOP_PRESERVE
from core.transcript.model import Speaker
from core.trials.axes import Sweep
from tests.core.app.recording_workspace import RecordingHandler

RULE = "Never raise the timeout of the upload test."


@pytest.fixture
def handler(transcript: Path) -> RecordingHandler:
    return RecordingHandler(transcript)


def losses(handler: RecordingHandler) -> LossesPage:
    page: LossesPage = handler.call(InspectorService.losses)
    return page


def texts(handler: RecordingHandler) -> list[tuple[str, str]]:
    return [(row.must, row.status) for row in losses(handler).must.rows]


def test_a_must_is_judged_first_and_changes_no_result(
    handler: RecordingHandler,
) -> None:
    before = handler._handler.displayed_preview().result.compaction.messages
    handler.call(MustService.add, RULE)
    page = losses(handler)
    assert [(row.must, row.status) for row in page.must.rows] == [
        (RULE, "not said in this session")
    ]
    assert handler._handler.displayed_preview().result.compaction.messages == before


def test_undo_takes_a_must_back_and_what_is_typed_is_kept_by_session(
    handler: RecordingHandler, transcript: Path
) -> None:
    handler.call(MustService.add, RULE)
    conversation = handler._handler.opened_file().conversation
    assert load_typed_musts(conversation) == TypedMusts((RULE,))
    again = RecordingHandler(transcript)
    assert texts(again) == [(RULE, "not said in this session")]
    handler.call(PreviewService.undo)
    assert texts(handler) == []
    assert load_typed_musts(conversation) == TypedMusts()


def test_a_text_of_a_file_is_ignored_instead_of_removed(
    handler: RecordingHandler, transcript: Path
) -> None:
    (transcript.parent / FILE_NAME).write_text(f"# rules\n\n{RULE}\n", encoding="utf-8")
    (row,) = losses(handler).must.rows
    assert (row.must, row.is_from_file) == (RULE, True)
    handler.call(MustService.remove, RULE)
    assert texts(handler) == []


def test_nothing_is_no_must(handler: RecordingHandler) -> None:
    with pytest.raises(InputError, match="nothing to keep"):
        handler.call(MustService.add, "  ")


def test_a_message_without_sentences_is_no_must(handler: RecordingHandler) -> None:
    messages = handler._handler.displayed_preview().messages
    index = next(at for at, one in enumerate(messages) if one.speaker is Speaker.TOOL)
    with pytest.raises(InputError, match=f"#{index + 1} holds no sentence"):
        handler.call(MustService.add_message, index)


def test_one_setting_judges_each_value_by_the_musts(handler: RecordingHandler) -> None:
    vary = (f"{TOP_PRESERVE}=0.1,0.9",)
    handler.call(MustService.add, RULE)
    found: Sweep = handler.call(SweepService.sweep, vary)[-1]
    assert [[one.text for one in point.losses.musts] for point in found.results] == [
        [RULE]
    ] * 2
    handler.call(MustService.remove, RULE)
    found = handler.call(SweepService.sweep, vary)[-1]
    assert [point.losses.musts for point in found.results] == [(), ()]
