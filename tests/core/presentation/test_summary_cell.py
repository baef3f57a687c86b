"""The text of a summary in its cell: heads of sections, and the names in use once, at the end."""

from core.presentation.lists.row_texts import (
    EMPTY_SECTION,
    NAMES_PREFIX,
    CellLine,
    LineKind,
    cell_lines,
)
from core.summarize import offline_summariser, summary_lines

SUMMARY = """<state_snapshot>
<overall_goal>
Mend the upload.
</overall_goal>
<key_knowledge>
- Names in use: Retry.delays, Pool
- Port 8080.
</key_knowledge>
<current_progress>
- Names in use: Pool, retry.py
</current_progress>
<open_questions>
None noted.
</open_questions>
</state_snapshot>"""


def test_names_in_use_stand_once_at_the_end() -> None:
    lines = cell_lines(SUMMARY)
    assert [line.text for line in lines if line.kind is LineKind.HEAD] == [
        "Overall goal",
        "Key knowledge",
        "Names in use",
    ]
    assert lines[-1] == CellLine(LineKind.TEXT, "`Retry.delays`, `Pool`, `retry.py`")


def test_a_section_without_words_has_no_head() -> None:
    texts = [line.text for line in cell_lines(SUMMARY)]
    assert "Current progress" not in texts
    assert "Open questions" not in texts


def test_what_is_looked_for_is_what_the_offline_summary_writes() -> None:
    assert summary_lines.NAMES_PREFIX == NAMES_PREFIX
    assert offline_summariser.EMPTY_SECTION == EMPTY_SECTION


def test_many_names_end_with_how_many_more() -> None:
    names = ", ".join(f"function_number_{at}" for at in range(20))
    assert cell_lines(f"- Names in use: {names}")[-1].text.endswith("and 15 more")
