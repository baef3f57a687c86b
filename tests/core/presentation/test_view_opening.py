"""Title, pickers and import notices of a transcript."""

import pytest

from core.export.export import EXPORTERS
from core.formats.registry import FORCED_REASON, FORMATS
from core.presentation.opened_file import file_opened_event, import_page, short_model
from core.transcript.model import ConversationBranch, ImportNote, ImportReport, RecordedCompaction
from tests.builders import conversation, talk

READER = next(reader for reader in FORMATS if reader.name == "openai_chat")


def test_pickers_offer_scopes_strategies_and_exports() -> None:
    source = conversation(*talk(4), recorded=(RecordedCompaction("summary", 2),), siblings=3, number=2)
    found = file_opened_event(source, READER, "roles", "/x/test.json", EXPORTERS)
    assert [choice.label for choice in found.scopes] == [
        "whole session",
        "current context",
        "before compaction 1",
    ]
    assert found.exports[0].value == "openai_chat"
    assert found.exports[0].label.endswith(", as the source")
    assert [choice.value for choice in found.conversations] == ["1", "2", "3"]


def test_branches_are_listed_with_where_they_leave() -> None:
    branches = (ConversationBranch(1, "go on", 4, 9), ConversationBranch(2, "stop", 3, 1214))
    source = conversation(*talk(4), branches=branches, branch=2)
    found = file_opened_event(source, READER, "roles", "/x/test.json", EXPORTERS)
    hints = ["default · 4 messages", "3 messages · leaves at line 1,214"]
    assert [choice.hint for choice in found.branches] == hints
    assert found.branch == 2


def test_the_corner_has_links_to_what_else_the_file_holds() -> None:
    report = ImportReport(9, (), (), (ImportNote(3, "an id was made up"),))
    branches = (ConversationBranch(1, "a", 4, 0), ConversationBranch(2, "b", 4, 0))
    source = conversation(*talk(4), siblings=1204, number=3, branches=branches, report=report)
    found = file_opened_event(source, READER, "roles in 4 of 4", "/x/test.json", EXPORTERS)
    assert [(part.label, part.value) for part in found.title_parts] == [
        ("test.json", ""),
        ("conversation 3 of 1,204", "conversations"),
        ("branch 1 of 2", "branches"),
        (READER.label, "format"),
        ("4 messages", ""),
        ("no recorded compaction", ""),
        ("1 repaired", "import-report"),
    ]
    assert f"Opened as {READER.label}: roles in 4 of 4." in found.title_parts[3].hint


@pytest.mark.parametrize(("why", "forced"), [("roles", ""), (FORCED_REASON, "openai_chat")])
def test_every_format_can_be_forced_and_a_forced_one_is_known(why: str, forced: str) -> None:
    found = file_opened_event(conversation(*talk(2)), READER, why, "/x/test.json", EXPORTERS)
    assert [choice.value for choice in found.formats] == ["", *(reader.name for reader in FORMATS)]
    assert found.forced_format == forced


def test_the_import_report_names_file_and_line_of_each_note() -> None:
    notes = (ImportNote(17, "incomplete JSON"), ImportNote(0, "no end"))
    skipped = (("progress", 12), ("mode", 1))
    report = ImportReport(40, skipped, notes, (ImportNote(2, "an id was made up"),), {"progress": 7})
    page = import_page(conversation(*talk(2), report=report), READER, "roles")
    assert dict(page.facts)["records read"] == "40"
    assert [(section.title, section.rows) for section in page.sections] == [
        ("Skipped: 13 records", (("12 ×", "progress, first in test.json:7"), ("1 ×", "mode"))),
        ("Repaired: 1", (("test.json:2", "an id was made up"),)),
        ("Warnings: 2", (("test.json:17", "incomplete JSON"), ("test.json", "no end"))),
    ]
    assert "test.json:17 incomplete JSON" in page.copy_text


def test_a_model_reads_without_vendor_and_date() -> None:
    assert short_model("anthropic/claude-haiku-4-5-20251001") == "claude-haiku-4-5"
    assert short_model("gpt-4o-2024-08-06") == "gpt-4o"
    assert short_model("o3") == "o3"
