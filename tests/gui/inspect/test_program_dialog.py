"""A program of somebody else as the strategy, named in the window."""

import shlex
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.strategies.names import PROGRAM
from gui.inspect.run_dialogs import ProgramDialog
from gui.widgets.setting_editors import ChoiceComboBox
from gui.window_content import WindowContent
from tests.gui.window_space import settle
from tests.support.narrowing import known

NEWEST = (
    "import json, sys; messages = json.load(sys.stdin)['messages']\n"
    "print(json.dumps({'messages': [{'origins': [m['index']]} for m in messages[-3:]]}))"
)


def command(folder: Path, code: str) -> str:
    path = folder / "mine.py"
    path.write_text(code)
    return shlex.join([sys.executable, str(path)])


def run(qtbot: QtBot, space: WindowContent, text: str) -> None:
    dialog = known(space.commands.choose_program())
    dialog.command_field.setText(text)
    QTest.keyClick(dialog.command_field, Qt.Key.Key_Return)
    settle(qtbot, space)


def test_what_a_program_keeps_is_shown(
    qtbot: QtBot, opened: WindowContent, tmp_path: Path
) -> None:
    mine = command(tmp_path, NEWEST)
    run(qtbot, opened, mine)
    screen = known(opened.page.preview)
    assert screen.strategy == PROGRAM + mine
    assert len(screen.result.rows) == 3
    assert opened.toolbar.strategy.button_text == PROGRAM + mine


def test_a_program_that_was_edited_runs_again(
    qtbot: QtBot, opened: WindowContent, tmp_path: Path
) -> None:
    run(qtbot, opened, command(tmp_path, NEWEST))
    run(qtbot, opened, command(tmp_path, NEWEST.replace("-3", "-2")))
    assert len(known(opened.page.preview).result.rows) == 2


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise ValueError('no idea')", "It said: ValueError: no idea"),
        ("print('nonsense')", "did not write JSON"),
    ],
)
def test_a_program_that_fails_changes_nothing_and_says_why(
    qtbot: QtBot, opened: WindowContent, tmp_path: Path, code: str, words: str
) -> None:
    before = known(opened.page.preview).strategy
    run(qtbot, opened, command(tmp_path, code))
    assert known(opened.page.preview).strategy == before
    notice = opened.bar.notices[0]
    assert words in notice.title + notice.text


def test_the_dialog_says_what_a_program_gets(qtbot: QtBot) -> None:
    dialog = ProgramDialog(None, "")
    qtbot.addWidget(dialog)
    for words in (
        "gives it the messages, nothing else",
        "uses no shell",
        "60 seconds",
        "256 MB",
    ):
        assert words in dialog.consent.text()
    assert not dialog.accept_button.isEnabled()


def test_the_settings_dialog_shows_a_program(
    qtbot: QtBot, opened: WindowContent, tmp_path: Path
) -> None:
    mine = command(tmp_path, NEWEST)
    run(qtbot, opened, mine)
    dialog = opened.dialogs.open_settings("compression.strategy")
    settle(qtbot, opened)
    boxes = dialog.findChildren(ChoiceComboBox)
    assert PROGRAM + mine in {
        one.placeholderText() for one in boxes if one.currentIndex() < 0
    }
    dialog.close()
