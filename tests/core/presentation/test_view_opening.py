"""Title, pickers and import notices of a transcript."""

import pytest

from core.common.errors import InputError
from core.export.export import EXPORTERS
from core.formats.registry import FORCED_REASON, FORMATS
from core.presentation.notices import refusal_notice
from core.presentation.opened_file import file_opened_event, import_notice, import_page, short_model
from core.transcript.model import (
    ConversationBranch,
    ImportNote,
    ImportReport,
    ListedConversation,
    RecordedCompaction,
)
from tests.builders import conversation, talk

READER = next(reader for reader in FORMATS if reader.name == "openai_chat")


def test_the_title_counts_messages_and_recorded_compactions() -> None:
    found = file_opened_event(conversation(*talk(4)), READER, "roles", "/x/test.json", EXPORTERS)
    assert found.title == f"test.json · {READER.label} · 4 messages · no recorded compaction"


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


def test_conversations_are_listed_with_title_kind_and_messages() -> None:
    listed = (
        ListedConversation(1, "the task", 4),
        ListedConversation(2, "look around", None, "sub-agent"),
        ListedConversation(3, "", 1, "sample"),
    )
    found = file_opened_event(
        conversation(*talk(4), siblings=4, listed=listed), READER, "roles", "/x/test.json", EXPORTERS
    )
    assert [(choice.value, choice.label, choice.hint) for choice in found.conversations] == [
        ("1", "the task", "4 messages"),
        ("2", "look around", "sub-agent"),
        ("3", "", "sample · 1 message"),
        ("4", "", ""),
    ]


def test_branches_are_listed_with_where_they_leave() -> None:
    source = conversation(
        *talk(4),
        branches=(ConversationBranch(1, "go on", 4, 9), ConversationBranch(2, "stop", 3, 1214)),
        branch=2,
    )
    found = file_opened_event(source, READER, "roles", "/x/test.json", EXPORTERS)
    assert [choice.hint for choice in found.branches] == [
        "default · 4 messages",
        "3 messages · leaves at line 1,214",
    ]
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


def test_the_copied_report_holds_no_secret() -> None:
    secret = "sk-ant-" + "a1" * 20
    report = ImportReport(1, (), (ImportNote(1, f"not JSON: {secret}"),))
    page = import_page(conversation(*talk(2), report=report), READER, "roles")
    assert secret not in page.copy_text
    assert page.copied_message == "Copied. 1 secret written over."


def test_a_clean_report_says_so() -> None:
    page = import_page(conversation(*talk(2)), READER, "roles")
    assert page.sections == ()
    assert page.copy_text.endswith("Nothing was skipped, repaired or warned of.\n")


def test_a_clean_file_has_no_import_notice() -> None:
    assert import_notice(conversation(*talk(2))) is None


def test_unread_lines_are_counted_and_named() -> None:
    notes = tuple(ImportNote(line, "incomplete JSON; the line was skipped") for line in (17, 18, 4801))
    report = ImportReport(4798, (("not JSON", 3),), notes)
    notice = import_notice(conversation(*talk(2), report=report))
    assert notice is not None
    assert notice.title == "3 lines of 4,801 could not be read"
    assert notice.text == "and were left out (lines 17, 18, 4,801)."
    assert "line 17: incomplete JSON" in notice.details


def test_a_missing_limit_is_asked_for_in_place() -> None:
    notice = refusal_notice(InputError("no limit"), "high-density", "my-local-7b", None)
    assert notice.title == "high-density needs a context limit"
    assert notice.actions[0].argument == "context-limit="
    assert refusal_notice(InputError("bad"), "", "m", 5).title == "bad"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("o3", "o3"),
    ],
)
def test_a_model_reads_without_vendor_and_date(name: str, short: str) -> None:
    assert short_model(name) == short
