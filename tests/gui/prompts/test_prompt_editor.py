"""The prompt editor: levels, live checks, unsaved texts that survive, questions before anything is
lost."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.app.services.prompts import PromptService
from core.common.atomic_file import FileSignature
from core.presentation.dialog_model import PromptLocation, RequestPage
from gui.prompt_editor import PAUSE_MS, PromptEditor
from gui.widgets.message_row import NoticeStrip
from tests.gui.fake_prompts import TEXT, chain, fake_page
from tests.gui.recording_backend import RecordingBackend

MODEL = ("anthropic", "claude-haiku-4-5")
PLACE = PromptLocation("middle-out", *MODEL, "provider")
SIGNATURE = fake_page().content.signature
PAGE, SAVE, REVERT = (
    method.__qualname__
    for method in (PromptService.page, PromptService.save, PromptService.revert)
)
OUTSIDE = "Another program changed this file."


@pytest.fixture
def editor(qtbot: QtBot, backend: RecordingBackend) -> PromptEditor:
    result = PromptEditor(None, backend.client)
    qtbot.addWidget(result)
    with qtbot.waitActive(result):  # it checks the file when it becomes active
        result.show()
    result.show_page(fake_page())
    backend.calls.clear()
    return result


@pytest.fixture(autouse=True)
def answers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The answers to questions, in order; yes to the question when a test ends."""
    given: list[bool] = []
    monkeypatch.setattr(
        PromptEditor, "_confirms", lambda *_: given.pop(0) if given else True
    )
    return given


def type_in(editor: PromptEditor, text: str = "x") -> str:
    editor.views.text.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(editor.views.text, text)
    return editor.text


def follow(strip: NoticeStrip, label: str) -> None:
    next(one for one in strip.links if one.text() == label).click()


def choose_level(editor: PromptEditor, number: int) -> None:
    levels = editor.side.levels
    levels.setCurrentIndex(levels.model().index(number, 0))


def states(editor: PromptEditor) -> list[str]:
    levels = editor.side.levels
    items = (levels.topLevelItem(row) for row in range(levels.topLevelItemCount()))
    return [item.text(1) for item in items if item is not None]


def test_an_open_editor_turns_to_the_prompt_of_the_strategy(
    editor: PromptEditor, backend: RecordingBackend
) -> None:
    editor.begin()
    assert backend.calls == [(PAGE, (PromptLocation(""), None, None))]


@pytest.mark.req("REQ-CS-005.2")
def test_a_level_or_another_model_is_asked_for(
    editor: PromptEditor, backend: RecordingBackend
) -> None:
    choose_level(editor, 0)
    editor.model.setText("claude-opus-4-5")
    editor.model.setModified(True)
    editor.model.editingFinished.emit()
    places = [
        PromptLocation("middle-out", *MODEL, "model"),
        PromptLocation("middle-out", "anthropic", "claude-opus-4-5"),
    ]
    assert backend.calls == [(PAGE, (place, None, None)) for place in places]


def test_the_built_in_text_leads_to_a_level_that_can_be_edited(
    editor: PromptEditor, backend: RecordingBackend
) -> None:
    editor.show_page(
        replace(
            fake_page(),
            chain=chain("built in", "built in"),
            content=replace(fake_page().content, editable=False),
        )
    )
    assert (editor.side.edit.text(), editor.side.edit.isVisible()) == (
        "Edit for this model",
        True,
    )
    assert not editor.side.override.isVisible()
    editor.side.edit.click()
    assert backend.calls == [
        (PAGE, (PromptLocation("middle-out", *MODEL, "model"), None, None))
    ]


def test_a_file_that_cannot_be_used_says_so(editor: PromptEditor) -> None:
    editor.show_page(fake_page(problem="The prompt file is empty."))
    first = editor.side.levels.topLevelItem(0)
    assert first is not None
    assert (states(editor)[0], first.toolTip(0)) == (
        "cannot be used",
        "The prompt file is empty.",
    )
    assert "The prompt file is empty." in first.data(
        0, Qt.ItemDataRole.AccessibleTextRole
    )


def test_the_text_is_asked_about_when_typing_pauses(
    qtbot: QtBot, editor: PromptEditor, backend: RecordingBackend
) -> None:
    text = type_in(editor, "abc")
    assert backend.calls == []
    qtbot.waitUntil(lambda: bool(backend.calls), timeout=8 * PAUSE_MS)
    assert backend.calls == [(PAGE, (PLACE, text, SIGNATURE))]


def test_a_late_answer_does_not_take_typed_text_away(editor: PromptEditor) -> None:
    first = type_in(editor)
    now = type_in(editor)
    editor.show_page(fake_page(text=first, edited=True))
    editor.show_page(fake_page())
    assert editor.text == now


@pytest.mark.parametrize("typed_late", [False, True])
def test_an_unsaved_text_survives_a_look_at_another_level(
    editor: PromptEditor, backend: RecordingBackend, typed_late: bool
) -> None:
    if typed_late:
        choose_level(editor, 0)
    mine = type_in(editor)
    if typed_late:
        QTest.qWait(PAUSE_MS + 100)
        assert backend.calls == [
            (PAGE, (PromptLocation("middle-out", *MODEL, "model"), None, None))
        ]
    editor.show_page(fake_page("model", "built in\n"))
    assert editor.text == "built in\n"
    assert states(editor) == ["none", "not saved", "none", ""]
    editor.show_page(fake_page())
    assert editor.text == mine
    assert backend.calls[-1] == (PAGE, (PLACE, mine, SIGNATURE))


def test_ctrl_s_saves(editor: PromptEditor, backend: RecordingBackend) -> None:
    text = type_in(editor)
    QTest.keyClick(editor.views.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert backend.calls == [(SAVE, (PLACE, text, SIGNATURE))]
    backend.answer(PromptService.save, fake_page(text=text))
    assert not editor.save.isEnabled()
    assert editor.views.state.full_text.endswith("UTF-8 · saved")


def test_an_override_is_created_where_there_is_none(
    editor: PromptEditor, backend: RecordingBackend
) -> None:
    editor.show_page(fake_page("model", TEXT))
    assert not editor.side.remove.isVisible()
    assert editor.side.override.text() == "Override for this model"
    assert editor.views.state.full_text.endswith("no file")
    editor.side.override.click()
    assert backend.calls == [
        (SAVE, (PromptLocation("middle-out", *MODEL, "model"), TEXT, SIGNATURE))
    ]
    editor.show_page(fake_page("built in"))
    backend.calls.clear()
    type_in(editor)
    editor.save_text()
    assert (editor.text, backend.calls) == (TEXT, [])
    assert not editor.side.override.isVisible()


def test_revert_goes_back_to_the_file_and_can_be_undone(editor: PromptEditor) -> None:
    mine = type_in(editor)
    editor.revert.click()
    assert editor.text == TEXT
    editor.views.text.undo()
    assert editor.text == mine


def test_to_delete_an_override_is_asked_first(
    editor: PromptEditor, backend: RecordingBackend, answers: list[bool]
) -> None:
    answers += [False, True]
    editor.side.remove.click()
    assert backend.calls == []
    editor.side.remove.click()
    assert backend.calls == [(REVERT, (PLACE,))]


def test_a_missing_section_is_put_in_by_a_click(editor: PromptEditor) -> None:
    page = fake_page(text="<state_snapshot>\n</state_snapshot>\n")
    editor.show_page(
        replace(
            page,
            outline=replace(
                page.outline,
                sections=(replace(page.outline.sections[0], name="task_context"),),
            ),
        )
    )
    links = editor.side.sections.findChildren(QPushButton)
    next(one for one in links if one.property("section") == "task_context").click()
    assert "<task_context>" in editor.text
    editor.views.text.undo()
    assert editor.text == "<state_snapshot>\n</state_snapshot>\n"


def test_a_file_changed_outside_asks_whose_text_holds(
    editor: PromptEditor, backend: RecordingBackend
) -> None:
    text = type_in(editor)
    seen = FileSignature(7, 7, "theirs")
    editor.show_page(
        replace(
            fake_page(text=text, edited=True, outside=OUTSIDE),
            content=replace(
                fake_page(text=text, edited=True, outside=OUTSIDE).content,
                signature=seen,
            ),
        )
    )
    follow(editor.question, "Keep mine")
    follow(editor.question, "Take theirs")
    assert backend.calls[-2:] == [
        (PAGE, (PLACE, text, seen)),
        (PAGE, (PLACE, None, None)),
    ]
    editor.show_page(fake_page(text="theirs\n"))
    assert (editor.text, editor.question.notice) == ("theirs\n", None)
    editor.views.text.undo()
    assert editor.text == text


def test_neither_the_editor_nor_the_program_ends_over_an_unsaved_text(
    qtbot: QtBot, backend: RecordingBackend, answers: list[bool]
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    editor = PromptEditor(window, backend.client)
    editor.show()
    editor.show_page(fake_page())
    type_in(editor)
    answers += [False, False, False, True]
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isVisible()
    assert not editor.close()
    assert not window.close()
    assert window.close()
    assert answers == []


def test_the_request_is_laid_out_when_somebody_looks(editor: PromptEditor) -> None:
    request = editor.views.request
    assert request.toPlainText() == ""
    editor.show_tab("request")
    assert request.toPlainText().startswith("system  1 of 3 · ≈160 tokens\nYou keep")
    assert editor.views.state.full_text == "not sent until you press Compact or try it"
    reason = "Open a transcript to see the request."
    editor.show_page(replace(fake_page(), request=RequestPage((), (), reason)))
    assert request.toPlainText() == reason


@pytest.mark.parametrize("text", ["a\u00a0b\n", "one\r\ntwo\r\n", "𝛑 {focus}\n"])
def test_an_unusual_text_is_not_taken_for_an_edit(
    editor: PromptEditor, text: str
) -> None:
    editor.show_page(fake_page("model", text))
    assert editor.edits.unsaved_count(editor.text) == 0
    assert editor.text == text.replace("\r\n", "\n")
