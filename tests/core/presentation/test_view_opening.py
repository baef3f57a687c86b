"""An opened file: title, pickers, import notices, recorded compactions as rows and as a page."""

from dataclasses import replace
from typing import Any

import pytest

from core.export.export import EXPORTERS
from core.formats.registry import FORCED_REASON, FORMATS
from core.presentation.inspector_model import WhyPage, WhySection
from core.presentation.opened_file import (
    file_choices,
    file_opened_event,
    import_page,
    scope_choices,
    short_model,
)
from core.presentation.preview_status import preview_notices
from core.presentation.recorded_page import recorded_page, recorded_rows
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.settings_store.layers import SettingLayers
from core.strategies.registry import COMPACTION_STRATEGIES
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import MeasuredCompaction, measure_compactions
from core.transcript.model import (
    Conversation,
    ConversationBranch,
    ImportNote,
    ImportReport,
    Message,
    Opaque,
    RecordedCompaction,
)
from core.transcript.scopes import history_of_scope
from tests.support.builders import conversation, exchange, human, talk

READER = next(reader for reader in FORMATS if reader.name == "openai_chat")


def test_pickers_offer_scopes_and_conversations() -> None:
    source = conversation(
        *talk(4),
        recorded=(RecordedCompaction(kind="summary", boundary=2),),
        siblings=3,
        number=2,
    )
    found = file_opened_event(source, READER, "roles", "/x/test.json")
    assert [choice.label for choice in found.scopes] == [
        "whole session",
        "current context",
        "before compaction 1",
    ]
    assert [choice.value for choice in found.branching.conversations] == ["1", "2", "3"]


def test_exports_begin_with_the_format_of_the_file_and_every_reader_is_offered() -> (
    None
):
    found = file_choices("openai_chat", EXPORTERS)
    assert found.exports[0].value == "openai_chat"
    assert found.exports[0].label.endswith(", as the source")
    assert [choice.value for choice in found.strategies] == list(COMPACTION_STRATEGIES)
    assert [choice.value for choice in found.formats] == [
        "",
        *(reader.name for reader in FORMATS),
    ]


def test_branches_are_listed_with_where_they_leave() -> None:
    branches = (
        ConversationBranch(1, "go on", 4, 9),
        ConversationBranch(2, "stop", 3, 1214),
    )
    source = conversation(*talk(4), branches=branches, branch=2)
    found = file_opened_event(source, READER, "roles", "/x/test.json")
    hints = ["default · 4 messages", "3 messages · leaves at line 1,214"]
    assert [choice.hint for choice in found.branching.branches] == hints
    assert found.branching.branch == 2


def test_the_corner_has_links_to_what_else_the_file_holds() -> None:
    report = ImportReport(9, (), (), (ImportNote(3, "an id was made up"),))
    branches = (ConversationBranch(1, "a", 4, 0), ConversationBranch(2, "b", 4, 0))
    source = conversation(
        *talk(4), siblings=1204, number=3, branches=branches, report=report
    )
    found = file_opened_event(source, READER, "roles in 4 of 4", "/x/test.json")
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


@pytest.mark.parametrize(
    ("why", "forced"), [("roles", ""), (FORCED_REASON, "openai_chat")]
)
def test_a_forced_format_is_known(why: str, forced: str) -> None:
    found = file_opened_event(conversation(*talk(2)), READER, why, "/x/test.json")
    assert found.reader.forced == forced


def test_the_import_report_names_file_and_line_of_each_note() -> None:
    notes = (ImportNote(17, "incomplete JSON"), ImportNote(0, "no end"))
    skipped = (("progress", 12), ("mode", 1))
    report = ImportReport(
        40, skipped, notes, (ImportNote(2, "an id was made up"),), {"progress": 7}
    )
    page = import_page(conversation(*talk(2), report=report), READER, "roles")
    assert dict(page.facts)["records read"] == "40"
    assert [(section.title, section.rows) for section in page.sections] == [
        (
            "Skipped: 13 records",
            (("12 ×", "progress, first in test.json:7"), ("1 ×", "mode")),
        ),
        ("Repaired: 1", (("test.json:2", "an id was made up"),)),
        ("Warnings: 2", (("test.json:17", "incomplete JSON"), ("test.json", "no end"))),
    ]
    assert "test.json:17 incomplete JSON" in page.copy_text


def test_a_model_reads_without_vendor_and_date() -> None:
    assert short_model("anthropic/claude-haiku-4-5-20251001") == "claude-haiku-4-5"
    assert short_model("gpt-4o-2024-08-06") == "gpt-4o"
    assert short_model("o3") == "o3"


COUNTER = counter_for("")
SUMMARY = human("What happened so far.")


def recorded(position: int, *kept: int, **fields: Any) -> RecordedCompaction:
    return replace(
        RecordedCompaction(
            kind="summary",
            boundary=position,
            trigger="auto",
            summary=(SUMMARY,),
            kept=kept,
        ),
        **fields,
    )


def reads(*paths: str) -> tuple[Message, ...]:
    found = (
        exchange(f"{path}{number}", "Read", "text", file_path=path)
        for number, path in enumerate(paths)
    )
    return tuple(one for some in found for one in some)


def rows(source: Conversation, scope: str = "all") -> list[tuple[int, str]]:
    found = recorded_rows(
        source, history_of_scope(source, scope), measure_compactions(source, COUNTER)
    )
    return [(row.boundary, row.detail) for row in found]


def page(source: Conversation, number: int = 1, scope: str = "all") -> WhyPage:
    made = compute_preview(
        source, SettingLayers().resolve(), PreviewOptions(scope=scope)
    )
    return recorded_page(made, measure_compactions(source, COUNTER), number)


def section(found: WhyPage, title: str) -> WhySection:
    return next(one for one in found.sections if one.title.startswith(title))


def test_each_scope_shows_the_compactions_that_lie_in_it() -> None:
    micro = RecordedCompaction(
        kind="microcompact", boundary=7, tokens_before=50, tokens_after=40
    )
    source = conversation(*talk(9), recorded=(recorded(4), recorded(6, 5), micro))
    first, second = "recorded 1 · auto · before #5", "recorded 2 · auto · before #7"
    third = "recorded 3 · microcompact · before #8"
    assert rows(source) == [(4, first), (6, second), (7, third)]
    assert rows(source, "before:1") == [(4, first)]
    assert rows(source, "before:2") == [(0, first), (3, second)]
    assert rows(source, "before:3") == [(0, second), (3, third)]
    assert rows(source, "current") == [(0, second), (3, third)]


def test_a_row_compares_requests_with_requests_and_counts_with_counts() -> None:
    source = conversation(*talk(6), recorded=(recorded(4, tokens_before=168_000),))
    (measured,) = measure_compactions(source, COUNTER)
    history = history_of_scope(source, "all")
    (row,) = recorded_rows(source, history, (measured,))
    counted = f"≈{measured.tokens_before} → ≈{COUNTER.message(SUMMARY)}"
    assert row.text == f"— context compacted ({counted} tokens) —"
    (behind,) = recorded_rows(
        source, history, (replace(measured, next_request=31_000),)
    )
    assert behind.text == "— context compacted (168k → 31k tokens) —"
    assert (row.tone, row.summary) == ("", "What happened so far.")


def test_the_scope_picker_shows_sizes() -> None:
    source = conversation(*talk(6), recorded=(recorded(4),))
    sized = (
        MeasuredCompaction(
            number=1,
            messages_before=4,
            tokens_before=148_203,
            messages_after=1,
            tokens_after=38_000,
            reads=0,
            repeated_reads=0,
        ),
    )
    assert scope_choices(source, sized)[-1].label == "before compaction 1 · 148k"


def test_a_scope_that_is_only_a_part_says_so_wherever_it_is_shown() -> None:
    source = conversation(
        *talk(6), recorded=(replace(recorded(2), is_source_lost=True), recorded(4))
    )
    part = "Only a part: what recorded compaction 1 removed is not in the file."
    for scope, said in (
        ("all", []),
        ("current", []),
        ("before:1", [part]),
        ("before:2", []),
    ):
        made = compute_preview(
            source, SettingLayers().resolve(), PreviewOptions(scope=scope)
        )
        notices = (
            one for one in preview_notices(made, "openai") if one.topic == "scope"
        )
        assert (
            [f"{one.title} {one.text}" for one in notices]
            == list(made.checks.warnings)[: len(said)]
            == said
        )


def test_the_page_sets_reported_beside_counted() -> None:
    source = conversation(
        *talk(6), recorded=(recorded(4, tokens_before=900, tokens_after=100),)
    )
    found = page(source)
    assert (found.title, found.note) == ("Recorded 1 of 1", "summary · auto")
    assert found.sentence[0].text.endswith(
        "4 messages became 1; the context is 800 tokens smaller."
    )
    facts = {fact.label: fact.value for fact in section(found, "Tokens").facts}
    (own,) = measure_compactions(source, COUNTER)
    assert (facts["before, reported"], facts["left, reported"]) == ("=900", "=100")
    assert facts["before, by our count"] == f"≈{own.tokens_before}"
    assert facts["change, reported"] == "−800"
    assert section(found, "Its summary").mono == "What happened so far."


@pytest.mark.parametrize(("number", "left"), [(1, "before:2"), (2, "current")])
def test_the_page_leads_to_the_scopes_before_and_after_it(
    number: int, left: str
) -> None:
    source = conversation(*talk(8), recorded=(recorded(4), recorded(6)))
    links = [
        span.link
        for span in section(page(source, number), "In the lists").text
        if span.link
    ]
    assert links == [f"scope:before:{number}", f"scope:{left}", f"beside:{number}"]


def test_what_is_encrypted_is_said_to_be() -> None:
    hidden = human("", Opaque("compaction", {"encrypted_content": "x" * 41_000}))
    source = conversation(
        *talk(6), recorded=(recorded(4, kind="opaque", summary=(hidden,)),)
    )
    found = page(source)
    assert found.note == "encrypted · auto"
    facts = {fact.label: fact.value for fact in section(found, "Tokens").facts}
    assert (facts["left, reported"], facts["left, by our count"]) == (
        "not reported",
        "encrypted",
    )
    text = section(found, "What it wrote").text[0].text
    assert text == "It is encrypted by the provider, 41 kB, not inspectable."


def test_kept_messages_are_links_where_the_scope_shows_them() -> None:
    source = conversation(*talk(8), recorded=(recorded(4, 1, 3), recorded(6)))
    links = [
        span.link for span in section(page(source), "2 messages kept").text if span.link
    ]
    assert links == ["before:1", "before:3"]
    assert not any(
        span.link
        for span in section(page(source, 1, "current"), "2 messages kept").text
    )
