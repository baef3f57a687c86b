"""Tasks with settings, profiles, prompts and a model: every way to set a value, and its layer."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from core.presentation.dialog_model import CallQuestion, SummaryProgress
from core.presentation.model import SettingControl
from core.settings.profile import Profile
from core.settings.schema import PRESERVE, STRATEGY, THRESHOLD
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from gui.settings_pane import SettingRow
from gui.window_content import WindowContent
from tests.journeys.walks import LEFT, open_transcript, settle
from tests.support.loopback import SUMMARY, Loopback, Reply, run_loopback

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789abcdef")
    with run_loopback() as found:
        yield found


def keep(server: Loopback, name: str = "local") -> Profile:
    made = Profile(
        name=name,
        provider="openai",
        model="tiny-1",
        base_url=server.base_url("openai"),
        key_env="LOCAL_KEY",
    )
    ProfileStore().save(made)
    return made


def type_line(qtbot: QtBot, space: WindowContent, line: str) -> None:
    QTest.keyClick(space.window, Qt.Key.Key_K, CONTROL)
    field = space.dialogs.open_bar().field
    field.clear()
    QTest.keyClicks(field, line)
    settle(qtbot, space)
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, space)


@pytest.mark.req("REQ-CS-007.1", "REQ-CS-008.1", "REQ-HD-001.10")
def test_a_threshold_by_dialog_by_line_by_profile_and_by_file(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    ProfileStore().save(
        Profile(
            name="tuned",
            provider="offline",
            model="snapshot",
            settings={THRESHOLD: 0.4},
        )
    )
    open_transcript(qtbot, space, transcript)
    type_line(qtbot, space, "/profile load tuned")
    by_profile = in_dialog(qtbot, space, THRESHOLD)
    assert (by_profile.value, by_profile.layer, by_profile.profile) == (
        0.4,
        "session",
        "tuned",
    )

    type_line(qtbot, space, f"/set {THRESHOLD} 0.5")
    by_line = in_dialog(qtbot, space, THRESHOLD)
    assert (by_line.value, by_line.layer, by_line.profile) == (0.5, "session", "")

    by_dialog = change_in_dialog(qtbot, space, THRESHOLD, 0.6)
    assert (by_dialog.value, by_dialog.layer) == (0.6, "session")

    type_line(qtbot, space, f"/set unset {THRESHOLD}")
    SavedSettings().save({THRESHOLD: 0.7})
    space.backend.set_scope("all")
    by_file = in_dialog(qtbot, space, THRESHOLD)
    assert (by_file.value, by_file.layer) == (0.7, "saved")


def change_in_dialog(
    qtbot: QtBot, space: WindowContent, key: str, value: float
) -> SettingControl:
    QTest.keyClick(space.window, Qt.Key.Key_Comma, CONTROL)
    settle(qtbot, space)
    dialog = space.dialogs.open_settings()
    settle(qtbot, space)
    row = next(one for one in dialog.findChildren(SettingRow) if one.control.key == key)
    spin = row.findChildren(QDoubleSpinBox)[0]
    spin.setFocus()
    spin.selectAll()
    QTest.keyClicks(spin, f"{value * 100:.0f}")
    QTest.keyClick(spin, Qt.Key.Key_Return)
    settle(qtbot, space)
    dialog.close()
    return in_dialog(qtbot, space, key)


def in_dialog(qtbot: QtBot, space: WindowContent, key: str) -> SettingControl:
    settle(qtbot, space)
    dialog = space.dialogs.open_settings()
    settle(qtbot, space)
    shown = dialog.settings.row(key).control
    dialog.close()
    return shown


@pytest.mark.req("REQ-CS-009.2")
def test_saved_for_all_sessions_by_the_dialog(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    change_in_dialog(qtbot, space, PRESERVE, 0.3)
    dialog = space.dialogs.open_settings()
    settle(qtbot, space)
    save = next(
        one
        for one in dialog.findChildren(QPushButton)
        if one.text() == "Save as my defaults"
    )
    QTest.mouseClick(save, LEFT)
    settle(qtbot, space)
    assert SavedSettings().load().values == {PRESERVE: 0.3}
    assert dialog.settings.row(PRESERVE).control.layer == "saved"
    dialog.close()


def test_a_summary_streams_into_the_window(
    qtbot: QtBot, server: Loopback, space: WindowContent, transcript: Path
) -> None:
    keep(server)
    file = re.findall(r"src/part\d+/file\d+\.py", transcript.read_text())[0]
    summary = SUMMARY.replace(
        "src/file.py", file
    )  # a summary names what its history names
    server.script = [
        Reply(text=summary + " Der Parser liest alle Dateien." * 300, pace=0.05)
    ]
    open_transcript(qtbot, space, transcript)
    space.dialogs.choose_summary_profile("local")
    waiting = settle(qtbot, space)
    assert "not yet written" in waiting.result.heading
    assert not server.log
    seen: list[SummaryProgress] = []
    space.backend.writing.connect(seen.append)
    QTest.keyClick(space.window, Qt.Key.Key_Return, CONTROL)
    qtbot.waitUntil(lambda: len({one.text for one in seen}) > 2, timeout=30_000)
    server.skips_delays.set()
    done = settle(qtbot, space)
    assert seen[-1].is_over
    assert "written by local" in done.result.heading


def test_cancel_stops_the_model_and_leaves_the_window_usable(
    qtbot: QtBot, server: Loopback, space: WindowContent, transcript: Path
) -> None:
    keep(server)
    server.script = [Reply(text="word " * 2000, pace=0.05)]
    open_transcript(qtbot, space, transcript)
    space.dialogs.choose_summary_profile("local")
    settle(qtbot, space)
    with qtbot.waitSignal(
        space.backend.writing,
        timeout=20_000,
        check_params_cb=lambda one: bool(one.text),
    ):
        QTest.keyClick(space.window, Qt.Key.Key_Return, CONTROL)
    QTest.keyClick(space.window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=15_000)
    qtbot.waitUntil(server.log[0].closed.is_set, timeout=15_000)
    space.dialogs.choose_summary_profile("offline")
    assert settle(qtbot, space).request.profile == "offline"


def test_a_paid_profile_asks_in_place_and_no_means_offline(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    ProfileStore().save(
        Profile(
            name="haiku",
            provider="anthropic",
            model="claude-haiku-4-5",
            key_env="NOT_SET_HERE",
        )
    )
    open_transcript(qtbot, space, transcript)
    space.dialogs.choose_summary_profile("haiku")
    assert settle(qtbot, space).request.price.startswith("≈ $")
    with qtbot.waitSignal(space.backend.question, timeout=10_000) as asked:
        QTest.keyClick(space.window, Qt.Key.Key_Return, CONTROL)
    assert asked.args is not None
    assert isinstance(asked.args[0], CallQuestion)
    settle(qtbot, space)
    no = next(
        one
        for one in space.window.findChildren(QPushButton)
        if one.text() == "Use offline · free"
    )
    QTest.mouseClick(no, LEFT)
    assert settle(qtbot, space).history.choices


@pytest.mark.req("REQ-CS-005.2", "REQ-CS-005.1")
def test_an_override_for_one_model_is_in_the_preview_and_in_the_servers_log(
    qtbot: QtBot, server: Loopback, space: WindowContent, transcript: Path
) -> None:
    keep(server)
    open_transcript(qtbot, space, transcript)
    space.dialogs.choose_summary_profile("local")
    settle(qtbot, space)
    editor = space.dialogs.open_prompts()
    settle(qtbot, space)
    editor.side.level_chosen.emit("model")
    settle(qtbot, space)
    editor.views.text.put_text(
        f"{editor.text}\nMention the marker zanzibar.\n", undoable=True
    )
    editor.save_text()
    settle(qtbot, space)
    page = editor.edits.page
    assert page is not None
    assert page.level == "model"
    assert "zanzibar" in "".join(part.text for part in page.request.parts)
    editor.close()
    space.window.activateWindow()
    qtbot.waitUntil(space.window.isActiveWindow)
    QTest.keyClick(space.window, Qt.Key.Key_Return, CONTROL)
    settle(qtbot, space)
    assert "zanzibar" in server.log[-1].text


@pytest.mark.req("REQ-CS-006A.1")
def test_a_value_that_is_refused_is_explained_in_the_dialog(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    dialog = space.dialogs.open_settings()
    settle(qtbot, space)
    space.backend.set_value(STRATEGY, "nope")
    settle(qtbot, space)
    assert "'nope'" in " ".join(
        label.text() for label in dialog.message_list.findChildren(QLabel)
    )
    dialog.close()
