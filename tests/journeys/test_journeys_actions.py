"""How many actions the jobs of the window take: a click, a key, and a text that is typed are one
each."""

from pathlib import Path
from shutil import copy

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from core.common.paths import SAMPLES
from core.settings.schema import PRESERVE
from gui.window_content import WindowContent
from tests.journeys.walks import LEFT, control, open_transcript, settle


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return Path(copy(SAMPLES / "fix-flaky-upload.jsonl", tmp_path))


def enter(field: QLineEdit, text: str) -> int:
    """Click a field, type, press Enter; return the actions."""
    QTest.mouseClick(field, LEFT)
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    return 3


def test_whether_a_rule_survives_takes_three_actions(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    must = space.page.inspector.losses.must
    assert must.field.isVisible()
    actions = enter(must.field, "src/acme_uploader/retry.py")
    settle(qtbot, space)
    qtbot.waitUntil(lambda: "1" in must.head.text())
    assert actions == 3


def test_reaching_a_size_takes_three_actions(
    qtbot: QtBot, space: WindowContent, session: Path
) -> None:
    open_transcript(qtbot, space, session)
    field, before = space.page.tuning.aim.field, control(space, PRESERVE).value
    assert field.isVisible()
    actions = enter(field, "30k")
    after = settle(qtbot, space)
    assert control(space, PRESERVE).value != before
    assert "above your aim" not in after.verdict.size.text
    assert actions == 3
