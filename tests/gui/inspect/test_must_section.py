"""The section of the texts that must survive."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import LossRow, MustPage, WordPart
from gui.inspect.inspector.fact_list import FactListView
from gui.inspect.inspector.inspector import Inspector
from gui.inspect.inspector.losses_tab import MustSection
from gui.widgets.events import MESSAGE_DRAG

ROW = LossRow(
    status="gone",
    kind="gone",
    label="must",
    text="Never x.",
    note="#3",
    source_index=2,
    must="Never x.",
)


@pytest.fixture
def section(qtbot: QtBot) -> MustSection:
    section = MustSection()
    qtbot.addWidget(section)
    return section


def test_enter_adds_what_was_typed(section: MustSection) -> None:
    added = QSignalSpy(section.added)
    QTest.keyClicks(section.field, " Never x. ")
    QTest.keyClick(section.field, Qt.Key.Key_Return)
    assert added.at(0) == ["Never x."]
    assert section.field.text() == ""


def test_without_texts_rules_of_the_person_are_offered(section: MustSection) -> None:
    section.show_page(MustPage(suggestions=("Never x.",)))
    added = QSignalSpy(section.added)
    assert section.head.text() == "What must survive?"
    section.suggestions.link_activated.emit("0")
    assert added.at(0) == ["Never x."]
    assert section.suggestions.text == "Never x."


def test_a_row_is_removed_and_the_list_is_copied_as_a_file_has_it(
    section: MustSection,
) -> None:
    section.show_page(MustPage((("✕ 1", "error"),), (ROW,)))
    assert section.head.text() == "Must keep"
    removed = QSignalSpy(section.removed)
    view = section.list
    view.setCurrentIndex(view.fact_model.index(0))
    view.fill_menu(view.currentIndex())
    view.menu.actions()[-1].trigger()
    assert removed.at(0) == ["Never x."]
    section.copy_button.click()
    assert QGuiApplication.clipboard().text() == "Never x."


def test_each_count_has_the_colour_of_its_glyph(section: MustSection) -> None:
    counts = (("✕ 1", "error"), ("◐ 2", "warn"), ("✓ 3", "ok"))
    for shown in (counts, counts[1:]):
        section.show_page(MustPage(shown, (ROW,)))
        labels = [one for one in section.counts if not one.isHidden()]
        assert tuple((one.text(), one.property("tone")) for one in labels) == shown


def test_a_must_that_is_gone_shows_all_its_words(section: MustSection) -> None:
    section.resize(300, 400)
    section.show()
    long = replace(
        ROW, text="Write the plan for the pool down before you touch any of its code."
    )
    here = replace(long, status="word for word")
    section.show_page(MustPage((("✕ 1", "error"), ("✓ 1", "ok")), (long, here)))
    gone, there = (section.list.sizeHintForRow(row) for row in range(2))
    assert gone > there
    assert section.list.height() >= gone + there


def drop(section: QWidget, data: QMimeData) -> bool:
    """Drag data onto the section; return whether it took them."""
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    copy = Qt.DropAction.CopyAction
    entering = QDragEnterEvent(QPoint(5, 5), copy, data, buttons, modifiers)
    entering.ignore()
    QApplication.sendEvent(section, entering)
    if entering.isAccepted():
        dropped = QDropEvent(QPointF(5, 5), copy, data, buttons, modifiers)
        QApplication.sendEvent(section, dropped)
    return entering.isAccepted()


@pytest.mark.parametrize("text", ["Never x.", " Never x.\n", "#36 Never x."])
def test_dropped_text_is_added_without_its_number(
    section: MustSection, text: str
) -> None:
    data, added = QMimeData(), QSignalSpy(section.added)
    data.setText(text)
    assert drop(section, data)
    assert added.at(0) == ["Never x."]


def test_a_dropped_message_is_told_as_such(section: MustSection) -> None:
    data, dropped = QMimeData(), QSignalSpy(section.message_dropped)
    data.setData(MESSAGE_DRAG, b"selected")
    assert drop(section, data)
    assert dropped.count() == 1


def test_a_dropped_file_is_left_to_the_window(section: MustSection) -> None:
    data, added = QMimeData(), QSignalSpy(section.added)
    data.setUrls([QUrl.fromLocalFile("/tmp/a.json")])
    assert not drop(section, data)
    assert added.count() == 0


def test_links_of_the_selected_row_stand_below_its_words(section: MustSection) -> None:
    section.resize(300, 400)
    section.show()
    section.show_page(MustPage((("✕ 1", "error"),), (ROW,)))
    view = section.list
    height = view.sizeHintForRow(0)
    view.setCurrentIndex(view.fact_model.index(0))
    QApplication.processEvents()
    panel = view.indexWidget(view.currentIndex())
    links = panel.findChildren(QPushButton)
    assert [link.text() for link in links] == ["Sentences", "Put back", "Pin", "Remove"]
    assert view.sizeHintForRow(0) > height
    assert min(panel.y() + link.y() for link in links) >= height - 8


def test_the_links_lead_to_the_sentences_and_put_back(
    section: MustSection, qtbot: QtBot
) -> None:
    section.show_page(MustPage((("✕ 1", "error"),), (ROW,)))
    view = section.list
    view.setCurrentIndex(view.fact_model.index(0))
    links = view.indexWidget(view.currentIndex()).findChildren(QPushButton)
    for link, target in zip(links, ("sentences:2", "put-back:2"), strict=False):
        with qtbot.waitSignal(view.link_activated) as went:
            link.click()
        assert went.args == [target]


def test_what_differs_is_marked_in_both_lines(section: MustSection) -> None:
    row = replace(
        ROW,
        status="in part",
        parts=(WordPart("Never", differs=True), WordPart(" x.")),
        detail=(WordPart("Always", differs=True), WordPart(" x.")),
    )
    section.show_page(MustPage((("◐ 1", "warn"),), (row,)))
    delegate = section.list.itemDelegate()
    texts = delegate._texts(row, section.list)  # type: ignore[attr-defined]
    marked = [[(one.start, one.length) for one in text.formats()] for text in texts]
    assert marked == [[(0, 5)], [(0, 6)]]


def test_what_is_dragged_over_the_inspector_brings_the_section(qtbot: QtBot) -> None:
    inspector = Inspector()
    qtbot.addWidget(inspector)
    inspector.show_tab("message")
    data, added = QMimeData(), QSignalSpy(inspector.losses.must.added)
    data.setText("Never x.")
    assert drop(inspector, data)
    assert inspector.current_tab == "losses"
    assert added.at(0) == ["Never x."]


def test_a_row_of_what_is_gone_can_be_dragged_as_its_text(
    tab_list: FactListView,
) -> None:
    index = tab_list.fact_model.index(0)
    assert index.flags() & Qt.ItemFlag.ItemIsDragEnabled
    assert tab_list.fact_model.mimeData([index]).text() == "Never x."
    assert tab_list.dragEnabled()


@pytest.fixture
def tab_list(qtbot: QtBot) -> FactListView:
    view = FactListView()
    qtbot.addWidget(view)
    view.show_rows((ROW,))
    return view
