"""Who writes a summary: one profile, whatever set it, shown in "Summary by" and called by
Compact."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.events import CompactionRequest
from core.app.services.ask import AskService
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.presentation.dialog_model import CallQuestion
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from core.settings.profile import OFFLINE
from core.settings.schema import PROFILE, STRATEGY
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from tests.core.app.recording_workspace import (
    RecordingHandler,
    last_event,
    save_profile,
)
from tests.core.cli.running_cli import CHAT, Cli
from tests.support.loopback import BROKEN, Loopback, Reply, run_loopback

Step = Callable[[RecordingHandler], object]
FLASH, OTHER = "flash", "other"


def by_line(text: str) -> Step:
    return lambda handler: handler(SettingsService.run_line, text)


def by_dialog(handler: RecordingHandler) -> None:
    handler(SettingsService.save, ((PROFILE, FLASH),))


def by_loaded_settings(handler: RecordingHandler) -> None:
    store = ProfileStore()
    store.save(replace(store.load(OTHER), name="both", settings={PROFILE: FLASH}))
    handler(ProfileService.use, "both")


def by_toolbar(handler: RecordingHandler) -> None:
    handler(ProfileService.choose_summary_profile, FLASH)


def by_undo(handler: RecordingHandler) -> None:
    by_toolbar(handler)
    handler(ProfileService.choose_summary_profile, OTHER)
    handler(PreviewService.undo)


def by_run_put_back(handler: RecordingHandler) -> None:
    by_toolbar(handler)
    handler(PreviewService.compact, CompactionRequest())
    handler(ProfileService.choose_summary_profile, OTHER)
    handler(PreviewService.restore_run, "1")


WAYS: tuple[Step, ...] = (
    by_line(f"/set {PROFILE} {FLASH}"),
    by_line(f"/profile load {FLASH}"),
    by_dialog,
    by_loaded_settings,
    by_toolbar,
    by_undo,
    by_run_put_back,
)


@pytest.fixture
def flash(server: Loopback) -> Loopback:
    save_profile(server, name=FLASH, model="flash-1")
    save_profile(server, name=OTHER, model="other-1")
    return server


def compacted(handler: RecordingHandler, server: Loopback) -> list[str]:
    """Return the models that Compact calls; a run by hand is not shown again, since the focus is
    new."""
    server.log.clear()
    handler(PreviewService.compact, CompactionRequest("what was asked last"))
    return [asked.body["model"] for asked in server.log]


@pytest.mark.req("REQ-CS-002.5", "REQ-CS-002.6")
@pytest.mark.parametrize("way", WAYS)
def test_what_is_shown_is_what_is_called_whatever_set_it(
    handler: RecordingHandler, flash: Loopback, way: Step
) -> None:
    way(handler)
    shown = last_event(handler, Screen)
    assert (shown.request.profile, shown.request.sends_to) == (
        FLASH,
        f"to {flash.base[7:]}, by {FLASH}, free",
    )
    assert compacted(handler, flash) == ["flash-1"]


@pytest.mark.parametrize("choose", [OFFLINE, OTHER])
@pytest.mark.parametrize("way", WAYS)
def test_a_choice_in_summary_by_holds_whatever_set_the_former_one(
    handler: RecordingHandler, flash: Loopback, way: Step, choose: str
) -> None:
    way(handler)
    handler(ProfileService.choose_summary_profile, choose)
    assert last_event(handler, Screen).request.profile == choose
    assert compacted(handler, flash) == ([] if choose == OFFLINE else ["other-1"])


@pytest.mark.parametrize("way", WAYS)
def test_use_offline_holds_whatever_set_the_former_one(
    handler: RecordingHandler, flash: Loopback, way: Step
) -> None:
    flash.script = [BROKEN]
    way(handler)
    handler(PreviewService.compact, CompactionRequest(offline=True))
    assert last_event(handler, Screen).request.profile == OFFLINE
    assert compacted(handler, flash) == []


def test_a_loaded_profile_does_not_take_the_place_of_a_choice(
    handler: RecordingHandler, flash: Loopback
) -> None:
    handler(ProfileService.choose_summary_profile, OFFLINE)
    handler(ProfileService.use, FLASH)
    assert last_event(handler, Screen).request.profile == OFFLINE
    assert f"Summaries are still by {OFFLINE}" in last_event(handler, Notice).title
    assert compacted(handler, flash) == []


def test_a_saved_choice_holds_in_the_next_session(
    flash: Loopback, transcript: Path
) -> None:
    SavedSettings().save({PROFILE: FLASH})
    handler = RecordingHandler(transcript)
    assert last_event(handler, Screen).request.profile == FLASH
    assert compacted(handler, flash) == ["flash-1"]


@pytest.mark.parametrize(
    "way", [("--profile", FLASH), ("--set", f"{PROFILE}={FLASH}"), ()]
)
def test_the_command_line_names_who_is_called(
    cli: Cli, flash: Loopback, way: tuple[str, ...]
) -> None:
    if not way:
        SavedSettings().save({PROFILE: FLASH})
    assert (
        cli.run(
            "compact",
            CHAT,
            "-s",
            "middle-out",
            "--set",
            "compression.context-limit=3000",
            *way,
        )
        == 0
    )
    assert f"to {flash.base[7:]}, by {FLASH}, nothing to pay (flash-1" in cli.err
    assert [asked.body["model"] for asked in flash.log] == ["flash-1"]


def test_the_profile_that_is_shown_is_asked_about_its_summary(
    handler: RecordingHandler, flash: Loopback
) -> None:
    handler(ProfileService.choose_summary_profile, FLASH)
    handler(PreviewService.compact, CompactionRequest())
    facts = {
        fact.label: fact.value for fact in handler(AskService.questions, False).facts
    }
    assert facts["Goes to"] == f"{flash.base[7:]}, as flash-1"


def test_a_yes_is_for_what_was_asked(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_paid_profile()
    handler(PreviewService.compact, CompactionRequest())
    save_profile(server, name="away", base_url="http://models.example.invalid/v1")
    handler(ProfileService.choose_summary_profile, "away")
    handler(PreviewService.compact, CompactionRequest(agreed=True))
    assert last_event(handler, CallQuestion).title.startswith(
        "Send this to models.example.invalid, by away"
    )


@pytest.mark.req("REQ-CS-006A.1")
def test_a_missing_profile_is_an_error_when_a_model_would_be_called(
    handler: RecordingHandler, flash: Loopback, transcript: Path, cli: Cli
) -> None:
    SavedSettings().save({PROFILE: "flsh"})
    opened = RecordingHandler(transcript)
    assert last_event(opened, Screen).request.profile == "flsh"
    assert (
        "There is no profile 'flsh'. Did you mean flash?"
        in last_event(opened, Screen).request.sends_to
    )
    opened(PreviewService.compact, CompactionRequest())
    refused = last_event(opened, Notice)
    assert (refused.title[:30], refused.topic) == (
        "There is no profile 'flsh'. Did"[:30],
        "run",
    )
    opened(ProfileService.choose_summary_profile, FLASH)
    gone = [
        event
        for event in opened.events
        if isinstance(event, Notice) and event.topic == "run"
    ]
    assert [notice.title for notice in gone] == [""]
    run = ("compact", CHAT, "--set", "compression.context-limit=3000", "-s")
    assert cli.run(*run, "top-down-truncation") == 0
    assert cli.run("inspect", CHAT) == 0
    assert "There is no profile 'flsh'" in cli.error_text(*run, "middle-out")
    assert flash.log == []


def test_deleting_a_profile_in_use_says_so_first(
    handler: RecordingHandler, flash: Loopback
) -> None:
    handler(ProfileService.choose_summary_profile, FLASH)
    handler(SettingsService.run_line, f"/profile delete {FLASH}")
    said = last_event(handler, Notice)
    assert said.title == f"{FLASH} is in use: it writes the summaries."
    assert FLASH in ProfileStore().names()
    handler(SettingsService.run_line, f"/profile delete {FLASH}")
    assert FLASH not in ProfileStore().names()
    assert last_event(handler, Screen).request.profile == FLASH
    handler(PreviewService.compact, CompactionRequest())
    assert f"There is no profile '{FLASH}'" in last_event(handler, Notice).title


def test_tokens_are_sent_when_the_server_answers() -> None:
    from core.app.model_progress import ModelRunProgress
    from core.llm.protocol import CallStarted, TextReceived
    from core.presentation.dialog_model import SummaryProgress

    seen: list[SummaryProgress] = []
    with run_loopback(Reply()) as server:
        progress = ModelRunProgress(
            profile=save_profile(server), budget=500, emit=seen.append
        )
    progress.handle(CallStarted(1, 11_050))
    assert seen[-1].facts[0].startswith("sending ≈11,050 tokens · ≈0 tokens sent")
    progress.handle(TextReceived("word", 1))
    progress.show()
    assert seen[-1].facts[0].startswith("≈11,050 tokens sent")


def test_a_saved_strategy_that_is_not_known_is_an_error_with_its_line(
    cli: Cli, transcript: Path, home: Path
) -> None:
    path = SavedSettings().path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'# mine\n{STRATEGY} = "one-sh"\n')
    said = cli.error_text("compact", CHAT)
    assert (
        f"{path}, line 2: {STRATEGY} cannot be 'one-sh'. Did you mean one-shot" in said
    )
    assert cli.run("compact", CHAT, "-s", "middle-out") == 0
    assert cli.run("formats") == 0
    handler = RecordingHandler(transcript)
    assert f"line 2: {STRATEGY} cannot be 'one-sh'" in last_event(handler, Notice).title
    handler(PreviewService.change, ((STRATEGY, "middle-out"),))
    assert last_event(handler, Screen).strategy == "middle-out"
