"""The export dialog: groups, what goes with a format, redaction by default, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.desk import CountSecrets, Exists, Export, Secrets
from gui.dialogs.export_dialog import BOTH, SIDES, ExportDialog
from gui.theme import theme
from tests.gui.fake_panel import fake_opened


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> Iterator[ExportDialog]:
    window = QWidget()
    qtbot.addWidget(window)
    made = ExportDialog(window, theme("light"), fake_opened(412), str(tmp_path))
    made.show()
    yield made
    made.close()


def _choose(dialog: ExportDialog, name: str) -> None:
    dialog._format.setCurrentIndex(dialog._format.findData(name))


def _side(dialog: ExportDialog) -> tuple[bool, str]:
    return dialog._side.isEnabled(), dialog._side.currentText()


def _redacts(dialog: ExportDialog) -> bool:
    return dialog.command.redact


def test_formats_stand_under_their_groups(dialog: ExportDialog) -> None:
    model = dialog._format.model()
    assert isinstance(model, QStandardItemModel)
    items = [model.item(row) for row in range(model.rowCount())]
    heads = [item.text() for item in items if not item.isEnabled()]
    assert heads == ["Transcript", "Reports"]
    assert all(item.data(Qt.ItemDataRole.UserRole) is None for item in items if not item.isEnabled())
    assert [item.text() for item in items][:2] == ["Transcript", "Claude Code"]
    assert dialog.command.format == "claude_code"


def test_the_name_says_what_is_in_the_file(dialog: ExportDialog, tmp_path: Path) -> None:
    assert dialog.command.path == str(tmp_path / "retry-queue-compacted.jsonl")
    dialog._side.setCurrentIndex(1)
    assert dialog.command.path == str(tmp_path / "retry-queue.jsonl")
    _choose(dialog, "html")
    assert dialog.command.path == str(tmp_path / "retry-queue-report.html")


def test_a_report_is_about_both_sides(dialog: ExportDialog) -> None:
    dialog._side.setCurrentIndex(1)
    _choose(dialog, "html")
    assert _side(dialog) == (False, BOTH)
    assert dialog.command.side == "after"
    _choose(dialog, "openai_chat")
    assert _side(dialog) == (True, SIDES[0][1])


def test_redaction_is_on_for_reports_and_off_for_transcripts(dialog: ExportDialog) -> None:
    assert _redacts(dialog) is False
    _choose(dialog, "html")
    assert _redacts(dialog) is True
    dialog._redact.setChecked(False)
    assert _redacts(dialog) is False
    _choose(dialog, "openai_chat")
    assert _redacts(dialog) is False


@pytest.mark.req("LH-71")
def test_a_result_takes_its_provenance_along_where_the_format_has_a_place_for_it(
    dialog: ExportDialog,
) -> None:
    asked = QSignalSpy(dialog.secrets_asked)
    assert (dialog._keep.isVisible(), dialog.command.provenance) == (False, False)
    _choose(dialog, "llxprt")
    assert (dialog._keep.isVisible(), dialog.command.provenance) == (True, False)
    dialog._keep.setChecked(True)
    assert asked.at(asked.count() - 1)[0] == CountSecrets("llxprt", "after", provenance=True)
    assert dialog.command.provenance
    dialog._side.setCurrentIndex(1)  # a source has none
    assert (dialog._keep.isEnabled(), dialog.command.provenance) == (False, False)


def test_a_compaction_can_be_appended_where_the_format_records_one(dialog: ExportDialog) -> None:
    asked = QSignalSpy(dialog.secrets_asked)
    assert (dialog._append.isVisible(), dialog.command.append) == (True, False)
    dialog._append.setChecked(True)
    assert asked.at(0)[0] == CountSecrets("claude_code", "after", append=True)
    dialog._side.setCurrentIndex(1)  # the source has no compaction to append
    assert (dialog._append.isEnabled(), dialog.command.append) == (False, False)
    dialog._side.setCurrentIndex(0)
    assert (dialog._append.isEnabled(), dialog.command.append) == (True, True)
    _choose(dialog, "openai_chat")
    assert (dialog._append.isVisible(), dialog.command.append) == (False, False)


def test_secrets_are_counted_anew_for_each_format(dialog: ExportDialog) -> None:
    asked = QSignalSpy(dialog.secrets_asked)
    _choose(dialog, "html")
    command = asked.at(asked.count() - 1)[0]
    assert command == CountSecrets("html", "after")
    dialog.show_secrets(Secrets(CountSecrets("claude_code"), 9, "9 stay.", "9 go."))
    assert dialog._about.accessibleName() == "Counting secrets…", "the answer to another question"
    dialog.show_secrets(Secrets(command, 2, "2 stay.", "2 go."))
    assert dialog._about.accessibleName() == "2 go."
    dialog._redact.setChecked(False)
    assert dialog._about.accessibleName() == "2 stay."


def test_a_report_that_cannot_be_made_says_why_and_is_not_offered(dialog: ExportDialog) -> None:
    _choose(dialog, "html")
    dialog.show_secrets(Secrets(CountSecrets("html"), 0, "No.", "No.", "high-density asks no model."))
    assert dialog._about.accessibleName() == "high-density asks no model."
    assert not dialog._go.isEnabled()
    _choose(dialog, "openai_chat")
    assert dialog._go.isEnabled()


def test_replacing_a_file_is_asked_for_this_very_file(dialog: ExportDialog, tmp_path: Path) -> None:
    asked = dialog.command
    dialog.show_exists(Exists(asked))
    assert dialog.command == Export(asked.path, asked.format, asked.side, overwrite=True)
    _choose(dialog, "html")
    assert not dialog.command.overwrite
