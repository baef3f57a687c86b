"""The profiles dialog on a made-up page: edit, save, duplicate, delete, use, test."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.services.settings import ProfileService
from core.presentation.dialog_model import ProfileRow
from core.presentation.model import Notice
from gui.profiles_dialog import ProfilesDialog
from gui.widgets.side_dialog import FormDialog
from tests.gui.fake_pages import HAIKU, LOCAL, profiles_page
from tests.gui.recording_backend import RecordingBackend


@pytest.fixture
def dialog(qtbot: QtBot, backend: RecordingBackend) -> ProfilesDialog:
    result = ProfilesDialog(None, backend.client)
    qtbot.addWidget(result)
    result.show_page(profiles_page())
    result.show()
    return result


def _type(dialog: ProfilesDialog, text: str) -> None:
    dialog.form.model.selectAll()
    QTest.keyClicks(dialog.form.model, text)


def _notes(dialog: ProfilesDialog) -> list[str]:
    items = (dialog.profiles.item(at) for at in range(dialog.profiles.count()))
    return [str(item.data(Qt.ItemDataRole.UserRole)) for item in items]


def test_the_built_in_one_can_only_be_used_and_duplicated(
    dialog: ProfilesDialog,
) -> None:
    dialog.select("offline")
    enabled = (
        dialog.form.name,
        dialog.save,
        dialog.delete_button,
        dialog.duplicate_button,
        dialog.use,
    )
    assert [one.isEnabled() for one in enabled] == [False, False, False, True, True]


def test_offline_has_no_connection_to_test(dialog: ProfilesDialog) -> None:
    dialog.select("offline")
    assert not dialog.test.isVisibleTo(dialog)
    dialog.select("haiku")
    assert dialog.test.isVisibleTo(dialog)


def test_an_edit_is_kept_until_it_is_saved(dialog: ProfilesDialog) -> None:
    _type(dialog, "claude-x")
    dialog.select("local-qwen")
    assert _notes(dialog) == ["built in", "unsaved", ""]
    dialog.select("haiku")
    assert dialog.form.model.text() == "claude-x"
    dialog.revert.click()
    assert dialog.form.row == HAIKU
    assert not dialog.save.isEnabled()


def test_save_hands_out_the_row_and_its_former_name(
    dialog: ProfilesDialog, backend: RecordingBackend
) -> None:
    dialog.select("local-qwen")
    dialog.form.name.selectAll()
    QTest.keyClicks(dialog.form.name, "qwen")
    dialog.form.total_timeout.setValue(90)
    dialog.form.with_session_values.click()
    dialog.save.click()
    row = replace(LOCAL, name="qwen", total_timeout=90.0)
    assert backend.last_arguments(ProfileService.save) == (row, "local-qwen", True)


def test_a_new_profile_is_saved_and_shown_as_saved(
    dialog: ProfilesDialog, backend: RecordingBackend
) -> None:
    dialog.new_button.click()
    assert dialog.profiles.item(3).text() == "new profile"
    assert not dialog.save.isEnabled()
    assert not dialog.test.isEnabled()
    for field, text in ((dialog.form.name, "mini"), (dialog.form.model, "gpt-x")):
        QTest.keyClicks(field, text)
    dialog.form.provider.setEditText("openai")
    dialog.save.click()
    backend.answer(ProfileService.save, None)
    dialog.show_page(
        profiles_page(
            ProfileRow(name="mini", provider="openai", model="gpt-x", about="$1 in")
        )
    )
    assert dialog.names == ("offline", "haiku", "local-qwen", "mini")
    assert dialog.current.about == "$1 in"
    assert "unsaved" not in _notes(dialog)


def test_a_save_that_failed_keeps_the_edit_and_says_why(
    dialog: ProfilesDialog, backend: RecordingBackend
) -> None:
    _type(dialog, "claude-x")
    dialog.save.click()
    backend.fail(
        ProfileService.save,
        Notice("error", "haiku cannot be written.", "Check the folder."),
    )
    dialog.show_page(
        replace(profiles_page(), problems=("broken.toml, line 3: no value.",))
    )
    assert dialog.form.model.text() == "claude-x"
    expected = (
        "haiku cannot be written. Check the folder.\nbroken.toml, line 3: no value."
    )
    assert dialog.message_list.text == expected


def test_delete_asks_first(dialog: ProfilesDialog, backend: RecordingBackend) -> None:
    dialog.delete_button.click()
    [question] = dialog.findChildren(FormDialog)
    assert backend.calls == []
    question.accept_button.click()
    assert backend.last_arguments(ProfileService.delete) == ("haiku", True)


@pytest.mark.parametrize(
    "answer", [Notice("info", "haiku answered", "in 0.8 s."), None]
)
def test_a_test_shows_its_answer_inside(
    dialog: ProfilesDialog, backend: RecordingBackend, answer: Notice | None
) -> None:
    dialog.test.setFocus()
    dialog.test.click()
    assert backend.last_arguments(ProfileService.test) == (HAIKU,)
    dialog.test.click()
    assert [name for name, _ in backend.calls].count("ProfileService.test") == 1
    assert dialog.focusWidget() is dialog.test
    if answer is None:
        backend.fail(ProfileService.test, None)
    else:
        backend.answer(ProfileService.test, answer)
    assert dialog.message_list.text == ("haiku answered in 0.8 s." if answer else "")
    dialog.test.click()
    assert [name for name, _ in backend.calls].count("ProfileService.test") == 2


def test_the_variable_of_a_provider_is_filled_in_and_a_missing_key_is_told_before_save(
    dialog: ProfilesDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    dialog.new_button.click()
    form = dialog.form
    variables = {
        "anthropic": "ANTHROPIC_API_KEY",
        "openai": "OPENAI_API_KEY",
        "ollama": "",
    }
    for provider, variable in variables.items():
        form.provider.setEditText(provider)
        assert (form.row.key_name, form.row.key_source == "environment") == (
            variable,
            bool(variable),
        )
    form.provider.setEditText("openai")
    assert form.key_problem == "OPENAI_API_KEY is not set: calls fail until it is."
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert form.key_problem == ""
    form.key_name.setText("MY_OWN")
    form.provider.setEditText("anthropic")
    assert form.row.key_name == "MY_OWN"
    form.source.setCurrentIndex(form.source.findData("none"))
    assert (form.key_name.isEnabled(), form.row.key_name) == (False, "")
    assert form.key_problem == "anthropic needs a key: say where it is found."
    form.base_url.setText("http://localhost:8080/v1")
    assert form.key_problem == ""
