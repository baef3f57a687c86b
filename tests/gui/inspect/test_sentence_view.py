"""A message by sentence."""

import pytest
from PySide6.QtCore import QPoint, QUrl
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import SourceSentence, WordPart
from gui.inspect.inspector import message_tab
from gui.inspect.inspector.message_tab import SentenceView
from gui.widgets.theme import scaled_pixels
from gui.window_content import WindowContent
from tests.gui.pointer import drag
from tests.gui.window_space import settle

GONE = SourceSentence(
    status="gone", kind="your message", parts=(WordPart("Use <b>tabs</b>."),), number=0
)
NEAR = SourceSentence(
    status="nearest",
    kind="your message",
    parts=(WordPart("Never", differs=True), WordPart(" push.")),
    nearest=(WordPart("Always", differs=True), WordPart(" push.")),
    result_index=2,
    number=1,
)
STANDS = SourceSentence(
    status="stands", kind="your message", parts=(WordPart("Go on."),)
)


@pytest.fixture
def view(qtbot: QtBot) -> SentenceView:
    view = SentenceView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show_rows((GONE, NEAR, STANDS))
    return view


def test_each_sentence_is_shown_beside_its_nearest_one(view: SentenceView) -> None:
    text = view.toPlainText()
    assert text.startswith("1 of 3 word for word")
    assert "Use <b>tabs</b>." in text
    assert "nothing comes near" in text
    assert "Always push. #3" in text
    assert view.toHtml().count("underline") == 4  # the missing word, and three links


def test_a_narrow_view_shows_one_below_the_other(view: SentenceView) -> None:
    assert "Nearest in the result" in view.toPlainText()
    view.resize(300, 300)
    view.show_rows((NEAR,))
    assert "Nearest in the result" not in view.toPlainText()
    assert "Always push." in view.toPlainText()


@pytest.mark.parametrize("width", [700, 300])
def test_pasted_lines_are_told_at_the_foot(view: SentenceView, width: int) -> None:
    view.resize(width, 300)
    view.show_rows((GONE, STANDS), "178 pasted lines of <retry>.py: 2 stand")
    text = view.toPlainText().rstrip()
    assert text.endswith("178 pasted lines of <retry>.py: 2 stand")
    view.show_rows((GONE, STANDS))
    assert "pasted" not in view.toPlainText()


def test_a_missing_sentence_can_be_made_one_to_keep(
    view: SentenceView, qtbot: QtBot
) -> None:
    assert view.toPlainText().count("Must keep") == 2
    with qtbot.waitSignal(view.link_activated) as went:
        view.anchorClicked.emit(QUrl("keep:0"))
    assert went.args == ["keep:Use <b>tabs</b>."]


@pytest.mark.parametrize("width", [700, 300])
def test_a_sentence_is_dragged_by_its_glyph(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    view, dragged = SentenceView(), list[str]()
    qtbot.addWidget(view)
    monkeypatch.setattr(message_tab, "drag_text", lambda _, text: dragged.append(text))
    view.resize(width, 300)
    view.show()
    view.show_rows((GONE, NEAR, STANDS))
    found = view.document().find("◐")
    found.setPosition(found.selectionStart())
    place = view.cursorRect(found).center() + QPoint(3, 0)
    drag(view.viewport(), [place, place - QPoint(90, 60)])
    assert dragged == ["Never push."]


def test_message_stands_under_the_list_or_beside_it(
    qtbot: QtBot, opened: WindowContent
) -> None:
    page, inspector = opened.page, opened.page.inspector
    page.go_to("before", 1)
    settle(qtbot, opened)
    inspector.message.below_button.click()
    settle(qtbot, opened)
    below, lists = page.dock_area.message, page.lists
    assert below.isVisible()
    assert below.widget() is inspector.message
    height = scaled_pixels(236, below.font())
    qtbot.waitUntil(lambda: below.height() == max(height, below.minimumHeight()))
    assert below.y() > lists.geometry().bottom()
    assert below.width() <= lists.width() + 2  # not under the docks
    assert [inspector.tabs.tabText(at) for at in range(2)] == ["Losses", "Checks"]
    page.show_tab("message")
    assert inspector.current_tab == "losses"
    assert not inspector.message.below_button.isVisible()
    inspector.message.beside_button.click()
    settle(qtbot, opened)
    assert not below.isVisible()
    assert inspector.current_tab == "message"
    assert inspector.tabs.tabText(0) == "Message"


def test_the_place_of_message_is_remembered(
    qtbot: QtBot, opened: WindowContent
) -> None:
    page = opened.page
    page.put_message(is_below=True)
    settle(qtbot, opened)
    state = page.dock_area.save()
    page.put_message(is_below=False)
    page.dock_area.restore(state)
    page.put_message(is_below=not page.dock_area.message.isHidden())
    assert page.dock_area.message.widget() is page.inspector.message
