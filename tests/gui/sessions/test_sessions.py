"""The sessions of the start page: search, sort, choose an agent, open a session, return."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.app.services.sessions import SessionService
from core.common.paths import SAMPLES
from core.presentation.dialog_model import (
    SessionContext,
    SessionRow,
    SessionRows,
    SessionTrigger,
)
from core.presentation.model import Notice
from gui.arguments import StartOptions
from gui.session_pane import COLUMNS, AgentChips, SessionsPane
from gui.start_page import StartPage
from gui.start_up import open_from_arguments
from gui.window_content import WindowContent
from tests.gui.recording_backend import RecordingBackend
from tests.journeys.walks import settle
from tests.support.narrowing import known

LINES = (SAMPLES / "fix-flaky-upload.jsonl").read_bytes().splitlines(keepends=True)
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def _row(number: int, agent: str = "Codex", recorded: int = 0) -> SessionRow:
    prompt = f"task {number}"
    keys = (
        prompt,
        "acme",
        agent.lower(),
        float(number),
        number,
        number,
        1000 - number,
        recorded,
        -1.0,
    )
    return SessionRow(
        path=f"/s/{number}.jsonl",
        prompt=prompt,
        project="acme",
        agent=agent,
        changed="today",
        size=f"{number} B",
        messages=str(number),
        tokens=f"≈{1000 - number}",
        recorded=str(recorded),
        about="~/s",
        sort_keys=keys,
        context=SessionContext(share=-1.0, text="–", tone=""),
        trigger=SessionTrigger(distance=""),
    )


@pytest.fixture
def pane(qtbot: QtBot, backend: RecordingBackend) -> SessionsPane:
    pane = SessionsPane(backend.client)
    qtbot.addWidget(pane)
    pane.resize(1000, 600)
    pane.show()
    rows = tuple(
        _row(n, "Codex" if n % 2 else "Pi", recorded=n == 3) for n in range(5, 0, -1)
    )
    pane.show_part(SessionRows(start=0, total=5, rows=rows, is_over=True, is_new=True))
    return pane


def _shown(pane: SessionsPane) -> list[str]:
    model = pane.table.sessions
    return [
        row.prompt
        for at in range(model.rowCount())
        if (row := model.session_at(at)) is not None
    ]


def test_newest_first_until_a_column_is_clicked(pane: SessionsPane) -> None:
    assert _shown(pane) == ["task 5", "task 4", "task 3", "task 2", "task 1"]
    assert pane.state_label.text() == "5, newest first"
    header = pane.table.horizontalHeader()
    place = header.rect().topLeft() + QPoint(header.sectionViewportPosition(6) + 10, 8)
    first = []
    for _ in range(2):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        first.append(_shown(pane)[0])
    assert set(first) == {"task 1", "task 5"}
    assert pane.state_label.text() == "5, by tokens"


def test_agents_that_do_not_fit_are_left_out_whole(qtbot: QtBot) -> None:
    chips = AgentChips()
    qtbot.addWidget(chips)
    chips.show_counts([("Claude Code", 4), ("Codex", 2), ("Factory Droid", 1)], 7)
    chips.show()
    for width in (*range(0, chips.sizeHint().width(), 10), chips.sizeHint().width()):
        chips.resize(width, 30)
        shown = [
            button for button in chips.findChildren(QPushButton) if button.isVisible()
        ]
        assert shown[0].isChecked()
        assert all(button.width() >= button.sizeHint().width() for button in shown[1:])
    assert len(shown) == 4
    chips.resize(chips.sizeHint().width() // 2, 30)
    chips.choose("Factory Droid")
    shown = [button for button in chips.findChildren(QPushButton) if button.isVisible()]
    assert [button.text() for button in shown if button.isChecked()] == [
        "Factory Droid 1"
    ]


def test_all_words_of_the_search_must_be_there(
    qtbot: QtBot, pane: SessionsPane
) -> None:
    start = StartPage(())
    qtbot.addWidget(start)
    open_button = start.first_focus
    start.show_sessions(pane, pane.table, pane.search)
    start.show()
    QTest.keyClick(open_button, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert start.focusWidget() is pane.search
    pane.setParent(None)  # it is closed on its own
    QTest.keyClicks(pane.search, "codex task 3")
    assert _shown(pane) == ["task 3"]
    QTest.keyClicks(pane.search, " nothing")
    assert _shown(pane) == []
    assert not pane.open.isEnabled()


def test_enter_opens_the_marked_one_and_later_counts_leave_the_mark(
    qtbot: QtBot, pane: SessionsPane
) -> None:
    QTest.keyClick(pane.table, Qt.Key.Key_Down)
    pane.show_part(
        SessionRows(start=0, total=5, rows=(_row(5, recorded=2),), is_over=True)
    )
    assert len(_shown(pane)) == 5
    with qtbot.waitSignal(pane.path_chosen) as chosen:
        QTest.keyClick(pane.table, Qt.Key.Key_Return)
    assert chosen.args == ["/s/4.jsonl"]


def test_keys_reach_every_part_and_arrows_move_from_the_search(
    pane: SessionsPane,
) -> None:
    QTest.keyClicks(pane.search, "task")
    QTest.keyClick(pane.search, Qt.Key.Key_Down)
    row = known(pane.table.current())
    assert row.prompt == "task 4"
    QTest.keyClick(pane.search, Qt.Key.Key_Escape)
    assert pane.search.text() == ""
    seen = []
    pane.table.setFocus()
    for _ in range(16):
        pane.focusNextChild()
        seen.append(pane.focusWidget())
    assert {pane.table, pane.search, pane.compacted} <= set(seen)


def test_the_last_message_is_loaded_once_for_the_current_session(
    qtbot: QtBot, pane: SessionsPane, backend: RecordingBackend
) -> None:
    for _ in range(2):
        QTest.keyClick(pane.table, Qt.Key.Key_Down)
    call = (SessionService.last_message.__qualname__, ("/s/3.jsonl",))
    qtbot.waitUntil(lambda: call in backend.calls)
    QTest.qWait(200)
    assert backend.calls.count(call) == 1
    pane.show_last_message("/s/4.jsonl", "last message: “no”")
    assert pane.about.full_text == "~/s"
    pane.show_last_message("/s/3.jsonl", "last message: “bye”")
    assert pane.about.full_text == "~/s · last message: “bye”"
    QTest.keyClick(pane.table, Qt.Key.Key_Up)
    assert pane.about.full_text == "~/s · last message: “no”"


def test_the_foot_says_how_far_the_trigger_is(pane: SessionsPane) -> None:
    near = replace(
        _row(5),
        trigger=replace(_row(5).trigger, distance="At 74 % of 200,000."),
        context=replace(_row(5).context, tone="warn"),
    )
    pane.show_part(SessionRows(start=0, total=5, rows=(near,), is_over=True))
    assert pane.trigger_distance.accessibleName() == "At 74 % of 200,000."
    pane.show_part(
        SessionRows(
            start=0, total=5, rows=(replace(near, problem="It is torn."),), is_over=True
        )
    )
    assert pane.trigger_distance.accessibleName() == "It is torn."


def test_where_sessions_were_looked_for_is_said(
    pane: SessionsPane, backend: RecordingBackend
) -> None:
    pane.show_part(SessionRows(start=0, total=0, rows=(), is_new=True))
    assert pane.state_label.text() == "Looking…"
    pane.show_part(
        SessionRows(
            start=0,
            total=0,
            rows=(),
            searched="In ~/.claude.",
            is_over=True,
            is_new=True,
        )
    )
    assert (pane.state_label.text(), pane.empty_label.text()) == (
        "none found",
        "In ~/.claude.",
    )
    pane.list_folder("/work")
    assert backend.last_arguments(SessionService.sessions) == (("/work",),)


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_session_at_its_trigger_is_told_once_if_wanted(
    pane: SessionsPane, is_wanted: bool
) -> None:
    notices: list[Notice] = []
    pane.notice.connect(notices.append)
    pane.notify.setChecked(is_wanted)
    assert pane.table.isColumnHidden(COLUMNS.index("trigger in"))
    live = replace(
        _row(3),
        context=replace(_row(3).context, share=0.8),
        trigger=replace(_row(3).trigger, requests="2 requests", distance="[ctx: 80%]"),
    )
    pane.show_live(live)
    assert not notices
    assert not pane.table.isColumnHidden(COLUMNS.index("trigger in"))
    for _ in range(2):
        pane.show_live(
            replace(
                live, trigger=replace(live.trigger, requests="reached", is_reached=True)
            )
        )
    assert [notice.actions[0].argument for notice in notices] == [
        "/s/3.jsonl"
    ] * is_wanted
    assert len(_shown(pane)) == 5


def test_a_growing_session_is_measured_again(
    qtbot: QtBot, space: WindowContent, home: Path
) -> None:
    folder, pane = home / ".claude/projects/-acme", space.browser
    folder.mkdir(parents=True)
    path, sizes = folder / "one.jsonl", [0.0]

    def is_measured() -> bool:
        return any(
            row.trigger.requests and row.context.share != sizes[-1]
            for row in pane.table.sessions.rows
        )

    for count in (30, 60):
        path.write_bytes(b"".join(LINES[:count]))
        pane.list_sessions()
        qtbot.waitUntil(is_measured, timeout=60_000)
        (row,) = pane.table.sessions.rows
        assert row.trigger.requests.endswith(" requests")
        assert "middle-out now: " in row.trigger.distance
        sizes.append(row.context.share)
    assert sizes == sorted(sizes)


def test_sessions_are_listed_compared_opened_and_left(
    qtbot: QtBot, space: WindowContent, home: Path
) -> None:
    folder, pane = home / ".claude/projects/-acme", space.browser
    folder.mkdir(parents=True)
    path = folder / "one.jsonl"
    path.write_bytes(b"".join(LINES[:40]))
    os.utime(path, (1_000, 1_000))
    assert pane.isVisible()
    pane.list_sessions()
    qtbot.waitUntil(lambda: bool(_shown(pane)), timeout=20_000)
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=60_000)
    row = known(pane.table.current())
    assert row.messages == "27"
    QTest.keyClick(pane.table, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.page
    QTest.keyClick(space.window, Qt.Key.Key_O, CONTROL_SHIFT)
    qtbot.waitUntil(lambda: space.window.pages.currentWidget() is space.window.start)
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=60_000)
    QTest.keyClick(pane.table, Qt.Key.Key_Escape)
    assert space.window.pages.currentWidget() is space.page
    space.page_controller.show_sessions()
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=60_000)
    QTest.mouseClick(pane.compare, Qt.MouseButton.LeftButton)
    settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.views.page


def test_sessions_are_looked_for_after_a_file_that_could_not_be_opened(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text("{}")
    open_from_arguments(space, StartOptions(path=str(empty)))
    qtbot.waitUntil(lambda: space.browser._listing is not None, timeout=60_000)
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=60_000)
    assert space.window.pages.currentWidget() is space.window.start
