"""Tasks of a user in the real window on the real worker, by mouse and keys."""

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QPushButton
from pytestqt.qtbot import QtBot

from core.export.export import EXPORTERS, export_history
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.presentation.inspector_model import MessageBody
from core.presentation.model import FATES
from core.settings.schema import DENSITY_SWITCHES, LIMIT, PRESERVE
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from core.transcript.scopes import history_of_scope
from gui.export_dialog import CONVERT
from gui.window_content import WindowContent
from tests.benchmarks.loops import agent_loop
from tests.gui.inspect.test_ruler import at
from tests.gui.pointer import drag
from tests.journeys.walks import LEFT, control, open_transcript, pick_strategy, settle
from tests.support.builders import conversation
from tests.support.narrowing import known

DENSE = next(strategy.name for strategy in STRATEGIES if strategy.optimize is not None)
READERS = {"claude_code", "openai_chat", "anthropic_messages", "llxprt"}


def test_open_drag_a_handle_and_take_it_back(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    first = open_transcript(qtbot, space, transcript)
    handle = first.ruler.handles[-1]
    goal = int(handle.stops[len(handle.stops) // 2])
    ruler = space.page.ruler
    drag(
        ruler,
        [
            at(ruler, handle.index, 12),
            at(ruler, (handle.index + goal) / 2, 12),
            at(ruler, goal, 12),
        ],
    )
    QTest.mouseRelease(ruler, LEFT, pos=at(ruler, goal, 12))
    moved = settle(qtbot, space)
    assert moved.ruler.handles[-1].index == goal
    assert moved.ruler.valid[goal]
    assert control(space, PRESERVE).layer == "session"
    assert space.bar.notice is not None
    QTest.keyClick(space.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    back = settle(qtbot, space)
    assert back.ruler.handles[-1].index == handle.index
    assert control(space, PRESERVE).layer == "default"


@pytest.mark.req("REQ-HD-002.2")
def test_every_strategy_can_be_picked_and_shows_its_own_controls(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    seen = set()
    for name in COMPACTION_STRATEGIES:
        screen = pick_strategy(qtbot, space, name)
        assert screen.strategy == name
        assert len(screen.source.fates) == 90
        seen.add(
            tuple(
                one.label
                for group in space.page.tuning.groups
                for one in group.controls
            )
        )
    assert len(seen) >= 3


@pytest.mark.req("REQ-HD-005.10", "REQ-HD-006.4", "REQ-HD-007.6")
def test_each_density_switch_flips_and_its_effect_is_seen(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    pick_strategy(qtbot, space, DENSE)
    for key in DENSITY_SWITCHES:
        was = control(space, key)
        box = next(
            b
            for b in space.page.tuning.findChildren(QCheckBox)
            if b.accessibleName() == was.label
        )
        QTest.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))
        settle(qtbot, space)
        now = control(space, key)
        assert now.value is not was.value
        assert now.layer == "session"
        assert ("would save" in now.note.effect) is bool(was.value)


def test_why_speaks_for_every_fate_and_links_lead_on(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    screen = pick_strategy(qtbot, space, DENSE)
    space.page.show_tab("why")
    pages: list[MessageBody] = []
    space.page.selection.body_loaded.connect(pages.append)
    for code in sorted(set(screen.source.fates)):
        space.page.go_to("before", screen.source.fates.index(code))
        settle(qtbot, space)
        assert "".join(span.text for span in pages[-1].why.sentence)
    assert {FATES[page.why.fate] for page in pages} >= {"kept", "edited", "pruned"}
    links = [span.link for page in pages for span in page.why.sentence if span.link]
    assert links
    space.page.follow_link(links[0])
    assert space.page.selected == ("before", int(links[0].split(":")[1]))


def test_why_a_cut_lies_where_it_lies(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    screen = open_transcript(qtbot, space, transcript)
    ruler = space.page.ruler
    QTest.mouseClick(ruler, LEFT, pos=at(ruler, screen.ruler.handles[0].index, 12))
    settle(qtbot, space)
    page = known(space.page.inspector.page)
    assert page.fate == -1
    assert page.steps


@pytest.mark.parametrize("name", [one.name for one in EXPORTERS if one.name in READERS])
def test_a_compaction_exported_opens_again(
    qtbot: QtBot, space: WindowContent, transcript: Path, tmp_path: Path, name: str
) -> None:
    screen = open_transcript(qtbot, space, transcript)
    before = hashlib.sha256(transcript.read_bytes()).hexdigest()
    QTest.keyClick(space.window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, space)
    dialog = known(space.commands.export_dialog())
    out = tmp_path / f"out-{name}.json"
    choices = dialog.form.format
    if choices.findData(name) < 0:
        dialog.form.ways.buttons[CONVERT].click()
    choices.setCurrentIndex(choices.findData(name))
    dialog.form.set_path(str(out))
    with qtbot.waitSignal(dialog.accepted, timeout=10_000):
        go = next(
            one for one in dialog.findChildren(QPushButton) if one.text() == "Export"
        )
        QTest.mouseClick(go, LEFT)
    assert hashlib.sha256(transcript.read_bytes()).hexdigest() == before
    expected = (
        len(screen.result.rows)
        if name != "anthropic_messages"
        else turns(screen.result.rows.speakers)
    )
    assert len(load_conversation(out, format=name).messages) == expected
    again = open_transcript(qtbot, space, out)
    assert len(again.source.rows) == expected


def turns(speakers: bytes) -> int:
    """Return messages with neighbours of one speaker joined, as Anthropic's API has them."""
    return 1 + sum(a != b for a, b in pairwise(speakers))


def test_the_source_is_never_written_over(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    before = transcript.read_bytes()
    dialog = known(space.commands.export_dialog())
    dialog.form.set_path(str(transcript))
    go = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Export")
    for _ in range(2):  # the second time as an answer to any question
        QTest.mouseClick(go, LEFT)
        settle(qtbot, space)
    assert transcript.read_bytes() == before
    dialog.reject()


def test_a_strategy_without_a_limit_asks_for_one_in_place(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    talked = conversation(*agent_loop(40))
    path = tmp_path / "nameless.json"
    path.write_bytes(
        export_history(
            ExportInput(conversation=talked, history=history_of_scope(talked, "all")),
            "llxprt",
        ).data
    )
    open_transcript(qtbot, space, path)
    pick_strategy(qtbot, space, DENSE)
    assert any(
        "context limit" in f"{one.title} {one.text}" for one in space.bar.notices
    )
    space.backend.set_text(f"{LIMIT}=20000")
    assert settle(qtbot, space).strategy == DENSE


def test_runs_are_listed_and_can_be_shown_again(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    for name in COMPACTION_STRATEGIES[0], DENSE:
        pick_strategy(qtbot, space, name)
        QTest.keyClick(
            space.window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier
        )
        settle(qtbot, space)
    first, second = space.runs_menu.actions()
    assert second.isChecked()
    first.trigger()
    shown = settle(qtbot, space)
    assert (shown.strategy, shown.history.run) == (COMPACTION_STRATEGIES[0], "1")
    assert first.isChecked()


def test_a_dropped_file_opens_and_a_broken_one_says_why(
    qtbot: QtBot, space: WindowContent, transcript: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "page.json"
    broken.write_text("<!doctype html><html></html>")
    for shown in (space.window.start, space.page):
        drop(space, broken)
        qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=10_000)
        (said,) = (
            f"{one.title} {one.text}"
            for one in space.bar.notices
            if one.severity == "error"
        )
        assert "page.json" in said
        assert "HTML" in said
        assert space.window.pages.currentWidget() is shown
        drop(space, transcript)
        assert len(settle(qtbot, space).source.rows) == 90
        assert space.window.windowTitle().startswith(transcript.name)


def drop(space: WindowContent, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    rest = (Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(space.window, QDragEnterEvent(QPoint(400, 300), *rest))
    QApplication.sendEvent(space.window, QDropEvent(QPointF(400, 300), *rest))
