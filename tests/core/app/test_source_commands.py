"""Other parts of a file: branch and scope when it is opened, pages of recorded compactions."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.app.events import OpenRequest
from core.app.services.inspector import InspectorService
from core.app.services.preview import OpenService, PreviewService
from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import Notice
from tests.core.app.recording_session import RecordingHandler
from tests.forked_session import write


@pytest.fixture
def handler() -> RecordingHandler:
    return RecordingHandler()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(write(tmp_path))


def test_a_branch_and_a_scope_are_opened(handler: RecordingHandler, path: str) -> None:
    screen = handler.screen(OpenService.open, OpenRequest(path, branch=2))
    opened = next(event for event in handler.events if isinstance(event, FileOpenedEvent))
    assert (opened.branch, opened.messages, len(screen.before)) == (2, 53, 53)
    screen = handler.screen(OpenService.open, OpenRequest(path, scope="before:2"))
    assert (screen.scope, len(screen.before)) == ("before:2", 54)


@pytest.mark.parametrize("command", [{"branch": 3}, {"scope": "before:9"}, {"conversation": 9}])
def test_what_is_not_there_leaves_what_was_open(
    handler: RecordingHandler, path: str, command: dict[str, int]
) -> None:
    handler(OpenService.open, OpenRequest(path))
    refused = handler(OpenService.open, OpenRequest(path, **command))  # type: ignore[arg-type]
    assert isinstance(refused, Notice)
    assert refused.severity == "error"
    assert len(handler.screen(PreviewService.set_scope, "all").before) == 68


def test_the_page_of_a_recorded_compaction_is_there_in_every_scope(
    handler: RecordingHandler, path: str
) -> None:
    handler(OpenService.open, OpenRequest(path))
    whole = handler.call(InspectorService.explain_recorded, 2)
    handler(PreviewService.set_scope, "before:2")
    before = handler.call(InspectorService.explain_recorded, 2)
    assert whole.title == before.title == "Recorded 2 of 3"
    assert [section.title for section in whole.sections][:2] == ["In the lists", "Tokens"]
