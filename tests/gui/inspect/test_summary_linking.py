"""The summary of a compaction in the window: its check, and the sources of its sentences."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import (
    SentenceRow,
    SummaryFindingRow,
    SummaryPage,
)
from core.presentation.model import FATES
from core.presentation.summary_page import CHECK_TITLE, SENTENCES_TITLE
from gui.export_dialog import SIDES
from gui.inspect.inspector.message_tab import MessageTab
from gui.window_content import WindowContent
from tests.journeys.walks import open_transcript, settle
from tests.support.narrowing import known

FINDINGS = (
    SummaryFindingRow(
        "error", "The last request, #143, is missing.", "before:142", "#143"
    ),
    SummaryFindingRow(
        "warning",
        "The path lib/made/up.py stands nowhere in the source.",
        "after:32",
        "result #33",
    ),
)
FOUND = SummaryPage(
    result_index=-1, verdict="1 error, 1 warning.", tone="error", findings=FINDINGS
)


def test_a_summary_is_checked_and_linked_to_its_sources(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    screen = open_transcript(qtbot, space, transcript)
    place = screen.result.fates.index(len(FATES))
    _a_sentence_shows_where_it_comes_from(qtbot, space, place)
    _why_has_check_and_sentences(qtbot, space, place)
    _the_export_dialog_has_the_check(qtbot, space)


def _a_sentence_shows_where_it_comes_from(
    qtbot: QtBot, space: WindowContent, place: int
) -> None:
    page, tab = space.page, space.page.inspector.message
    page.go_to("after", place)
    settle(qtbot, space)
    qtbot.waitUntil(tab.sentences.isVisible)
    assert (
        "have a source. Click one to see where it comes from."
        in tab.sentences.origin_label.text
    )
    row = _clicked(tab)
    assert tab.sentences.origin_label.text.startswith(f"from #{row.sources[0] + 1}")
    assert tab.reader.extraSelections()[0].cursor.selectedText() == row.text
    assert page.lists.list.view.rows.sources == frozenset(row.sources)
    assert list(page.ruler.sources) == sorted(row.sources)
    assert not page.grab().isNull()
    tab.sentences.link_activated.emit(tab.sentences.origin_label.links[0])
    assert page.selected == ("before", row.sources[0])
    settle(qtbot, space)
    assert tab.sentences.isHidden()
    assert page.lists.list.view.rows.sources == frozenset()


def _clicked(tab: MessageTab) -> SentenceRow:
    reader, summary = tab.reader, tab.sentences.page
    at = next(
        one
        for one in tab.sentences.sentence_spans
        if known(summary).sentences[one[2]].sources
    )
    cursor = QTextCursor(reader.document())
    cursor.setPosition(at[0] + 1)
    QTest.mouseClick(
        reader.viewport(),
        Qt.MouseButton.LeftButton,
        pos=reader.cursorRect(cursor).center(),
    )
    row = known(tab.sentences.current)
    return row


def _why_has_check_and_sentences(
    qtbot: QtBot, space: WindowContent, place: int
) -> None:
    page = space.page
    page.go_to("after", place)
    settle(qtbot, space)
    page.show_tab("why")
    assert _titles(space)[-2:] == [CHECK_TITLE, SENTENCES_TITLE]
    page.follow_link("sentence:0")
    assert page.inspector.current_tab == "message"
    row = known(page.inspector.message.sentences.current)
    assert row.text in page.inspector.message.reader.toPlainText()
    page.go_to("after", place + 1)  # the answer to the summary is no summary
    settle(qtbot, space)
    page.show_tab("why")
    assert CHECK_TITLE not in _titles(space)
    page.show_run_report()
    settle(qtbot, space)
    assert CHECK_TITLE in _titles(space)


def _titles(space: WindowContent) -> list[str]:
    why = space.page.inspector.page
    return [section.title for section in why.sections] if why is not None else []


def _the_export_dialog_has_the_check(qtbot: QtBot, space: WindowContent) -> None:
    dialog = known(space.commands.export_dialog())
    assert (dialog.verdict.accessibleName(), dialog.export_button.text()) == (
        "Checking the summary…",
        "Export",
    )
    settle(qtbot, space)
    assert dialog.verdict.accessibleName().startswith("All 9 sections are there")
    dialog._on_checked(FOUND)
    assert (dialog.export_button.text(), dialog.export_button.isEnabled()) == (
        "Export anyway",
        True,
    )
    assert dialog.findings.text.splitlines() == [
        "error, #143: The last request, #143, is missing.",
        "warning, result #33: The path lib/made/up.py stands nowhere in the source.",
    ]
    assert dialog.findings.links == ("before:142", "after:32")
    dialog.form.side.setCurrentIndex([side for side, _ in SIDES].index("before"))
    assert (dialog.export_button.text(), dialog.findings.isVisible()) == (
        "Export",
        False,
    )
    settle(qtbot, space)
    dialog.findings.link_activated.emit("before:3")
    assert not dialog.isVisible()
    assert space.page.selected == ("before", 3)
    settle(qtbot, space)
