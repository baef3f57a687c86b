"""The note on a message: written in one line, removed by an empty text."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.inspect.runs_dialog import NoteDialog


@pytest.mark.parametrize(
    ("typed", "told"), [("  the only\u2028 list ", "the only list"), ("", ""), ("   ", "")]
)
def test_a_note_is_told_without_blanks_around_it(qtbot: QtBot, typed: str, told: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = NoteDialog(parent, "what was there")
    assert dialog.note_field.selectedText() == "what was there"
    dialog.note_field.setText(typed)
    with qtbot.waitSignal(dialog.written) as heard:
        dialog.accept_button.click()
    assert heard.args == [told]
