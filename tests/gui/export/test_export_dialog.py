"""The export dialog: groups, options of a format, redaction by default, refusals."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.app.events import ExportAnswer
from core.app.services.export import ExportService
from core.app.services.inspector import InspectorService
from core.common.paths import SAMPLES
from core.facts.sentences import plain_text
from core.formats.registry import load_conversation
from core.presentation.dialog_model import ExportRequest, SecretsCount
from core.presentation.inspector_model import SummaryPage
from core.strategies.excerpt_units import HEADING
from gui.export_dialog import CONTINUE, CONVERT, REPORT, ExportDialog
from gui.window_content import WindowContent
from tests.gui.fake_panel import FAKE_EXPORTS, fake_opened
from tests.gui.recording_backend import RecordingBackend
from tests.gui.window_space import click, open_file, settle
from tests.support.narrowing import known


@pytest.fixture
def dialog(
    qtbot: QtBot, tmp_path: Path, backend: RecordingBackend
) -> Iterator[ExportDialog]:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = ExportDialog(
        window, backend.client, fake_opened(412), FAKE_EXPORTS, str(tmp_path)
    )
    dialog.show()
    yield dialog
    dialog.close()


def choose_format(dialog: ExportDialog, name: str) -> None:
    """Choose a format in the way that has it."""
    form = dialog.form
    for way in (CONTINUE, REPORT, CONVERT):
        form.choose_way(way)
        if (row := form.format.findData(name)) >= 0:
            form.format.setCurrentIndex(row)
            return


def _counted(backend: RecordingBackend) -> ExportRequest:
    [request] = backend.last_arguments(ExportService.count_secrets)
    assert isinstance(request, ExportRequest)
    return request


def test_three_ways_each_with_its_formats(dialog: ExportDialog, tmp_path: Path) -> None:
    form = dialog.form
    texts = ["Continue in the agent", "Share a report", "Convert…"]
    assert [button.text() for button in form.ways.buttons] == texts
    assert (form.ways.choice, form.format.isVisible(), form.side.isVisible()) == (
        CONTINUE,
        False,
        False,
    )
    assert dialog.form.request.format == "claude_code"
    assert dialog.form.request.path == str(tmp_path / "retry-queue-compacted.jsonl")
    form.ways.buttons[REPORT].click()
    assert (
        form.format.isVisible(),
        form.side.isVisible(),
        dialog.form.request.format,
    ) == (
        True,
        False,
        "html",
    )
    assert dialog.form.request.path == str(tmp_path / "retry-queue-report.html")
    form.ways.buttons[CONVERT].click()
    assert [form.format.itemData(row) for row in range(form.format.count())] == [
        "openai_chat",
        "llxprt",
    ]
    form.side.setCurrentIndex(1)
    assert (dialog.form.request.side, dialog.form.request.path) == (
        "before",
        str(tmp_path / "retry-queue.json"),
    )
    form.ways.buttons[CONTINUE].click()
    assert dialog.form.request.side == "after"


def test_a_format_that_is_not_written_can_only_be_converted(
    qtbot: QtBot, tmp_path: Path
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    opened = replace(
        fake_opened(412), reader=replace(fake_opened(412).reader, format="tau_bench")
    )
    dialog = ExportDialog(
        window, RecordingBackend().client, opened, FAKE_EXPORTS, str(tmp_path)
    )
    assert not dialog.form.ways.buttons[CONTINUE].isEnabled()
    assert dialog.form.ways.choice == CONVERT


def test_what_the_result_lacks_is_said_before_it_is_written(
    dialog: ExportDialog, backend: RecordingBackend
) -> None:
    lost = "10 of your messages gone"
    backend.answer(
        InspectorService.check_summaries,
        SummaryPage(
            result_index=-1, verdict="", tone="", findings=(), losses_text=lost
        ),
    )
    assert (dialog.lost.accessibleName(), dialog.lost.isVisible()) == (lost, True)
    choose_format(dialog, "llxprt")
    dialog.form.side.setCurrentIndex(1)  # the source lacks nothing
    assert not dialog.lost.isVisible()


def test_redaction_is_on_for_reports_and_off_for_transcripts(
    dialog: ExportDialog,
) -> None:
    redacts = [dialog.form.request.redact]
    choose_format(dialog, "html")
    redacts.append(dialog.form.request.redact)
    dialog.form.redact.setChecked(False)
    redacts.append(dialog.form.request.redact)
    choose_format(dialog, "openai_chat")
    assert [*redacts, dialog.form.request.redact] == [False, True, False, False]


@pytest.mark.req("LH-71")
def test_a_result_takes_its_provenance_along_where_the_format_has_a_place_for_it(
    dialog: ExportDialog, backend: RecordingBackend
) -> None:
    assert (dialog.form.provenance.isVisible(), dialog.form.request.provenance) == (
        False,
        False,
    )
    choose_format(dialog, "llxprt")
    assert (dialog.form.provenance.isVisible(), dialog.form.request.provenance) == (
        True,
        False,
    )
    dialog.form.provenance.setChecked(True)
    assert _counted(backend).provenance
    assert dialog.form.request.provenance
    dialog.form.side.setCurrentIndex(1)  # a source has none
    assert (dialog.form.provenance.isEnabled(), dialog.form.request.provenance) == (
        False,
        False,
    )


@pytest.mark.req("EXC-4")
def test_excerpts_are_added_to_a_result_where_they_are_chosen(
    dialog: ExportDialog, backend: RecordingBackend
) -> None:
    adds = [dialog.form.request.add_excerpts]
    dialog.form.excerpts.setChecked(True)
    assert _counted(backend).add_excerpts
    choose_format(dialog, "llxprt")
    adds.append(dialog.form.request.add_excerpts)
    dialog.form.side.setCurrentIndex(1)  # the source lacks nothing
    adds.append(dialog.form.request.add_excerpts)
    assert adds == [False, True, False]


def test_a_compaction_can_be_appended_where_the_format_records_one(
    dialog: ExportDialog, backend: RecordingBackend
) -> None:
    assert (dialog.form.append.isVisible(), dialog.form.request.append) == (True, False)
    assert dialog.form.append.text() == "Append to the original, as Claude Code does"
    dialog.form.append.setChecked(True)
    assert _counted(backend).append
    choose_format(dialog, "openai_chat")
    assert (dialog.form.append.isVisible(), dialog.form.request.append) == (
        False,
        False,
    )


def test_secrets_are_counted_anew_for_each_format(
    dialog: ExportDialog, backend: RecordingBackend
) -> None:
    choose_format(dialog, "html")
    assert _counted(backend).format == "html"
    assert dialog.form.about.accessibleName() == "Counting secrets…"
    backend.answer(ExportService.count_secrets, SecretsCount(2, "2 stay.", "2 go."))
    assert dialog.form.about.accessibleName() == "2 go."
    dialog.form.redact.setChecked(False)
    assert dialog.form.about.accessibleName() == "2 stay."


def test_this_very_file_can_be_replaced_and_saved_though_it_would_differ(
    dialog: ExportDialog, backend: RecordingBackend
) -> None:
    request = dialog.form.request
    dialog.export_button.click()
    backend.answer(ExportService.export, ExportAnswer())
    assert dialog.confirmed == replace(request, overwrite=True)
    dialog.export_button.click()
    backend.answer(ExportService.export, ExportAnswer(difference="It would differ."))
    assert (dialog.export_button.text(), dialog.export_button.isEnabled()) == (
        "Save anyway",
        True,
    )
    assert dialog.confirmed == replace(request, overwrite=True, force=True)
    choose_format(dialog, "html")
    assert dialog.export_button.text() == "Export"


# In the window


def _export(qtbot: QtBot, space: WindowContent, path: Path) -> ExportDialog:
    open_file(qtbot, space)
    dialog = known(space.commands.export_dialog())
    dialog.form.set_path(str(path))
    dialog.export_button.click()
    settle(qtbot, space)
    return dialog


def test_export_writes_and_says_so(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    _export(qtbot, space, tmp_path / "out.json")
    notice = space.bar.notices[0]
    assert (notice.severity, notice.topic) == ("info", "export")
    assert notice.title.startswith("Wrote out.json: 22 messages, ")
    click(space, "Open it")
    settle(qtbot, space)
    assert known(space.file).name == "out.json"


@pytest.mark.req("EXC-4")
def test_added_excerpts_stand_in_the_written_file(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    open_file(qtbot, space, SAMPLES / "fix-flaky-upload.jsonl")
    dialog = known(space.commands.export_dialog())
    dialog.form.excerpts.setChecked(True)
    dialog.form.set_path(str(tmp_path / "out.jsonl"))
    dialog.export_button.click()
    settle(qtbot, space)
    written = load_conversation(tmp_path / "out.jsonl").messages
    assert any(plain_text(message).startswith(HEADING) for message in written)


def test_an_export_of_a_sample_does_not_go_into_the_program(
    qtbot: QtBot, space: WindowContent
) -> None:
    open_file(qtbot, space)
    assert space.commands.file is not None
    for path, folder in (
        (SAMPLES / "a.jsonl", Path.home()),
        (Path("/data/a.jsonl"), Path("/data")),
    ):
        space.commands.file = replace(space.commands.file, path=str(path))
        dialog = known(space.commands.export_dialog())
        assert Path(dialog.form.request.path).parent == folder
        dialog.reject()


def test_overwriting_is_asked_inside_the_dialog(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    target = tmp_path / "out.json"
    target.write_text("before")
    dialog = _export(qtbot, space, target)
    assert dialog.export_button.text() == "Replace it"
    assert target.read_text() == "before"
    dialog.export_button.click()
    settle(qtbot, space)
    assert load_conversation(target).messages


def test_what_was_found_is_listed_and_scrolls(
    dialog: ExportDialog, backend: RecordingBackend
) -> None:
    counted = SecretsCount(
        2, "2 stay.", "2 go.", finding_lines=("2 × GitHub token ghp_…: #3 text",)
    )
    backend.answer(ExportService.count_secrets, counted)
    assert dialog.found_secrets.text == "2 × GitHub token ghp_…: #3 text"
    assert dialog.found_secrets.isVisible()
    few = dialog.found_secrets.height()
    many = tuple(f"1 × Password: #{number} text" for number in range(90))
    backend.answer(
        ExportService.count_secrets,
        SecretsCount(90, "90 stay.", "90 go.", finding_lines=many),
    )
    assert few < dialog.found_secrets.sizeHint().height()
    assert (
        dialog.found_secrets.maximumHeight() < dialog.found_secrets.sizeHint().height()
    )
    backend.answer(ExportService.count_secrets, SecretsCount(0, "No.", "No."))
    assert not dialog.found_secrets.isVisible()
