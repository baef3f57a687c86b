"""What Checks says of a session as a whole: copies in its context, rows whose parent is missing."""

from pathlib import Path

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.presentation.checks_page import lint_reports
from core.settings_store.layers import SettingLayers
from core.transcript.scopes import ALL
from tests.core.formats.session_lines import claude_line, read_lines


def test_checks_name_copies_and_lost_parents(tmp_path: Path) -> None:
    rules = "<system-reminder>Keep the module free of floats. " + "Always. " * 30
    lines = [
        claude_line("u1", None, f"{rules}</system-reminder>", isMeta=True),
        claude_line("u2", "u1", "Build it."),
        claude_line("a1", "u2", "Built."),
        claude_line("u3", "gone", f"{rules}</system-reminder>", isMeta=True),
        claude_line("a2", "u3", "Noted."),
    ]
    source = AnalysisInput(
        conversation=read_lines(tmp_path, lines), values=SettingLayers().resolve()
    )
    found = {row.rule for row in lint_reports(baseline_preview(source, ALL))[0].rows}
    assert {"anthropic.copies", "anthropic.lost-parent"} <= found
