"""A prompt trial in the editor: buttons, question, a model that can be cancelled, the result."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.services.prompts import PromptService
from core.presentation.dialog_model import TrialOffer, TrialPage
from core.presentation.model import LabelledFigure, Notice
from core.settings.profile import Profile
from core.settings_store.profile_store import ProfileStore
from gui.prompt_editor import PromptEditor
from gui.window_content import WindowContent
from tests.gui.fake_prompts import TEXT, fake_page, fake_question, fake_writing
from tests.gui.recording_backend import RecordingBackend
from tests.journeys.walks import open_transcript, settle
from tests.support.loopback import DRIPPING, Loopback, run_loopback

OFFER = TrialOffer("now", "Try offline", "Try with haiku…")
FIGURES = (LabelledFigure("Tokens", "≈3,870 of 4,000"),)
RESULT = TrialPage(
    title="Offline result",
    about="written without a model",
    key="now",
    facts=FIGURES,
    note="",
    text="A",
)
RUNNING = TrialPage(
    title="haiku", about="", key="now", progress=fake_writing(), is_running=True
)


@pytest.fixture
def editor(
    qtbot: QtBot, backend: RecordingBackend, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PromptEditor]:
    monkeypatch.setattr(PromptEditor, "_confirms", lambda *_: True)
    result = PromptEditor(None, backend.client)
    qtbot.addWidget(result)
    with qtbot.waitActive(result):
        result.show()
    result.show_page(replace(fake_page(), trial=OFFER))
    yield result
    result.trial.forget()


def tried(backend: RecordingBackend) -> list[object]:
    """Name, text, offline and agreed of each trial."""
    name = PromptService.try_prompt.__qualname__
    return [arguments for method, arguments in backend.calls if method == name]


@pytest.mark.parametrize(
    ("reason", "model", "can"),
    [("No file.", "", (False, False)), ("", "No.", (True, False))],
)
def test_what_cannot_be_tried_is_disabled_and_says_why(
    editor: PromptEditor, reason: str, model: str, can: tuple[bool, bool]
) -> None:
    offer = replace(OFFER, reason=reason, model_reason=model)
    editor.show_page(replace(fake_page(), trial=offer))
    trial = editor.trial
    assert (trial.offline.isEnabled(), trial.model.isEnabled()) == can
    assert trial.reason.text() == reason
    assert trial.model.toolTip() == reason + model


def test_the_question_costs_nothing_until_it_is_agreed_to(
    editor: PromptEditor, backend: RecordingBackend
) -> None:
    editor.show_trial(
        TrialPage(title="haiku", about="", key="now", question=fake_question())
    )
    assert QApplication.focusWidget() is editor.trial.run.question.no_button
    editor.show_page(replace(fake_page(), trial=OFFER))
    editor.trial.run.question.yes_button.click()
    editor.show_trial(
        TrialPage(title="haiku", about="", key="now", question=fake_question())
    )
    editor.trial.run.question.no_button.click()
    assert tried(backend) == [
        ("middle-out", TEXT, False, True),
        ("middle-out", TEXT, True, False),
    ]


def test_esc_takes_the_question_away_for_good(
    editor: PromptEditor, backend: RecordingBackend
) -> None:
    editor.show_trial(
        TrialPage(title="haiku", about="", key="now", question=fake_question())
    )
    QTest.keyClick(editor.trial.run.question.no_button, Qt.Key.Key_Escape)
    editor.show_page(replace(fake_page(), trial=OFFER))
    assert not editor.trial.run.has_question
    assert editor.isVisible()
    assert tried(backend) == []


def test_a_result_stays_until_there_is_another_and_says_when_it_is_old(
    editor: PromptEditor,
) -> None:
    result = editor.trial.result
    editor.show_trial(RESULT)
    assert (result.text.toPlainText(), result.about.full_text) == (
        "A",
        "written without a model",
    )
    editor.show_page(replace(fake_page(), trial=replace(OFFER, key="other")))
    assert result.about.full_text == "before the last change"
    editor.show_trial(RUNNING)
    assert result.text.toPlainText() == "A"
    editor.show_trial(
        replace(
            RESULT, text="", facts=(), notice=Notice("error", "Refused.", "As it was.")
        )
    )
    assert (result.status_label.text(), result.text.isVisible()) == (
        "Refused. As it was.",
        False,
    )


@pytest.mark.parametrize("way", ["button", "esc", "close"])
def test_a_model_at_work_is_stopped(
    editor: PromptEditor, backend: RecordingBackend, way: str
) -> None:
    editor.show_trial(RUNNING)
    assert not editor.trial.offline.isEnabled()
    assert "Esc stops it" in editor.trial.reason.text()
    if way == "button":
        editor.trial.run.writing.cancel_button.click()
    elif way == "esc":
        QTest.keyClick(editor.views.text, Qt.Key.Key_Escape)
    else:
        editor.close()
    assert ("cancel", ()) in backend.calls
    assert editor.isVisible() is (way != "close")
    editor.trial.end_run()
    assert editor.trial.offline.isEnabled()


# in the whole window


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789abcdef")
    with run_loopback() as one:
        ProfileStore().save(
            Profile(
                name="local",
                provider="openai",
                model="tiny-1",
                base_url=one.base_url("openai"),
                key_env="LOCAL_KEY",
            )
        )
        yield one


def test_offline_and_a_model_that_is_stopped(
    qtbot: QtBot, server: Loopback, space: WindowContent, transcript: Path
) -> None:
    server.script = [DRIPPING]
    open_transcript(qtbot, space, transcript)
    space.dialogs.choose_summary_profile("local")
    editor = space.dialogs.open_prompts()
    before = settle(qtbot, space)
    trial = editor.trial
    trial.offline.click()
    settle(qtbot, space)
    assert trial.result.title.text() == "Offline result"
    assert "<state_snapshot>" in trial.result.text.toPlainText()
    assert trial.model.text() == "Try with local…"
    trial.model.click()
    qtbot.waitUntil(
        lambda: "word" in trial.run.writing.summary_text.toPlainText(), timeout=30_000
    )
    assert trial.run.is_writing
    trial.run.writing.cancel_button.click()
    after = settle(qtbot, space)
    qtbot.waitUntil(server.log[-1].closed.is_set, timeout=15_000)
    assert trial.result.status_label.text().startswith("Cancelled.")
    assert not trial.is_running
    assert (after.result.heading, after.history.choices) == (
        before.result.heading,
        before.history.choices,
    )
