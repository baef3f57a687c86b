"""A message by sentence."""

import pytest
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import SourceSentence, WordPart
from gui.inspect.inspector.message_tab import SentenceView

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
    assert view.toHtml().count("underline") == 2  # the missing word, and the link


def test_a_narrow_view_shows_one_below_the_other(view: SentenceView) -> None:
    assert "Nearest in the result" in view.toPlainText()
    view.resize(300, 300)
    view.show_rows((NEAR,))
    assert "Nearest in the result" not in view.toPlainText()
    assert "Always push." in view.toPlainText()
