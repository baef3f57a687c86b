"""The sentences of a message beside what comes nearest to them in the result."""

from pathlib import Path

import pytest

from core.app.services.inspector import InspectorService
from core.losses.evidence import WordSpan
from core.presentation.changes_page import word_parts
from core.presentation.inspector_model import LossesPage, MessageChanges, WordPart
from tests.core.app.recording_workspace import RecordingHandler


def test_words_of_a_sentence_are_marked_where_they_stand() -> None:
    parts = word_parts(
        "Never push to main.", (WordSpan("Never", 0), WordSpan("main", 14))
    )
    assert parts == (
        WordPart("Never", differs=True),
        WordPart(" push to "),
        WordPart("main", differs=True),
        WordPart("."),
    )
    assert word_parts("as it is", ()) == (WordPart("as it is"),)


@pytest.fixture
def handler(transcript: Path) -> RecordingHandler:
    return RecordingHandler(transcript)


def test_missing_sentences_come_first_and_are_numbered(
    handler: RecordingHandler,
) -> None:
    page: LossesPage = handler.call(InspectorService.losses)
    for index in {index for index, _ in page.places.missing}:
        changes: MessageChanges = handler.call(InspectorService.changes, index)
        numbers = [row.number for row in changes.sentences if row.number >= 0]
        assert numbers == [number for at, number in page.places.missing if at == index]
        assert [row.number for row in changes.sentences][: len(numbers)] == numbers
