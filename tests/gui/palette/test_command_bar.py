"""The command bar: everything by name, lines with completion, history and keys."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from core.app.services.settings import SettingsService
from core.presentation.dialog_model import CompletionList
from core.presentation.model import PickerChoice
from gui.actions import ActionSet
from gui.command_bar import CommandBar, completed_text
from gui.widgets.pickers import ChoiceSource
from tests.gui.fake_pages import completions, fake_settings_page
from tests.gui.recording_backend import RecordingBackend

CHOICES = (
    PickerChoice("middle-out", "middle-out", "Keeps both ends."),
    PickerChoice("pi", "pi", "As Pi."),
)
PICKS = (
    ChoiceSource("strategy", "Strategy", CHOICES, "middle-out"),
    ChoiceSource(
        "scope", "Scope", (PickerChoice("current", "Current context"),), "all"
    ),
)


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    result = QMainWindow()
    qtbot.addWidget(result)
    inside = QLineEdit()
    result.setCentralWidget(inside)
    result.resize(1280, 800)
    result.show()
    result.activateWindow()
    qtbot.waitUntil(result.isActiveWindow)
    inside.setFocus()
    return result


@pytest.fixture
def bar(window: QMainWindow, backend: RecordingBackend) -> Iterator[CommandBar]:
    pages = (PickerChoice("modes.md", "Safe and reference mode"),)
    result = CommandBar(window, backend.client, ActionSet(window), pages)
    result.open_bar("", PICKS, 150)
    backend.answer(SettingsService.page, fake_settings_page())
    yield result
    result.close_bar()


def _type(bar: CommandBar, text: str) -> None:
    QTest.keyClicks(bar.field, text)
    bar.show_completions(completions(bar.field.text()))


def test_it_stays_open_while_a_file_is_opened_behind_it(
    bar: CommandBar, window: QMainWindow, qtbot: QtBot
) -> None:
    lists = QLineEdit(window)
    lists.show()
    lists.setFocus()  # as the window does once the first rows are there
    qtbot.waitUntil(bar.field.hasFocus)
    assert bar.isVisible()
    bar.close_bar()
    assert QApplication.focusWidget() is lists


def _enter(bar: CommandBar) -> None:
    QTest.keyClick(bar.field, Qt.Key.Key_Return)


def test_it_lists_what_can_be_done_now_and_does_it(
    bar: CommandBar, window: QMainWindow
) -> None:
    ids = {offer.pick[1] for offer in bar.list.offers if offer.pick is not None}
    assert {"open", "settings", "profiles"} <= ids
    assert not {"compact", "command"} & ids
    done: list[str] = []
    bar._actions["larger"].triggered.connect(lambda: done.append("larger"))
    _type(bar, "larg")
    _enter(bar)
    assert done == ["larger"]
    assert not bar.isVisible()


@pytest.mark.parametrize(
    ("text", "title", "pick"),
    [
        ("pi", "Strategy: pi", ("strategy", "pi")),
        ("#43", "Go to #43", ("message", "43")),
        ("43", "Go to #43", ("message", "43")),
        (
            "keep bottom",
            "Setting: Keep Bottom",
            ("setting", "compression.preserve-threshold"),
        ),
        ("reference mode", "Help: Safe and reference mode", ("help", "modes.md")),
    ],
)
def test_settings_messages_choices_and_pages_are_found(
    qtbot: QtBot, bar: CommandBar, text: str, title: str, pick: tuple[str, str]
) -> None:
    _type(bar, text)
    assert bar.list.offers[0].title == title
    with qtbot.waitSignal(bar.picked) as signal:
        _enter(bar)
    assert tuple(signal.args) == pick


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("zebra", "No match for “zebra”"),
        ("#151", "No match for “#151”"),
        ("again and again", "Compact again and again: not now. No transcript is open."),
    ],
)
def test_what_is_not_found_or_cannot_be_done_is_said(
    bar: CommandBar, text: str, answer: str
) -> None:
    _type(bar, text)
    assert bar.list.offers == ()
    assert bar.message_list.text == answer
    _enter(bar)
    assert bar.isVisible()
    # no empty space below
    assert (
        bar.message_list.geometry().bottom()
        > bar.height() - 2 * bar.fontMetrics().height()
    )


def test_escape_closes_and_gives_the_keyboard_back(
    window: QMainWindow, bar: CommandBar
) -> None:
    assert window.focusWidget() is bar.field
    window.resize(900, 600)
    QApplication.processEvents()
    assert abs(bar.geometry().center().x() - 450) <= 1
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert window.focusWidget() is window.centralWidget()


@pytest.mark.req("REQ-CS-007.4")
def test_tab_completes_a_key(bar: CommandBar, backend: RecordingBackend) -> None:
    bar.show_text("/set ")
    assert backend.last_arguments(SettingsService.completions) == ("/set ", 5)
    bar.show_completions(CompletionList("/se", 0, (("/set ", "/set", ""),)))  # too late
    assert "/set" not in [offer.title for offer in bar.list.offers]
    _type(bar, "compression.str")
    assert [offer.title for offer in bar.list.offers] == ["compression.strategy"]
    QTest.keyClick(bar.field, Qt.Key.Key_Tab)
    assert bar.field.text() == "/set compression.strategy "
    assert bar.isVisible()


def test_enter_sends_a_line_and_up_brings_it_back(
    bar: CommandBar, backend: RecordingBackend
) -> None:
    for line in ("/compact the tests", "/profile list"):
        bar.show_text(line)
        _enter(bar)
        assert backend.last_arguments(SettingsService.run_line) == (line,)
        bar.open_bar()
    for key, line in (
        ("Up", "/profile list"),
        ("Up", "/compact the tests"),
        ("Down", "/profile list"),
    ):
        QTest.keyClick(bar.field, getattr(Qt.Key, f"Key_{key}"))
        assert bar.field.text() == line


def test_enter_takes_the_only_completion_of_a_value(
    bar: CommandBar, backend: RecordingBackend
) -> None:
    line = "/set compression.strategy tie"
    bar.show_text(line)
    bar.show_completions(CompletionList(line, 26, (("tiered", "tiered", ""),)))
    assert [offer.title for offer in bar.list.offers] == ["tiered"]
    _enter(bar)
    sent = backend.last_arguments(SettingsService.run_line)
    assert sent == ("/set compression.strategy tiered",)
    assert not bar.isVisible()


def test_a_wrong_line_stays_and_its_problem_waits_a_moment(
    qtbot: QtBot, bar: CommandBar, backend: RecordingBackend
) -> None:
    _type(bar, "/set compression.stratgy x")
    assert bar.message_list.text == ""
    qtbot.waitUntil(
        lambda: "Did you mean compression.strategy?" in bar.message_list.text,
        timeout=2000,
    )
    _enter(bar)
    assert bar.isVisible()
    assert SettingsService.run_line.__qualname__ not in [
        name for name, _ in backend.calls
    ]


@pytest.mark.parametrize(
    ("text", "cursor", "start", "insert", "wanted"),
    [
        ("/se", 3, 0, "/set ", ("/set ", 5)),
        (
            "/set comp rest",
            9,
            5,
            "compression.mode ",
            ("/set compression.mode rest", 22),
        ),
        ("/set abc", 6, 5, "x", ("/set x", 6)),
    ],
)
def test_a_completion_replaces_the_word_at_the_cursor(
    text: str, cursor: int, start: int, insert: str, wanted: tuple[str, int]
) -> None:
    assert completed_text(text, cursor, start, insert) == wanted
