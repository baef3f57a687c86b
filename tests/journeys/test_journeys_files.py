"""Tasks with more than one file, and with one that grows."""

import json
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.paths import SAMPLES
from core.presentation.model import FATES
from core.presentation.screen_model import Screen
from gui.arguments import parse_window
from gui.start_up import open_from_arguments
from gui.window_content import WindowContent
from tests.journeys.walks import LEFT, open_transcript, settle
from tests.support.narrowing import known

LINES = (SAMPLES / "fix-flaky-upload.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture
def growing(tmp_path: Path) -> Path:
    path = tmp_path / "growing.jsonl"
    path.write_bytes(b"".join(LINES[: len(LINES) // 2]))
    return path


def _grow(path: Path) -> None:
    path.write_bytes(b"".join(LINES))


def _open_whole(qtbot: QtBot, space: WindowContent, path: Path) -> Screen:
    """Open a transcript and choose its whole session, which stays chosen when the agent compacts
    it."""
    open_transcript(qtbot, space, path)
    space.backend.set_scope("all")
    return settle(qtbot, space)


def test_a_growing_file_is_followed_and_the_view_stays(
    qtbot: QtBot, space: WindowContent, growing: Path
) -> None:
    def status() -> list[str]:
        return [part.text for part in space.status.parts]

    first = _open_whole(qtbot, space, growing)
    space.page.go_to("before", 10)
    settle(qtbot, space)
    place = space.page.lists.list.view.verticalScrollBar().value()
    assert "following the file" not in status()
    space.window.actions_by_id["follow"].trigger()
    assert status()[0] == "following the file"
    _grow(growing)
    space.file_watcher.check()
    later = settle(qtbot, space)
    assert status()[0] == "following the file"
    assert len(later.source.rows) == 150 > len(first.source.rows)
    assert space.page.selected == ("before", 10)
    assert space.page.lists.list.view.verticalScrollBar().value() == place
    assert later.strategy == first.strategy
    open_transcript(qtbot, space, SAMPLES / "support-desk.json")
    assert "following the file" not in status()


def test_a_file_that_is_gone_is_told_once_and_no_longer_followed(
    qtbot: QtBot, space: WindowContent, growing: Path
) -> None:
    open_transcript(qtbot, space, growing)
    follow = space.window.actions_by_id["follow"]
    follow.trigger()
    growing.rename(growing.with_suffix(".away"))
    with qtbot.waitSignal(space.file_watcher.notice) as told:
        space.file_watcher.check()
    assert (
        known(told.args)[0].title
        == f"{growing.name} is gone: deleted, moved or renamed."
    )
    assert not follow.isChecked()
    assert "following the file" not in [part.text for part in space.status.parts]
    with qtbot.assertNotEmitted(space.file_watcher.notice, wait=0):
        space.file_watcher.check()
    with qtbot.waitSignal(space.backend.notice, timeout=30_000) as refused:
        space.window.actions_by_id["reload"].trigger()
    assert "is gone" in known(refused.args)[0].title
    qtbot.waitUntil(
        lambda: (
            [one.title for one in space.bar.notices].count(known(refused.args)[0].title)
            == 1
        )
    )
    growing.with_suffix(".away").rename(growing)
    space.file_watcher.check()
    assert not [notice for notice in space.bar.notices if notice.topic == "grown"]


def test_at_the_end_it_stays_at_the_end(
    qtbot: QtBot, space: WindowContent, growing: Path
) -> None:
    _open_whole(qtbot, space, growing)
    view = space.page.lists.list.view
    view.scrollToBottom()
    space.file_watcher.follow(True)
    _grow(growing)
    space.file_watcher.check()
    settle(qtbot, space)
    bar = view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_one_that_is_not_followed_is_told_once(
    qtbot: QtBot, space: WindowContent, growing: Path
) -> None:
    first = _open_whole(qtbot, space, growing)
    _grow(growing)
    with qtbot.waitSignal(space.file_watcher.notice) as told:
        space.file_watcher.check()
    assert "has changed on disk" in known(told.args)[0].title
    with qtbot.assertNotEmitted(space.file_watcher.notice, wait=0):
        space.file_watcher.check()
    assert space.page.preview is first
    space.commands.follow("reload", "")
    assert len(settle(qtbot, space).source.rows) == 150
    assert [notice for notice in space.bar.notices if notice.topic == "grown"] == []


def test_a_recorded_compaction_as_the_agent_had_it_and_back(
    qtbot: QtBot, space: WindowContent
) -> None:
    first = open_transcript(qtbot, space, SAMPLES / "fix-flaky-upload.jsonl")
    space.commands.follow("recorded", "1")
    shown = settle(qtbot, space)
    assert shown.result.heading.endswith("recorded 1")
    assert shown.heading.scope == "before:1"
    assert len(shown.source.rows) < len(first.source.rows)
    notice = next(one for one in space.bar.notices if one.topic == "beside")
    assert [action.action for action in notice.actions] == ["preview"]
    space.page.go_to("before", 3)
    settle(qtbot, space)
    space.commands.follow("preview", "")
    back = settle(qtbot, space)
    assert back.result.heading == first.result.heading
    assert back.heading.scope == "current"
    assert not back.history.can_undo


def test_a_foreign_pair_is_a_result_with_fates_losses_and_checks(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    said = [
        "Never touch legacy.cfg.",
        "I will not.",
        "Then mend retry.py.",
        "It is mended.",
    ]
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": text}
        for at, text in enumerate(said)
    ]
    before.write_text(json.dumps(messages))
    summary = {"role": "user", "content": "A summary: retry.py is to be mended."}
    after.write_text(json.dumps([summary, messages[3]]))
    open_from_arguments(
        space, parse_window(["--left", str(before), "--right", str(after)])
    )
    qtbot.waitUntil(
        lambda: space.page.preview is not None and space.page.preview.is_beside
    )
    shown = settle(qtbot, space)
    assert [FATES[code] for code in shown.source.fates] == ["dropped"] * 3 + ["kept"]
    assert shown.result.heading.endswith("after.json")
    assert space.toolbar.strategy.button_text == "after.json"
    losses = space.page.inspector.losses.page
    assert losses is not None
    assert losses.gone
    assert space.page.inspector.checks.report is not None


def test_two_files_of_one_session_side_by_side(
    qtbot: QtBot, space: WindowContent, growing: Path
) -> None:
    _open_whole(qtbot, space, SAMPLES / "fix-flaky-upload.jsonl")
    space.backend.compare_file(str(growing))
    shown = settle(qtbot, space)
    assert shown.result.heading.endswith("growing.jsonl")
    assert 0 < len(shown.result.rows) < len(shown.source.rows)
    assert shown.source.fates[0] == 0  # kept
    ruler = space.page.ruler
    QTest.mouseClick(ruler, LEFT, pos=ruler.rect().center())
    settle(qtbot, space)
    space.backend.compare_file(str(SAMPLES / "fix-flaky-upload.jsonl"))
    with qtbot.waitSignal(space.backend.notice, timeout=20_000) as told:
        pass
    assert "is the file that is open" in known(told.args)[0].title
