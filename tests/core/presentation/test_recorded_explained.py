"""What a recorded compaction left: the same in the line of the window, in inspect and in its
JSON."""

from dataclasses import replace

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.common.paths import SAMPLES
from core.facts.sentences import searchable_text
from core.formats.registry import load_conversation
from core.presentation.losses_json import explained_json
from core.presentation.losses_words import explained_rows, explained_sentences
from core.presentation.recorded_page import explained_notice
from core.settings_store.layers import SettingLayers
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
)
from core.transcript.scopes import ALL, CURRENT
from core.trials.side_by_side import ExplainedCompaction, explain_compaction
from tests.support.builders import conversation, exchange, human

pytestmark = pytest.mark.req("REPAIR-8")
RULE, LATER = (
    human("Never touch the files in db/migrations."),
    human("Use decimal for the prices of carts."),
)
WORK = exchange("a", "Read", "The text of a file.", file_path="carts.py")
SUMMARY = replace(human("The carts were mended."), flags=MessageFlag.RECORDED_SUMMARY)
RECORDED = RecordedCompaction(kind="summary", boundary=3, summary=(SUMMARY,))
TWICE = conversation(
    RULE, *WORK, LATER, *WORK, recorded=(RECORDED, replace(RECORDED, boundary=5))
)


def explained(source: Conversation, number: int) -> ExplainedCompaction:
    return explain_compaction(
        AnalysisInput(conversation=source, values=SettingLayers().resolve()), number
    )


def test_messages_are_numbered_as_in_the_whole_session() -> None:
    first, second = explained(TWICE, 1), explained(TWICE, 2)
    rule, later = (f"“{searchable_text(one)}”" for one in (RULE, LATER))
    assert explained_rows(first)[0] == ("your message", "#1", rule)
    assert explained_rows(second)[0] == ("your message", "#4", later)
    (worst, *_) = explained_json(second, TWICE)["not_word_for_word"]
    assert worst["message"] == 3


def test_of_an_encrypted_summary_nothing_is_said_to_be_gone() -> None:
    sealed = Message(
        speaker=Speaker.SYSTEM,
        blocks=(Opaque("compaction", {"encrypted_content": "x"}),),
    )
    source = conversation(
        RULE,
        *WORK,
        *WORK,
        recorded=(RecordedCompaction(kind="opaque", boundary=3, summary=(sealed,)),),
    )
    found = explained(source, 1)
    assert found.losses is None
    (sentence,) = explained_sentences(found)
    assert "encrypted" in sentence
    assert not explained_rows(found)
    assert "encrypted" in explained_notice(source, ALL, found).text
    assert explained_json(found, source)["kinds"] is None


def test_what_the_file_does_not_hold_is_not_known() -> None:
    source = replace(TWICE, recorded=(replace(RECORDED, is_source_lost=True),))
    assert explained_sentences(explained(source, 1)) == [
        "What it removed is not in the file."
    ]


def test_the_line_of_the_window_counts_before_it_says_a_figure() -> None:
    sample = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    assert (
        explained_notice(sample, ALL).text
        == "Compacted before #71 by Claude Code: counting what it left…"
    )
    said = explained_notice(sample, ALL, found := explained(sample, 1))
    assert found.losses is not None
    assert found.losses.needed is not None
    gone = len(found.losses.needed.gone)
    assert said.text == (
        "Compacted before #71 by Claude Code: 0 of your 6 messages left word for word, "
        f"later turns missed {gone} names."
    )
    assert [(one.action, one.argument) for one in said.actions] == [("recorded", "1")]
    opened = explained_notice(sample, CURRENT, found)
    short = (
        "Current context: 80 of 150 + its summary.",
        f"0 of your 6 messages word for word, {gone} names missed",
    )
    assert opened.short == short
    assert explained_notice(sample, CURRENT).short == ("", "")
    assert explained_notice(TWICE, ALL).text.startswith(
        "Compacted 2 times, the last time before #6: "
    )


def test_a_session_that_ends_with_its_compaction_used_nothing_later() -> None:
    source = conversation(RULE, *WORK, recorded=(RECORDED,))
    assert explained_notice(source, ALL, explained(source, 1)).text.endswith(
        "the session ends there."
    )


def test_a_recorded_summary_is_checked_as_our_own_answers_are() -> None:
    error = replace(human('{"error": "429 Too Many Requests"}'), flags=SUMMARY.flags)
    source = conversation(
        RULE, *WORK, LATER, recorded=(replace(RECORDED, boundary=3, summary=(error,)),)
    )
    found = explained(source, 1)
    assert found.fault == "wrote an error and no summary"
    assert (
        explained_sentences(found)[0]
        == "Its summary is not one: the model wrote an error and no summary."
    )
    honest = replace(human("The file carts.py was mended."), flags=SUMMARY.flags)
    named = replace(RECORDED, summary=(honest,))
    assert explained(conversation(RULE, *WORK, LATER, recorded=(named,)), 1).fault == ""
