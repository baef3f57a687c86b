"""The inspector: tabs, links, find, long messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.model import BodyBlock, LintReport, LintRow, MessageBody, TextSpan, WhyPage, WhyStep
from gui.inspect.inspector.find_bar import find_positions
from gui.inspect.inspector.inspector import TABS, Inspector
from gui.inspect.inspector.lint_list import _lay_out_text
from gui.inspect.inspector.text_view import CHUNK_CHARS, MAX_LINE_CHARS, text_chunks
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import THEME_NAMES, mono_font, theme
from tests.gui.fake_panel import fake_body, fake_why, lint

SMALL = replace(fake_body(), blocks=(BodyBlock("text", "", "Find me, and find me again.", 27, 27),))


@pytest.fixture
def inspector(qtbot: QtBot) -> Inspector:
    result = Inspector()
    qtbot.addWidget(result)
    result.resize(356, 840)
    result.set_theme(theme("light"))
    result.set_lint(lint(), "openai")
    with qtbot.waitExposed(result):
        result.show()
    return result


def shown(inspector: Inspector) -> str:
    return inspector.message._reader.toPlainText()


def text_body(text: str, *, total: int = 0, index: int = 84) -> MessageBody:
    block = BodyBlock("response", "bash", text, len(text), total or len(text), mono=True)
    return replace(fake_body(index=index), blocks=(block,))


def span_texts(inspector: Inspector) -> list[SpanText]:
    return inspector.why.findChildren(SpanText)


def test_another_message_keeps_the_tab(inspector: Inspector) -> None:
    inspector.show_tab("why")
    inspector.show_body(fake_body())
    assert inspector.tabs.currentWidget() is inspector.why
    assert inspector.why.page == fake_why()


def test_a_cut_brings_its_reasons_to_the_front(inspector: Inspector) -> None:
    inspector.show_body(SMALL)
    inspector.show_why(fake_why(-1))
    assert inspector.tabs.currentWidget() is inspector.why


def test_a_tab_is_laid_out_when_it_comes_to_the_front(inspector: Inspector) -> None:
    inspector.show_tab("why")
    inspector.show_body(SMALL)
    assert shown(inspector) == ""
    inspector.show_tab("message")
    assert shown(inspector) == "Find me, and find me again."


def test_blocks_are_headed_by_what_they_are(inspector: Inspector, qtbot: QtBot) -> None:
    blocks = (
        BodyBlock("call", "grep · c1", "{}", 2, 2, mono=True),
        BodyBlock("response", "grep · c1", "no such file", 12, 12, mono=True, error=True),
        BodyBlock("media", "image/png · 41 kB", "", 0, 0),
    )
    inspector.show_body(replace(SMALL, blocks=blocks))
    qtbot.waitUntil(lambda: not inspector.message._reader.is_filling)
    lines = [line.strip() for line in shown(inspector).split("\n") if line]
    assert lines == [
        "call  grep · c1",
        "{}",
        "response  error  grep · c1",
        "no such file",
        "image/png · 41 kB",
    ]


def test_text_is_never_markup(inspector: Inspector) -> None:
    wild = "<b>bold</b> <img src='x'> &amp;"
    inspector.show_body(text_body(wild))
    assert wild in shown(inspector)
    inspector.show_tab("why")
    inspector.show_why(WhyPage(wild, "", 0, (TextSpan(wild),), (WhyStep((TextSpan(wild),), ()),), ()))
    assert [one._document.toPlainText() for one in span_texts(inspector)] == [wild, wild]


def test_the_whole_of_a_long_message_can_be_asked_for(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(text_body("x" * 64_000, total=400_000))
    button = inspector.message._full_text_button
    assert button.isVisible()
    assert button.text() == "Show all 400 kB"
    with qtbot.waitSignal(inspector.full_text_requested):
        button.click()


def test_the_whole_stays_when_the_message_is_looked_at_again(inspector: Inspector, qtbot: QtBot) -> None:
    capped = text_body("y" * 4_000, total=9_000)
    inspector.show_body(capped)
    inspector.show_body(text_body("y" * 9_000))
    inspector.show_body(capped)
    assert not inspector.message._full_text_button.isVisible()


def test_the_same_text_keeps_the_place_in_it(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(text_body("line\n" * 500))
    qtbot.waitUntil(lambda: not inspector.message._reader.is_filling)
    bar = inspector.message._reader.verticalScrollBar()
    bar.setValue(200)
    inspector.show_body(replace(text_body("line\n" * 500), why=fake_why(0)))
    assert bar.value() == 200


def test_a_megabyte_does_not_block(inspector: Inspector, qtbot: QtBot) -> None:
    body = text_body("a line of some length, as tools print them\n" * 24_000)
    inspector.show_body(SMALL)
    inspector.show_body(body)
    assert inspector.message._reader.is_filling
    assert len(shown(inspector)) < 200_000
    qtbot.waitUntil(lambda: not inspector.message._reader.is_filling, timeout=20_000)
    assert len(shown(inspector)) > 1_000_000


def test_another_message_replaces_one_that_is_still_going_in(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(text_body("old\n" * 200_000))
    inspector.show_body(SMALL)
    qtbot.wait(20)
    assert shown(inspector) == "Find me, and find me again."


@pytest.mark.parametrize("text", ["", "short\ntext", "x" * 30_000, "ab\n" * 9_000, "y" * 3_999 + "\nz"])
def test_pieces_are_the_text_with_long_lines_broken(text: str) -> None:
    parts = list(text_chunks(text))
    assert all(len(part) <= CHUNK_CHARS + 1 for part in parts)
    assert "".join(parts).replace("\n", "") == text.replace("\n", "")
    assert max(map(len, "".join(parts).split("\n"))) <= MAX_LINE_CHARS


def test_find_counts_and_goes_round(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(SMALL)
    inspector.show_tab("why")
    inspector.find_text()
    bar = inspector.message._find_bar
    bar._field.setText("FIND")
    qtbot.waitUntil(lambda: bar.count_text == "1 of 2")
    QTest.keyClick(bar._field, Qt.Key.Key_Return)
    assert bar.count_text == "2 of 2"
    QTest.keyClick(bar._field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count_text == "1 of 2"
    QTest.keyClick(bar._field, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert bar.count_text == "2 of 2"
    assert inspector.message._reader.textCursor().selectedText() == "find"
    bar.next()
    assert bar.count_text == "1 of 2"
    QTest.keyClick(bar._field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_what_is_not_there_is_said(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(SMALL)
    inspector.find_text()
    inspector.message._find_bar._field.setText("absent")
    qtbot.waitUntil(lambda: inspector.message._find_bar.count_text == "none")


def test_places_count_as_documents_do() -> None:
    assert find_positions("🙂 a b 🙂 A", "a") == [3, 10]
    assert find_positions("🙂 🙂", "🙂") == [0, 3]
    assert find_positions("text", "") == []


def test_the_json_goes_in_when_it_is_opened(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(fake_body())
    tab = inspector.message
    assert tab._source_reader.toPlainText() == ""
    tab._chevron.click()
    assert tab._source_reader.toPlainText() == fake_body().raw
    assert tab._raw_title.full_text == "retry-queue.jsonl:133"


def test_copy_takes_the_text(inspector: Inspector) -> None:
    inspector.show_body(SMALL)
    inspector.message._copy_button.click()
    assert QApplication.clipboard().text() == "Find me, and find me again."


def test_lines_can_run_out_of_sight(inspector: Inspector) -> None:
    reader: Any = inspector.message._reader
    inspector.show_body(SMALL)
    inspector.message._wrap.click()
    assert reader.lineWrapMode() == reader.LineWrapMode.NoWrap


def test_links_are_followed_by_key(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_tab("why")
    inspector.show_body(fake_body())
    sentence = span_texts(inspector)[0]
    sentence.setFocus()
    with qtbot.waitSignal(inspector.link_activated) as followed:
        QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert followed.args == ["before:250"]


def test_links_are_followed_by_mouse(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_tab("why")
    inspector.show_body(fake_body())
    QApplication.processEvents()
    sentence = span_texts(inspector)[0]
    place = sentence._rects(0)[0].center().toPoint()
    with qtbot.waitSignal(inspector.link_activated) as followed:
        QTest.mouseClick(sentence, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert followed.args == ["before:250"]


def test_tab_goes_from_link_to_link(qtbot: QtBot) -> None:
    text = SpanText()
    qtbot.addWidget(text)
    text.set_spans((TextSpan("#1", "before:0"), TextSpan(" and "), TextSpan("#2", "before:1")))
    with qtbot.waitExposed(text):
        text.show()
    text.setFocus()
    assert text.focusNextPrevChild(True)
    with qtbot.waitSignal(text.link_activated) as followed:
        QTest.keyClick(text, Qt.Key.Key_Return)
    assert followed.args == ["before:1"]


def test_the_number_of_findings_is_in_the_tab(inspector: Inspector) -> None:
    assert inspector.tabs.tabText(3) == "Lint 3"
    inspector.set_lint(lint(), "gemini")
    assert inspector.tabs.tabText(3) == "Lint"
    inspector.show_tab("lint")
    assert inspector.lint._empty.text == "No findings for Gemini, neither before nor after."


def test_findings_of_a_result_that_is_gone_are_out_of_reach_until_the_next_are_known(
    inspector: Inspector,
) -> None:
    inspector.set_lint((), "openai")
    assert inspector.tabs.tabText(3) == "Lint –"
    assert not inspector.lint._list.isEnabled()
    assert inspector.lint._verdict.full_text == "not checked yet"
    inspector.set_lint(lint(), "openai")
    assert inspector.tabs.tabText(3) == "Lint 3"
    assert inspector.lint._list.isEnabled()
    assert inspector.lint._verdict.full_text == lint()[1].verdict


@pytest.mark.parametrize(
    ("text", "lines"),
    [("a finding", 1), ("aaaaaaa bbbbbbb ccccccc", 3), ("a" * 30, 3), ("aaa " * 30, 4)],
    ids=["fits", "between words", "within a word", "no more than four"],
)
def test_findings_break_between_words(qapp: QApplication, text: str, lines: int) -> None:
    font = mono_font()
    width = round(12.5 * QFontMetricsF(font).horizontalAdvance("a"))
    _, height = _lay_out_text(text, width, font)
    assert round(height / QFontMetricsF(font).lineSpacing()) == lines


def test_more_of_the_source_is_offered_where_the_source_is_open(inspector: Inspector) -> None:
    tab = inspector.message
    inspector.show_body(replace(SMALL, raw="{", raw_total=9000))
    assert not tab._full_source_button.isVisible()
    tab._chevron.click()
    assert tab._full_source_button.isVisible()


def test_another_api_is_told_and_shown(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_tab("lint")
    with qtbot.waitSignal(inspector.provider_changed) as signal:
        QTest.keyClick(inspector.lint._picker, Qt.Key.Key_Up)
    assert signal.args == ["anthropic"]
    assert inspector.lint.report == lint()[0]


def test_a_finding_leads_to_its_message(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_tab("lint")
    QApplication.processEvents()
    view = inspector.lint._list
    view.setCurrentIndex(inspector.lint._model.index(1))
    with qtbot.waitSignal(inspector.lint_activated) as led:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert led.args == ["after", 12]


def test_a_finding_on_the_whole_leads_nowhere(inspector: Inspector, qtbot: QtBot) -> None:
    row = LintRow("info", "empty", "There is nothing.", "after", -1)
    inspector.set_lint((LintReport("x", "X", (row,), "valid for X", "ok"),), "x")
    with qtbot.assertNotEmitted(inspector.lint_activated):
        inspector.lint._on_chosen(inspector.lint._model.index(1))


def test_clear_says_what_to_do(inspector: Inspector) -> None:
    inspector.show_body(SMALL)
    inspector.clear()
    assert shown(inspector) == ""
    assert "A click on a message" in inspector.message._facts.text


@pytest.mark.parametrize("name", THEME_NAMES)
@pytest.mark.parametrize("tab", TABS)
def test_every_tab_paints_in_every_theme(inspector: Inspector, name: str, tab: str) -> None:
    inspector.show_tab(tab)
    inspector.show_body(fake_body())
    inspector.set_theme(theme(name))
    assert not inspector.grab().isNull()
