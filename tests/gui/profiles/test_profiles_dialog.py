"""The profiles dialog on a made-up page: edit, save, duplicate, delete, use, test."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.presentation.model import Notice
from core.presentation.settings.model import ProfileRow
from gui.profiles.profiles_dialog import ProfilesDialog
from gui.widgets.theme import theme
from tests.gui.fake_pages import HAIKU, LOCAL, profiles_page, renamed


@pytest.fixture
def dialog(qtbot: QtBot) -> ProfilesDialog:
    result = ProfilesDialog(None, theme("light"))
    qtbot.addWidget(result)
    result.show_page(profiles_page())
    result.show()
    return result


def _type(dialog: ProfilesDialog, qtbot: QtBot, text: str) -> None:
    dialog.form.model.selectAll()
    QTest.keyClicks(dialog.form.model, text)


def _notes(dialog: ProfilesDialog) -> list[str]:
    items = (dialog.profiles.item(at) for at in range(dialog.profiles.count()))
    return [str(item.data(Qt.ItemDataRole.UserRole)) for item in items]


def test_it_opens_at_the_profile_in_use(dialog: ProfilesDialog) -> None:
    assert dialog.form.name.text() == "haiku"
    assert dialog.form.row == HAIKU
    assert _notes(dialog) == ["built in", "in use", ""]
    assert not dialog.isModal()


def test_the_built_in_one_can_only_be_used_and_duplicated(dialog: ProfilesDialog) -> None:
    dialog.select("offline")
    assert not dialog.form.name.isEnabled()
    assert not dialog.footer.save.isEnabled()
    assert not dialog.delete_button.isEnabled()
    assert dialog.duplicate_button.isEnabled()
    assert dialog.footer.use.isEnabled()


def test_an_edit_waits_until_it_is_saved(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    _type(dialog, qtbot, "claude-x")
    dialog.select("local-qwen")
    assert _notes(dialog) == ["built in", "unsaved", ""]
    dialog.select("haiku")
    assert dialog.form.model.text() == "claude-x"
    dialog.footer.revert.click()
    assert dialog.form.row == HAIKU
    assert not dialog.footer.save.isEnabled()


def test_save_hands_out_the_row_and_its_former_name(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    dialog.select("local-qwen")
    dialog.form.name.selectAll()
    QTest.keyClicks(dialog.form.name, "qwen")
    dialog.form.with_session_values.click()
    with qtbot.waitSignal(dialog.save_requested) as signal:
        dialog.footer.save.click()
    assert signal.args == [renamed(LOCAL, "qwen"), "local-qwen", True]


def test_a_saved_edit_is_over_when_the_page_has_it(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    dialog.new_button.click()
    for field, text in ((dialog.form.name, "mini"), (dialog.form.model, "gpt-x")):
        QTest.keyClicks(field, text)
    dialog.form.provider.setEditText("openai")
    dialog.footer.save.click()
    dialog.finish_save(None)
    dialog.show_page(profiles_page(ProfileRow("mini", "openai", "gpt-x", about="$1 in")))
    assert dialog.names == ("offline", "haiku", "local-qwen", "mini")
    assert dialog.current.about == "$1 in"
    assert "unsaved" not in _notes(dialog)


def test_a_save_that_failed_keeps_the_edit_and_says_why(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    _type(dialog, qtbot, "claude-x")
    dialog.footer.save.click()
    dialog.show_notice(Notice("error", "haiku cannot be written.", "Check the folder."))
    dialog.show_page(profiles_page())
    assert dialog.form.model.text() == "claude-x"
    assert dialog.message_list.text == "haiku cannot be written. Check the folder."


def test_a_new_profile_needs_name_provider_and_model(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    dialog.new_button.click()
    assert dialog.profiles.item(3).text() == "new profile"
    assert not dialog.footer.save.isEnabled()
    assert not dialog.footer.test.isEnabled()


def test_a_duplicate_has_a_free_name_and_its_settings(dialog: ProfilesDialog) -> None:
    dialog.duplicate_button.click()
    row = dialog.form.row
    assert (row.name, row.settings, row.active) == ("haiku-copy", HAIKU.settings, False)
    assert dialog.footer.save.isEnabled()


def test_delete_asks_inside(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    dialog.delete_button.click()
    assert dialog.footer.is_asking
    with qtbot.waitSignal(dialog.delete_requested) as signal:
        dialog.footer.confirm_delete.click()
    assert signal.args == ["haiku"]
    assert not dialog.footer.is_asking


def test_use_names_the_profile(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    assert not dialog.footer.use.isEnabled()
    dialog.select("local-qwen")
    with qtbot.waitSignal(dialog.use_requested) as signal:
        dialog.footer.use.click()
    assert signal.args == ["local-qwen"]


@pytest.mark.parametrize("severity", ["info", "error"])
def test_a_test_shows_its_answer_inside(qtbot: QtBot, dialog: ProfilesDialog, severity: str) -> None:
    with qtbot.waitSignal(dialog.test_requested) as signal:
        dialog.footer.test.click()
    assert signal.args == [HAIKU]
    assert not dialog.footer.test.isEnabled()
    dialog.show_answer(Notice(severity, "haiku answered.", "0.8 s"))
    assert dialog.message_list.text == "haiku answered. 0.8 s"
    assert dialog.footer.test.isEnabled()


def test_the_key_is_a_name_never_a_key(dialog: ProfilesDialog) -> None:
    dialog.form.source.setCurrentIndex(dialog.form.source.findData("none"))
    assert not dialog.form.key_name.isEnabled()
    assert dialog.form.row.key_name == ""
    dialog.form.source.setCurrentIndex(dialog.form.source.findData("keyring"))
    assert dialog.form.key_name.isEnabled()


def test_problems_are_said(dialog: ProfilesDialog) -> None:
    dialog.show_page(replace(profiles_page(), problems=("broken.toml, line 3: no value.",)))
    assert dialog.message_list.text == "broken.toml, line 3: no value."


def test_a_cancelled_test_is_over(dialog: ProfilesDialog) -> None:
    dialog.footer.test.click()
    assert not dialog.footer.test.isEnabled()
    dialog.end_test()
    assert not dialog.footer.is_testing


def test_buttons_below_the_list_are_whole_in_large_text(qtbot: QtBot, dialog: ProfilesDialog) -> None:
    narrow = dialog.profiles.width()
    font = dialog.font()
    font.setPixelSize(26)
    dialog.duplicate_button.setText("as long as in some languages")
    dialog.setFont(font)
    buttons = (dialog.new_button, dialog.duplicate_button, dialog.delete_button)
    qtbot.waitUntil(lambda: all(one.width() >= one.sizeHint().width() for one in buttons))
    assert dialog.profiles.width() > narrow


def test_the_variable_of_a_provider_is_filled_in(dialog: ProfilesDialog) -> None:
    dialog.new_button.click()
    form = dialog.form
    for provider, variable in (
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("ollama", ""),
    ):
        form.provider.setEditText(provider)
        assert (form.row.key_name, form.row.key_source == "environment") == (variable, bool(variable))
    form.provider.setEditText("openai")
    form.key_name.setText("MY_OWN")
    form.provider.setEditText("anthropic")
    assert form.row.key_name == "MY_OWN"


def test_a_key_that_is_not_set_is_told_before_it_is_saved(
    qtbot: QtBot, dialog: ProfilesDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    dialog.new_button.click()
    for field, text in ((dialog.form.name, "mini"), (dialog.form.model, "gpt-x")):
        QTest.keyClicks(field, text)
    dialog.form.provider.setEditText("openai")
    assert dialog.form.key_problem == "OPENAI_API_KEY is not set: calls fail until it is."
    with qtbot.waitSignal(dialog.save_requested):
        dialog.footer.save.click()
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert dialog.form.key_problem == ""
    dialog.form.source.setCurrentIndex(dialog.form.source.findData("none"))
    assert dialog.form.key_problem == "openai needs a key: say where it is found."
    dialog.form.base_url.setText("http://localhost:8080/v1")
    assert dialog.form.key_problem == ""


def test_the_total_time_of_a_call_is_edited(dialog: ProfilesDialog) -> None:
    dialog.form.total_timeout.setValue(90)
    assert dialog.form.row.total_timeout == 90
    assert dialog.footer.save.isEnabled()
