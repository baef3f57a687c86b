"""The worker takes in changed settings files, profiles and prompts; nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.app.messages import ChangeSettingsCommand, OpenFileCommand, RunCompactionCommand, UndoCommand
from core.app.services.settings_commands import (
    DeleteProfileCommand,
    LoadPromptCommand,
    LoadSettingsCommand,
    RunLineCommand,
    SaveProfileCommand,
    SavePromptCommand,
    SaveSettingsCommand,
    UseProfileCommand,
)
from core.configuration.profile_store import ProfileStore
from core.configuration.store import SavedSettings
from core.presentation.model import Notice, Screen
from core.presentation.prompts.model import PromptPage
from core.presentation.settings.model import CallQuestion, SettingsPage
from core.presentation.settings.profiles_page import row_of
from core.settings.keys import PRESERVE, PROFILE
from core.settings.profile import OFFLINE
from tests.core.app.test_desk import Bench, transcript
from tests.core.app.test_desk_model import control, desk, found, profile, server
from tests.loopback import Loopback

__all__ = ["desk", "server", "transcript"]


@pytest.mark.req("REQ-CS-009.2")
def test_undo_leaves_the_saved_layer_as_the_file_has_it(desk: Bench) -> None:
    desk(ChangeSettingsCommand(((PRESERVE, 0.3),)))
    desk(SaveSettingsCommand(((PRESERVE, 0.3),)))
    desk(UndoCommand())
    desk(ChangeSettingsCommand(((PRESERVE, None),)))
    assert control(found(desk, Screen), PRESERVE).layer == "saved"


def test_undo_back_to_a_deleted_profile_changes_nothing(desk: Bench, server: Loopback) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    desk(DeleteProfileCommand("local"))
    desk(UndoCommand())
    assert "'local'" in found(desk, Notice).what
    desk(ChangeSettingsCommand(((PRESERVE, 0.4),)))
    assert found(desk, Screen).profile == OFFLINE


def test_a_saved_value_that_allows_no_preview_is_shown_and_can_be_taken_out(desk: Bench) -> None:
    desk(SaveSettingsCommand(((PROFILE, "nope"),)))
    desk(LoadSettingsCommand())
    assert control(found(desk, SettingsPage), PROFILE).layer == "saved"
    desk(SaveSettingsCommand(((PROFILE, None),)))
    assert found(desk, Screen).strategy == "middle-out"


def test_another_program_changes_the_file_and_window_and_dialog_follow(desk: Bench) -> None:
    SavedSettings().save({PRESERVE: 0.5})
    desk(LoadSettingsCommand())
    assert control(found(desk, SettingsPage), PRESERVE).value == 0.5
    assert control(found(desk, Screen), PRESERVE).value == 0.5


def test_a_file_that_breaks_while_the_window_is_open_is_told_once(desk: Bench) -> None:
    SavedSettings().path.parent.mkdir(parents=True, exist_ok=True)
    SavedSettings().path.write_text("a = \n")
    desk(ChangeSettingsCommand())
    assert "line 1" in found(desk, Notice).what
    desk(ChangeSettingsCommand())
    assert not any(isinstance(event, Notice) for event in desk.events)


def test_an_edited_prompt_makes_the_summary_stale(desk: Bench, server: Loopback) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    desk(RunCompactionCommand())
    desk(LoadPromptCommand())
    page = found(desk, PromptPage)
    desk(SavePromptCommand(page.name, "openai", "tiny-1", "model", page.text + "\nMore.\n"))
    assert found(desk, Screen).stale


def test_an_edited_profile_makes_the_summary_stale(desk: Bench, server: Loopback) -> None:
    row = row_of(profile(server), OFFLINE)
    desk(UseProfileCommand("local"))
    desk(RunCompactionCommand())
    desk(SaveProfileCommand(replace(row, model="tiny-2"), former="local"))
    assert found(desk, Screen).stale


def test_a_profile_edited_to_a_paid_model_is_asked_about(desk: Bench, server: Loopback) -> None:
    row = row_of(profile(server), OFFLINE)
    desk(UseProfileCommand("local"))
    desk(RunCompactionCommand())
    paid = replace(row, provider="anthropic", model="claude-haiku-4-5", base_url="")
    desk(SaveProfileCommand(paid, former="local"))
    desk(RunCompactionCommand())
    assert "claude-haiku-4-5" in found(desk, CallQuestion).text


def test_a_new_profile_never_replaces_another(desk: Bench, server: Loopback) -> None:
    row = row_of(profile(server), OFFLINE)
    desk(SaveProfileCommand(replace(row, model="other")))
    assert found(desk, Notice).what == "The profile local exists already."
    assert ProfileStore().load("local").model == "tiny-1"


@pytest.mark.req("REQ-CS-002.5")
def test_the_profile_for_summaries_follows_a_new_name(desk: Bench, server: Loopback) -> None:
    row = row_of(profile(server), OFFLINE)
    desk(RunLineCommand(f"/set {PROFILE} local"))
    desk(SaveProfileCommand(replace(row, name="renamed"), former="local"))
    assert control(found(desk, Screen), PROFILE).value == "renamed"
    desk(RunCompactionCommand())
    assert "written by renamed" in found(desk, Screen).after_head


def test_a_focus_stays_with_its_summary(desk: Bench, server: Loopback, transcript: Path) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    desk(RunLineCommand("/compact the parser"))
    assert "the parser" in server.log[-1].text
    desk(ChangeSettingsCommand())
    assert not found(desk, Screen).stale
    desk(OpenFileCommand(str(transcript)))
    assert "not yet written" in found(desk, Screen).after_head
