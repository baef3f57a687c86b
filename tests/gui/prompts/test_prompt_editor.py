"""The prompt editor: levels, live checks, drafts that survive, questions before anything is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.presentation.model import Notice
from core.presentation.prompts.model import PromptPage, PromptPlace, RequestPage
from core.settings.prompts import FileSignature
from gui.inspect.tuning.panel import TuningPanel
from gui.prompts.edit_state import PromptEdits
from gui.prompts.editor import PAUSE_MS, PromptEditor
from gui.prompts.message_strip import MessageStrip
from gui.prompts.prompt_text_edit import CodeView
from gui.prompts.text_changes import ChangesView
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import THEME_NAMES, theme
from tests.gui.fake_panel import groups, show_all
from tests.gui.fake_prompts import TEXT, changes, fake_page

MODEL = ("anthropic", "claude-haiku-4-5")


@pytest.fixture
def editor(qtbot: QtBot) -> Iterator[PromptEditor]:
    result = PromptEditor(None, theme("light"))
    qtbot.addWidget(result)
    with qtbot.waitActive(result):  # it checks the file when it becomes active
        result.show()
    result.show_page(fake_page())
    yield result
    result.edits.forget_all(result.text)


@pytest.fixture
def asked(editor: PromptEditor) -> list[object]:
    """The arguments of calls, without those at the end that are None."""
    calls: list[object] = []
    editor.load_requested.connect(lambda place, *rest: calls.append((place, *filter(None, rest))))
    editor.save_requested.connect(lambda *arguments: calls.append(("save", *arguments)))
    editor.revert_requested.connect(lambda place: calls.append(("revert", place)))
    return calls


def type_in(editor: PromptEditor, text: str = "x") -> str:
    """Type at the end; return the editor's text."""
    editor.middle.text.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(editor.middle.text, text)
    return editor.text


def answer(strip: MessageStrip, name: str) -> None:
    next(one for one in strip.buttons if one.property("answer") == name).click()


def level(editor: PromptEditor, number: int) -> None:
    editor.levels.chain.buttons[number].click()


def states(editor: PromptEditor) -> list[str]:
    return [one._state() for one in editor.levels.chain.buttons]


def test_a_page_is_shown(editor: PromptEditor) -> None:
    assert editor.text == TEXT
    assert states(editor) == ["none", "in use", "none", ""]
    assert editor.notice.message is not None
    assert editor.notice.message.title == "Two things to check."
    assert (editor.head.provider.text(), editor.head.model.text()) == MODEL
    assert not editor.head.save.isEnabled()


def test_it_begins_by_asking_for_the_prompt_that_is_used(qtbot: QtBot) -> None:
    fresh = PromptEditor(None, theme("dark"))
    qtbot.addWidget(fresh)
    with qtbot.waitSignal(fresh.load_requested) as sent:
        fresh.begin()
    assert sent.args == [PromptPlace(), None, None]


@pytest.mark.req("REQ-CS-005.2")
def test_a_level_that_is_chosen_is_asked_for(editor: PromptEditor, asked: list[object]) -> None:
    level(editor, 0)
    assert asked == [(PromptPlace("middle-out", *MODEL, "model"),)]


def test_another_model_can_be_looked_at(editor: PromptEditor, asked: list[object]) -> None:
    editor.head.model.setText("claude-opus-4-5")
    editor.head.model.editingFinished.emit()
    assert asked == [(PromptPlace("middle-out", "anthropic", "claude-opus-4-5"),)]


def test_a_file_that_cannot_be_used_is_red(editor: PromptEditor) -> None:
    editor.show_page(fake_page(problem="The prompt file is empty."))
    first = editor.levels.chain.buttons[0]
    assert (states(editor)[0], first.toolTip()) == ("cannot be used", "The prompt file is empty.")
    assert "The prompt file is empty." in first.accessibleName()


def test_a_text_that_is_only_coloured_anew_was_not_typed(qtbot: QtBot, editor: PromptEditor) -> None:
    view = editor.middle.text
    with qtbot.waitSignal(view.textChanged), qtbot.assertNotEmitted(view.text_typed):
        editor.set_theme(theme("dark"))


def test_the_text_is_asked_about_when_typing_pauses(
    qtbot: QtBot, editor: PromptEditor, asked: list[object]
) -> None:
    text = type_in(editor, "abc")
    assert asked == []
    qtbot.waitUntil(lambda: bool(asked), timeout=8 * PAUSE_MS)
    assert asked == [(PromptPlace("middle-out", *MODEL, "provider"), text, fake_page().file_signature)]


def test_a_late_answer_does_not_take_typed_text_away(editor: PromptEditor) -> None:
    first = type_in(editor)
    now = type_in(editor)
    editor.show_page(fake_page(text=first, edited=True))
    editor.show_page(fake_page())
    assert editor.text == now


def test_an_unsaved_text_survives_a_look_at_another_level(editor: PromptEditor, asked: list[object]) -> None:
    mine = type_in(editor)
    editor.show_page(fake_page("model", "built in\n"))
    assert editor.text == "built in\n"
    assert states(editor) == ["none", "not saved", "none", ""]
    editor.show_page(fake_page())
    assert editor.text == mine
    assert asked[-1] == (PromptPlace("middle-out", *MODEL, "provider"), mine, fake_page().file_signature)


def test_what_was_typed_after_a_level_was_chosen_survives(editor: PromptEditor, asked: list[object]) -> None:
    level(editor, 0)
    mine = type_in(editor)
    QTest.qWait(PAUSE_MS + 100)
    assert asked == [(PromptPlace("middle-out", *MODEL, "model"),)]
    editor.show_page(fake_page("model", "built in\n"))
    assert PromptEdits.unsaved_count(editor.edits, editor.text) == 1
    editor.show_page(fake_page())
    assert editor.text == mine


def test_ctrl_s_saves(editor: PromptEditor, asked: list[object]) -> None:
    text = type_in(editor)
    QTest.keyClick(editor.middle.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert asked == [
        ("save", PromptPlace("middle-out", *MODEL, "provider"), text, fake_page().file_signature)
    ]
    editor.show_page(fake_page(text=text))
    assert not editor.head.save.isEnabled()
    assert editor.middle.side.full_text.endswith("UTF-8 · saved")


def test_an_override_is_created_where_there_is_none(editor: PromptEditor, asked: list[object]) -> None:
    editor.show_page(fake_page("model", TEXT))
    assert not editor.levels.remove.isVisible()
    assert editor.middle.side.full_text.endswith("no file yet")
    editor.levels.override.click()
    assert asked == [("save", PromptPlace("middle-out", *MODEL, "model"), TEXT, fake_page().file_signature)]


def test_the_built_in_text_can_only_be_read(editor: PromptEditor, asked: list[object]) -> None:
    editor.show_page(fake_page("built in"))
    type_in(editor)
    editor.save_text()
    assert (editor.text, asked) == (TEXT, [])
    assert not editor.levels.override.isVisible()


def test_revert_goes_back_to_the_file_and_can_be_undone(editor: PromptEditor) -> None:
    mine = type_in(editor)
    editor.head.revert.click()
    assert editor.text == TEXT
    editor.middle.text.undo()
    assert editor.text == mine


def test_to_delete_an_override_is_asked_first(editor: PromptEditor, asked: list[object]) -> None:
    editor.levels.remove.click()
    answer(editor.question, "keep")
    assert asked == []
    editor.levels.remove.click()
    answer(editor.question, "delete")
    assert asked == [("revert", PromptPlace("middle-out", *MODEL, "provider"))]


def test_a_missing_section_is_put_in_by_a_click(editor: PromptEditor) -> None:
    page = fake_page(text="<state_snapshot>\n</state_snapshot>\n")
    editor.show_page(replace(page, sections=(replace(page.sections[0], name="task_context"),)))
    links = editor.checks.sections.findChildren(QPushButton)
    next(one for one in links if one.property("section") == "task_context").click()
    assert "<task_context>" in editor.text
    editor.middle.text.undo()
    assert editor.text == "<state_snapshot>\n</state_snapshot>\n"


def test_the_notice_goes_to_its_line(editor: PromptEditor) -> None:
    editor.show_tab("request")
    answer(editor.notice, "12")
    assert (editor.middle.tab, editor.middle.text.line) == ("text", 12)


OUTSIDE = "Another program changed this file."


def test_a_file_changed_outside_asks_whose_text_holds(editor: PromptEditor, asked: list[object]) -> None:
    text = type_in(editor)
    seen = FileSignature(7, 7, "theirs")
    editor.show_page(replace(fake_page(text=text, edited=True, outside=OUTSIDE), file_signature=seen))
    answer(editor.question, "mine")
    assert asked == [(PromptPlace("middle-out", *MODEL, "provider"), text, seen)]


def test_theirs_replaces_mine_and_can_be_undone(editor: PromptEditor, asked: list[object]) -> None:
    text = type_in(editor)
    editor.show_page(fake_page(text=text, edited=True, outside=OUTSIDE))
    answer(editor.question, "theirs")
    assert asked == [(PromptPlace("middle-out", *MODEL, "provider"),)]
    editor.show_page(fake_page(text="theirs\n"))
    assert (editor.text, editor.question.message) == ("theirs\n", None)
    editor.middle.text.undo()
    assert editor.text == text


def test_closing_asks_before_a_text_is_lost(editor: PromptEditor) -> None:
    type_in(editor)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isVisible()
    answer(editor.question, "stay")
    assert editor.question.message is None
    editor.close()
    answer(editor.question, "discard")
    assert not editor.isVisible()


def test_the_program_does_not_end_over_an_unsaved_text(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    editor = PromptEditor(window, theme("light"))
    editor.show()
    editor.show_page(fake_page())
    type_in(editor)
    assert not window.close()
    answer(editor.question, "discard")
    assert not window.isVisible()


def test_an_error_is_shown_here(editor: PromptEditor) -> None:
    editor.show_notice(Notice("error", "The disk is full.", "Nothing was saved."))
    assert editor.question.message is not None
    assert editor.question.message.title == "The disk is full. Nothing was saved."
    answer(editor.question, "close")
    assert editor.question.message is None


def test_changes_are_marked_and_numbered(qtbot: QtBot) -> None:
    view = ChangesView("Changes")
    qtbot.addWidget(view)
    view.set_theme(theme("light"))
    view.show_changes(changes())
    texts = [view.gutter_texts(view.document().findBlockByNumber(at)) for at in (7, 8, 9, 10)]
    assert texts == [("8", ""), ("", "−"), ("9", "+"), ("10", "")]


def test_the_request_is_laid_out_when_somebody_looks(editor: PromptEditor) -> None:
    assert editor.middle.request.toPlainText() == ""
    editor.show_tab("request")
    assert editor.middle.request.toPlainText().startswith("system  1 of 3 · ≈160 tokens\nYou keep")
    assert editor.middle.side.full_text == "not sent until you press Compact or try it"


def test_where_there_is_no_request_the_reason_is_said(editor: PromptEditor) -> None:
    page = replace(fake_page(), request=RequestPage((), (), "Open a transcript to see the request."))
    editor.show_tab("request")
    editor.show_page(page)
    assert editor.middle.request.toPlainText() == "Open a transcript to see the request."


@pytest.mark.parametrize("text", ["a\u00a0b\n", "one\r\ntwo\r\n", "𝛑 {focus}\n"])
def test_an_unusual_text_is_not_taken_for_an_edit(editor: PromptEditor, text: str) -> None:
    editor.show_page(fake_page("model", text))
    assert editor.edits.unsaved_count(editor.text) == 0
    assert editor.text == text.replace("\r\n", "\n")


def test_an_edit_to_another_text_keeps_what_both_share(qtbot: QtBot) -> None:
    view = CodeView("Text")
    qtbot.addWidget(view)
    view.put_text("𝛑 one\ntwo\nthree 𝛑")
    view.put_text("𝛑 one\n2\nthree 𝛑", undoable=True)
    assert view.text == "𝛑 one\n2\nthree 𝛑"
    view.undo()
    assert view.text == "𝛑 one\ntwo\nthree 𝛑"


def test_the_tuning_panel_has_a_link_to_it(qtbot: QtBot) -> None:
    panel = TuningPanel()
    qtbot.addWidget(panel)
    show_all(panel, groups("middle-out"), None, False)
    with qtbot.waitSignal(panel.prompt_requested):
        next(one for one in panel.findChildren(QPushButton) if one.text() == "Edit…").click()


def test_markup_is_shown_as_it_is(editor: PromptEditor) -> None:
    wild: PromptPage = replace(fake_page(), notice="<b>x</b>", detail="<img src='x'>")
    editor.show_page(wild)
    assert editor.notice.message is not None
    assert editor.notice._text.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.parametrize("name", THEME_NAMES)
def test_it_paints_in_every_theme(editor: PromptEditor, name: str, qapp: QApplication) -> None:
    editor.set_theme(theme(name))
    for tab in ("text", "changes", "request"):
        editor.show_tab(tab)
        assert not editor.grab().isNull()


def test_the_foot_says_a_file_of_the_home_folder_shortly(
    editor: PromptEditor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    editor.show_page(replace(fake_page(), path=str(tmp_path / "prompts" / "one-shot.md")))
    assert "~/prompts/one-shot.md" in {one.full_text for one in editor.findChildren(ElidedLabel)}


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("a {focus} {who}", [(2, 7, "accent_text"), (10, 5, "warn")]),
        ("😀 <a/></b>", [(3, 8, "tag")]),
        ("{A} < b >", []),
    ],
)
def test_placeholders_and_tags_stand_out(
    editor: PromptEditor, line: str, marks: list[tuple[int, int, str]]
) -> None:
    light = theme("light")
    colours = {"accent_text": light.accent_text, "warn": light.warn, "tag": light.fate_text[3]}
    editor.middle.text.put_text(line)
    block = editor.middle.text.document().firstBlock()
    ranges = [(one.start, one.length, one.format.foreground().color()) for one in block.layout().formats()]
    assert ranges == [(start, length, colours[name]) for start, length, name in marks]
