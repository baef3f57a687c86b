"""An unhandled error becomes a notice with a report without secrets, and the window stays open."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from core.common.paths import state_dir
from core.presentation.model import Notice
from gui.start_up import UnhandledErrors
from gui.widgets.message_row import DetailsDialog, MessageRow
from gui.widgets.theme import AppearanceController
from tests.support.source_tree import ROOT, files

KEY = "sk-ant-api03-" + "a1B2" * 8


class Broken(QObject):
    def fail(self) -> None:
        raise KeyError(f"the key {KEY}")

    def fail_otherwise(self) -> None:
        raise ValueError("other")


class FailingThread(QThread):
    def run(self) -> None:
        raise OSError("on a thread")


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[MessageRow]:
    bar = MessageRow()
    qtbot.addWidget(bar)
    previous_hook = sys.excepthook  # pytest-qt's, which fails the test
    faults = UnhandledErrors(bar)
    faults.error_reported.connect(bar.add)
    yield bar
    faults.stop()
    assert sys.excepthook is previous_hook


def reports() -> list[Path]:
    return sorted((state_dir() / "faults").glob("*.txt"))


def test_a_slot_that_fails_is_a_notice_once_and_the_loop_goes_on(
    qtbot: QtBot, bar: MessageRow
) -> None:
    broken = Broken()
    timer = QTimer(broken, interval=1)
    timer.timeout.connect(broken.fail)
    timer.start()
    qtbot.waitUntil(lambda: bool(bar.notices))
    qtbot.wait(30)  # as often as an error while painting repeats
    timer.stop()
    (notice,) = bar.notices
    assert notice.title == "Something went wrong: KeyError."
    assert len(reports()) == 1
    assert str(reports()[0]) in notice.text
    QTimer.singleShot(0, broken.fail_otherwise)
    qtbot.waitUntil(lambda: bar.notices[0].title == "Something went wrong: ValueError.")


def test_the_report_and_the_clipboard_hold_no_secret(
    qtbot: QtBot, bar: MessageRow
) -> None:
    broken = Broken()
    QTimer.singleShot(0, broken.fail)
    qtbot.waitUntil(lambda: bool(bar.notices))
    copied = copied_details(bar)
    for text in (copied, bar.notices[0].text, reports()[0].read_text()):
        assert KEY not in text
        assert "[redacted:anthropic-key]" in text
    assert "Traceback" in copied
    assert "Something went wrong" in copied
    bar.add(
        Notice("error", "The call failed.", "", details=f"Authorization: Bearer {KEY}")
    )
    assert KEY not in copied_details(bar)


def copied_details(bar: MessageRow) -> str:
    next(
        one for one in bar.findChildren(QPushButton) if one.text() == "Details"
    ).click()
    (dialog,) = bar.findChildren(DetailsDialog)
    dialog.copy_button.click()
    dialog.accept()
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
    return QApplication.clipboard().text()


def test_a_thread_that_fails_is_told_on_the_window_s_thread(
    qtbot: QtBot, bar: MessageRow
) -> None:
    thread = FailingThread()
    thread.start()
    qtbot.waitUntil(lambda: bool(bar.notices))
    thread.wait()
    assert bar.notices[0].title == "Something went wrong: OSError."


_BROKEN = """
import sys
import gui.{module}
def broken(*given, **named):
    raise KeyError("{key}")
gui.{module}.{name} = broken
from gui.launcher import main
sys.argv = ["foldline"]
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("module", "name"), [("start_up", "fill_window"), ("entry", "run_window")]
)
def test_a_window_that_cannot_be_opened_says_so(module: str, name: str) -> None:
    code = _BROKEN.format(module=module, name=name, key=KEY)
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    (said,) = [
        line
        for line in done.stderr.splitlines()
        if "plugin does not support" not in line
    ]
    assert said.startswith("Foldline failed: KeyError")
    assert str(reports()[0]) in said
    assert KEY not in said


def test_labels_and_tooltips_are_plain_text_whatever_they_hold(
    qtbot: QtBot, qapp: QApplication
) -> None:
    appearance = AppearanceController(qapp, "light")
    appearance.style_all_widgets()
    window = QWidget()
    qtbot.addWidget(window)
    name = QLabel("<img src='file:///x.png'><b>bold</b>", window)
    window.show()
    assert name.textFormat() is name.textFormat().PlainText
    QToolTip.showText(window.pos(), "<h1>big</h1><img src='http://x/y.png'>", window)
    (tip,) = (
        one
        for one in qapp.topLevelWidgets()
        if one.metaObject().className() == "QTipLabel"
    )
    assert isinstance(tip, QLabel)
    assert tip.textFormat() is tip.textFormat().PlainText
    QToolTip.hideText()
    appearance.deleteLater()


ACTIVE = (
    *(
        "setHtml",
        "insertHtml",
        "appendHtml",
        "setMarkdown",
        "insertMarkdown",
        "QTextBrowser",
        "QTextEdit(",
    ),
    *(
        "RichText",
        "MarkdownText",
        "AutoText",
        "setOpenExternalLinks",
        "linkActivated",
        "QWebEngine",
    ),
    *(
        "QNetworkAccess",
        "QProcess",
        "QErrorMessage",
        "QMessageBox",
        "webbrowser",
        "startDetached",
    ),
)
"""Names that would render, load or run content of a transcript."""


PAGES = {
    ROOT / "gui" / "help_window.py": "setMarkdown",
    ROOT / "gui" / "inspect" / "inspector" / "message_tab.py": "setHtml",
}
"""Render the help pages and the reasons of a fate, whose texts are escaped, each by one call of one
class; they follow no link and load nothing but the pictures of the help."""


def test_nothing_in_the_window_shows_active_content() -> None:
    active = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in files("gui")
        for word in ACTIVE
        if word in path.read_text("utf-8")
        and not (path in PAGES and word in ("QTextBrowser", PAGES[path]))
    ]
    assert active == []
    for page, call in PAGES.items():
        text = page.read_text("utf-8")
        assert text.count(f".{call}(") == text.count(call) == 1
        assert text.count("(QTextBrowser)") == 1
        assert "QTextBrowser(" not in text
        assert "setOpenLinks(False)" in text
        assert "def loadResource" in text


def test_another_program_is_started_by_one_link_only() -> None:
    """The link "Open" of a report that was just written."""
    opening = [
        path for path in files("gui") if "QDesktopServices" in path.read_text("utf-8")
    ]
    assert [path.relative_to(ROOT).as_posix() for path in opening] == [
        "gui/window_commands.py"
    ]
    assert opening[0].read_text("utf-8").count("QDesktopServices.") == 1
