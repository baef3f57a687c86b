"""The screen of a long history is sent before its checks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.events import Event, OpenRequest
from core.app.rpc import call_of
from core.app.services.export import ExportService
from core.app.services.opening import OpenService
from core.app.services.preview import PreviewService
from core.app.services.service_host import ServiceHost
from core.common.number_format import UNKNOWN
from core.presentation.checked_screen import ScreenChecks
from core.presentation.export.model import ExportRequest
from core.presentation.model import Screen
from tests.core.app.recording_session import run_call

SWITCH = "compression.density.fileDedupe"


class RecordingHandler:
    """A command handler and all its events; with ``is_in_haste`` something newer waits behind each screen."""

    def __init__(self, path: Path) -> None:
        self.events: list[Event] = []
        self.is_in_haste = False
        self._handler = ServiceHost(self.events.append, self._interrupted)
        run_call(self._handler, call_of(OpenService.open, OpenRequest(str(path))))
        run_call(
            self._handler,
            call_of(
                PreviewService.change,
                (("compression.strategy", "high-density"), ("context-limit", 100_000)),
                False,
            ),
        )

    def _interrupted(self) -> str:
        is_shown = any(isinstance(event, Screen) for event in self.events)
        return "newer" if self.is_in_haste and is_shown else ""

    def turn(self, is_on: bool, *, draft: bool = False) -> list[Screen | ScreenChecks]:
        """Throw the switch; what the window is told to show, in order."""
        self.events.clear()
        run_call(self._handler, call_of(PreviewService.change, ((SWITCH, is_on),), draft))
        return [event for event in self.events if isinstance(event, (Screen, ScreenChecks))]

    def export(self, path: Path) -> str:
        ExportService(self._handler).export(ExportRequest(str(path), "html"))
        return path.read_text()


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A chat with a result without a call, which every API refuses."""
    long = "src/file.py\n" * 200
    call = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Where is the test?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": long},
        {"role": "tool", "tool_call_id": "nobody", "content": "lost"},
        *({"role": "user", "content": f"And number {number}?"} for number in range(6)),
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))
    return path


@pytest.fixture
def handler(chat: Path, monkeypatch: pytest.MonkeyPatch) -> RecordingHandler:
    monkeypatch.setattr("core.app.session._MANY", 1)
    return RecordingHandler(chat)


def effects(screen: Screen) -> set[str]:
    return {
        made.effect for group in screen.groups for made in group.controls if made.key.startswith(SWITCH[:19])
    }


def test_what_is_not_known_is_no_number(handler: RecordingHandler) -> None:
    screen, _ = handler.turn(False)
    assert isinstance(screen, Screen)
    assert not screen.lint
    assert f"validity {UNKNOWN}" in [part.text for part in screen.status]
    assert effects(screen) <= {UNKNOWN, ""}


def test_the_checks_make_it_the_screen_that_a_short_history_has_at_once(
    handler: RecordingHandler, chat: Path
) -> None:
    first, found = handler.turn(False)
    assert isinstance(first, Screen)
    assert isinstance(found, ScreenChecks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.app.session._MANY", 1_000)
        (whole,) = RecordingHandler(chat).turn(False)
    assert isinstance(whole, Screen)
    assert whole.lint
    assert UNKNOWN not in effects(whole)
    same = replace(whole, generation=first.generation)
    assert found.applied_to(first) == same


def test_checks_that_are_known_need_no_second_word(handler: RecordingHandler) -> None:
    handler.turn(False)
    handler.turn(True)
    (again,) = handler.turn(False)
    assert isinstance(again, Screen)
    assert again.lint


def test_a_draft_is_not_checked(handler: RecordingHandler) -> None:
    former = handler.turn(True)[-1]
    (draft,) = handler.turn(False, draft=True)
    assert isinstance(draft, Screen)
    assert draft.lint == former.lint


def test_something_newer_ends_the_checks_and_an_export_has_them_all_the_same(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    handler.is_in_haste = True
    (only,) = handler.turn(False)
    assert isinstance(only, Screen)
    assert not only.lint
    handler.is_in_haste = False
    assert "nobody" in handler.export(tmp_path / "report.html").partition("Lint")[2]
