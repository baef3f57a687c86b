"""The worker takes in changed settings files, profiles and prompts; nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.app.events import CompactionRequest
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.configuration.store import SavedSettings
from core.presentation.dialog_model import SettingsPage
from core.presentation.model import Notice, Screen
from core.presentation.settings_page import profile_row
from core.settings.keys import PRESERVE, PROFILE
from core.settings.profile import OFFLINE
from tests.core.app.recording_session import RecordingHandler, control, last_event, save_profile
from tests.loopback import Loopback


@pytest.mark.req("REQ-CS-009.2")
def test_undo_leaves_the_saved_layer_as_the_file_has_it(handler: RecordingHandler) -> None:
    handler(PreviewService.change, ((PRESERVE, 0.3),))
    handler(SettingsService.save, ((PRESERVE, 0.3),))
    handler(PreviewService.undo)
    handler(PreviewService.change, ((PRESERVE, None),))
    assert control(handler.tuning, PRESERVE).layer == "saved"


def test_a_saved_value_that_allows_no_preview_is_shown_and_can_be_taken_out(
    handler: RecordingHandler,
) -> None:
    handler(SettingsService.save, ((PROFILE, "nope"),))
    handler(SettingsService.page)
    assert control(last_event(handler, SettingsPage), PROFILE).layer == "saved"
    handler(SettingsService.save, ((PROFILE, None),))
    assert last_event(handler, Screen).strategy == "middle-out"


def test_a_file_that_breaks_while_the_window_is_open_is_told_once(handler: RecordingHandler) -> None:
    SavedSettings().path.parent.mkdir(parents=True, exist_ok=True)
    SavedSettings().path.write_text("a = \n")
    handler(PreviewService.change)
    assert "line 1" in last_event(handler, Notice).title
    handler(PreviewService.change)
    assert not any(isinstance(event, Notice) for event in handler.events)


@pytest.mark.req("REQ-CS-002.5")
def test_the_profile_for_summaries_follows_a_new_name(handler: RecordingHandler, server: Loopback) -> None:
    row = profile_row(save_profile(server), OFFLINE)
    handler(SettingsService.run_line, f"/set {PROFILE} local")
    handler(ProfileService.save, replace(row, name="renamed"), former="local")
    handler(SettingsService.page)
    assert control(last_event(handler, SettingsPage), PROFILE).value == "renamed"
    handler(PreviewService.compact, CompactionRequest())
    assert "written by renamed" in last_event(handler, Screen).after_heading
